/** Three nodes of one kind on this machine, with the same properties for both kinds. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  formatKafka,
  freePort,
  missingKafka,
  startKafka,
  untilOpen,
} from '../compat-tests/support/apache-kafka';
import { formatOttla, startOttlaNode, temporaryFolder } from '../compat-tests/support/ottla';
import type { Server } from '../compat-tests/support/process';
import { type TargetKind, target } from './targets';

const IDS = [1, 2, 3] as const;

interface Place {
  readonly id: number;
  readonly port: number;
  readonly controllerPort: number;
  readonly file: string;
}

export interface NodeKind {
  readonly name: string;
  missing(): Promise<string | undefined>;
  format(propertiesFile: string, clusterId: string): Promise<void>;
  start(place: Place): Promise<Server>;
}

export const OTTLA_NODES: NodeKind = {
  name: 'ottla',
  missing: async () => undefined,
  format: formatOttla,
  start: ({ file }) => startOttlaNode(file),
};

/** Each with a heap of 512 MiB. */
export const KAFKA_NODES: NodeKind = {
  name: 'kafka',
  missing: missingKafka,
  format: formatKafka,
  start: async ({ file, port }) => {
    const server = startKafka(file, ['-Xmx512m', '-Xms512m']);
    await untilOpen(port, server);
    return server;
  },
};

export const OTTLA_CLUSTER: TargetKind = clusterOf(OTTLA_NODES);
export const KAFKA_CLUSTER: TargetKind = clusterOf(KAFKA_NODES);

/** Node ids are 1, 2, 3; all of them are brokers and controllers. */
export class Cluster {
  readonly #kind: NodeKind;
  readonly #places: readonly Place[];
  readonly #servers = new Map<number, Server>();
  readonly #removeFolder: () => void;

  private constructor(kind: NodeKind, places: readonly Place[], removeFolder: () => void) {
    this.#kind = kind;
    this.#places = places;
    this.#removeFolder = removeFolder;
  }

  /** Nodes that can be started; every one gets the settings, lines of properties. */
  static async format(kind: NodeKind, settings: readonly string[] = []): Promise<Cluster> {
    const folder = temporaryFolder();
    const places: Place[] = [];
    for (const id of IDS) {
      const [port, controllerPort] = [await freePort(), await freePort()];
      places.push({ id, port, controllerPort, file: join(folder.path, `${id}.properties`) });
    }
    const clusterId = randomBytes(16).toString('base64url').replace(/^-/, 'A');
    for (const place of places) {
      writeFileSync(place.file, properties(place, places, folder.path, settings));
      await kind.format(place.file, clusterId);
    }
    return new Cluster(kind, places, () => folder.end());
  }

  get ids(): readonly number[] {
    return IDS;
  }

  get ports(): ReadonlyMap<number, number> {
    return new Map(this.#places.map(({ id, port }) => [id, port]));
  }

  get pids(): readonly number[] {
    return [...this.#servers.values()].map(({ pid }) => pid);
  }

  node(id: number): Server {
    const server = this.#servers.get(id);
    if (server === undefined) throw new Error(`node ${id} was not started`);
    return server;
  }

  /** None is ready before there is a majority. */
  async startAll(): Promise<void> {
    await Promise.all(IDS.map((id) => this.start(id)));
  }

  async start(id: number): Promise<void> {
    const place = this.#places.find((one) => one.id === id) as Place;
    this.#servers.set(id, await this.#kind.start(place));
  }

  /** Ends all nodes and takes their data away. */
  async end(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.stop()));
    this.#removeFolder();
  }
}

/** Loads go to node 1. */
function clusterOf(kind: NodeKind): TargetKind {
  return {
    name: kind.name,
    missing: kind.missing,
    prepare: async () => {
      const cluster = await Cluster.format(kind);
      return async () => {
        await cluster.startAll();
        return target(kind.name, cluster.ports.get(1) ?? 0, cluster.pids, () => cluster.end());
      };
    },
  };
}

function properties(
  { id, port, controllerPort }: Place,
  all: readonly Place[],
  folder: string,
  settings: readonly string[],
): string {
  const voters = all.map((place) => `${place.id}@localhost:${place.controllerPort}`);
  return [
    'process.roles=broker,controller',
    `node.id=${id}`,
    `controller.quorum.voters=${voters.join(',')}`,
    `listeners=PLAINTEXT://localhost:${port},CONTROLLER://localhost:${controllerPort}`,
    'controller.listener.names=CONTROLLER',
    'listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT',
    `log.dirs=${join(folder, `data-${id}`)}`,
    ...settings,
    '',
  ].join('\n');
}

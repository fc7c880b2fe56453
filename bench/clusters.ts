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

interface Kind {
  readonly name: string;
  missing(): Promise<string | undefined>;
  format(propertiesFile: string, clusterId: string): Promise<void>;
  start(place: Place): Promise<Server>;
}

export const OTTLA_CLUSTER: TargetKind = clusterOf({
  name: 'ottla',
  missing: async () => undefined,
  format: formatOttla,
  start: ({ file }) => startOttlaNode(file),
});

/** Each with a heap of 512 MiB. */
export const KAFKA_CLUSTER: TargetKind = clusterOf({
  name: 'kafka',
  missing: missingKafka,
  format: formatKafka,
  start: async ({ file, port }) => {
    const server = startKafka(file, ['-Xmx512m', '-Xms512m']);
    await untilOpen(port, server);
    return server;
  },
});

/** Loads go to node 1. */
function clusterOf(kind: Kind): TargetKind {
  return {
    name: kind.name,
    missing: kind.missing,
    prepare: async () => {
      const folder = temporaryFolder();
      const places: Place[] = [];
      for (const id of IDS) {
        const [port, controllerPort] = [await freePort(), await freePort()];
        places.push({ id, port, controllerPort, file: join(folder.path, `${id}.properties`) });
      }
      const clusterId = randomBytes(16).toString('base64url').replace(/^-/, 'A');
      for (const place of places) {
        writeFileSync(place.file, properties(place, places, folder.path));
        await kind.format(place.file, clusterId);
      }
      return async () => {
        // None is ready before there is a majority.
        const servers = await Promise.all(places.map((place) => kind.start(place)));
        const pids = servers.map(({ pid }) => pid);
        return target(kind.name, places[0]?.port ?? 0, pids, async () => {
          await Promise.all(servers.map((server) => server.stop()));
          folder.end();
        });
      };
    },
  };
}

function properties({ id, port, controllerPort }: Place, all: readonly Place[], folder: string) {
  const voters = all.map((place) => `${place.id}@localhost:${place.controllerPort}`);
  return [
    'process.roles=broker,controller',
    `node.id=${id}`,
    `controller.quorum.voters=${voters.join(',')}`,
    `listeners=PLAINTEXT://localhost:${port},CONTROLLER://localhost:${controllerPort}`,
    'controller.listener.names=CONTROLLER',
    'listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT',
    `log.dirs=${join(folder, `data-${id}`)}`,
    '',
  ].join('\n');
}

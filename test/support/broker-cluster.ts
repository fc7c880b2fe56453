/** Whole nodes of a cluster in a simulated world where nothing goes wrong unless it is asked for. */
import type { Broker } from '../../src/broker/broker';
import { formatFolders, randomUuid } from '../../src/broker/format';
import { startNode } from '../../src/broker/start-node';
import { Channel, channelBuffers } from '../../src/client/channel';
import { loggerOver } from '../../src/platform/logger';
import type { Platform } from '../../src/platform/platform';
import type { AnyApi, RequestDraft, ResponseOf } from '../../src/protocol/api';
import { readMetaProperties } from '../../src/storage/meta-properties';
import { Machine, USUAL_TRAITS } from '../simulation/engine/machine';
import { SimulatedNetworks } from '../simulation/engine/simulated-network';
import { Simulation } from '../simulation/engine/simulation';

const CLIENT_PORT = 9092;
export const CONTROLLER_PORT = 9093;
const FOLDER = '/data';

export type Roles = 'broker,controller' | 'broker' | 'controller';

export interface ClusterOptions {
  /** By id from 1 on. */
  readonly roles: readonly Roles[];
  readonly isDynamic?: boolean;
  /** Controllers of a dynamic quorum that do not vote at first. */
  readonly joining?: readonly number[];
  readonly settings?: Readonly<Record<string, string>>;
  /** Of the world's chance; 1 by default. */
  readonly seed?: number;
}

export interface LogLine {
  readonly nodeId: number;
  readonly level: string;
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

interface Node {
  readonly id: number;
  readonly roles: Roles;
  readonly machine: Machine;
  readonly directoryId: string;
  broker: Broker | undefined;
}

export class BrokerCluster {
  readonly simulation: Simulation;
  readonly lines: LogLine[] = [];
  readonly networks: SimulatedNetworks;
  readonly #options: ClusterOptions;
  readonly #nodes = new Map<number, Node>();
  readonly #client: Platform;
  readonly #channels = new Map<number, Channel>();

  private constructor(options: ClusterOptions) {
    this.#options = options;
    this.simulation = new Simulation(options.seed ?? 1);
    this.networks = new SimulatedNetworks(this.simulation, {
      minDelayUs: 50,
      maxDelayUs: 200,
      ownerFailed: (life, error) => {
        throw new Error(`a link's owner on ${life.host} failed`, { cause: error });
      },
    });
    options.roles.forEach((roles, index) => {
      const id = index + 1;
      const machine = new Machine(this.simulation, this.networks, hostOf(id), id, USUAL_TRAITS);
      const directoryId = Buffer.alloc(16, 0x40 + id).toString('base64url');
      this.#nodes.set(id, { id, roles, machine, directoryId, broker: undefined });
    });
    const client = new Machine(this.simulation, this.networks, 'client', 99, USUAL_TRAITS);
    this.#client = client.boot(loggerOver(() => undefined)).platform;
  }

  /** All nodes serve. */
  static async start(options: ClusterOptions): Promise<BrokerCluster> {
    const cluster = new BrokerCluster(options);
    await cluster.outcome(Promise.all(cluster.ids.map((id) => cluster.boot(id))));
    return cluster;
  }

  get ids(): readonly number[] {
    return [...this.#nodes.keys()];
  }

  /** A node that has started. */
  broker(id: number): Broker {
    const { broker } = this.#node(id);
    if (broker === undefined) throw new Error(`node ${id} does not run`);
    return broker;
  }

  /** The id of the folder of a node that runs. */
  directoryId(id: number): string {
    const { disk } = this.#node(id).machine;
    if (disk === undefined) throw new Error(`node ${id} does not run`);
    return readMetaProperties(disk, FOLDER)?.directoryId ?? '';
  }

  /** The files of a folder of a node that runs, with their sizes. */
  filesOf(
    id: number,
    folder: string,
  ): readonly { readonly name: string; readonly bytes: number }[] {
    const { disk } = this.#node(id).machine;
    if (disk === undefined) throw new Error(`node ${id} does not run`);
    return disk.list(folder).map(({ name }) => {
      const file = disk.open(`${folder}/${name}`, 'read');
      const bytes = file.length();
      file.close();
      return { name, bytes };
    });
  }

  /** The nodes that run. */
  get running(): readonly Broker[] {
    return [...this.#nodes.values()].flatMap(({ broker }) => broker ?? []);
  }

  /** The node that decides. */
  get activeController(): Broker {
    const active = this.running.filter(({ quorum }) => quorum.controller?.isActive === true);
    if (active.length !== 1) throw new Error(`${active.length} nodes are the active controller`);
    return active[0] as Broker;
  }

  boot(id: number): Promise<Broker> {
    const node = this.#node(id);
    const log = loggerOver((level, event, fields) => {
      this.lines.push({ nodeId: id, level, event, fields });
    });
    const { life, platform } = node.machine.boot(log);
    const started = this.#start(node, platform).then((broker) => {
      if (!life.isOver) node.broker = broker;
      return broker;
    });
    // Who waits for it is told; a life that ended meanwhile is nobody's business.
    started.catch(() => undefined);
    return started;
  }

  /** The process ends at once, without a word. */
  kill(id: number): void {
    const node = this.#node(id);
    node.broker = undefined;
    this.#channels.get(id)?.close();
    this.#channels.delete(id);
    node.machine.crash('process-crash');
  }

  /** Stops in order, and ends the process. */
  async stop(id: number): Promise<void> {
    const node = this.#node(id);
    await this.outcome(this.broker(id).stop());
    node.broker = undefined;
    node.machine.crash('process-crash');
  }

  pause(id: number): void {
    this.#node(id).machine.life?.pause();
  }

  resume(id: number): void {
    this.#node(id).machine.life?.resume();
  }

  /** Cuts the node off from all other nodes, not from the client. */
  cutOff(id: number): void {
    for (const other of this.ids) if (other !== id) this.networks.cut(hostOf(id), hostOf(other));
  }

  /** The connections that the node has now swallow everything, telling nobody. */
  swallow(id: number): void {
    this.networks.makeHalfOpen(hostOf(id), this.simulation.stream('swallow'), 1);
  }

  advance(ms: number): Promise<void> {
    return this.simulation.run(this.simulation.nowMs + ms);
  }

  async outcome<Value>(promise: Promise<Value>, limitMs = 60_000): Promise<Value> {
    let isSettled = false;
    const settled = (): void => {
      isSettled = true;
    };
    promise.then(settled, settled);
    await this.simulation.run(this.simulation.nowMs + limitMs, () => isSettled);
    if (!isSettled) throw new Error(`the promise did not settle within ${limitMs} ms`);
    return promise;
  }

  /** Lets time pass until it holds; gives how many milliseconds that took. */
  async until(condition: () => boolean, limitMs = 30_000): Promise<number> {
    const startMs = this.simulation.nowMs;
    while (!condition()) {
      if (this.simulation.nowMs - startMs > limitMs) {
        throw new Error(`it did not come true within ${limitMs} ms: ${condition}`);
      }
      await this.advance(5);
    }
    return this.simulation.nowMs - startMs;
  }

  /** Asks a node as a client would, in the newest version. */
  async ask<A extends AnyApi>(
    id: number,
    api: A,
    body: RequestDraft<A>,
    port = CLIENT_PORT,
  ): Promise<ResponseOf<A>> {
    const channel = await this.#channelTo(id, port);
    return this.outcome(channel.request(api, 'newest', body));
  }

  async #channelTo(id: number, port: number): Promise<Channel> {
    const known = this.#channels.get(port === CLIENT_PORT ? id : -id);
    if (known !== undefined && !known.isClosed) return known;
    const { clock, network } = this.#client;
    const opening = Channel.connect(
      { clock, network, buffers: channelBuffers() },
      {
        host: hostOf(id),
        port,
        clientId: 'client',
        connectTimeoutMs: 5_000,
        requestTimeoutMs: 60_000,
      },
    );
    const channel = await this.outcome(opening);
    await this.outcome(channel.negotiate());
    this.#channels.set(port === CLIENT_PORT ? id : -id, channel);
    return channel;
  }

  async #start(node: Node, platform: Platform): Promise<Broker> {
    const properties = this.#properties(node);
    await this.#format(node, platform);
    return startNode({
      platform,
      properties,
      localHost: () => hostOf(node.id),
      overwritesLentBytes: true,
    });
  }

  async #format({ id, roles }: Node, platform: Platform): Promise<void> {
    const { isDynamic = false, joining = [] } = this.#options;
    const isController = roles !== 'broker';
    if (platform.disk.exists(`${FOLDER}/meta.properties`)) return;
    const voters = this.#controllers.filter((node) => !joining.includes(node.id));
    const controllers = voters.map((node) => ({
      id: node.id,
      host: hostOf(node.id),
      port: CONTROLLER_PORT,
      directoryId: node.directoryId,
    }));
    const initial = { kind: 'initial', controllers } as const;
    await formatFolders(platform, {
      folders: [FOLDER],
      metadataFolder: FOLDER,
      nodeId: id,
      clusterId: CLUSTER_ID,
      isController,
      hasStaticVoters: !isDynamic,
      controllerListenerName: 'CONTROLLER',
      initial:
        !isDynamic || !isController ? undefined : joining.includes(id) ? { kind: 'none' } : initial,
      ignoreFormatted: false,
      releaseVersion: undefined,
      features: new Map(),
    });
  }

  get #controllers(): readonly Node[] {
    return [...this.#nodes.values()].filter(({ roles }) => roles !== 'broker');
  }

  #properties({ id, roles }: Node): Map<string, string> {
    const { isDynamic = false, settings = {} } = this.#options;
    const places = this.#controllers.map((node) => `${hostOf(node.id)}:${CONTROLLER_PORT}`);
    const voters = this.#controllers.map((node, at) => `${node.id}@${places[at]}`);
    const client = `PLAINTEXT://${hostOf(id)}:${CLIENT_PORT}`;
    const controller = `CONTROLLER://${hostOf(id)}:${CONTROLLER_PORT}`;
    const listeners = {
      'broker,controller': `${client},${controller}`,
      broker: client,
      controller,
    }[roles];
    // Only controllers may be told to join.
    const isTold = ([name]: readonly [string, string]): boolean =>
      roles !== 'broker' || name !== 'controller.quorum.auto.join.enable';
    return new Map([
      ['process.roles', roles],
      ['node.id', String(id)],
      ['listeners', listeners],
      ['controller.listener.names', 'CONTROLLER'],
      isDynamic
        ? (['controller.quorum.bootstrap.servers', places.join(',')] as const)
        : (['controller.quorum.voters', voters.join(',')] as const),
      ['log.dirs', FOLDER],
      ['offsets.topic.num.partitions', '3'],
      ...Object.entries(settings).filter(isTold),
    ]);
  }

  #node(id: number): Node {
    const node = this.#nodes.get(id);
    if (node === undefined) throw new Error(`there is no node ${id}`);
    return node;
  }
}

const CLUSTER_ID = randomUuid({ bytes: (length) => Buffer.alloc(length, 7), below: () => 0 });
const hostOf = (id: number): string => `host-${id}`;

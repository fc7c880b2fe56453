/**
 * A whole cluster inside the caller's process, for tests: brokers in memory on free ports, each of
 * which can be killed, frozen, cut off and started again.
 */
import { resolve } from 'node:path';
import type { Broker } from '../broker/broker';
import {
  type ClusterNodePlan,
  type ClusterPlan,
  clusterNodeProperties,
  formatClusterNode,
  planCluster,
  usualControllers,
} from '../broker/cluster-nodes';
import { workerFile } from '../broker/offload-tasks';
import { startNode } from '../broker/start-node';
import { keepingAlive } from '../platform/keep-alive';
import { memoryDisk } from '../platform/memory-disk';
import { nodePlatform } from '../platform/node';
import type { Disk, Platform } from '../platform/platform';
import { Faults } from './faults';
import { Life } from './life';
import { lifePlatform } from './life-platform';
import { freePorts } from './ports';
import { createTopics, type TopicOptions, textEntries } from './topics';

export interface StartClusterOptions {
  /** How many; 3 by default. They are numbered from 1. */
  readonly brokers?: number;
  /** How many of them, the first ones, are controllers too: 3 where there are as many, else 1. */
  readonly controllers?: number;
  /** Created before `startCluster` resolves; a text is a topic with default settings. */
  readonly topics?: readonly (string | TopicOptions)[];
  /** A folder that keeps the data; by default it lives in memory and is gone with the cluster. */
  readonly dataFolder?: string;
  /** Settings of all brokers by Kafka's names, `{ 'min.insync.replicas': 1 }` for one. */
  readonly settings?: Readonly<Record<string, string | number | boolean>>;
  /** Log lines on standard error from this level on; `silent` by default. */
  readonly logLevel?: 'debug' | 'info' | 'warn' | 'error' | 'silent';
}

/** A running cluster. */
export interface RunningCluster extends AsyncDisposable {
  readonly clusterId: string;
  /** `host:port` of every broker, running or not, as kafkajs's `brokers` takes them. */
  readonly brokers: string[];
  /** The same as one text, as Java's `bootstrap.servers` takes it. */
  readonly bootstrapServers: string;
  readonly nodes: readonly ClusterNode[];
  /** The node of that number. */
  node(nodeId: number): ClusterNode;
  /** The node that decides for the cluster; undefined while none does. */
  readonly activeController: ClusterNode | undefined;
  createTopics(topics: readonly (string | TopicOptions)[]): Promise<void>;
  /** Nobody is cut off from anybody any more. */
  heal(): void;
  /** Stops what runs cleanly; safe to call twice. */
  stop(): Promise<void>;
}

/** One broker of a cluster, and what can happen to it. */
export interface ClusterNode {
  readonly nodeId: number;
  readonly host: string;
  readonly port: number;
  /** `stopped` also after it gave up by itself. */
  readonly state: 'running' | 'frozen' | 'stopped';
  /** Ends it at once, as SIGKILL would: connections break, nothing is handed over. */
  kill(): void;
  /** Stops it cleanly; what it leads is handed over first. */
  stop(): Promise<void>;
  /** Starts it again on the same ports with the same data; resolves once it serves. */
  restart(): Promise<void>;
  /** Freezes it, as SIGSTOP would. */
  pause(): void;
  /** Lets it go on. */
  resume(): void;
  /**
   * Cuts it off from other brokers (all, if none is named), not from clients: what they send each
   * other waits until `heal`.
   */
  partition(...from: readonly number[]): void;
  /** Ends `partition`. */
  heal(): void;
}

/**
 * Starts a cluster in this process and resolves once all brokers serve. It installs no signal
 * handlers, never ends the process, and nothing of it keeps the process alive once it runs.
 */
export function startCluster(options: StartClusterOptions = {}): Promise<RunningCluster> {
  return keepingAlive(() => start(options));
}

async function start(options: StartClusterOptions): Promise<RunningCluster> {
  const { brokers = 3, controllers = usualControllers(brokers), dataFolder, topics = [] } = options;
  const base = nodePlatform({
    level: options.logLevel ?? 'silent',
    workerFile,
    keepsProcessAlive: false,
  });
  const ports = await freePorts(base.network, base.random, 2 * brokers);
  const folder = dataFolder === undefined ? '/ottla' : resolve(dataFolder);
  const plan = planCluster(base.random, {
    brokers,
    controllers: Math.min(controllers, brokers),
    host: 'localhost',
    ports,
    dataFolder: (nodeId) => (dataFolder === undefined ? folder : `${folder}/node-${nodeId}`),
  });
  const cluster = new Cluster(base, plan, dataFolder === undefined, options.settings ?? {});
  try {
    await Promise.all(cluster.nodes.map((node) => node.restart()));
    await cluster.createTopics(topics);
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return cluster;
}

class Cluster implements RunningCluster {
  readonly clusterId: string;
  readonly nodes: readonly Node[];
  readonly #base: Platform;
  #stopping: Promise<void> | undefined;

  constructor(
    base: Platform,
    plan: ClusterPlan,
    isInMemory: boolean,
    settings: NonNullable<StartClusterOptions['settings']>,
  ) {
    this.#base = base;
    this.clusterId = plan.clusterId;
    const faults = new Faults();
    this.nodes = plan.nodes.map((node) => {
      faults.place(node.nodeId, node.port);
      if (node.isController) faults.place(node.nodeId, node.controllerPort);
      const disk = isInMemory ? memoryDisk() : base.disk;
      return new Node({ base, disk, plan, node, faults, settings });
    });
  }

  get brokers(): string[] {
    return this.nodes.map(({ host, port }) => `${host}:${port}`);
  }

  get bootstrapServers(): string {
    return this.brokers.join(',');
  }

  node(nodeId: number): Node {
    const node = this.nodes.find((each) => each.nodeId === nodeId);
    if (node === undefined) throw new Error(`The cluster has no node ${nodeId}.`);
    return node;
  }

  get activeController(): Node | undefined {
    return this.nodes.find(({ broker }) => broker?.quorum.controller?.isActive === true);
  }

  async createTopics(topics: readonly (string | TopicOptions)[]): Promise<void> {
    const node = this.nodes.find(({ state }) => state === 'running');
    if (node === undefined) throw new Error('No node of the cluster is running.');
    await node.createTopics(topics);
  }

  heal(): void {
    for (const node of this.nodes) node.heal();
  }

  stop(): Promise<void> {
    this.#stopping ??= keepingAlive(() => this.#stop());
    return this.#stopping;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(): Promise<void> {
    this.heal();
    for (const node of this.nodes) node.resume();
    await Promise.all(this.nodes.map((node) => node.stop()));
    await this.#base.offload.close();
  }
}

interface NodeOptions {
  readonly base: Platform;
  readonly disk: Disk;
  readonly plan: ClusterPlan;
  readonly node: ClusterNodePlan;
  readonly faults: Faults;
  readonly settings: NonNullable<StartClusterOptions['settings']>;
}

class Node implements ClusterNode {
  readonly nodeId: number;
  readonly host: string;
  readonly port: number;
  readonly #options: NodeOptions;
  #life: Life | undefined;
  /** The one that ended last. */
  #former: Life | undefined;
  #broker: Broker | undefined;
  #stopping: Promise<void> | undefined;
  /** How often it was told to end. */
  #endings = 0;

  constructor(options: NodeOptions) {
    const { nodeId, host, port } = options.node;
    this.nodeId = nodeId;
    this.host = host;
    this.port = port;
    this.#options = options;
  }

  get broker(): Broker | undefined {
    return this.#broker;
  }

  get state(): ClusterNode['state'] {
    if (this.#broker === undefined || this.#life === undefined) return 'stopped';
    return this.#life.isFrozen ? 'frozen' : 'running';
  }

  kill(): void {
    this.#endings += 1;
    this.#life?.end();
    this.#former = this.#life ?? this.#former;
    this.#life = undefined;
    this.#broker = undefined;
  }

  stop(): Promise<void> {
    this.#endings += 1;
    this.#stopping ??= keepingAlive(() => this.#stop()).finally(() => {
      this.#stopping = undefined;
    });
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    const broker = this.#broker;
    const life = this.#life;
    this.#broker = undefined;
    this.#life = undefined;
    // A frozen one does nothing, and so does not stop either.
    life?.thaw();
    this.#former = life ?? this.#former;
    await broker?.stop();
    life?.end();
  }

  /** Has it create topics. */
  createTopics(topics: readonly (string | TopicOptions)[]): Promise<void> {
    const broker = this.#broker;
    const life = this.#life;
    if (broker === undefined || life === undefined) {
      throw new Error(`Node ${this.nodeId} is not running.`);
    }
    const sentence = `Node ${this.nodeId} was ended before it had created the topics.`;
    return keepingAlive(() => life.during(() => createTopics(broker, topics), sentence));
  }

  restart(): Promise<void> {
    return keepingAlive(() => this.#restart());
  }

  async #restart(): Promise<void> {
    const endings = this.#endings;
    const sentence = `Node ${this.nodeId} was ended before it served.`;
    if (this.#stopping !== undefined) await this.#stopping;
    if (this.#endings !== endings) throw new Error(sentence);
    if (this.#life !== undefined) throw new Error(`Node ${this.nodeId} is running already.`);
    const life = new Life(this.#options.base.clock);
    const former = this.#former;
    this.#life = life;
    try {
      const broker = await life.during(async () => {
        await former?.gone();
        return this.#startNode(life);
      }, sentence);
      if (life.isOver) throw new Error(sentence);
      this.#broker = broker;
      broker.failed.catch(() => this.#gaveUp(life));
    } catch (error) {
      life.end();
      this.#former = life;
      if (this.#life === life) this.#life = undefined;
      throw error;
    }
  }

  async #startNode(life: Life): Promise<Broker> {
    const { base, disk, plan, node, faults, settings } = this.#options;
    const platform = lifePlatform({ ...base, disk }, life, this.nodeId, faults);
    await formatClusterNode(platform, plan, node);
    return startNode({
      platform,
      properties: new Map([...clusterNodeProperties(plan, node), ...textEntries(settings)]),
      localHost: () => node.host,
    });
  }

  pause(): void {
    this.#life?.freeze();
  }

  resume(): void {
    this.#life?.thaw();
  }

  partition(...from: readonly number[]): void {
    for (const other of from.length === 0 ? this.#others : from) {
      this.#options.faults.cut(this.nodeId, other);
    }
  }

  heal(): void {
    for (const other of this.#others) this.#options.faults.mend(this.nodeId, other);
  }

  get #others(): readonly number[] {
    return this.#options.plan.nodes.map(({ nodeId }) => nodeId);
  }

  #gaveUp(life: Life): void {
    if (this.#life === life) this.kill();
  }
}

/**
 * One node: the rooms put together, started in the order in which they need each other, and
 * stopped in the opposite one.
 */
import type { NodeId } from '../base/ids';
import { invariant } from '../base/invariant';
import type { Platform } from '../platform/platform';
import { CreateTopics } from '../protocol/apis/create-topics';
import { Errors, errorName } from '../protocol/errors';
import type { Replicas } from '../replication/replicas';
import type { Server } from '../server/server';
import { StorageError } from '../storage/errors';
import { type BoundListener, bindListener } from './bind';
import { BrokerPart } from './broker-part';
import type { NodeControllerAccess } from './controller-access';
import { controllerAccess } from './controller-link';
import { ControllerPart } from './controller-part';
import { formatIfNew, refuseLostMetadata } from './folders';
import { guardedClock } from './guarded-clock';
import type { ListenerPlan } from './listeners';
import { LostBrokers } from './lost-brokers';
import { NodeData } from './node-data';
import { nodeServer } from './node-server';
import { allocateProducerIds, ProducerIdBlocks } from './producer-ids';
import { NodeQuorum } from './quorum';
import { QuorumDoor } from './quorum-door';
import { quorumOptions } from './quorum-options';
import type { Settings } from './settings';

/** How long a stopping broker waits for others to take over what it leads. */
const SHUTDOWN_MS = 30_000;

/** A topic to create, with settings by Kafka's names. */
export interface NewTopic {
  readonly name: string;
  readonly partitions?: number | undefined;
  readonly settings: ReadonlyMap<string, string>;
}

export type StopProgress = (closed: number, total: number) => void;

export interface BrokerOptions {
  readonly platform: Platform;
  readonly settings: Settings;
  readonly listeners: readonly ListenerPlan[];
  /** Lent memory is overwritten when it is given back; for tests and simulation. */
  readonly overwritesLentBytes?: boolean;
}

export class Broker {
  readonly nodeId: NodeId;
  /** The listeners that are open, as clients are told of them. */
  readonly listeners: BoundListener[] = [];
  /** Rejects when a bug ends this node's part (fail-stop); never resolves. */
  readonly failed: Promise<never>;
  readonly #options: BrokerOptions;
  readonly #data: NodeData;
  readonly #door = new QuorumDoor();
  readonly #server: Server;
  readonly #access: NodeControllerAccess;
  readonly #lostBrokers: LostBrokers;
  readonly #producerIds: ProducerIdBlocks;
  #clusterId = '';
  #brokerPart: BrokerPart | undefined;
  #controllerPart: ControllerPart | undefined;
  #stopping: Promise<void> | undefined;
  /** The folder of the metadata log failed, so this node's controller decides nothing any more. */
  #hasQuorumFailed = false;
  /** A bug was found. */
  #hasGivenUp = false;
  #rejectFailed: (error: unknown) => void = () => undefined;
  /** Rejects when the metadata log's folder fails; only the start minds. */
  readonly #cannotStart: Promise<never>;
  #rejectStart: (error: unknown) => void = () => undefined;

  private constructor(options: BrokerOptions) {
    const { settings, overwritesLentBytes } = options;
    const clock = guardedClock(options.platform.clock, (error) => this.#failStop(error));
    const platform = { ...options.platform, clock };
    this.#options = { ...options, platform };
    this.nodeId = settings.nodeId;
    this.failed = new Promise<never>((_resolve, reject) => {
      this.#rejectFailed = reject;
    });
    // Whoever wants to know awaits it; nobody has to.
    this.failed.catch(() => undefined);
    this.#cannotStart = new Promise<never>((_resolve, reject) => {
      this.#rejectStart = reject;
    });
    this.#cannotStart.catch(() => undefined);
    const door = this.#door;
    this.#data = new NodeData({
      platform,
      settings,
      picture: () => door.opened?.publisher.image,
      controller: { askForNode: (api, draft) => this.#access.askForNode(api, draft) },
      brokerEpoch: () => this.#brokerEpoch,
      folderFailed: () => this.#brokerPart?.beat(),
    });
    this.#access = controllerAccess(platform, settings, door, () => requests);
    this.#lostBrokers = new LostBrokers({
      clock: platform.clock,
      network: platform.network,
      logger: platform.log.with({ room: 'controller' }),
      door,
      nodeId: this.nodeId,
      graceMs: settings.number('ottla.broker.lost.grace.ms'),
    });
    this.#producerIds = new ProducerIdBlocks(() =>
      allocateProducerIds(this.#access, this.nodeId, this.#brokerEpoch),
    );
    const { server, requests } = nodeServer({
      platform,
      settings,
      data: this.#data,
      door,
      controller: this.#access,
      heartbeats: this.#lostBrokers,
      producerIds: this.#producerIds,
      clusterId: () => this.#clusterId,
      groups: () => this.#brokerPart?.groups,
      transactions: () => this.#brokerPart?.transactions,
      overwritesLentBytes: overwritesLentBytes === true,
    });
    this.#server = server;
  }

  /**
   * Resolves once clients are served. Rejects with StartError, FormatError or the storage's own
   * sentences (a locked folder, a foreign one) if the node cannot start as asked.
   */
  static async start(options: BrokerOptions): Promise<Broker> {
    const broker = new Broker(options);
    try {
      // The start may be waiting for an answer that, after such a failure, never comes.
      await Promise.race([broker.#start(), broker.failed, broker.#cannotStart]);
      return broker;
    } catch (error) {
      const { logs, folders } = broker.#data;
      const metadataFolder = logs.folders.find(({ path }) => path === folders.metadata);
      await broker.#close(-1);
      // Whatever came of it, a failed disk is what a person has to see to.
      throw metadataFolder?.failure ?? error;
    }
  }

  get clusterId(): string {
    return this.#clusterId;
  }

  /** The partitions it holds, for those who look on. */
  get replicas(): Replicas {
    return this.#data.replicas;
  }

  get quorum(): NodeQuorum {
    return this.#door.quorum;
  }

  /** Rejects with an Error that says which topic could not be created, and why. */
  async createTopics(topics: readonly NewTopic[]): Promise<void> {
    const request = {
      topics: topics.map(({ name, partitions, settings }) => ({
        name,
        numPartitions: partitions ?? -1,
        replicationFactor: -1,
        assignments: [],
        configs: [...settings].map(([key, value]) => ({ name: key, value })),
      })),
    };
    // Not on the way of what this broker's own life depends on: it may take a while.
    const answer = await this.#access.askForNode(CreateTopics, request, 'client');
    for (const { name, errorCode, errorMessage } of answer.topics) {
      if (errorCode === Errors.NONE) continue;
      throw new Error(`The topic ${name} was not created: ${errorMessage ?? errorName(errorCode)}`);
    }
  }

  /** Hands over, closes connections and logs; safe to call twice. */
  stop(progress?: StopProgress): Promise<void> {
    this.#stopping ??= this.#stop(progress);
    return this.#stopping;
  }

  get #brokerEpoch(): number {
    return this.#brokerPart?.brokerEpoch ?? -1;
  }

  async #start(): Promise<void> {
    const { platform, settings, listeners } = this.#options;
    await this.#bind(listeners.filter(({ isForControllers }) => isForControllers));
    const [controller] = this.listeners;
    await formatIfNew(platform, settings, this.#data.folders, controller);
    this.#clusterId = await this.#data.open();
    const { folders, logs } = this.#data;
    refuseLostMetadata(platform.disk, settings, folders, logs.count);
    await this.#openQuorum();
    const clients = listeners.filter(({ isForControllers }) => !isForControllers);
    // A port that was not chosen must be known to register, and is not known to clients yet.
    await this.#bind(clients.filter(({ port }) => port === 0));
    await this.#brokerPart?.enter(this.listeners);
    await this.#bind(clients.filter(({ port }) => port !== 0));
  }

  /** Opens the metadata log; what the node does by its roles follows it from its first picture. */
  async #openQuorum(): Promise<void> {
    const { platform, settings } = this.#options;
    const { folders, logs } = this.#data;
    const folder = logs.folders.find(({ path }) => path === folders.metadata);
    invariant(folder !== undefined, 'the metadata folder is one of the log folders');
    const clusterId = this.#clusterId;
    const listeners = this.listeners.filter(({ isForControllers }) => isForControllers);
    const quorum = await NodeQuorum.open(
      quorumOptions({
        platform,
        settings,
        clusterId,
        folder,
        listeners,
        failed: (error) => this.#quorumFailed(error),
      }),
    );
    this.#door.open(quorum);
    const { publisher } = quorum;
    const failed = (error: unknown) => this.#failStop(error);
    const shared = { platform, settings, access: this.#access, failed };
    if (settings.hasRole('broker')) {
      this.#brokerPart = new BrokerPart({
        ...shared,
        plans: this.#options.listeners,
        data: this.#data,
        producerIds: this.#producerIds,
        clusterId,
        publisher,
      });
    }
    if (settings.hasRole('controller')) {
      this.#controllerPart = new ControllerPart({ ...shared, quorum, listeners });
    }
    quorum.reportVisible();
  }

  async #bind(plans: readonly ListenerPlan[]): Promise<void> {
    for (const plan of plans) this.listeners.push(await bindListener(this.#server, plan));
  }

  async #stop(progress: StopProgress | undefined): Promise<void> {
    const { settings } = this.#options;
    if (settings.value('controlled.shutdown.enable') && this.#canHandOver) {
      await this.#brokerPart?.shutDown(SHUTDOWN_MS);
      await this.#controllerPart?.letOthersHandOver();
    }
    await this.#close(this.#brokerEpoch, progress);
  }

  /** Not if this node has given up, or no controller is left that could be told of a shutdown. */
  get #canHandOver(): boolean {
    const { driver } = this.#door.opened ?? {};
    const isSoleAndFailed = this.#hasQuorumFailed && driver !== undefined && driver.voters.size < 2;
    return !this.#hasGivenUp && !isSoleAndFailed;
  }

  /** Closes what is open; epoch -1: this life was never registered. */
  async #close(brokerEpoch: number, progress?: StopProgress): Promise<void> {
    this.#lostBrokers.close();
    await this.#server.close();
    await this.#brokerPart?.stopCopying();
    this.#access.close();
    await this.#brokerPart?.stop();
    await this.#controllerPart?.stop();
    await this.#door.opened?.close();
    const { logs } = this.#data;
    await (this.#hasGivenUp ? logs.abandon() : logs.close(brokerEpoch, progress));
    await this.#options.platform.offload.close();
  }

  /**
   * The folder of the metadata log failed: this node waits, fenced, for a restart. Whatever other
   * folders hold, who may write and read it is not known any more.
   */
  #quorumFailed(error: unknown): void {
    this.#hasQuorumFailed = true;
    this.#rejectStart(error);
    if (!(error instanceof StorageError)) {
      this.#failStop(error);
      return;
    }
    for (const folder of this.#data.logs.folders) {
      folder.fail(`serving ${folder.path} without the metadata log`, error);
    }
  }

  /** A bug: nothing this node says can be trusted any more, so it says nothing. */
  #failStop(error: unknown): void {
    if (this.#hasGivenUp) return;
    this.#hasGivenUp = true;
    this.#options.platform.log.error('this node gives up: a bug was found', { error });
    this.#brokerPart?.stopCoordinating();
    this.#door.opened?.controller?.stop();
    const ending = [this.#server.close(), this.#brokerPart?.stopCopying()];
    Promise.all(ending).catch(() => undefined);
    this.#rejectFailed(error);
  }
}

/**
 * One node: the rooms put together, started in the order in which they need each other, and
 * stopped in the opposite one.
 */
import type { NodeId } from '../base/ids';
import { invariant } from '../base/invariant';
import type { Publisher } from '../metadata/publisher';
import type { Platform } from '../platform/platform';
import { CreateTopics } from '../protocol/apis/create-topics';
import { Errors, errorName } from '../protocol/errors';
import type { ReplicaFetchers } from '../replication/fetchers';
import type { Server } from '../server/server';
import { StorageError } from '../storage/errors';
import { type BoundListener, bindListener } from './bind';
import type { NodeControllerAccess } from './controller-access';
import { controllerAccess, quorumTransport } from './controller-link';
import { ControllerRegistrar } from './controller-registration';
import { randomUuid } from './directory-ids';
import { formatIfNew } from './folders';
import { NodeGroups } from './group-coordinators';
import type { ListenerPlan } from './listeners';
import { LostBrokers } from './lost-brokers';
import { NodeData } from './node-data';
import { nodeServer } from './node-server';
import {
  bootstrapServers,
  controllerSettings,
  quorumSettings,
  staticVoters,
} from './node-settings';
import { NodeTransactionServices } from './node-transactions';
import { allocateProducerIds, ProducerIdBlocks } from './producer-ids';
import { NodeQuorum } from './quorum';
import { QuorumDoor } from './quorum-door';
import { Registration } from './registration';
import { replicaFetchers } from './replication';
import type { Settings } from './settings';
import { SharedSlices } from './slices';

/** How long a stopping broker waits for others to take over what it leads. */
const SHUTDOWN_MS = 30_000;
/** How long a controller that stops waits for brokers that stop too. */
const OTHERS_HAND_OVER_MS = 2_000;
const SAY_SO_MS = 150;

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
  #fetchers: ReplicaFetchers | undefined;
  #groups: NodeGroups | undefined;
  #transactions: NodeTransactionServices | undefined;
  #registration: Registration | undefined;
  #controllerRegistrar: ControllerRegistrar | undefined;
  #stopping: Promise<void> | undefined;
  /** The folder of the metadata log failed, so this node's controller decides nothing any more. */
  #hasQuorumFailed = false;
  #rejectFailed: (error: unknown) => void = () => undefined;
  /** Rejects when the metadata log's folder fails; only the start minds. */
  readonly #cannotStart: Promise<never>;
  #rejectStart: (error: unknown) => void = () => undefined;

  private constructor(options: BrokerOptions) {
    const { platform, settings, overwritesLentBytes } = options;
    this.#options = options;
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
      brokerEpoch: () => this.#registration?.brokerEpoch ?? -1,
      folderFailed: () => this.#registration?.beat(),
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
      allocateProducerIds(this.#access, this.nodeId, this.#registration?.brokerEpoch ?? -1),
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
      groups: () => this.#groups,
      transactions: () => this.#transactions,
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

  get quorum(): NodeQuorum {
    return this.#door.quorum;
  }

  /** Rejects with an Error that says which topic could not be created, and why. */
  async createTopics(topics: readonly NewTopic[]): Promise<void> {
    const answer = await this.#access.askForNode(CreateTopics, {
      topics: topics.map(({ name, partitions, settings }) => ({
        name,
        numPartitions: partitions ?? -1,
        replicationFactor: -1,
        assignments: [],
        configs: [...settings].map(([key, value]) => ({ name: key, value })),
      })),
    });
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

  async #start(): Promise<void> {
    const { platform, settings, listeners } = this.#options;
    await this.#bind(listeners.filter(({ isForControllers }) => isForControllers));
    const [controller] = this.listeners;
    await formatIfNew(platform, settings, this.#data.folders, controller);
    this.#clusterId = await this.#data.open();
    const { publisher } = await this.#openQuorum();
    const clients = listeners.filter(({ isForControllers }) => !isForControllers);
    // A port that was not chosen must be known to register, and is not known to clients yet.
    await this.#bind(clients.filter(({ port }) => port === 0));
    if (settings.hasRole('broker')) await this.#enterCluster(publisher);
    await this.#bind(clients.filter(({ port }) => port !== 0));
  }

  /** Registers, takes its roles, and has at hand what clients ask for first. */
  async #enterCluster(publisher: Publisher): Promise<void> {
    const registration = this.#makeRegistration(publisher);
    this.#registration = registration;
    await registration.register();
    this.#fetchers?.start();
    await registration.unfence();
    await this.#producerIds.prepare();
  }

  async #openQuorum(): Promise<NodeQuorum> {
    const { platform, settings } = this.#options;
    const { folders, logs, replicas } = this.#data;
    const folder = logs.folders.find(({ path }) => path === folders.metadata);
    invariant(folder !== undefined, 'the metadata folder is one of the log folders');
    const [listenerName = ''] = settings.value('controller.listener.names');
    const quorum = await NodeQuorum.open({
      platform,
      folder,
      clusterId: this.#clusterId,
      nodeId: this.nodeId,
      isController: settings.hasRole('controller'),
      listenerName,
      endpoints: this.listeners.filter(({ isForControllers }) => isForControllers),
      staticVoters: staticVoters(settings),
      bootstrapServers: bootstrapServers(settings),
      settings: quorumSettings(settings),
      transport: quorumTransport(platform, settings),
      controllerSettings: controllerSettings(settings, this.#clusterId),
      visibleTimeoutMs: settings.number('ottla.metadata.visible.timeout.ms'),
      failed: (error) => this.#quorumFailed(error),
    });
    this.#door.open(quorum);
    const { publisher } = quorum;
    publisher.subscribe((image, delta) => replicas.apply(image, delta));
    if (settings.hasRole('broker')) {
      this.#fetchers = this.#openFetchers(publisher);
      this.#openCoordinators(publisher);
    }
    if (settings.hasRole('controller')) this.#controllerRegistrar = this.#makeRegistrar(quorum);
    quorum.reportVisible();
    return quorum;
  }

  #openFetchers(publisher: Publisher): ReplicaFetchers {
    const { platform, settings } = this.#options;
    const fetchers = replicaFetchers({
      platform,
      settings,
      replicas: this.#data.replicas,
      picture: () => publisher.image,
      brokerEpoch: () => this.#registration?.brokerEpoch ?? -1,
      failed: (error) => this.#failStop(error),
    });
    publisher.subscribe((image, delta) => fetchers.apply(image, delta));
    return fetchers;
  }

  #openCoordinators(publisher: Publisher): void {
    const { platform, settings } = this.#options;
    const { clock, random, log } = platform;
    const shared = {
      settings,
      slices: new SharedSlices(clock),
      picture: () => publisher.image,
      failed: (error: unknown) => this.#failStop(error),
    };
    const groups = new NodeGroups({
      ...shared,
      clock,
      random,
      logger: log.with({ room: 'group' }),
      replicas: this.#data.replicas,
    });
    this.#groups = groups;
    this.#transactions = new NodeTransactionServices({
      ...shared,
      platform,
      data: this.#data,
      groups,
      takeProducerId: () => this.#producerIds.take(),
    });
    publisher.subscribe((image, delta) => groups.apply(image, delta));
  }

  #makeRegistration(publisher: Publisher): Registration {
    const { platform, settings, listeners } = this.#options;
    const { clock, random, log } = platform;
    return new Registration({
      clock,
      logger: log,
      controller: this.#access,
      publisher,
      nodeId: this.nodeId,
      clusterId: this.#clusterId,
      incarnationId: randomUuid(random),
      rack: settings.value('broker.rack'),
      listeners: listeners
        .filter(({ isForControllers }) => !isForControllers)
        .map(({ advertised, protocol, name }) => {
          const bound = this.listeners.find((listener) => listener.name === name);
          return { ...advertised, port: bound?.port ?? advertised.port, protocol };
        }),
      directories: () => this.#data.directories(),
      previousBrokerEpoch: this.#data.logs.previousBrokerEpoch,
      heartbeatIntervalMs: settings.value('broker.heartbeat.interval.ms'),
      timeoutMs: settings.value('initial.broker.registration.timeout.ms'),
      failed: (error) => this.#failStop(error),
    });
  }

  #makeRegistrar(quorum: NodeQuorum): ControllerRegistrar {
    const { clock, random, log } = this.#options.platform;
    return new ControllerRegistrar({
      clock,
      logger: log,
      controller: this.#access,
      quorum,
      nodeId: this.nodeId,
      incarnationId: randomUuid(random),
      listeners: this.listeners.filter(({ isForControllers }) => isForControllers),
      failed: (error) => this.#failStop(error),
    });
  }

  async #bind(plans: readonly ListenerPlan[]): Promise<void> {
    for (const plan of plans) this.listeners.push(await bindListener(this.#server, plan));
  }

  async #stop(progress: StopProgress | undefined): Promise<void> {
    const { settings } = this.#options;
    if (settings.value('controlled.shutdown.enable') && !this.#isSoleAndFailed) {
      await this.#registration?.shutDown(SHUTDOWN_MS);
      await this.#letOthersHandOver();
    }
    await this.#close(this.#registration?.brokerEpoch ?? -1, progress);
  }

  /** Whether no controller is left that could be told of a shutdown. */
  get #isSoleAndFailed(): boolean {
    const { driver } = this.#door.opened ?? {};
    return this.#hasQuorumFailed && driver !== undefined && driver.voters.size < 2;
  }

  /** A whole cluster that stops needs its voters until the last broker has handed over. */
  async #letOthersHandOver(): Promise<void> {
    const { platform, settings } = this.#options;
    const quorum = this.#door.opened;
    if (quorum === undefined || quorum.driver.voters.size < 2) return;
    if (!settings.hasRole('controller')) return;
    const { clock } = platform;
    // Others that were told to stop at the same time have said so by then.
    await clock.sleep(SAY_SO_MS);
    const untilMs = clock.monotonicMs() + OTHERS_HAND_OVER_MS;
    const isHandingOver = (): boolean =>
      [...quorum.publisher.image.brokers.values()].some(
        ({ id, isFenced, isInControlledShutdown }) =>
          id !== this.nodeId && isInControlledShutdown && !isFenced,
      );
    while (isHandingOver() && clock.monotonicMs() < untilMs) await clock.sleep(20);
  }

  /** Closes what is open; epoch -1: nothing is marked as clean. */
  async #close(brokerEpoch: number, progress?: StopProgress): Promise<void> {
    this.#lostBrokers.close();
    await this.#server.close();
    await this.#fetchers?.stop();
    this.#data.replicas.close();
    this.#access.close();
    await this.#registration?.stop();
    await this.#controllerRegistrar?.stop();
    this.#groups?.close();
    this.#transactions?.close();
    await this.#door.opened?.close();
    await this.#data.logs.close(brokerEpoch, progress);
    await this.#options.platform.offload.close();
  }

  /** The folder of the metadata log failed: this node waits, fenced, for a restart. */
  #quorumFailed(error: unknown): void {
    this.#hasQuorumFailed = true;
    this.#rejectStart(error);
    if (!(error instanceof StorageError)) this.#failStop(error);
  }

  /** A bug: nothing this node says can be trusted any more, so it says nothing. */
  #failStop(error: unknown): void {
    this.#options.platform.log.error('this node gives up: a bug was found', { error });
    this.#groups?.close();
    this.#transactions?.close();
    this.#door.opened?.controller?.stop();
    this.#data.replicas.close();
    const ending = [this.#server.close(), this.#fetchers?.stop()];
    Promise.all(ending).catch(() => undefined);
    this.#rejectFailed(error);
  }
}

/**
 * One node: the rooms put together, started in the order in which they need each other, and
 * stopped in the opposite one.
 */
import type { NodeId } from '../base/ids';
import { invariant } from '../base/invariant';
import { SUPPORTED_FEATURES } from '../metadata/features';
import { Image } from '../metadata/image';
import type { Publisher } from '../metadata/publisher';
import type { Platform } from '../platform/platform';
import { AllocateProducerIds } from '../protocol/apis/allocate-producer-ids';
import { CreateTopics } from '../protocol/apis/create-topics';
import { ApiError, Errors, errorName } from '../protocol/errors';
import { FetchSessions, type SessionLimits } from '../replication/fetch-sessions';
import { Replicas } from '../replication/replicas';
import { Waiting } from '../replication/waiting';
import { handlers } from '../server/handlers';
import { Registry } from '../server/registry';
import { Server } from '../server/server';
import type { Services } from '../server/services';
import { StorageError } from '../storage/errors';
import { Logs, type OpenProgress } from '../storage/logs';
import { readMetaProperties } from '../storage/meta-properties';
import { type BoundListener, bindListener } from './bind';
import { NodeControllerAccess } from './controller-access';
import { ControllerRegistrar } from './controller-registration';
import { randomUuid } from './directory-ids';
import { formatIfNew, type LogFolders, logFolders } from './folders';
import { NodeGroups } from './group-coordinators';
import type { ListenerPlan } from './listeners';
import { LiveSettings } from './live-settings';
import {
  bootstrapServers,
  controllerSettings,
  quorumSettings,
  serverLimits,
  serverSettings,
  staticVoters,
  upkeepSettings,
} from './node-settings';
import { type ProducerIdBlock, ProducerIdBlocks } from './producer-ids';
import { NodeQuorum } from './quorum';
import { Registration } from './registration';
import type { Settings } from './settings';
import { BROKER_SETTINGS } from './settings-table';
import { SharedSlices } from './slices';
import { StartError } from './start-error';
import { TopicSettings } from './topic-settings';

/** How long a stopping broker waits for others to take over what it leads. */
const SHUTDOWN_MS = 30_000;
/** How often a long opening says how far it is. */
const PROGRESS_MS = 2_000;

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
  readonly #folders: LogFolders;
  readonly #topicSettings: TopicSettings;
  readonly #logs: Logs;
  readonly #waiting: Waiting;
  readonly #replicas: Replicas;
  readonly #server: Server;
  readonly #access: NodeControllerAccess;
  readonly #producerIds = new ProducerIdBlocks(() => this.#allocateProducerIds());
  #clusterId = '';
  #quorum: NodeQuorum | undefined;
  #groups: NodeGroups | undefined;
  #registration: Registration | undefined;
  #controllerRegistrar: ControllerRegistrar | undefined;
  #stopping: Promise<void> | undefined;
  #rejectFailed: (error: unknown) => void = () => undefined;

  private constructor(options: BrokerOptions) {
    const { platform, settings } = options;
    const { clock, log } = platform;
    this.#options = options;
    this.nodeId = settings.nodeId;
    this.failed = new Promise<never>((_resolve, reject) => {
      this.#rejectFailed = reject;
    });
    // Whoever wants to know awaits it; nobody has to.
    this.failed.catch(() => undefined);
    this.#folders = logFolders(settings);
    this.#topicSettings = new TopicSettings(settings);
    this.#logs = new Logs(platform, {
      ...upkeepSettings(settings),
      folders: this.#folders.all,
      settingsOf: (topic) => this.#topicSettings.of(topic, this.#quorum?.publisher.image).log,
      onFolderOffline: ({ path }) => {
        this.#replicas.folderFailed(path);
        this.#registration?.beat();
      },
    });
    this.#waiting = new Waiting(clock);
    this.#replicas = new Replicas({
      nodeId: this.nodeId,
      logs: this.#logs,
      clock,
      logger: log.with({ room: 'replication' }),
      waiting: this.#waiting,
      replicaLagTimeMaxMs: settings.number('replica.lag.time.max.ms'),
      settingsOf: (topic, image) => this.#topicSettings.of(topic, image),
    });
    const requestTimeoutMs = settings.value('request.timeout.ms');
    this.#access = new NodeControllerAccess(() => this.quorum, clock, requestTimeoutMs);
    this.#server = this.#makeServer();
  }

  /**
   * Resolves once clients are served. Rejects with StartError, FormatError or the storage's own
   * sentences (a locked folder, a foreign one) if the node cannot start as asked.
   */
  static async start(options: BrokerOptions): Promise<Broker> {
    const broker = new Broker(options);
    try {
      await broker.#start();
      return broker;
    } catch (error) {
      await broker.#abandon();
      throw error;
    }
  }

  get clusterId(): string {
    return this.#clusterId;
  }

  get quorum(): NodeQuorum {
    invariant(this.#quorum !== undefined, 'the metadata log is open');
    return this.#quorum;
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
    await formatIfNew(platform, settings, this.#folders, controller);
    this.#logs.lock();
    this.#clusterId = this.#readClusterId();
    await this.#logs.open(openProgress(platform));
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
    await registration.unfence();
    await this.#producerIds.prepare();
  }

  async #openQuorum(): Promise<NodeQuorum> {
    const { platform, settings } = this.#options;
    const folder = this.#logs.folders.find(({ path }) => path === this.#folders.metadata);
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
      transport: undefined,
      controllerSettings: controllerSettings(settings, this.#clusterId),
      visibleTimeoutMs: settings.number('ottla.metadata.visible.timeout.ms'),
      failed: (error) => this.#quorumFailed(error),
    });
    this.#quorum = quorum;
    const { publisher } = quorum;
    publisher.subscribe((image, delta) => this.#replicas.apply(image, delta));
    if (settings.hasRole('broker')) this.#openGroups(publisher);
    if (settings.hasRole('controller')) this.#controllerRegistrar = this.#makeRegistrar(quorum);
    quorum.reportVisible();
    return quorum;
  }

  #openGroups(publisher: Publisher): void {
    const { platform, settings } = this.#options;
    const { clock, random, log } = platform;
    const groups = new NodeGroups({
      settings,
      clock,
      random,
      logger: log.with({ room: 'group' }),
      replicas: this.#replicas,
      slices: new SharedSlices(clock),
      picture: () => publisher.image,
      failed: (error) => this.#failStop(error),
    });
    this.#groups = groups;
    publisher.subscribe((image, delta) => groups.apply(image, delta));
  }

  #makeServer(): Server {
    const { platform, settings, overwritesLentBytes } = this.#options;
    const { clock, network, random, log, offload } = platform;
    const registry = new Registry(handlers);
    const live = new LiveSettings(settings, () => this.#picture());
    const broker = this;
    const services: Services = {
      clock,
      logger: log,
      offload,
      nodeId: this.nodeId,
      get clusterId() {
        return broker.#clusterId;
      },
      settings: serverSettings(live),
      picture: () => this.#picture(),
      controller: this.#access,
      brokerConfigs: { definitions: BROKER_SETTINGS, given: settings.given },
      get quorum() {
        return broker.quorum.driver;
      },
      replicas: this.#replicas,
      waiting: this.#waiting,
      fetchSessions: new FetchSessions(fetchSessionLimits(settings), random),
      producerIds: this.#producerIds,
      get groups() {
        invariant(broker.#groups !== undefined, 'clients are served once groups are');
        return broker.#groups;
      },
      advertised: {
        apis: (listener) => registry.advertised(listener),
        supportedFeatures: SUPPORTED,
      },
    };
    return new Server({
      clock,
      network,
      logger: log.with({ room: 'server' }),
      registry,
      services,
      limits: serverLimits(settings),
      overwritesLentBytes: overwritesLentBytes === true,
    });
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
      directories: () => this.#directories(),
      previousBrokerEpoch: this.#logs.previousBrokerEpoch,
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

  #directories() {
    const of = (isOffline: boolean) =>
      this.#logs.folders
        .filter((folder) => folder.isOffline === isOffline)
        .map(({ directoryId }) => directoryId);
    return { online: of(false), offline: of(true) };
  }

  #picture(): Image {
    return this.#quorum?.publisher.image ?? Image.empty;
  }

  async #bind(plans: readonly ListenerPlan[]): Promise<void> {
    for (const plan of plans) this.listeners.push(await bindListener(this.#server, plan));
  }

  #readClusterId(): string {
    const { disk } = this.#options.platform;
    const properties = readMetaProperties(disk, this.#folders.metadata);
    invariant(properties !== undefined, 'a locked folder is formatted');
    if (properties.nodeId !== this.nodeId) {
      throw new StartError(
        `${this.#folders.metadata} belongs to node ${properties.nodeId}, and node.id is ` +
          `${this.nodeId}: name its own folder, or its own number.`,
      );
    }
    return properties.clusterId;
  }

  async #allocateProducerIds(): Promise<ProducerIdBlock> {
    const { errorCode, producerIdStart, producerIdLen } = await this.#access.askForNode(
      AllocateProducerIds,
      { brokerId: this.nodeId, brokerEpoch: this.#registration?.brokerEpoch ?? -1 },
    );
    if (errorCode !== Errors.NONE) {
      throw new ApiError(Errors.COORDINATOR_NOT_AVAILABLE, 'no block of producer ids can be had');
    }
    return { first: producerIdStart, length: producerIdLen };
  }

  async #stop(progress: StopProgress | undefined): Promise<void> {
    const { settings } = this.#options;
    if (settings.value('controlled.shutdown.enable')) {
      await this.#registration?.shutDown(SHUTDOWN_MS);
    }
    await this.#server.close();
    await this.#registration?.stop();
    await this.#controllerRegistrar?.stop();
    this.#groups?.close();
    await this.#quorum?.close();
    await this.#logs.close(this.#registration?.brokerEpoch ?? -1, progress);
    await this.#options.platform.offload.close();
  }

  /** A start that failed: what was opened is closed, and nothing is marked as clean. */
  async #abandon(): Promise<void> {
    await this.#server.close();
    await this.#registration?.stop();
    await this.#controllerRegistrar?.stop();
    this.#groups?.close();
    await this.#quorum?.close();
    await this.#logs.close(-1);
    await this.#options.platform.offload.close();
  }

  /** The folder of the metadata log failed: this node waits, fenced, for a restart. */
  #quorumFailed(error: unknown): void {
    if (!(error instanceof StorageError)) this.#failStop(error);
  }

  /** A bug: nothing this node says can be trusted any more, so it says nothing. */
  #failStop(error: unknown): void {
    this.#options.platform.log.error('this node gives up: a bug was found', { error });
    this.#groups?.close();
    this.#quorum?.controller?.stop();
    this.#server.close().catch(() => undefined);
    this.#rejectFailed(error);
  }
}

const SUPPORTED = [...SUPPORTED_FEATURES].map(([name, { min, max }]) => ({
  name,
  minVersion: min,
  maxVersion: max,
}));

/** A line now and then while many logs are opened after a crash. */
function openProgress({ clock, log }: Platform): (progress: OpenProgress) => void {
  let toldAtMs = clock.monotonicMs();
  return ({ logsOpened, logsTotal, bytesScanned }) => {
    const nowMs = clock.monotonicMs();
    if (nowMs - toldAtMs < PROGRESS_MS) return;
    toldAtMs = nowMs;
    log.info('opening logs', { logsOpened, logsTotal, bytesScanned });
  };
}

/** Partitions remembered by all fetch sessions, and how long an unused one is safe (Kafka's own). */
const fetchSessionLimits = (settings: Settings): SessionLimits => {
  const maxSessions = settings.value('max.incremental.fetch.session.cache.slots');
  return { maxSessions, maxPartitions: maxSessions * 1000, evictionMs: 120_000 };
};

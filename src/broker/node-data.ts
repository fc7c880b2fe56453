/**
 * What a node holds of topics: its log folders, the partitions in them, and who waits for those.
 */
import { Image } from '../metadata/image';
import type { Platform } from '../platform/platform';
import type { ControllerLink } from '../replication/controller-link';
import { Replicas } from '../replication/replicas';
import { Waiting } from '../replication/waiting';
import { Logs, type OpenProgress } from '../storage/logs';
import { readMetaProperties } from '../storage/meta-properties';
import { type LogFolders, logFolders } from './folders';
import { upkeepSettings } from './node-settings';
import { replicationThrottle } from './replication';
import type { Settings } from './settings';
import { StartError } from './start-error';
import { TopicSettings } from './topic-settings';

/** How often a long opening says how far it is. */
const PROGRESS_MS = 2_000;

export interface NodeDataOptions {
  readonly platform: Platform;
  readonly settings: Settings;
  /** The newest published picture; undefined before the metadata log is open. */
  readonly picture: () => Image | undefined;
  /** The way to the active controller. */
  readonly controller: ControllerLink;
  /** Of this node's registration; -1 = none yet. */
  readonly brokerEpoch: () => number;
  /** A log folder failed, and all in it. */
  readonly folderFailed: () => void;
}

export class NodeData {
  readonly folders: LogFolders;
  readonly logs: Logs;
  readonly waiting: Waiting;
  readonly replicas: Replicas;
  readonly #options: NodeDataOptions;

  /** Touches nothing yet. */
  constructor(options: NodeDataOptions) {
    const { platform, settings, picture, controller, brokerEpoch, folderFailed } = options;
    const { clock, log } = platform;
    this.#options = options;
    this.folders = logFolders(settings);
    const topicSettings = new TopicSettings(settings);
    this.logs = new Logs(platform, {
      ...upkeepSettings(settings),
      folders: this.folders.all,
      settingsOf: (topic) => topicSettings.of(topic, picture()).log,
      onFolderOffline: ({ path }) => {
        this.replicas.folderFailed(path);
        folderFailed();
      },
    });
    this.waiting = new Waiting(clock);
    const known = () => picture() ?? Image.empty;
    const leaderThrottle = replicationThrottle('leader', clock, settings, known);
    this.replicas = new Replicas({
      nodeId: settings.nodeId,
      logs: this.logs,
      clock,
      logger: log.with({ room: 'replication' }),
      waiting: this.waiting,
      replicaLagTimeMaxMs: settings.number('replica.lag.time.max.ms'),
      cluster: { controller, brokerEpoch, leaderThrottle },
      settingsOf: (topic, image) => topicSettings.of(topic, image),
    });
  }

  /** Locks the formatted folders and opens their logs; gives the id of the cluster they are of. */
  async open(): Promise<string> {
    this.logs.lock();
    const clusterId = this.#readClusterId();
    await this.logs.open(openProgress(this.#options.platform));
    return clusterId;
  }

  /** The ids of the log folders that are online, and of those that failed since the start. */
  directories() {
    const of = (isOffline: boolean) =>
      this.logs.folders
        .filter((folder) => folder.isOffline === isOffline)
        .map(({ directoryId }) => directoryId);
    return { online: of(false), offline: of(true) };
  }

  #readClusterId(): string {
    const { platform, settings } = this.#options;
    const properties = readMetaProperties(platform.disk, this.folders.metadata);
    if (properties === undefined)
      throw new StartError(`${this.folders.metadata} is not formatted.`);
    if (properties.nodeId !== settings.nodeId) {
      throw new StartError(
        `${this.folders.metadata} belongs to node ${properties.nodeId}, and node.id is ` +
          `${settings.nodeId}: name its own folder, or its own number.`,
      );
    }
    return properties.clusterId;
  }
}

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

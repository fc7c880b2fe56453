/**
 * The partitions that this node holds. Logs are opened and roles taken as the picture says, with
 * work in proportion to what changed.
 */
import type { BrokerEpoch, NodeId, Uuid } from '../base/ids';
import { isActive } from '../metadata/brokers';
import { resourceKey } from '../metadata/config-resources';
import type { Delta } from '../metadata/delta';
import type { Image } from '../metadata/image';
import {
  DIRECTORY_LOST,
  DIRECTORY_MIGRATING,
  DIRECTORY_UNASSIGNED,
  directoryOf,
  type Partition as Registration,
  type Topic,
} from '../metadata/topics';
import type { Clock, Logger, Timer } from '../platform/platform';
import { Errors } from '../protocol/errors';
import { StorageError } from '../storage/errors';
import type { Log } from '../storage/log';
import type { LogFolder } from '../storage/log-folder';
import type { Logs } from '../storage/logs';
import type { ControllerLink } from './controller-link';
import { DirectoryAssignments } from './directory-assignments';
import { IsrProposals } from './isr-proposals';
import type { Peers } from './leader';
import { Partition, type PartitionWorld } from './partition';
import type { PartitionSettings } from './partition-settings';
import { ReplicationThrottle } from './throttle';
import type { Waiting } from './waiting';

/** What a broker among others has that one alone does without. */
export interface ReplicasCluster {
  readonly controller: ControllerLink;
  /** Of this node's registration; -1 = none yet. */
  readonly brokerEpoch: () => BrokerEpoch;
  readonly leaderThrottle: ReplicationThrottle;
}

export interface ReplicasOptions {
  readonly nodeId: NodeId;
  readonly logs: Logs;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly waiting: Waiting;
  /** `replica.lag.time.max.ms`. */
  readonly replicaLagTimeMaxMs: number;
  /** Absent where no other broker ever holds a replica. */
  readonly cluster?: ReplicasCluster;
  /** The effective settings of a topic under that picture. */
  settingsOf(topic: string, image: Image): PartitionSettings;
}

/** Told of partitions that this node began or ceased to hold, or whose role changed. */
export interface ReplicasListener {
  /** The partition was opened, or took a role (new leader, new epoch); read it for what it is. */
  changed?(partition: Partition): void;
  /** It is no longer held here: deleted, reassigned, or its folder failed. */
  gone?(partition: Partition): void;
  /** As a follower it can be fetched for again: what it has is durable now. */
  readyToFetch?(partition: Partition): void;
}

export class Replicas {
  /** By topic name, then by partition number. */
  readonly #topics = new Map<string, Map<number, Partition>>();
  readonly #listeners: ReplicasListener[] = [];
  readonly #world: PartitionWorld;
  readonly #proposals: IsrProposals;
  readonly #directories: DirectoryAssignments;
  #image: Image | undefined;
  #isFirstPicture = true;
  #shrinking: Timer | undefined;
  #isClosed = false;

  constructor(private readonly options: ReplicasOptions) {
    const { nodeId, clock, logger, waiting, replicaLagTimeMaxMs } = options;
    const { controller, brokerEpoch, leaderThrottle } = options.cluster ?? alone(clock);
    const asking = { nodeId, clock, logger, controller, brokerEpoch };
    this.#proposals = new IsrProposals(asking);
    this.#directories = new DirectoryAssignments(asking);
    this.#world = {
      nodeId,
      clock,
      logger,
      waiting,
      replicaLagTimeMaxMs,
      peers: this.#peers(),
      brokerEpoch,
      proposals: this.#proposals,
      leaderThrottle,
      readyToFetch: ({ topic, index }) => {
        const partition = this.get(topic, index);
        if (partition !== undefined) this.#tell('readyToFetch', partition);
      },
    };
  }

  /** Nothing is asked of the controller any more. */
  close(): void {
    this.#isClosed = true;
    this.#shrinking?.cancel();
    this.#proposals.stop();
    this.#directories.stop();
  }

  /** Returns how to stop listening. */
  listen(listener: ReplicasListener): () => void {
    this.#listeners.push(listener);
    return () => {
      const at = this.#listeners.indexOf(listener);
      if (at >= 0) this.#listeners.splice(at, 1);
    };
  }

  /** A partition that this node holds, online or not. */
  get(topic: string, index: number): Partition | undefined {
    return this.#topics.get(topic)?.get(index);
  }

  /**
   * What to answer for a partition that is not held here: the picture's knowledge of it decides
   * between NOT_LEADER_OR_FOLLOWER and UNKNOWN_TOPIC_OR_PARTITION.
   */
  absent(topic: string, index: number): number {
    const known = this.#image?.topicByName(topic)?.partitions.get(index);
    return known === undefined ? Errors.UNKNOWN_TOPIC_OR_PARTITION : Errors.NOT_LEADER_OR_FOLLOWER;
  }

  /** The log folders of this broker, offline ones included. */
  get folders(): readonly LogFolder[] {
    return this.options.logs.folders;
  }

  *all(): IterableIterator<Partition> {
    for (const partitions of this.#topics.values()) yield* partitions.values();
  }

  /** Takes what changed from the picture: a listener of the publisher. */
  apply(image: Image, delta: Delta): void {
    this.#image = image;
    for (const topic of delta.deletedTopics.values()) this.#dropTopic(topic);
    if (this.#isFirstPicture) this.#setStraysAside(image);
    this.#isFirstPicture = false;
    for (const { topic, partitions } of delta.topics.values()) {
      for (const index of partitions) {
        const registration = topic.partitions.get(index);
        if (registration !== undefined) this.#take(topic, index, registration);
      }
    }
    this.#applySettings(image, delta);
    // Not before: what topics are to keep is known only now.
    this.options.logs.startRetention();
  }

  /** A log folder failed: its partitions answer KAFKA_STORAGE_ERROR from now on. */
  folderFailed(path: string): void {
    for (const partition of this.all()) {
      if (partition.log?.folder.path !== path) continue;
      partition.goOffline();
      this.#tell('gone', partition);
    }
  }

  #take(topic: Topic, index: number, registration: Registration): void {
    let held = this.get(topic.name, index);
    if (held !== undefined && held.topicId !== topic.id) {
      this.#drop(held);
      held = undefined;
    }
    if (!registration.replicas.includes(this.options.nodeId)) {
      if (held !== undefined) this.#drop(held);
      return;
    }
    const partition = held ?? this.#open(topic, index, registration);
    partition.become(registration, this.options.clock.monotonicMs());
    this.#tellDirectory(partition, registration);
    if (registration.isr.length > 1 && partition.isLeader) this.#shrinkInTime();
    this.#tell('changed', partition);
  }

  /** KIP-858: the controller must know whose replicas fall with a folder. */
  #tellDirectory({ log, topicId, index }: Partition, registration: Registration): void {
    if (log === undefined) return;
    const { directoryId } = log.folder;
    const isKnown = directoryOf(registration, this.options.nodeId) === directoryId;
    if (isKnown || registration.directories.length === 0) this.#directories.forget(topicId, index);
    else this.#directories.assign(topicId, index, directoryId);
  }

  /** Looks for followers that fell behind, as often as Kafka, while any partition has followers. */
  #shrinkInTime(): void {
    if (this.#shrinking !== undefined || this.#isClosed) return;
    const { clock, replicaLagTimeMaxMs } = this.options;
    this.#shrinking = clock.setTimer(replicaLagTimeMaxMs / 2, () => {
      this.#shrinking = undefined;
      const nowMs = clock.monotonicMs();
      let hasFollowers = false;
      for (const partition of this.all()) {
        if (partition.leader === undefined || partition.leader.isr.size < 2) continue;
        hasFollowers = true;
        partition.shrinkIsr(nowMs);
      }
      if (hasFollowers) this.#shrinkInTime();
    });
  }

  #open(topic: Topic, index: number, registration: Registration): Partition {
    const settings = this.#settingsOf(topic.name);
    const log = this.#openLog(topic, index, registration);
    // One found at start has those of the node so far.
    log?.applySettings(settings.log);
    const partition = new Partition(this.#world, topic.name, topic.id, index, settings, log);
    const partitions = this.#topics.get(topic.name) ?? new Map<number, Partition>();
    this.#topics.set(topic.name, partitions);
    partitions.set(index, partition);
    return partition;
  }

  /** The log found at start, or a new one; undefined if its folder is offline. */
  #openLog(topic: Topic, index: number, registration: Registration): Log | undefined {
    const { logs, logger, nodeId } = this.options;
    let found = logs.get(topic.name, index);
    // Of topics that had this name: found at start in folders that failed before the first role.
    while (found !== undefined && found.topicId !== topic.id) {
      this.#setAside(found);
      found = logs.get(topic.name, index);
    }
    if (found !== undefined) return found.failure === undefined ? found : undefined;
    const wanted = directoryOf(registration, nodeId);
    const isNamed = wanted !== undefined && !MEANINGS.has(wanted);
    const folder = logs.folders.find((candidate) => candidate.directoryId === wanted);
    const hasOfflineFolder = logs.folders.some((candidate) => candidate.isOffline);
    // The log may lie in a folder that is offline: a second, empty one would lose records.
    if (isNamed && hasOfflineFolder && (folder === undefined || folder.isOffline)) return undefined;
    try {
      const named = folder === undefined || folder.isOffline ? undefined : folder.directoryId;
      return logs.create({ topic: topic.name, partition: index }, topic.id, named);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      logger.error('a log could not be made', { topic: topic.name, partition: index, error });
      return undefined;
    }
  }

  #dropTopic(topic: Topic): void {
    for (const partition of [...(this.#topics.get(topic.name)?.values() ?? [])]) {
      if (partition.topicId === topic.id) this.#drop(partition);
    }
  }

  /** No longer held here: its log goes, or is let go where its folder is offline. */
  #drop(partition: Partition): void {
    const { topic, index, topicId } = partition;
    const log = this.options.logs.get(topic, index);
    this.#directories.forget(topicId, index);
    const partitions = this.#topics.get(topic);
    partitions?.delete(index);
    if (partitions?.size === 0) this.#topics.delete(topic);
    partition.goOffline();
    this.#tell('gone', partition);
    if (log?.topicId !== topicId) return;
    try {
      this.options.logs.delete(log);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      this.options.logger.error('a log could not be deleted', { topic, partition: index, error });
    }
  }

  /** Logs that the first picture knows nothing of, or knows under another id: not served. */
  #setStraysAside(image: Image): void {
    const { logs, nodeId } = this.options;
    for (const log of [...logs.all()]) {
      const topic = image.topicByName(log.topic);
      const isHeld =
        topic !== undefined &&
        topic.id === log.topicId &&
        topic.partitions.get(log.partition)?.replicas.includes(nodeId) === true;
      // With one of them its folder may fail, and those behind it.
      if (!isHeld && log.failure === undefined) this.#setAside(log);
    }
  }

  /** Where its folder is offline it is let go, and stays on the dead disk as it is. */
  #setAside(log: Log): void {
    const { logs, logger } = this.options;
    const { topic, partition, topicId } = log;
    const told = { topic, partition, topicId };
    logger.warn('a log that belongs to no partition of this node is set aside', told);
    try {
      logs.setAside(log);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      logger.error('a log could not be set aside', { ...told, error });
    }
  }

  #applySettings(image: Image, delta: Delta): void {
    if (delta.configs.size === 0) return;
    const isBrokerWide = [...delta.configs].some((key) => key.startsWith(BROKER_PREFIX));
    for (const topic of this.#topics.keys()) {
      const key = resourceKey({ type: 'topic', name: topic });
      if (isBrokerWide || delta.configs.has(key)) this.applySettingsOf(topic, image);
    }
  }

  /** Reads a topic's effective settings anew. */
  applySettingsOf(topic: string, image: Image): void {
    const settings = this.options.settingsOf(topic, image);
    this.options.logs.applySettings(topic, settings.log);
    for (const partition of this.#topics.get(topic)?.values() ?? []) {
      partition.applySettings(settings);
    }
  }

  #settingsOf(topic: string): PartitionSettings {
    const image = this.#image;
    if (image === undefined) throw new Error('no picture');
    return this.options.settingsOf(topic, image);
  }

  #tell(what: 'changed' | 'gone' | 'readyToFetch', partition: Partition): void {
    for (const listener of [...this.#listeners]) listener[what]?.(partition);
  }

  #peers(): Peers {
    return {
      isAlive: (node: NodeId) => this.#image?.broker(node)?.isFenced === false,
      isEligible: (node: NodeId, brokerEpoch: BrokerEpoch | undefined) => {
        const broker = this.#image?.broker(node);
        if (broker === undefined || !isActive(broker) || brokerEpoch === undefined) return false;
        return brokerEpoch === -1 || brokerEpoch === broker.epoch;
      },
      isStale: (node: NodeId, brokerEpoch: BrokerEpoch) => {
        const broker = this.#image?.broker(node);
        return broker !== undefined && brokerEpoch !== -1 && brokerEpoch < broker.epoch;
      },
    };
  }
}

/** For a broker that shares no partition: there is nobody to wait for, and nothing to ask. */
function alone(clock: Clock): ReplicasCluster {
  return {
    controller: {
      askForNode: () => Promise.reject(new Error('this broker has no way to a controller')),
    },
    brokerEpoch: () => -1,
    leaderThrottle: new ReplicationThrottle({
      clock,
      windowCount: 1,
      windowMs: 1000,
      bytesPerSecond: () => Number.POSITIVE_INFINITY,
    }),
  };
}

const MEANINGS: ReadonlySet<Uuid> = new Set([
  DIRECTORY_LOST,
  DIRECTORY_MIGRATING,
  DIRECTORY_UNASSIGNED,
]);

/** Keys of broker resources begin so; a broker's settings are the defaults of its topics'. */
const BROKER_PREFIX = resourceKey({ type: 'broker', name: '' });

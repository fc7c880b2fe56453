/** What a decision looks at: the head, the sessions of the brokers, settings, the moment. */
import type { NodeId, Offset, Uuid } from '../base/ids';
import { invariant } from '../base/invariant';
import type { Now } from '../machine/machine';
import { type Broker, hasOnlineDirectory, isActive } from '../metadata/brokers';
import { NO_OVERRIDES } from '../metadata/config-resources';
import { type ConfigLayers, effectiveTopicConfig } from '../metadata/effective-configs';
import { allows, ELIGIBLE_LEADER_REPLICAS_VERSION } from '../metadata/features';
import type { Image } from '../metadata/image';
import type { MetadataRecord } from '../metadata/metadata-record';
import {
  DIRECTORY_LOST,
  DIRECTORY_MIGRATING,
  DIRECTORY_UNASSIGNED,
  directoryOf,
  type Partition,
  type Topic,
} from '../metadata/topics';
import type { ErrorName } from '../protocol/errors';
import type { Indexes } from './indexes';
import type { PartitionRules } from './partitions';
import type { Chance } from './placement';
import type { SessionChange, Sessions } from './sessions';

/** The settings that decisions depend on, by Kafka's names in camelCase. */
export interface ControllerSettings {
  readonly nodeId: NodeId;
  readonly clusterId: string;
  readonly defaultReplicationFactor: number;
  readonly numPartitions: number;
  readonly deleteTopicEnable: boolean;
  readonly brokerSessionTimeoutMs: number;
  readonly autoLeaderRebalanceEnable: boolean;
  readonly leaderImbalanceCheckIntervalMs: number;
  readonly uncleanLeaderElectionCheckIntervalMs: number;
  /** Texts of the broker settings that this node's properties give. */
  readonly given: ReadonlyMap<string, string>;
  /** The text of any broker setting of this node, default included; null = it has none. */
  brokerValue(name: string): string | null;
}

/** The quorum as raft knows it. */
export interface Quorum {
  /** Ids of all voters. */
  readonly voters: readonly NodeId[];
  readonly kraftVersion: number;
  /** Raises kraft.version by records of raft's own: NONE, or why not. */
  upgradeKraftVersion(level: number, validateOnly: boolean): ErrorName;
}

/** Chance for ids and placement. */
export interface ControllerChance extends Chance {
  /** A new random id, never one of the reserved ones. */
  uuid(): Uuid;
}

/** The moment of a decision. */
export interface ControllerNow extends Now {
  /** The offset that the first record of this decision will get. */
  readonly nextOffset: Offset;
  readonly chance: ControllerChance;
  readonly quorum: Quorum;
}

/** What a decision comes to. */
export interface Outcome<Response> {
  readonly records: readonly MetadataRecord[];
  readonly response: Response;
  readonly soft?: readonly SessionChange[];
}

/** Most records that one request may cause (Kafka's MAX_RECORDS_PER_USER_OP). */
export const MAX_RECORDS_PER_REQUEST = 10_000;

export const MIN_INSYNC_REPLICAS = 'min.insync.replicas';

export class View {
  constructor(
    readonly image: Image,
    readonly indexes: Indexes,
    readonly sessions: Sessions,
    readonly settings: ControllerSettings,
    readonly registrationOffset: (broker: NodeId) => Offset | undefined,
  ) {}

  get metadataVersion(): number {
    return this.image.metadataVersion;
  }

  get elrIsEnabled(): boolean {
    return this.image.featureLevel(ELIGIBLE_LEADER_REPLICAS_VERSION) >= 1;
  }

  isActive(broker: NodeId): boolean {
    const registered = this.image.broker(broker);
    return registered !== undefined && isActive(registered);
  }

  /** The layers of settings over a topic of that name, as the active controller has them. */
  layersOf(topic: string): ConfigLayers {
    return this.layersWith(this.image.configOf({ type: 'topic', name: topic }));
  }

  /** The same for a topic that would have these settings of its own. */
  layersWith(topic: ReadonlyMap<string, string>): ConfigLayers {
    const { nodeId, given } = this.settings;
    return {
      topic,
      broker: this.image.configOf({ type: 'broker', name: String(nodeId) }),
      cluster: this.image.configOf({ type: 'broker', name: '' }),
      static: given,
    };
  }

  allowsUncleanElection(topic: string): boolean {
    const entry = effectiveTopicConfig('unclean.leader.election.enable', this.layersOf(topic));
    return entry.value?.toLowerCase() === 'true';
  }

  /** min.insync.replicas, no more than the replicas the topic has. */
  minInsyncReplicas(topic: Topic): number {
    const { value } = effectiveTopicConfig(MIN_INSYNC_REPLICAS, this.layersOf(topic.name));
    const replicas = topic.partitions.get(0)?.replicas.length ?? 1;
    return Math.min(Number(value), replicas);
  }

  /** The text of min.insync.replicas where nothing but this node's properties says it. */
  get staticMinInsyncReplicas(): string {
    const [topic, broker, cluster] = [NO_OVERRIDES, NO_OVERRIDES, NO_OVERRIDES];
    const layers = { topic, broker, cluster, static: this.settings.given };
    const { value } = effectiveTopicConfig(MIN_INSYNC_REPLICAS, layers);
    invariant(value !== null, `${MIN_INSYNC_REPLICAS} has no default`);
    return value;
  }

  /** What decides about a partition; `isAlive` overrides who counts as able to lead. */
  rulesFor(
    topic: Topic,
    partition: Partition,
    isAlive: (broker: NodeId) => boolean = (broker) => this.isActive(broker),
  ): PartitionRules {
    return {
      metadataVersion: this.metadataVersion,
      elrIsEnabled: this.elrIsEnabled,
      minInsyncReplicas: this.minInsyncReplicas(topic),
      isAcceptable: (broker) => isAlive(broker) && this.hasFolderOnline(partition, broker),
      defaultDirectory: (broker) => this.defaultDirectory(broker),
    };
  }

  /** Where a broker puts a new replica: its only folder, else it chooses itself. */
  defaultDirectory(id: NodeId): Uuid {
    if (!allows.directories(this.metadataVersion)) return DIRECTORY_MIGRATING;
    const directories = this.image.broker(id)?.directories;
    if (directories === undefined) return DIRECTORY_UNASSIGNED;
    const [only, ...others] = directories;
    if (only === undefined) return DIRECTORY_MIGRATING;
    return others.length === 0 ? only : DIRECTORY_UNASSIGNED;
  }

  private hasFolderOnline(partition: Partition, id: NodeId): boolean {
    const broker = this.image.broker(id);
    if (broker === undefined) return false;
    return hasOnlineDirectory(broker, directoryOf(partition, id) ?? DIRECTORY_LOST);
  }
}

/** Some folder of the broker takes new replicas. */
export function hasUncordonedDirectory(broker: Broker): boolean {
  const { directories, cordonedDirectories } = broker;
  if (directories.length === 0 || cordonedDirectories === null) return true;
  return directories.some((directory) => !cordonedDirectories.includes(directory));
}

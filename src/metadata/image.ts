/**
 * The picture of the cluster that every node shares: an immutable value, the sum of all committed
 * metadata records. A new picture shares with the one before all that did not change.
 */
import type { LeaderEpoch, NodeId, Offset, ProducerId, Uuid } from '../base/ids';
import type { Acl, ClientQuota, DelegationToken, ScramCredential } from './access';
import type { Broker, Controller } from './brokers';
import { type ConfigResource, NO_OVERRIDES, type Overrides, resourceKey } from './config-resources';
import { METADATA_VERSION } from './features';
import { ShardedMap } from './sharded-map';
import type { Partition, Topic } from './topics';

/** The last record that a picture contains; offset -1 before the first. */
export interface Provenance {
  readonly offset: Offset;
  readonly epoch: LeaderEpoch;
  /** When the batch was appended, wall milliseconds. */
  readonly timestampMs: number;
}

/** The parts of a picture; maps are keyed as their names say. */
export interface ImageParts {
  readonly provenance: Provenance;
  /** Finalized levels above 0, `metadata.version` among them; `kraft.version` is raft's. */
  readonly features: ReadonlyMap<string, number>;
  readonly brokers: ReadonlyMap<NodeId, Broker>;
  readonly controllers: ReadonlyMap<NodeId, Controller>;
  readonly topicsById: ShardedMap<Topic>;
  readonly topicIdsByName: ShardedMap<Uuid>;
  readonly overridesByResource: ShardedMap<Overrides>;
  readonly quotasByEntity: ShardedMap<ClientQuota>;
  /** The first id that no block contains yet. */
  readonly nextProducerId: ProducerId;
  readonly aclsById: ShardedMap<Acl>;
  readonly scramByKey: ShardedMap<ScramCredential>;
  readonly tokensById: ShardedMap<DelegationToken>;
}

/** See `ImageParts` for the fields. Never changes; may be kept as long as one likes. */
export class Image implements ImageParts {
  static readonly empty = new Image({
    provenance: { offset: -1, epoch: -1, timestampMs: -1 },
    features: new Map(),
    brokers: new Map(),
    controllers: new Map(),
    topicsById: ShardedMap.empty(),
    topicIdsByName: ShardedMap.empty(),
    overridesByResource: ShardedMap.empty(),
    quotasByEntity: ShardedMap.empty(),
    nextProducerId: 0,
    aclsById: ShardedMap.empty(),
    scramByKey: ShardedMap.empty(),
    tokensById: ShardedMap.empty(),
  });

  readonly provenance: Provenance;
  readonly features: ReadonlyMap<string, number>;
  readonly brokers: ReadonlyMap<NodeId, Broker>;
  readonly controllers: ReadonlyMap<NodeId, Controller>;
  readonly topicsById: ShardedMap<Topic>;
  readonly topicIdsByName: ShardedMap<Uuid>;
  readonly overridesByResource: ShardedMap<Overrides>;
  readonly quotasByEntity: ShardedMap<ClientQuota>;
  readonly nextProducerId: ProducerId;
  readonly aclsById: ShardedMap<Acl>;
  readonly scramByKey: ShardedMap<ScramCredential>;
  readonly tokensById: ShardedMap<DelegationToken>;

  constructor(parts: ImageParts) {
    this.provenance = parts.provenance;
    this.features = parts.features;
    this.brokers = parts.brokers;
    this.controllers = parts.controllers;
    this.topicsById = parts.topicsById;
    this.topicIdsByName = parts.topicIdsByName;
    this.overridesByResource = parts.overridesByResource;
    this.quotasByEntity = parts.quotasByEntity;
    this.nextProducerId = parts.nextProducerId;
    this.aclsById = parts.aclsById;
    this.scramByKey = parts.scramByKey;
    this.tokensById = parts.tokensById;
  }

  /** Offset of the last record contained; -1 = none. */
  get offset(): Offset {
    return this.provenance.offset;
  }

  /** The quorum's leader epoch of that record; -1 = none. */
  get epoch(): LeaderEpoch {
    return this.provenance.epoch;
  }

  topicById(id: Uuid): Topic | undefined {
    return this.topicsById.get(id);
  }

  topicByName(name: string): Topic | undefined {
    const id = this.topicIdsByName.get(name);
    return id === undefined ? undefined : this.topicsById.get(id);
  }

  partition(topicId: Uuid, index: number): Partition | undefined {
    return this.topicsById.get(topicId)?.partitions.get(index);
  }

  /** All topics, in no order. */
  topics(): IterableIterator<Topic> {
    return this.topicsById.values();
  }

  get topicCount(): number {
    return this.topicsById.size;
  }

  broker(id: NodeId): Broker | undefined {
    return this.brokers.get(id);
  }

  /** What was set on that resource itself; never its defaults. Empty when nothing was. */
  configOf(resource: ConfigResource): Overrides {
    return this.overridesByResource.get(resourceKey(resource)) ?? NO_OVERRIDES;
  }

  /** The finalized level; 0 when the feature is not finalized. */
  featureLevel(name: string): number {
    return this.features.get(name) ?? 0;
  }

  get metadataVersion(): number {
    return this.featureLevel(METADATA_VERSION);
  }
}

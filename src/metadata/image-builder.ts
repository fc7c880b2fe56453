/**
 * Changes a picture by records. One builder serves one publication: it collects what the records
 * say, and finally makes the next picture and the delta to it. A record that contradicts the
 * picture, or one unknown here, is a failed invariant: the node must stop rather than hold a
 * picture that others do not share.
 */
import { invariant } from '../base/invariant';
import {
  type Acl,
  type ClientQuota,
  type DelegationToken,
  quotaKey,
  type ScramCredential,
  scramKey,
} from './access';
import { ClusterChange } from './cluster-change';
import { type Overrides, resourceKey, resourceTypeOf } from './config-resources';
import type { Delta } from './delta';
import { KRAFT_VERSION, METADATA_VERSION, SUPPORTED_FEATURES } from './features';
import { aclOf, scramOf, tokenOf } from './from-records';
import { Image, type Provenance } from './image';
import { KeyedChange } from './keyed-change';
import { MapChange } from './map-change';
import type { MetadataRecord, RecordType, RecordValue } from './metadata-record';
import { TopicsChange } from './topics-change';

/** Used once: after `build` it is spent. */
export class ImageBuilder {
  private readonly topics: TopicsChange;
  private readonly cluster: ClusterChange;
  private readonly features: MapChange<string, number>;
  private readonly overrides: KeyedChange<Overrides>;
  private readonly quotas: KeyedChange<ClientQuota>;
  private readonly acls: KeyedChange<Acl>;
  private readonly scram: KeyedChange<ScramCredential>;
  private readonly tokens: KeyedChange<DelegationToken>;
  private nextProducerId: number;

  constructor(private readonly before: Image) {
    this.topics = new TopicsChange(before);
    this.cluster = new ClusterChange(before);
    this.features = new MapChange(before.features);
    this.overrides = new KeyedChange(before.overridesByResource);
    this.quotas = new KeyedChange(before.quotasByEntity);
    this.acls = new KeyedChange(before.aclsById);
    this.scram = new KeyedChange(before.scramByKey);
    this.tokens = new KeyedChange(before.tokensById);
    this.nextProducerId = before.nextProducerId;
  }

  apply(record: MetadataRecord): void {
    const apply = this.by[record.type] as (value: unknown) => void;
    apply(record.value);
  }

  /** The next picture and what is new in it. */
  build(provenance: Provenance): { readonly image: Image; readonly delta: Delta } {
    const topics = this.topics.build();
    const image = new Image({
      provenance,
      features: this.features.build(),
      brokers: this.cluster.brokers.build(),
      controllers: this.cluster.controllers.build(),
      topicsById: topics.topicsById,
      topicIdsByName: topics.topicIdsByName,
      overridesByResource: this.overrides.build(),
      quotasByEntity: this.quotas.build(),
      nextProducerId: this.nextProducerId,
      aclsById: this.acls.build(),
      scramByKey: this.scram.build(),
      tokensById: this.tokens.build(),
    });
    const delta: Delta = {
      before: this.before,
      topics: topics.changed,
      deletedTopics: topics.deleted,
      brokers: this.cluster.brokers.changed,
      controllers: this.cluster.controllers.changed,
      features: this.features.changed,
      configs: this.overrides.changed,
      quotas: this.quotas.changed,
      acls: this.acls.changed,
      scram: this.scram.changed,
      tokens: this.tokens.changed,
      producerIds: this.nextProducerId !== this.before.nextProducerId,
    };
    return { image, delta };
  }

  /** What each record does; a record that is missing here does not compile. */
  private readonly by: { readonly [T in RecordType]: (value: RecordValue<T>) => void } = {
    RegisterBrokerRecord: (value) => this.cluster.register(value),
    UnregisterBrokerRecord: (value) => this.cluster.unregister(value),
    BrokerRegistrationChangeRecord: (value) => this.cluster.changeRegistration(value),
    FenceBrokerRecord: ({ id, epoch }) => this.cluster.change(id, epoch, { isFenced: true }),
    UnfenceBrokerRecord: ({ id, epoch }) => this.cluster.change(id, epoch, { isFenced: false }),
    RegisterControllerRecord: (value) => this.cluster.registerController(value),
    UnregisterControllerRecord: (value) => this.cluster.unregisterController(value.controllerId),
    TopicRecord: (value) => this.topics.add(value),
    RemoveTopicRecord: (value) => this.removeTopic(value),
    PartitionRecord: (value) => this.topics.setPartition(value),
    PartitionChangeRecord: (value) => this.topics.changePartition(value),
    ClearElrRecord: (value) => this.topics.clearElr(value.topicName),
    ConfigRecord: (value) => this.setConfig(value),
    FeatureLevelRecord: (value) => this.setFeature(value),
    ClientQuotaRecord: (value) => this.setQuota(value),
    ProducerIdsRecord: (value) => {
      this.nextProducerId = value.nextProducerId;
    },
    AccessControlEntryRecord: (value) => this.acls.set(value.id, aclOf(value)),
    RemoveAccessControlEntryRecord: ({ id }) => {
      invariant(this.acls.delete(id), `ACL ${id} is to be removed but does not exist`);
    },
    UserScramCredentialRecord: (value) =>
      this.scram.set(scramKey(value.mechanism, value.name), scramOf(value)),
    RemoveUserScramCredentialRecord: (value) => {
      this.scram.delete(scramKey(value.mechanism, value.name));
    },
    DelegationTokenRecord: (value) => this.tokens.set(value.tokenId, tokenOf(value)),
    RemoveDelegationTokenRecord: (value) => {
      this.tokens.delete(value.tokenId);
    },
    NoOpRecord: () => {},
    ZkMigrationStateRecord: () => {},
    BeginTransactionRecord: notHere,
    EndTransactionRecord: notHere,
    AbortTransactionRecord: notHere,
  };

  private removeTopic(value: RecordValue<'RemoveTopicRecord'>): void {
    const name = this.topics.remove(value.topicId);
    this.overrides.delete(resourceKey({ type: 'topic', name }));
  }

  private setConfig(value: RecordValue<'ConfigRecord'>): void {
    const type = resourceTypeOf(value.resourceType);
    invariant(type !== undefined, `there is no config resource type ${value.resourceType}`);
    const key = resourceKey({ type, name: value.resourceName });
    const overrides = new Map(this.overrides.get(key) ?? []);
    if (value.value === null) overrides.delete(value.name);
    else overrides.set(value.name, value.value);
    // A broker's setting written again unchanged still asks the broker to read it anew.
    if (overrides.size > 0) this.overrides.set(key, overrides);
    else this.overrides.delete(key);
  }

  private setFeature(value: RecordValue<'FeatureLevelRecord'>): void {
    const { name, featureLevel } = value;
    // Some releases wrote kraft.version here by mistake (KAFKA-18979); it is the voters' matter.
    if (name === KRAFT_VERSION) return;
    const range = SUPPORTED_FEATURES.get(name) ?? { min: 0, max: 0 };
    invariant(
      featureLevel >= range.min && featureLevel <= range.max,
      `the cluster finalized ${name} at level ${featureLevel}, this build serves ` +
        `${range.min} to ${range.max}`,
    );
    if (featureLevel === 0 && name !== METADATA_VERSION) this.features.delete(name);
    else this.features.set(name, featureLevel);
  }

  private setQuota(value: RecordValue<'ClientQuotaRecord'>): void {
    const entity = value.entity.map((part) => ({ type: part.entityType, name: part.entityName }));
    const key = quotaKey(entity);
    const limits = new Map(this.quotas.get(key)?.limits ?? []);
    if (value.remove) limits.delete(value.key);
    else limits.set(value.key, value.value);
    if (limits.size === 0) this.quotas.delete(key);
    else this.quotas.set(key, { entity, limits });
  }
}

function notHere(): never {
  invariant(false, 'records of metadata transactions are the loader’s');
}

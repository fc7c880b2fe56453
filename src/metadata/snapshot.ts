/** A whole picture as records: what a snapshot of the metadata log holds. */
import { invariant } from '../base/invariant';
import { RESOURCE_TYPES, resourceOfKey } from './config-resources';
import { allows, METADATA_VERSION } from './features';
import type { Image } from './image';
import { type MetadataRecord, metadataRecord } from './metadata-record';
import {
  aclRecord,
  brokerRecord,
  controllerRecord,
  partitionRecord,
  scramRecord,
  tokenRecord,
} from './to-records';

/** Records of one batch of a snapshot; a writer may pause between batches. */
const BATCH_RECORDS = 1024;

/**
 * The picture in batches, walked lazily, in Kafka's order: features (metadata.version first),
 * brokers, controllers, topics with their partitions, settings, quotas, producer ids, ACLs, SCRAM
 * credentials, delegation tokens. Versions are those that the metadata.version prescribes.
 */
export function* snapshotBatches(image: Image): Iterable<readonly MetadataRecord[]> {
  let batch: MetadataRecord[] = [];
  for (const record of snapshotRecords(image)) {
    batch.push(record);
    if (batch.length < BATCH_RECORDS) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** The same, record by record. */
export function* snapshotRecords(image: Image): Iterable<MetadataRecord> {
  const level = image.metadataVersion;
  invariant(level > 0, 'a picture without a metadata.version cannot be written');
  yield* featureRecords(image);
  for (const broker of image.brokers.values()) yield brokerRecord(broker, level);
  if (allows.controllerRegistration(level)) {
    for (const controller of image.controllers.values()) yield controllerRecord(controller);
  }
  yield* topicRecords(image, level);
  yield* configRecords(image);
  yield* quotaRecords(image);
  if (image.nextProducerId > 0) {
    // Whose block it was is no part of the picture, as in Kafka.
    const brokerEpoch = -1;
    const { nextProducerId } = image;
    yield metadataRecord('ProducerIdsRecord', 0, { brokerId: -1, brokerEpoch, nextProducerId });
  }
  for (const acl of image.aclsById.values()) yield aclRecord(acl);
  if (allows.scram(level)) {
    for (const credential of image.scramByKey.values()) yield scramRecord(credential);
  }
  if (allows.delegationTokens(level)) {
    for (const token of image.tokensById.values()) yield tokenRecord(token);
  }
}

function* featureRecords(image: Image): Iterable<MetadataRecord> {
  const record = (name: string, featureLevel: number): MetadataRecord =>
    metadataRecord('FeatureLevelRecord', 0, { name, featureLevel });
  yield record(METADATA_VERSION, image.metadataVersion);
  for (const [name, level] of image.features) {
    if (name !== METADATA_VERSION) yield record(name, level);
  }
}

function* topicRecords(image: Image, level: number): Iterable<MetadataRecord> {
  for (const topic of image.topics()) {
    const { name, id: topicId, partitions: _, ...kept } = topic;
    yield metadataRecord('TopicRecord', 0, { name, topicId, ...kept });
    for (const [index, partition] of topic.partitions.entries()) {
      yield partitionRecord(topicId, index, partition, level);
    }
  }
}

function* configRecords(image: Image): Iterable<MetadataRecord> {
  for (const [key, overrides] of image.overridesByResource) {
    const { type, name: resourceName } = resourceOfKey(key);
    const resourceType = RESOURCE_TYPES[type];
    for (const [name, value] of overrides) {
      yield metadataRecord('ConfigRecord', 0, { resourceType, resourceName, name, value });
    }
  }
}

function* quotaRecords(image: Image): Iterable<MetadataRecord> {
  for (const quota of image.quotasByEntity.values()) {
    const entity = quota.entity.map(({ type, name }) => ({ entityType: type, entityName: name }));
    for (const [key, value] of quota.limits) {
      yield metadataRecord('ClientQuotaRecord', 0, { entity, key, value, remove: false });
    }
  }
}

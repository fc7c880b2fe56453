/** Makes pictures out of records, for tests. */
import type { Uuid } from '../../src/base/ids';
import type { Image } from '../../src/metadata/image';
import { Image as ImageClass } from '../../src/metadata/image';
import { MetadataLoader } from '../../src/metadata/loader';
import {
  type MetadataRecord,
  metadataRecord,
  type RecordDraft,
} from '../../src/metadata/metadata-record';

/** A uuid that says its number. */
export const uuid = (number: number): Uuid => {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32BE(0xcafe, 0);
  bytes.writeUInt32BE(number, 12);
  return bytes.toString('base64url');
};

export const level = (name: string, featureLevel: number): MetadataRecord =>
  metadataRecord('FeatureLevelRecord', 0, { name, featureLevel });

export const registered = (
  brokerId: number,
  more: Partial<RecordDraft<'RegisterBrokerRecord'>> = {},
): MetadataRecord =>
  metadataRecord('RegisterBrokerRecord', 4, {
    brokerId,
    incarnationId: uuid(1000 + brokerId),
    brokerEpoch: 100 + brokerId,
    endPoints: [
      { name: 'PLAINTEXT', host: 'localhost', port: 9092 + brokerId, securityProtocol: 0 },
    ],
    features: [{ name: 'metadata.version', minSupportedVersion: 7, maxSupportedVersion: 33 }],
    rack: null,
    fenced: false,
    logDirs: [uuid(2000 + brokerId)],
    cordonedLogDirs: [],
    ...more,
  });

export const topic = (name: string, id: number): MetadataRecord =>
  metadataRecord('TopicRecord', 0, { name, topicId: uuid(id) });

export const partition = (
  topicId: number,
  partitionId: number,
  replicas: readonly number[],
  more: Partial<RecordDraft<'PartitionRecord'>> = {},
): MetadataRecord =>
  metadataRecord('PartitionRecord', 2, {
    partitionId,
    topicId: uuid(topicId),
    replicas,
    isr: replicas,
    removingReplicas: [],
    addingReplicas: [],
    leader: replicas[0] ?? -1,
    leaderEpoch: 0,
    partitionEpoch: 0,
    directories: replicas.map((node) => uuid(2000 + node)),
    ...more,
  });

export const config = (
  resourceType: number,
  resourceName: string,
  name: string,
  value: string | null,
): MetadataRecord => metadataRecord('ConfigRecord', 0, { resourceType, resourceName, name, value });

/** The picture that these records make, in one batch after another of the given one. */
export function imageOf(records: readonly MetadataRecord[], before?: Image): Image {
  const loader = loaderAt(before ?? ImageClass.empty);
  const baseOffset = (before?.offset ?? -1) + 1;
  loader.committed([
    {
      baseOffset,
      lastOffset: baseOffset + records.length - 1,
      epoch: 1,
      appendTimestampMs: 1,
      records,
    },
  ]);
  return loader.image;
}

/** A loader that starts from a picture, as if a snapshot had brought it. */
function loaderAt(image: Image, publish: (image: Image) => void = () => {}): MetadataLoader {
  const loader = new MetadataLoader(publish);
  Object.assign(loader, { current: image });
  return loader;
}

import { InvariantError } from '../../src/base/invariant';
import type { Delta } from '../../src/metadata/delta';
import { diff } from '../../src/metadata/diff';
import { Image } from '../../src/metadata/image';
import { ImageBuilder } from '../../src/metadata/image-builder';
import {
  decodeMetadataRecord,
  encodeMetadataRecord,
  type MetadataRecord,
  metadataRecord,
} from '../../src/metadata/metadata-record';
import { METADATA_RECORDS } from '../../src/metadata/records';
import { snapshotBatches, snapshotRecords } from '../../src/metadata/snapshot';
import { MalformedFrameError } from '../../src/protocol/errors';
import { config, imageOf, level, partition, registered, topic, uuid } from './records';

const AT = { offset: 9, epoch: 1, timestampMs: 1 };

const base = imageOf([
  level('metadata.version', 33),
  registered(1),
  registered(2, { rack: 'b' }),
  topic('orders', 1),
  partition(1, 0, [1, 2]),
  partition(1, 1, [2, 1]),
  config(2, 'orders', 'retention.ms', '5'),
]);

function change(...records: MetadataRecord[]): { image: Image; delta: Delta } {
  const builder = new ImageBuilder(base);
  for (const record of records) builder.apply(record);
  return builder.build(AT);
}

const partitionChange = (
  draft: Omit<Parameters<typeof metadataRecord<'PartitionChangeRecord'>>[2], 'topicId'>,
): MetadataRecord =>
  metadataRecord('PartitionChangeRecord', 2, { topicId: uuid(1), partitionId: 0, ...draft });

describe('a picture', () => {
  test('is read by name, by id, by partition and by resource', () => {
    expect(base.topicByName('orders')?.id).toBe(uuid(1));
    expect(base.topicById(uuid(1))?.partitions.length).toBe(2);
    expect(base.partition(uuid(1), 1)).toMatchObject({ leader: 2, isr: [2, 1], leaderEpoch: 0 });
    expect(base.configOf({ type: 'topic', name: 'orders' }).get('retention.ms')).toBe('5');
    expect(base.configOf({ type: 'topic', name: 'other' }).size).toBe(0);
    expect(base.broker(2)?.rack).toBe('b');
    expect(base.metadataVersion).toBe(33);
    expect(base.featureLevel('group.version')).toBe(0);
    expect(base.topicByName('other')).toBeUndefined();
  });

  test('raises the partition epoch with every change, the leader epoch only with a leader', () => {
    const shrunk = change(partitionChange({ isr: [1] })).image.partition(uuid(1), 0);
    expect(shrunk).toMatchObject({ isr: [1], leader: 1, leaderEpoch: 0, partitionEpoch: 1 });
    const same = change(partitionChange({ leader: 1 })).image.partition(uuid(1), 0);
    expect(same).toMatchObject({ leader: 1, leaderEpoch: 1, partitionEpoch: 1 });
    const recovering = change(partitionChange({ leader: 2, isr: [2], leaderRecoveryState: 1 }));
    expect(recovering.image.partition(uuid(1), 0)).toMatchObject({ isRecovering: true, leader: 2 });
  });

  test('leaves the one it came from untouched', () => {
    change(
      partitionChange({ isr: [1] }),
      metadataRecord('RemoveTopicRecord', 0, { topicId: uuid(1) }),
    );
    expect(base.topicByName('orders')?.partitions.get(0)?.isr).toEqual([1, 2]);
    expect(base.topicCount).toBe(1);
  });

  test('loses the settings of a topic with the topic', () => {
    const { image, delta } = change(metadataRecord('RemoveTopicRecord', 0, { topicId: uuid(1) }));
    expect(image.configOf({ type: 'topic', name: 'orders' }).size).toBe(0);
    expect([...delta.configs]).toEqual(['2:orders']);
    expect([...delta.deletedTopics.keys()]).toEqual([uuid(1)]);
    expect(image.topicByName('orders')).toBeUndefined();
  });

  test('tells a topic made again under its name from the one deleted', () => {
    const { image, delta } = change(
      metadataRecord('RemoveTopicRecord', 0, { topicId: uuid(1) }),
      topic('orders', 7),
      partition(7, 0, [1]),
    );
    expect(image.topicByName('orders')?.id).toBe(uuid(7));
    expect([...delta.topics]).toMatchObject([[uuid(7), { isNew: true }]]);
    expect([...delta.deletedTopics.keys()]).toEqual([uuid(1)]);
  });

  test('forgets a topic that was made and deleted within one batch', () => {
    const { image, delta } = change(
      topic('brief', 8),
      partition(8, 0, [1]),
      metadataRecord('RemoveTopicRecord', 0, { topicId: uuid(8) }),
    );
    expect(image.topicByName('brief')).toBeUndefined();
    expect(delta.topics.size + delta.deletedTopics.size).toBe(0);
  });

  test('fences and unfences brokers, and moves their folders', () => {
    const flags = (draft: object): MetadataRecord =>
      metadataRecord('BrokerRegistrationChangeRecord', 3, {
        brokerId: 1,
        brokerEpoch: 101,
        ...draft,
      });
    const { image } = change(flags({ fenced: 1 }), flags({ inControlledShutdown: 1 }));
    expect(image.broker(1)).toMatchObject({ isFenced: true, isInControlledShutdown: true });
    const moved = change(flags({ logDirs: [uuid(5)], cordonedLogDirs: [uuid(5)] })).image.broker(1);
    expect(moved).toMatchObject({ directories: [uuid(5)], cordonedDirectories: [uuid(5)] });
    expect(change(flags({ fenced: -1 })).image.broker(1)?.isFenced).toBe(false);
  });

  test('clears eligible leader replicas of one topic or of all', () => {
    const withElr = imageOf([partition(1, 0, [1, 2], { eligibleLeaderReplicas: [2] })], base);
    for (const topicName of ['orders', '']) {
      const builder = new ImageBuilder(withElr);
      builder.apply(metadataRecord('ClearElrRecord', 0, { topicName }));
      const { image, delta } = builder.build(AT);
      expect(image.partition(uuid(1), 0)).toMatchObject({ elr: [], partitionEpoch: 1 });
      expect([...(delta.topics.get(uuid(1))?.partitions ?? [])]).toEqual([0]);
    }
  });

  test.each([
    ['a topic twice', topic('orders', 9)],
    ['a partition of no topic', partition(9, 0, [1])],
    ['a change of no partition', partitionChange({ partitionId: 5, isr: [1] })],
    ['the removal of no topic', metadataRecord('RemoveTopicRecord', 0, { topicId: uuid(9) })],
    [
      'another epoch of a broker',
      metadataRecord('UnregisterBrokerRecord', 0, { brokerId: 1, brokerEpoch: 1 }),
    ],
    ['no broker', metadataRecord('FenceBrokerRecord', 0, { id: 9, epoch: 1 })],
    ['no controller', metadataRecord('UnregisterControllerRecord', 0, { controllerId: 9 })],
    ['a level this build lacks', level('metadata.version', 34)],
    ['a feature this build lacks', level('share.version', 1)],
    ['a resource type that is none', config(3, 'x', 'y', 'z')],
    ['an unknown ACL', metadataRecord('RemoveAccessControlEntryRecord', 0, { id: uuid(4) })],
    ['folders fewer than replicas', partition(1, 3, [1, 2], { directories: [uuid(1)] })],
    ['the end of a transaction', metadataRecord('EndTransactionRecord', 0, {})],
  ])('stops the node at %s', (_, record) => {
    expect(() => change(record)).toThrow(InvariantError);
  });
});

describe('the cost of a change at 10,000 partitions', () => {
  const many = imageOf([
    level('metadata.version', 33),
    ...Array.from({ length: 1000 }, (_, index) => topic(`t${index}`, 100 + index)),
    ...Array.from({ length: 9000 }, (_, index) =>
      partition(100 + (index % 1000), Math.floor(index / 1000), [1]),
    ),
    topic('wide', 1),
    ...Array.from({ length: 1000 }, (_, index) => partition(1, index, [1])),
  ]);

  test('one partition copies one bucket of topics and one chunk of its partitions', () => {
    const builder = new ImageBuilder(many);
    builder.apply(
      metadataRecord('PartitionChangeRecord', 2, { topicId: uuid(1), partitionId: 500, isr: [] }),
    );
    const { image, delta } = builder.build(AT);
    const before = many.topicById(uuid(1))?.partitions;
    const after = image.topicById(uuid(1))?.partitions;
    expect(image.topicsById.entriesNotSharedWith(many.topicsById)).toBeLessThan(60);
    expect(after?.entriesNotSharedWith(before as NonNullable<typeof before>)).toBeLessThan(100);
    expect(image.topicIdsByName).toBe(many.topicIdsByName);
    expect(image.overridesByResource).toBe(many.overridesByResource);
    expect(delta.topics.size).toBe(1);
    expect([...(delta.topics.get(uuid(1))?.partitions ?? [])]).toEqual([500]);
  });

  test('a new topic copies one bucket of names and one of ids', () => {
    const builder = new ImageBuilder(many);
    builder.apply(topic('new', 2));
    builder.apply(partition(2, 0, [1]));
    const { image } = builder.build(AT);
    expect(image.topicsById.entriesNotSharedWith(many.topicsById)).toBeLessThan(60);
    expect(image.topicIdsByName.entriesNotSharedWith(many.topicIdsByName)).toBeLessThan(60);
    expect(image.topicCount).toBe(1002);
  });
});

describe('a snapshot', () => {
  const everything = imageOf(
    [
      registered(3, { rack: 'c', fenced: true, cordonedLogDirs: null, inControlledShutdown: true }),
      metadataRecord('RegisterControllerRecord', 0, {
        controllerId: 1,
        incarnationId: uuid(3),
        zkMigrationReady: false,
        endPoints: [{ name: 'CONTROLLER', host: 'localhost', port: 9093, securityProtocol: 3 }],
        features: [{ name: 'kraft.version', minSupportedVersion: 0, maxSupportedVersion: 1 }],
      }),
      partition(1, 2, [1, 2, 3], {
        isr: [],
        leader: -1,
        removingReplicas: [1],
        addingReplicas: [3],
        leaderRecoveryState: 1,
        eligibleLeaderReplicas: [2],
        lastKnownElr: [1],
        leaderEpoch: 5,
        partitionEpoch: 9,
        unknownTags: [{ tag: 9, bytes: Buffer.from('newer') }],
      }),
      config(4, '', 'log.retention.ms', '1'),
      config(32, 'group', 'consumer.session.timeout.ms', '50000'),
      metadataRecord('ClientQuotaRecord', 0, {
        entity: [{ entityType: 'user', entityName: null }],
        key: 'producer_byte_rate',
        value: 10.5,
        remove: false,
      }),
      metadataRecord('ProducerIdsRecord', 0, { brokerId: 1, brokerEpoch: 1, nextProducerId: 1000 }),
      metadataRecord('AccessControlEntryRecord', 0, {
        id: uuid(6),
        resourceType: 2,
        resourceName: 'orders',
        patternType: 3,
        principal: 'User:alice',
        host: '*',
        operation: 3,
        permissionType: 3,
      }),
      metadataRecord('UserScramCredentialRecord', 0, {
        name: 'alice',
        mechanism: 1,
        salt: Buffer.from('salt'),
        storedKey: Buffer.from('stored'),
        serverKey: Buffer.from('server'),
        iterations: 4096,
      }),
      metadataRecord('DelegationTokenRecord', 0, {
        owner: 'User:alice',
        requester: 'User:bob',
        renewers: ['User:carol'],
        issueTimestamp: 1n,
        maxTimestamp: 3n,
        expirationTimestamp: 2n,
        tokenId: 'token',
      }),
    ],
    base,
  );

  test('read back is the same picture', () => {
    const records = [...snapshotRecords(everything)].map((record) =>
      decodeMetadataRecord(encodeMetadataRecord(record)),
    );
    const again = imageOf(records);
    const difference = diff(everything, again);
    expect({ ...difference, before: undefined }).toEqual({
      before: undefined,
      topics: new Map(),
      deletedTopics: new Map(),
      brokers: new Set(),
      controllers: new Set(),
      features: new Set(),
      configs: new Set(),
      quotas: new Set(),
      acls: new Set(),
      scram: new Set(),
      tokens: new Set(),
      producerIds: false,
    });
    expect(again.partition(uuid(1), 2)?.unknownTags).toEqual([
      { tag: 9, bytes: Buffer.from('newer') },
    ]);
  });

  test('names its records in Kafka’s order, metadata.version first', () => {
    const types = [...snapshotRecords(everything)].map((record) => record.type);
    expect(types.filter((type, index) => types.indexOf(type) === index)).toEqual([
      'FeatureLevelRecord',
      'RegisterBrokerRecord',
      'RegisterControllerRecord',
      'TopicRecord',
      'PartitionRecord',
      'ConfigRecord',
      'ClientQuotaRecord',
      'ProducerIdsRecord',
      'AccessControlEntryRecord',
      'UserScramCredentialRecord',
      'DelegationTokenRecord',
    ]);
  });

  test('has records of the versions that its metadata.version prescribes', () => {
    const versions = (metadataVersion: number): Record<string, number> => {
      const image = new Image({
        ...everything,
        features: new Map([['metadata.version', metadataVersion]]),
      });
      const found: Record<string, number> = {};
      for (const record of snapshotRecords(image)) {
        encodeMetadataRecord(record);
        found[record.type] = record.version;
      }
      return found;
    };
    expect(versions(7)).toMatchObject({ RegisterBrokerRecord: 1, PartitionRecord: 0 });
    expect(versions(7)).not.toHaveProperty('UserScramCredentialRecord');
    expect(versions(17)).toMatchObject({ RegisterBrokerRecord: 3, PartitionRecord: 1 });
    expect(versions(25)).toMatchObject({ RegisterBrokerRecord: 3, PartitionRecord: 2 });
    expect(versions(30)).toMatchObject({ RegisterBrokerRecord: 4, PartitionRecord: 2 });
  });

  test('comes in batches of bounded size', () => {
    const wide = imageOf(
      [...Array.from({ length: 3000 }, (_, index) => partition(1, 10 + index, [1]))],
      base,
    );
    const batches = [...snapshotBatches(wide)];
    expect(Math.max(...batches.map((batch) => batch.length))).toBe(1024);
    expect(batches.flat().length).toBe([...snapshotRecords(wide)].length);
  });
});

describe('records as bytes', () => {
  test.each(Object.keys(METADATA_RECORDS) as (keyof typeof METADATA_RECORDS)[])(
    '%s survives in every version',
    (type) => {
      const [first, last] = METADATA_RECORDS[type].message.versions;
      for (let version = first; version <= last; version += 1) {
        const record = metadataRecord(type, version, emptyDraft(type));
        expect(decodeMetadataRecord(encodeMetadataRecord(record))).toEqual(record);
      }
    },
  );

  test.each([
    ['another frame', [2, 0, 0]],
    ['an unknown record', [1, 99, 0]],
    ['an unknown version', [1, 2, 7]],
    ['bytes left over', [1, 20, 0, 0, 9]],
    ['nothing', []],
  ])('%s is refused', (_, bytes) => {
    expect(() => decodeMetadataRecord(Buffer.from(bytes))).toThrow(MalformedFrameError);
  });
});

/** Every required field at its zero. */
function emptyDraft<T extends keyof typeof METADATA_RECORDS>(
  type: T,
): Parameters<typeof metadataRecord<T>>[2] {
  const nullable: Record<string, null> = {};
  for (const [name, field] of Object.entries(METADATA_RECORDS[type].message.shape)) {
    if (field.spec.nullable !== undefined) nullable[name] = null;
  }
  return nullable as Parameters<typeof metadataRecord<T>>[2];
}

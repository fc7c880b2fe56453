import { type Admin, ConfigResourceTypes } from 'kafkajs';
import { collect, type Setup, setUp, unexpected, unique } from './support';

let setup: Setup;
let admin: Admin;
beforeAll(async () => {
  setup = await setUp();
  admin = setup.kafka({ retry: { retries: 0 } }).admin();
  await admin.connect();
  setup.atStop(() => admin.disconnect());
});
afterAll(() => setup.stop());
afterEach(() => {
  expect(unexpected(setup.warnings)).toEqual([]);
});

async function send(topic: string, values: readonly string[]): Promise<void> {
  const producer = setup.kafka().producer();
  await producer.connect();
  await producer.send({ topic, messages: values.map((value) => ({ value })) });
  await producer.disconnect();
}

async function readAll(topic: string, groupId: string, count: number): Promise<void> {
  const consumer = setup.kafka().consumer({ groupId });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await collect(consumer, count);
  await consumer.disconnect();
}

test('topics are created, listed, described and deleted', async () => {
  const topic = unique('admin');
  expect(await admin.createTopics({ topics: [{ topic, numPartitions: 3 }] })).toBe(true);
  expect(await admin.createTopics({ topics: [{ topic }] })).toBe(false);
  setup.warnings.length = 0;
  expect(await admin.listTopics()).toContain(topic);
  const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
  expect(topics[0]?.partitions.map(({ partitionId }) => partitionId).sort()).toEqual([0, 1, 2]);
  await admin.deleteTopics({ topics: [topic] });
  expect(await admin.listTopics()).not.toContain(topic);
});

test('a topic created again under its name starts empty', async () => {
  const topic = unique('again');
  await admin.createTopics({ topics: [{ topic }] });
  await send(topic, ['old']);
  await admin.deleteTopics({ topics: [topic] });
  await admin.createTopics({ topics: [{ topic }] });
  expect(await admin.fetchTopicOffsets(topic)).toEqual([
    { partition: 0, offset: '0', high: '0', low: '0' },
  ]);
});

test('a wrong topic is refused with the reason', async () => {
  await expect(admin.createTopics({ topics: [{ topic: 'no spaces allowed' }] })).rejects.toThrow();
  await expect(
    admin.createTopics({ topics: [{ topic: unique('rf'), replicationFactor: 3 }] }),
  ).rejects.toThrow();
  await expect(admin.deleteTopics({ topics: [unique('missing')] })).rejects.toThrow();
  setup.warnings.length = 0;
});

test('partitions are added, never taken away', async () => {
  const topic = unique('grow');
  await admin.createTopics({ topics: [{ topic, numPartitions: 1 }] });
  await admin.createPartitions({ topicPartitions: [{ topic, count: 4 }] });
  const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
  expect(topics[0]?.partitions).toHaveLength(4);
  await expect(admin.createPartitions({ topicPartitions: [{ topic, count: 2 }] })).rejects.toThrow(
    /partitions/i,
  );
  setup.warnings.length = 0;
});

test('topic settings are read, set at creation and altered', async () => {
  const topic = unique('settings');
  await admin.createTopics({
    topics: [{ topic, configEntries: [{ name: 'retention.ms', value: '60000' }] }],
  });
  const read = async (name: string) => {
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: ConfigResourceTypes.TOPIC, name: topic, configNames: [name] }],
    });
    return resources[0]?.configEntries.find((entry) => entry.configName === name)?.configValue;
  };
  expect(await read('retention.ms')).toBe('60000');
  expect(await read('cleanup.policy')).toBe('delete');
  await admin.alterConfigs({
    validateOnly: false,
    resources: [
      {
        type: ConfigResourceTypes.TOPIC,
        name: topic,
        configEntries: [{ name: 'cleanup.policy', value: 'compact' }],
      },
    ],
  });
  expect(await read('cleanup.policy')).toBe('compact');
  expect(await read('retention.ms')).toBe('604800000');
  await expect(
    admin.alterConfigs({
      validateOnly: false,
      resources: [
        {
          type: ConfigResourceTypes.TOPIC,
          name: topic,
          configEntries: [{ name: 'retention.ms', value: 'soon' }],
        },
      ],
    }),
  ).rejects.toThrow(/Configuration is invalid/);
  setup.warnings.length = 0;
});

test('offsets of topics are found by end, start and timestamp', async () => {
  const topic = unique('offsets');
  await admin.createTopics({ topics: [{ topic }] });
  const producer = setup.kafka().producer();
  await producer.connect();
  for (const timestamp of ['1000', '2000', '3000']) {
    await producer.send({ topic, messages: [{ value: timestamp, timestamp }] });
  }
  await producer.disconnect();
  expect(await admin.fetchTopicOffsets(topic)).toEqual([
    { partition: 0, offset: '3', high: '3', low: '0' },
  ]);
  expect(await admin.fetchTopicOffsetsByTimestamp(topic, 1500)).toEqual([
    { partition: 0, offset: '1' },
  ]);
});

test('records are deleted up to an offset', async () => {
  const topic = unique('delete-records');
  await admin.createTopics({ topics: [{ topic }] });
  await send(topic, ['a', 'b', 'c']);
  await admin.fetchTopicOffsets(topic);
  await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '2' }] });
  expect(await admin.fetchTopicOffsets(topic)).toEqual([
    { partition: 0, offset: '3', high: '3', low: '2' },
  ]);
});

test('groups are listed, described and deleted', async () => {
  const topic = unique('groups');
  const groupId = unique('group');
  await admin.createTopics({ topics: [{ topic }] });
  await send(topic, ['a']);
  const consumer = setup.kafka().consumer({ groupId });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await collect(consumer, 1);
  const { groups } = await admin.describeGroups([groupId]);
  expect(groups[0]).toMatchObject({ groupId, protocolType: 'consumer', state: 'Stable' });
  expect(groups[0]?.members[0]).toMatchObject({ clientId: 'compat' });
  await expect(admin.deleteGroups([groupId])).rejects.toThrow(/DeleteGroups/);
  setup.warnings.length = 0;
  await consumer.disconnect();
  expect((await admin.listGroups()).groups.map((group) => group.groupId)).toContain(groupId);
  await admin.deleteGroups([groupId]);
  expect((await admin.listGroups()).groups.map((group) => group.groupId)).not.toContain(groupId);
});

test('the offsets of a group are set and reset', async () => {
  const topic = unique('reset');
  const groupId = unique('group');
  await admin.createTopics({ topics: [{ topic }] });
  await send(topic, ['a', 'b', 'c']);
  await readAll(topic, groupId, 3);
  await admin.setOffsets({ groupId, topic, partitions: [{ partition: 0, offset: '1' }] });
  expect((await admin.fetchOffsets({ groupId, topics: [topic] }))[0]?.partitions).toEqual([
    { partition: 0, offset: '1', metadata: null },
  ]);
  await admin.resetOffsets({ groupId, topic, earliest: true });
  expect((await admin.fetchOffsets({ groupId, topics: [topic] }))[0]?.partitions[0]?.offset).toBe(
    '-2',
  );
  await readAll(topic, groupId, 3);
});

test('the cluster names its broker and its controller', async () => {
  const cluster = await admin.describeCluster();
  expect(cluster.brokers).toEqual([{ nodeId: 1, host: 'localhost', port: setup.broker.port }]);
  expect(cluster.controller).toBe(1);
  expect(cluster.clusterId).toBe(setup.broker.clusterId);
});

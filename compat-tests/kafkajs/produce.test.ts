import {
  CompressionCodecs,
  CompressionTypes,
  type IHeaders,
  type KafkaMessage,
  Partitioners,
  type Producer,
  type ProducerConfig,
} from 'kafkajs';
import { compress, decompress } from '../../src/protocol/records/compression';
import { collect, createTopic, type Setup, setUp, unexpected, unique } from './support';

let setup: Setup;
beforeAll(async () => {
  setup = await setUp();
});
afterAll(() => setup.stop());
afterEach(() => {
  expect(unexpected(setup.warnings)).toEqual([]);
});

async function producer(config: ProducerConfig = {}): Promise<Producer> {
  const made = setup.kafka().producer(config);
  await made.connect();
  setup.atStop(() => made.disconnect());
  return made;
}

async function readAll(topic: string, count: number): Promise<KafkaMessage[]> {
  const consumer = setup.kafka().consumer({ groupId: unique('readers'), maxWaitTimeInMs: 100 });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  const messages: KafkaMessage[] = [];
  await new Promise<void>((resolve, reject) => {
    consumer
      .run({
        eachMessage: async ({ message }) => {
          messages.push(message);
          if (messages.length === count) resolve();
        },
      })
      .catch(reject);
  });
  await consumer.disconnect();
  return messages;
}

test.each([
  ['0', 0],
  ['1', 1],
  ['all', -1],
])('what was sent with acks=%s is read in order', async (_name, acks) => {
  const topic = unique('acks');
  await createTopic(setup, topic);
  const sender = await producer();
  for (let at = 0; at < 5; at++) {
    await sender.send({ topic, acks, messages: [{ value: `message ${at}` }] });
  }
  const got = await readAll(topic, 5);
  expect(got.map(({ value }) => value?.toString())).toEqual(
    [0, 1, 2, 3, 4].map((at) => `message ${at}`),
  );
});

test('the answer names the partition and the base offset of each batch', async () => {
  const topic = unique('answer');
  await createTopic(setup, topic, { numPartitions: 2 });
  const sender = await producer();
  await sender.send({ topic, messages: [{ partition: 1, value: 'a' }] });
  const [second] = await sender.send({
    topic,
    messages: [
      { partition: 1, value: 'b' },
      { partition: 1, value: 'c' },
    ],
  });
  expect(second).toMatchObject({ topicName: topic, partition: 1, errorCode: 0, baseOffset: '1' });
});

test('a topic that does not exist is made by the first send', async () => {
  const topic = unique('auto');
  const sender = await producer();
  const [answer] = await sender.send({ topic, messages: [{ value: 'first' }] });
  expect(answer).toMatchObject({ topicName: topic, errorCode: 0, baseOffset: '0' });
});

test('a producer that may not create topics is told that there is none', async () => {
  const sender = await producer({ allowAutoTopicCreation: false, retry: { retries: 0 } });
  const topic = unique('missing');
  await expect(sender.send({ topic, messages: [{ value: 'x' }] })).rejects.toThrow(
    /does not host this topic-partition/,
  );
  setup.warnings.length = 0;
});

test('an idempotent producer sends without a transactional id', async () => {
  const topic = unique('idempotent');
  await createTopic(setup, topic, { numPartitions: 3 });
  const sender = await producer({ idempotent: true, maxInFlightRequests: 1 });
  for (let at = 0; at < 20; at++) {
    await sender.send({
      topic,
      messages: [0, 1, 2].map((partition) => ({ partition, value: `${at}` })),
    });
  }
  const got = await readAll(topic, 60);
  expect(got).toHaveLength(60);
});

test('keys, headers, null values and timestamps come back as sent', async () => {
  const topic = unique('whole');
  await createTopic(setup, topic);
  const sender = await producer();
  const headers: IHeaders = { plain: 'text', bytes: Buffer.from([0, 255]), many: ['one', 'two'] };
  await sender.send({
    topic,
    messages: [
      { key: 'k', value: 'v', headers, timestamp: '1700000000123' },
      { key: 'gone', value: null },
    ],
  });
  const [first, second] = await readAll(topic, 2);
  expect(first?.key?.toString()).toBe('k');
  expect(first?.timestamp).toBe('1700000000123');
  expect(first?.headers?.plain?.toString()).toBe('text');
  expect(first?.headers?.bytes).toEqual(Buffer.from([0, 255]));
  expect([first?.headers?.many].flat().map(String)).toEqual(['one', 'two']);
  expect(second?.value).toBeNull();
});

const CODECS = [
  ['gzip', CompressionTypes.GZIP],
  ['snappy', CompressionTypes.Snappy],
  ['lz4', CompressionTypes.LZ4],
  ['zstd', CompressionTypes.ZSTD],
] as const;

describe('compression', () => {
  beforeAll(() => {
    for (const [name, type] of CODECS) {
      if (name === 'gzip') continue;
      CompressionCodecs[type] = () => ({
        compress: async ({ buffer }: { buffer: Buffer }) => compress(name, buffer),
        decompress: async (buffer: Buffer) => decompress(name, buffer, 100_000_000),
      });
    }
  });

  test.each(CODECS)('batches compressed with %s come back as sent', async (name, compression) => {
    const topic = unique(name);
    await createTopic(setup, topic);
    const sender = await producer();
    const values = Array.from({ length: 100 }, (_, at) => `${at}-${'abc'.repeat(at)}`);
    await sender.send({ topic, compression, messages: values.map((value) => ({ value })) });
    const got = await readAll(topic, values.length);
    expect(got.map(({ value }) => value?.toString())).toEqual(values);
  });
});

test('a message of almost a megabyte goes through, a larger one is refused', async () => {
  const topic = unique('large');
  await createTopic(setup, topic);
  const sender = await producer({ retry: { retries: 0 } });
  const large = Buffer.alloc(1_000_000, 'x');
  await sender.send({ topic, messages: [{ value: large }] });
  const [got] = await readAll(topic, 1);
  expect(got?.value?.equals(large)).toBe(true);
  await expect(
    sender.send({ topic, messages: [{ value: Buffer.alloc(2_000_000) }] }),
  ).rejects.toThrow(/larger than the max message size/);
  setup.warnings.length = 0;
});

test('both partitioners of kafkajs spread keys over the partitions', async () => {
  for (const createPartitioner of [
    Partitioners.DefaultPartitioner,
    Partitioners.LegacyPartitioner,
  ]) {
    const topic = unique('partitioner');
    await createTopic(setup, topic, { numPartitions: 4 });
    const sender = await producer({ createPartitioner });
    const messages = Array.from({ length: 40 }, (_, at) => ({ key: `key ${at}`, value: `${at}` }));
    const answers = await sender.send({ topic, messages });
    expect(answers.length).toBeGreaterThan(1);
  }
});

test('a batch for several topics is sent in one call', async () => {
  const topics = [unique('batch'), unique('batch')];
  const sender = await producer();
  await sender.sendBatch({
    topicMessages: topics.map((topic) => ({ topic, messages: [{ value: topic }] })),
  });
  for (const topic of topics) {
    const [got] = await readAll(topic, 1);
    expect(got?.value?.toString()).toBe(topic);
  }
});

test('a consumer that was there first gets what is sent later', async () => {
  const topic = unique('live');
  await createTopic(setup, topic);
  const consumer = setup.kafka().consumer({ groupId: unique('live'), maxWaitTimeInMs: 100 });
  setup.atStop(() => consumer.disconnect());
  await consumer.connect();
  await consumer.subscribe({ topic });
  const got = collect(consumer, 3);
  await new Promise<void>((resolve) => {
    consumer.on(consumer.events.FETCH, () => resolve());
  });
  const sender = await producer();
  await sender.send({ topic, messages: ['a', 'b', 'c'].map((value) => ({ value })) });
  expect((await got).map(({ value }) => value)).toEqual(['a', 'b', 'c']);
});

import type { Consumer, Producer, ProducerConfig, Transaction } from 'kafkajs';
import { createTopic, type Setup, setUp, unexpected, unique } from './support';

let setup: Setup;
beforeAll(async () => {
  const interval = 'transaction.abort.timed.out.transaction.cleanup.interval.ms';
  setup = await setUp({ settings: { [interval]: 500 } });
});
afterAll(() => setup.stop());
afterEach(() => {
  expect(unexpected(setup.warnings)).toEqual([]);
});

async function producer(transactionalId: string, config: ProducerConfig = {}): Promise<Producer> {
  const made = setup
    .kafka()
    .producer({ transactionalId, idempotent: true, maxInFlightRequests: 1, ...config });
  await made.connect();
  setup.atStop(() => made.disconnect());
  return made;
}

const send = (transaction: Transaction | Producer, topic: string, ...values: string[]) =>
  transaction.send({ topic, messages: values.map((value) => ({ key: 'same', value })) });

/**
 * What a consumer is given of each partition up to a last record, which is written here outside of
 * transactions.
 */
async function readUpToNow(
  topic: string,
  { partitions = 1, readUncommitted = false } = {},
): Promise<string[]> {
  const plain = setup.kafka().producer();
  await plain.connect();
  const indexes = Array.from({ length: partitions }, (_, partition) => partition);
  await plain.send({ topic, messages: indexes.map((partition) => ({ partition, value: 'end' })) });
  await plain.disconnect();
  const consumer = setup.kafka().consumer({
    groupId: unique('readers'),
    maxWaitTimeInMs: 100,
    readUncommitted,
  });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  const values: string[] = [];
  let ends = 0;
  await new Promise<void>((resolve, reject) => {
    const eachMessage = async ({ message }: { message: { value: Buffer | null } }) => {
      const value = String(message.value);
      if (value !== 'end') values.push(value);
      else if (++ends === partitions) resolve();
    };
    consumer.run({ eachMessage }).catch(reject);
  });
  await consumer.disconnect();
  return values;
}

test('what is committed is read, what is aborted is not', async () => {
  const topic = unique('outcomes');
  await createTopic(setup, topic);
  const one = await producer(unique('tx'));
  for (const [value, isCommitted] of [
    ['a', true],
    ['b', false],
    ['c', true],
  ] as const) {
    const transaction = await one.transaction();
    await send(transaction, topic, `${value}1`);
    await send(transaction, topic, `${value}2`);
    if (isCommitted) await transaction.commit();
    else await transaction.abort();
  }
  expect(await readUpToNow(topic)).toEqual(['a1', 'a2', 'c1', 'c2']);
});

test('who does not ask for committed records reads them all', async () => {
  const topic = unique('all');
  await createTopic(setup, topic);
  const transaction = await (await producer(unique('tx'))).transaction();
  await send(transaction, topic, 'a');
  await transaction.abort();
  expect(await readUpToNow(topic, { readUncommitted: true })).toEqual(['a']);
});

test('a transaction over several topics is whole', async () => {
  const topics = [unique('first'), unique('second')] as const;
  for (const topic of topics) await createTopic(setup, topic, { numPartitions: 2 });
  const one = await producer(unique('tx'));
  const aborted = await one.transaction();
  for (const topic of topics) await send(aborted, topic, 'aborted');
  await aborted.abort();
  const committed = await one.transaction();
  for (const topic of topics) await send(committed, topic, 'committed');
  await committed.commit();
  for (const topic of topics) {
    expect(await readUpToNow(topic, { partitions: 2 })).toEqual(['committed']);
  }
});

test('offsets are stored with the transaction, or not at all', async () => {
  const topic = unique('input');
  const consumerGroupId = unique('group');
  await createTopic(setup, topic);
  const one = await producer(unique('tx'));
  const offsets = (offset: string) => ({
    consumerGroupId,
    topics: [{ topic, partitions: [{ partition: 0, offset }] }],
  });
  const admin = setup.kafka().admin();
  await admin.connect();
  setup.atStop(() => admin.disconnect());
  const stored = async () => {
    const [fetched] = await admin.fetchOffsets({ groupId: consumerGroupId, topics: [topic] });
    return fetched?.partitions[0]?.offset;
  };
  const committed = await one.transaction();
  await committed.sendOffsets(offsets('5'));
  expect(await stored()).toBe('-1');
  await committed.commit();
  expect(await stored()).toBe('5');
  const aborted = await one.transaction();
  await aborted.sendOffsets(offsets('9'));
  await aborted.abort();
  expect(await stored()).toBe('5');
});

test('whoever takes a transactional id over fences whoever had it', async () => {
  const topic = unique('fenced');
  const transactionalId = unique('tx');
  await createTopic(setup, topic);
  const old = await producer(transactionalId);
  const open = await old.transaction();
  await send(open, topic, 'old');
  const next = await (await producer(transactionalId)).transaction();
  await send(next, topic, 'new');
  await expect(send(open, topic, 'late')).rejects.toThrow(/epoch/);
  await next.commit();
  expect(await readUpToNow(topic)).toEqual(['new']);
  // The open transaction had to be aborted first, and the old producer says that it is fenced.
  const warnings = setup.warnings.splice(0);
  expect(warnings.filter((line) => !/concurrent operation|old epoch/.test(line))).toEqual([]);
});

test('a transaction that is open for too long is aborted', async () => {
  const topic = unique('slow');
  await createTopic(setup, topic);
  const one = await producer(unique('tx'), { transactionTimeout: 1_000 });
  await send(await one.transaction(), topic, 'slow');
  // Consumers come past it once it is aborted.
  expect(await readUpToNow(topic)).toEqual([]);
});

test('consume, transform, produce: every input has one output', async () => {
  const [input, output, groupId] = [unique('input'), unique('output'), unique('group')];
  for (const topic of [input, output]) await createTopic(setup, topic, { numPartitions: 3 });
  const source = setup.kafka().producer();
  await source.connect();
  const values = Array.from({ length: 300 }, (_, at) => `value ${at}`);
  await source.send({ topic: input, messages: values.map((value) => ({ key: value, value })) });
  await source.disconnect();
  await transform(input, output, groupId, values.length);
  const got = await readUpToNow(output, { partitions: 3 });
  expect(got.sort()).toEqual([...values].sort());
});

/** Every third transaction is aborted, and its input read again. */
async function transform(
  input: string,
  output: string,
  groupId: string,
  count: number,
): Promise<void> {
  const one = await producer(unique('tx'));
  const consumer: Consumer = setup.kafka().consumer({ groupId, maxWaitTimeInMs: 100 });
  await consumer.connect();
  await consumer.subscribe({ topic: input, fromBeginning: true });
  let transactions = 0;
  let done = 0;
  await new Promise<void>((resolve, reject) => {
    const eachBatch: Parameters<Consumer['run']>[0] = {
      autoCommit: false,
      eachBatchAutoResolve: false,
      eachBatch: async ({ batch, resolveOffset }) => {
        const { partition, messages } = batch;
        const part = messages.slice(0, 10);
        const last = part.at(-1);
        if (last === undefined) return;
        const transaction = await one.transaction();
        await transaction.send({
          topic: output,
          messages: part.map(({ key, value }) => ({ key, value })),
        });
        const offset = String(Number(last.offset) + 1);
        await transaction.sendOffsets({
          consumerGroupId: groupId,
          topics: [{ topic: input, partitions: [{ partition, offset }] }],
        });
        transactions += 1;
        if (transactions % 3 === 0) {
          await transaction.abort();
          consumer.seek({ topic: input, partition, offset: part[0]?.offset ?? '0' });
          return;
        }
        await transaction.commit();
        resolveOffset(last.offset);
        done += part.length;
        if (done === count) resolve();
      },
    };
    consumer.run(eachBatch).catch(reject);
  });
  await consumer.disconnect();
}

import type { Consumer, ConsumerConfig } from 'kafkajs';
import {
  collect,
  createTopic,
  type Got,
  joined,
  type Setup,
  setUp,
  toGot,
  unexpected,
  unique,
} from './support';

let setup: Setup;
beforeAll(async () => {
  setup = await setUp();
});
afterAll(() => setup.stop());
afterEach(() => {
  expect(unexpected(setup.warnings)).toEqual([]);
});

async function consumer(config: ConsumerConfig, topic: string, fromBeginning = true) {
  const made = setup.kafka().consumer({ heartbeatInterval: 100, maxWaitTimeInMs: 100, ...config });
  await made.connect();
  await made.subscribe({ topic, fromBeginning });
  return made;
}

async function send(topic: string, values: readonly string[], partition?: number): Promise<void> {
  const producer = setup.kafka().producer();
  await producer.connect();
  await producer.send({
    topic,
    messages: values.map((value) => ({
      value,
      ...(partition === undefined ? {} : { partition }),
    })),
  });
  await producer.disconnect();
}

async function committed(groupId: string, topic: string): Promise<string[]> {
  const admin = setup.kafka().admin();
  await admin.connect();
  const [offsets] = await admin.fetchOffsets({ groupId, topics: [topic] });
  await admin.disconnect();
  return (offsets?.partitions ?? [])
    .sort((a, b) => a.partition - b.partition)
    .map(({ offset }) => offset);
}

/** Runs a member that notes what it got; resolves once it has an assignment. */
async function runMember(member: Consumer, into: Got[], onGot: () => void = () => undefined) {
  const assignment = joined(member);
  await member.run({
    eachMessage: async (payload) => {
      into.push(toGot(payload));
      onGot();
    },
  });
  return assignment;
}

test('a group of one reads every partition and goes on where it committed', async () => {
  const topic = unique('alone');
  const groupId = unique('group');
  await createTopic(setup, topic, { numPartitions: 3 });
  for (const partition of [0, 1, 2]) await send(topic, ['a', 'b'], partition);

  const first = await consumer({ groupId }, topic);
  await collect(first, 6);
  await first.disconnect();
  expect(await committed(groupId, topic)).toEqual(['2', '2', '2']);

  await send(topic, ['c'], 1);
  const second = await consumer({ groupId }, topic);
  expect(await collect(second, 1)).toEqual([
    { topic, partition: 1, offset: '2', key: null, value: 'c' },
  ]);
  await second.disconnect();
});

test('two members share the partitions, and the one that stays takes over all', async () => {
  const topic = unique('shared');
  const groupId = unique('group');
  await createTopic(setup, topic, { numPartitions: 4 });

  const got: Got[] = [];
  const stays = await consumer({ groupId }, topic);
  setup.atStop(() => stays.disconnect());
  const alone = await runMember(stays, got);
  expect(alone[topic]).toHaveLength(4);

  const leaves = await consumer({ groupId }, topic);
  const halved = joined(stays);
  const half = await runMember(leaves, got);
  expect([...(half[topic] ?? []), ...((await halved)[topic] ?? [])].sort()).toEqual([0, 1, 2, 3]);
  expect(half[topic]).toHaveLength(2);

  const all = joined(stays);
  await leaves.disconnect();
  expect((await all)[topic]).toHaveLength(4);
});

test('while members come and go, each message is handled by one member', async () => {
  const topic = unique('churn');
  const groupId = unique('group');
  await createTopic(setup, topic, { numPartitions: 4 });
  for (const partition of [0, 1, 2, 3]) {
    await send(
      topic,
      Array.from({ length: 25 }, (_, at) => `${partition}/${at}`),
      partition,
    );
  }
  const got: Got[] = [];
  const members: Consumer[] = [];
  let note = (): void => undefined;
  const readAll = new Promise<void>((resolve) => {
    note = () => new Set(got.map(({ value }) => value)).size === 100 && resolve();
  });
  for (let at = 0; at < 3; at++) {
    const member = await consumer({ groupId }, topic);
    members.push(member);
    await runMember(member, got, () => note());
  }
  await readAll;
  for (const member of members) await member.disconnect();
  for (const partition of [0, 1, 2, 3]) {
    const offsets = got.filter((one) => one.partition === partition).map((one) => +one.offset);
    expect([...new Set(offsets)].sort((a, b) => a - b)).toEqual(
      Array.from({ length: 25 }, (_, at) => at),
    );
  }
});

test('a consumer seeks forwards and backwards', async () => {
  const topic = unique('seek');
  await createTopic(setup, topic);
  await send(
    topic,
    Array.from({ length: 10 }, (_, at) => `${at}`),
  );
  const reader = await consumer({ groupId: unique('group') }, topic);
  setup.atStop(() => reader.disconnect());
  const got: string[] = [];
  await new Promise<void>((resolve, reject) => {
    reader
      .run({
        eachMessage: async ({ message }) => {
          got.push(`${message.value}`);
          if (got.length === 1) reader.seek({ topic, partition: 0, offset: '8' });
          if (`${message.value}` === '9' && got.length === 3) {
            reader.seek({ topic, partition: 0, offset: '4' });
          }
          if (got.length >= 4 && `${message.value}` === '4') resolve();
        },
      })
      .catch(reject);
    reader.seek({ topic, partition: 0, offset: '2' });
  });
  expect(got.slice(0, 4)).toEqual(['2', '8', '9', '4']);
});

test('a paused partition gives nothing until it is resumed', async () => {
  const topic = unique('pause');
  await createTopic(setup, topic, { numPartitions: 2 });
  const reader = await consumer({ groupId: unique('group') }, topic);
  setup.atStop(() => reader.disconnect());
  const got: Got[] = [];
  let note = (): void => undefined;
  await runMember(reader, got, () => note());
  reader.pause([{ topic, partitions: [0] }]);
  const fromOther = new Promise<void>((resolve) => {
    note = () => got.some(({ partition }) => partition === 1) && resolve();
  });
  await send(topic, ['held back'], 0);
  await send(topic, ['at once'], 1);
  await fromOther;
  expect(got.map(({ value }) => value)).toEqual(['at once']);
  const fromPaused = new Promise<void>((resolve) => {
    note = () => got.length === 2 && resolve();
  });
  reader.resume([{ topic, partitions: [0] }]);
  await fromPaused;
  expect(got.map(({ value }) => value)).toEqual(['at once', 'held back']);
});

test('offsets committed by hand are kept with their metadata', async () => {
  const topic = unique('manual');
  const groupId = unique('group');
  await createTopic(setup, topic);
  await send(topic, ['a', 'b', 'c']);
  const reader = await consumer({ groupId }, topic);
  await new Promise<void>((resolve, reject) => {
    reader
      .run({
        autoCommit: false,
        eachMessage: async ({ message }) => {
          if (message.offset !== '1') return;
          await reader.commitOffsets([{ topic, partition: 0, offset: '2', metadata: 'by hand' }]);
          resolve();
        },
      })
      .catch(reject);
  });
  await reader.disconnect();
  const admin = setup.kafka().admin();
  await admin.connect();
  const [offsets] = await admin.fetchOffsets({ groupId, topics: [topic] });
  await admin.disconnect();
  expect(offsets?.partitions).toEqual([{ partition: 0, offset: '2', metadata: 'by hand' }]);
});

test('batches are handed over whole and resolved one by one', async () => {
  const topic = unique('batch');
  await createTopic(setup, topic);
  await send(
    topic,
    Array.from({ length: 50 }, (_, at) => `${at}`),
  );
  const reader = await consumer({ groupId: unique('group') }, topic);
  setup.atStop(() => reader.disconnect());
  const values = await new Promise<string[]>((resolve, reject) => {
    reader
      .run({
        eachBatch: async ({ batch, resolveOffset, heartbeat }) => {
          for (const message of batch.messages) resolveOffset(message.offset);
          await heartbeat();
          expect(batch.highWatermark).toBe('50');
          resolve(batch.messages.map(({ value }) => `${value}`));
        },
      })
      .catch(reject);
  });
  expect(values).toHaveLength(50);
});

test('subscribing to a topic that does not exist makes it', async () => {
  const topic = unique('not-yet');
  const reader = await consumer({ groupId: unique('group') }, topic);
  setup.atStop(() => reader.disconnect());
  const got = collect(reader, 1);
  await send(topic, ['first']);
  expect((await got)[0]).toMatchObject({ topic, value: 'first', offset: '0' });
});

test('a pattern subscribes to every topic of that name', async () => {
  const word = unique('pattern');
  for (const end of ['a', 'b']) await createTopic(setup, `${word}-${end}`);
  const reader = setup.kafka().consumer({ groupId: unique('group'), maxWaitTimeInMs: 100 });
  setup.atStop(() => reader.disconnect());
  await reader.connect();
  await reader.subscribe({ topic: new RegExp(`^${word}-.$`), fromBeginning: true });
  const got = collect(reader, 2);
  for (const end of ['a', 'b']) await send(`${word}-${end}`, [end]);
  expect((await got).map(({ value }) => value).sort()).toEqual(['a', 'b']);
});

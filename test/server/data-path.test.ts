import { ZERO_UUID } from '../../src/base/ids';
import { metadataRecord } from '../../src/metadata/metadata-record';
import type { RequestDraft, ResponseOf } from '../../src/protocol/api';
import { ApiVersions } from '../../src/protocol/apis/api-versions';
import { DeleteRecords } from '../../src/protocol/apis/delete-records';
import { DescribeLogDirs } from '../../src/protocol/apis/describe-log-dirs';
import { DescribeProducers } from '../../src/protocol/apis/describe-producers';
import { Fetch } from '../../src/protocol/apis/fetch';
import { ListOffsets } from '../../src/protocol/apis/list-offsets';
import { OffsetForLeaderEpoch } from '../../src/protocol/apis/offset-for-leader-epoch';
import { Produce } from '../../src/protocol/apis/produce';
import { Errors } from '../../src/protocol/errors';
import { type BatchOptions, buildBatch } from '../../src/protocol/records/builder';
import { recordsOf } from '../../src/protocol/records/record';
import { DataBroker, idOf } from './data-broker';
import type { RawClient } from './raw-client';

const V = 12;
type FetchRequest = RequestDraft<typeof Fetch>;
type FetchResponse = ResponseOf<typeof Fetch>;

const batch = (values: readonly string[], options: BatchOptions = {}): Buffer =>
  buildBatch(
    values.map((value, index) => ({ timestamp: 1000 + index, value })),
    options,
  );

const produceRequest = (
  topic: string,
  records: Uint8Array,
  more: { acks?: number; index?: number; timeoutMs?: number; topicId?: string } = {},
): RequestDraft<typeof Produce> => ({
  transactionalId: null,
  acks: more.acks ?? -1,
  timeoutMs: more.timeoutMs ?? 1000,
  topicData: [
    {
      name: topic,
      topicId: more.topicId ?? ZERO_UUID,
      partitionData: [{ index: more.index ?? 0, records }],
    },
  ],
});

const produced = (response: ResponseOf<typeof Produce>) =>
  response.responses[0]?.partitionResponses[0];

async function produce(
  broker: DataBroker,
  client: RawClient,
  topic: string,
  values: readonly string[],
  options: BatchOptions = {},
) {
  return produced(
    await broker.ask(client, Produce, V, produceRequest(topic, batch(values, options))),
  );
}

const fetchRequest = (
  partitions: readonly {
    topic?: string;
    partition?: number;
    fetchOffset?: bigint;
    maxBytes?: number;
    currentLeaderEpoch?: number;
  }[],
  more: Partial<FetchRequest> = {},
): FetchRequest => ({
  maxWaitMs: 0,
  minBytes: 1,
  sessionEpoch: -1,
  topics: partitions.map((wanted) => ({
    topic: wanted.topic ?? 't',
    partitions: [
      {
        partition: wanted.partition ?? 0,
        currentLeaderEpoch: wanted.currentLeaderEpoch ?? -1,
        fetchOffset: wanted.fetchOffset ?? 0n,
        partitionMaxBytes: wanted.maxBytes ?? 1_000_000,
      },
    ],
  })),
  forgottenTopicsData: [],
  ...more,
});

const partitionsOf = (response: FetchResponse) =>
  response.responses.flatMap(({ partitions }) => partitions);
const valuesIn = (records: Buffer | null): string[] => {
  const values: string[] = [];
  const bytes = records ?? Buffer.alloc(0);
  for (let at = 0; at < bytes.length; at += 12 + bytes.readInt32BE(at + 8)) {
    values.push(...recordsOf(bytes, at).map(({ value }) => String(value)));
  }
  return values;
};

describe('Produce', () => {
  test.each([3, 5, 7, 8, 9, 10, 12])('in version %i appends and tells where', async (version) => {
    const broker = await DataBroker.start([{ name: 't' }]);
    const client = await broker.connect();
    const request = produceRequest('t', batch(['a', 'b']));
    expect(produced(await broker.ask(client, Produce, version, request))).toMatchObject({
      index: 0,
      errorCode: 0,
      baseOffset: 0,
      logAppendTimeMs: -1,
      logStartOffset: version >= 5 ? 0 : -1,
    });
    const second = produceRequest('t', batch(['c']));
    const response = await broker.ask(client, Produce, version, second);
    expect(produced(response)).toMatchObject({ baseOffset: 2 });
  });

  test('from version 13 on topics are named by their ids', async () => {
    const broker = await DataBroker.start([{ name: 't' }]);
    const client = await broker.connect();
    const ask = async (topicId: string) =>
      produced(
        await broker.ask(client, Produce, 13, produceRequest('', batch(['a']), { topicId })),
      );
    expect(await ask(broker.idOf('t'))).toMatchObject({ errorCode: 0, baseOffset: 0 });
    expect(await ask(idOf(7))).toMatchObject({ errorCode: Errors.UNKNOWN_TOPIC_ID });
    expect(await ask(ZERO_UUID)).toMatchObject({ errorCode: Errors.UNKNOWN_TOPIC_ID });
  });

  test.each([0, 1, -1])('with acks %i the records can be fetched afterwards', async (acks) => {
    const broker = await DataBroker.start([{ name: 't' }]);
    const client = await broker.connect();
    client.send(Produce, V, produceRequest('t', batch(['a', 'b']), { acks }));
    await broker.world.advance(50);
    expect(client.answers()).toHaveLength(acks === 0 ? 0 : 1);
    const response = await broker.ask(client, Fetch, V, fetchRequest([{}]));
    expect(partitionsOf(response).map(({ records }) => valuesIn(records))).toEqual([['a', 'b']]);
  });

  test('with acks 0 a failure closes the connection with one line', async () => {
    const broker = await DataBroker.start([{ name: 't' }]);
    const client = await broker.connect();
    client.send(Produce, V, produceRequest('nowhere', batch(['a']), { acks: 0 }));
    await broker.world.advance(50);
    expect(client.isClosed).toBe(true);
    const lines = broker.machine.lines.filter(({ event }) => /acks=0/.test(event));
    expect(lines.map(({ event }) => event)).toEqual([
      expect.stringContaining('nowhere-0: UNKNOWN_TOPIC_OR_PARTITION'),
    ]);
  });

  test.each([
    ['acks that are none', { acks: 2 }, 't', Errors.INVALID_REQUIRED_ACKS],
    ['an unknown topic', {}, 'nowhere', Errors.UNKNOWN_TOPIC_OR_PARTITION],
    ['an unknown partition', { index: 3 }, 't', Errors.UNKNOWN_TOPIC_OR_PARTITION],
    ['an internal topic', {}, '__consumer_offsets', Errors.INVALID_TOPIC_EXCEPTION],
    ['a partition led elsewhere', {}, 'elsewhere', Errors.NOT_LEADER_OR_FOLLOWER],
    ['a partition not held here', {}, 'remote', Errors.NOT_LEADER_OR_FOLLOWER],
    ['too few replicas', {}, 'lonely', Errors.NOT_ENOUGH_REPLICAS],
  ])('%s is refused, and nothing is appended', async (_, more, topic, errorCode) => {
    const broker = await DataBroker.start([
      { name: 't' },
      { name: '__consumer_offsets' },
      { name: 'elsewhere', replicas: [1, 2], leader: 2 },
      { name: 'remote', replicas: [2], leader: 2 },
      {
        name: 'lonely',
        replicas: [1, 2],
        isr: [1],
        settings: { 'min.insync.replicas': '2' },
      },
    ]);
    const client = await broker.connect();
    const response = await broker.ask(
      client,
      Produce,
      V,
      produceRequest(topic, batch(['a']), more),
    );
    expect(produced(response)).toMatchObject({ errorCode, baseOffset: -1 });
    for (const partition of broker.replicas.all()) expect(partition.endOffset).toBe(0);
    const isMisled = errorCode === Errors.NOT_LEADER_OR_FOLLOWER;
    expect(produced(response)?.currentLeader.leaderId).toBe(isMisled ? 2 : -1);
    expect(response.nodeEndpoints.map(({ host }) => host)).toEqual(isMisled ? ['other'] : []);
  });

  test.each([
    ['no bytes at all', Buffer.alloc(0), Errors.INVALID_RECORD],
    ['a damaged batch', damaged(batch(['a'])), Errors.CORRUPT_MESSAGE],
    ['two batches', Buffer.concat([batch(['a']), batch(['b'])]), Errors.INVALID_RECORD],
    ['too large a batch', batch(['x'.repeat(2000)]), Errors.MESSAGE_TOO_LARGE],
    [
      'records from the future',
      buildBatch([{ timestamp: 4_000_000_000_000, value: 'a' }]),
      Errors.INVALID_TIMESTAMP,
    ],
    [
      'a transactional batch without a transactional id',
      batch(['a'], { producerId: 5, producerEpoch: 0, baseSequence: 0, isTransactional: true }),
      Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    ],
  ])('%s is refused and leaves the log as it was', async (_, records, errorCode) => {
    const settings = { 'max.message.bytes': '1000' };
    const broker = await DataBroker.start([{ name: 't', settings }]);
    const client = await broker.connect();
    const response = await broker.ask(client, Produce, V, produceRequest('t', records));
    expect(produced(response)).toMatchObject({ errorCode, baseOffset: -1 });
    expect(broker.replicas.get('t', 0)?.endOffset).toBe(0);
    expect(client.isClosed).toBe(false);
  });

  test('a batch of records without keys is refused on a compacted topic, naming each', async () => {
    const settings = { 'cleanup.policy': 'compact' };
    const broker = await DataBroker.start([{ name: 't', settings }]);
    const client = await broker.connect();
    const answer = await produce(broker, client, 't', ['a', 'b']);
    expect(answer).toMatchObject({ errorCode: Errors.INVALID_RECORD, logStartOffset: 0 });
    expect(answer?.recordErrors.map(({ batchIndex }) => batchIndex)).toEqual([0, 1]);
    expect(answer?.errorMessage).toEqual(expect.any(String));
  });

  test('sequences are checked, and a duplicate is acknowledged with its first offset', async () => {
    const broker = await DataBroker.start([{ name: 't' }]);
    const client = await broker.connect();
    const send = (baseSequence: number) =>
      produce(broker, client, 't', ['a', 'b'], { producerId: 9, producerEpoch: 0, baseSequence });
    expect(await send(0)).toMatchObject({ errorCode: 0, baseOffset: 0 });
    expect(await send(2)).toMatchObject({ errorCode: 0, baseOffset: 2 });
    expect(await send(0)).toMatchObject({ errorCode: 0, baseOffset: 0 });
    expect(await send(9)).toMatchObject({ errorCode: Errors.OUT_OF_ORDER_SEQUENCE_NUMBER });
    expect(broker.replicas.get('t', 0)?.endOffset).toBe(4);
  });

  test('LogAppendTime stamps records and says so', async () => {
    const settings = { 'message.timestamp.type': 'LogAppendTime' };
    const broker = await DataBroker.start([{ name: 't', settings }]);
    const client = await broker.connect();
    const answer = await produce(broker, client, 't', ['a']);
    expect(answer?.logAppendTimeMs).toBeGreaterThan(1_000_000);
    const response = await broker.ask(client, Fetch, V, fetchRequest([{}]));
    const [record] = recordsOf(partitionsOf(response)[0]?.records ?? Buffer.alloc(0));
    expect(record?.timestamp).toBe(answer?.logAppendTimeMs);
  });

  test('acks=all waits for the high watermark while the connection goes on', async () => {
    const broker = await DataBroker.start([{ name: 't', settings: { 'flush.messages': '1' } }]);
    const client = await broker.connect();
    const ids = [1, 2, 3].map(() => client.send(Produce, V, produceRequest('t', batch(['a']))));
    await broker.world.advance(1000);
    expect(client.answers().map(({ correlationId }) => correlationId)).toEqual(ids);
    expect(broker.replicas.get('t', 0)?.highWatermark).toBe(3);
  });

  test('acks=all that too few acknowledge in time answers REQUEST_TIMED_OUT, the record stays', async () => {
    const broker = await DataBroker.start([{ name: 't', replicas: [1, 2] }]);
    const client = await broker.connect();
    const request = produceRequest('t', batch(['a']), { timeoutMs: 200 });
    client.send(Produce, V, request);
    await broker.world.advance(190);
    expect(client.answers()).toEqual([]);
    await broker.world.advance(50);
    expect(produced(client.answer(Produce, V))).toMatchObject({
      errorCode: Errors.REQUEST_TIMED_OUT,
      baseOffset: 0,
    });
    expect(broker.replicas.get('t', 0)?.endOffset).toBe(1);
  });
});

describe('Fetch', () => {
  test.each([4, 5, 7, 9, 11, 12])(
    'in version %i gives batches as they lie in the log',
    async (version) => {
      const broker = await DataBroker.start([{ name: 't' }]);
      const client = await broker.connect();
      await produce(broker, client, 't', ['a', 'b']);
      await produce(broker, client, 't', ['c']);
      const response = await broker.ask(
        client,
        Fetch,
        version,
        fetchRequest([{ fetchOffset: 2n }]),
      );
      expect(response).toMatchObject({ errorCode: 0, sessionId: 0 });
      expect(partitionsOf(response)).toMatchObject([
        { errorCode: 0, highWatermark: 3, lastStableOffset: 3, abortedTransactions: null },
      ]);
      expect(valuesIn(partitionsOf(response)[0]?.records ?? null)).toEqual(['c']);
    },
  );

  test('from version 13 on topics are named by their ids', async () => {
    const broker = await DataBroker.start([{ name: 't' }]);
    const client = await broker.connect();
    await produce(broker, client, 't', ['a']);
    const byId = (topicId: string): FetchRequest => {
      const request = fetchRequest([{}]);
      return { ...request, topics: request.topics.map((topic) => ({ ...topic, topicId })) };
    };
    for (const version of [13, 14, 15, 16, 17, 18]) {
      const response = await broker.ask(client, Fetch, version, byId(broker.idOf('t')));
      expect(valuesIn(partitionsOf(response)[0]?.records ?? null)).toEqual(['a']);
      for (const id of [idOf(7), ZERO_UUID]) {
        const unknown = await broker.ask(client, Fetch, version, byId(id));
        expect(partitionsOf(unknown)[0]?.errorCode).toBe(Errors.UNKNOWN_TOPIC_ID);
      }
    }
  });

  test('the first batch comes whatever the limits, later ones only within them', async () => {
    const broker = await DataBroker.start([{ name: 't', partitions: 3 }]);
    const client = await broker.connect();
    for (const partition of [0, 1, 2]) {
      const request = produceRequest('t', batch(['x'.repeat(500)]), { index: partition });
      await broker.ask(client, Produce, V, request);
    }
    const all = [0, 1, 2].map((partition) => ({ partition, maxBytes: 10 }));
    const sizes = async (request: FetchRequest) =>
      partitionsOf(await broker.ask(client, Fetch, V, request)).map(({ records }) =>
        (records?.length ?? 0) > 0 ? 'data' : 'none',
      );
    expect(await sizes(fetchRequest(all))).toEqual(['data', 'none', 'none']);
    const roomy = all.map((one) => ({ ...one, maxBytes: 10_000 }));
    expect(await sizes(fetchRequest(roomy))).toEqual(['data', 'data', 'data']);
    expect(await sizes(fetchRequest(roomy, { maxBytes: 700 }))).toEqual(['data', 'none', 'none']);
    expect(await sizes(fetchRequest(roomy, { maxBytes: 1 }))).toEqual(['data', 'none', 'none']);
  });

  test('a long poll is answered as soon as there is something', async () => {
    const broker = await DataBroker.start([{ name: 't', partitions: 2 }]);
    const consumer = await broker.connect();
    const producer = await broker.connect();
    const both = fetchRequest([{ partition: 0 }, { partition: 1 }], { maxWaitMs: 5000 });
    consumer.send(Fetch, V, both);
    await broker.world.advance(1000);
    expect(consumer.answers()).toEqual([]);
    await broker.ask(producer, Produce, V, produceRequest('t', batch(['a']), { index: 1 }), 1);
    await broker.world.advance(1);
    const partitions = partitionsOf(consumer.answer(Fetch, V));
    expect(partitions.map(({ records }) => valuesIn(records))).toEqual([[], ['a']]);
  });

  test('a long poll waits for minBytes over all partitions, at most maxWaitMs', async () => {
    const broker = await DataBroker.start([{ name: 't', partitions: 2 }]);
    const consumer = await broker.connect();
    const producer = await broker.connect();
    const size = batch(['a']).length;
    const wait = (minBytes: number) =>
      fetchRequest([{ partition: 0 }, { partition: 1 }], { maxWaitMs: 5000, minBytes });
    consumer.send(Fetch, V, wait(2 * size));
    await broker.ask(producer, Produce, V, produceRequest('t', batch(['a']), { index: 0 }));
    expect(consumer.answers()).toEqual([]);
    await broker.ask(producer, Produce, V, produceRequest('t', batch(['a']), { index: 1 }));
    expect(consumer.answers()).toHaveLength(1);
    consumer.send(Fetch, V, wait(2 * size + 1));
    await broker.world.advance(4900);
    expect(consumer.answers()).toEqual([]);
    await broker.world.advance(200);
    const late = partitionsOf(consumer.answer(Fetch, V));
    expect(late.map(({ records }) => valuesIn(records))).toEqual([['a'], ['a']]);
  });

  test('a consumer that goes away leaves no waiter behind', async () => {
    const broker = await DataBroker.start([{ name: 't' }]);
    const consumer = await broker.connect();
    consumer.send(Fetch, V, fetchRequest([{}], { maxWaitMs: 5000 }));
    await broker.world.advance(100);
    expect(broker.services.waiting.count).toBe(1);
    consumer.link.destroy();
    await broker.world.advance(100);
    expect(broker.services.waiting.count).toBe(0);
  });

  test('a partition that loses its leader ends the wait with who leads now', async () => {
    const broker = await DataBroker.start([{ name: 't', replicas: [1, 2] }]);
    const consumer = await broker.connect();
    const byId = fetchRequest([{}], { maxWaitMs: 5000 });
    const topicId = broker.idOf('t');
    const leaderOnly = {
      ...byId,
      topics: byId.topics.map((topic) => ({
        topicId,
        partitions: topic.partitions.map((wanted) => ({ ...wanted, currentLeaderEpoch: 0 })),
      })),
    };
    consumer.send(Fetch, 16, leaderOnly);
    await broker.world.advance(100);
    await broker.draw([
      metadataRecord('PartitionChangeRecord', 0, { partitionId: 0, topicId, leader: 2 }),
    ]);
    await broker.world.advance(100);
    const response = consumer.answer(Fetch, 16);
    expect(partitionsOf(response)).toMatchObject([
      {
        errorCode: Errors.FENCED_LEADER_EPOCH,
        currentLeader: { leaderId: 2, leaderEpoch: 1 },
      },
    ]);
    expect(response.nodeEndpoints).toMatchObject([{ nodeId: 2, host: 'other', port: 9092 }]);
  });

  test('a deleted topic ends the wait', async () => {
    const broker = await DataBroker.start([{ name: 't' }]);
    const consumer = await broker.connect();
    consumer.send(Fetch, V, fetchRequest([{}], { maxWaitMs: 5000 }));
    await broker.world.advance(100);
    await broker.draw([metadataRecord('RemoveTopicRecord', 0, { topicId: broker.idOf('t') })]);
    await broker.world.advance(100);
    expect(partitionsOf(consumer.answer(Fetch, V))[0]?.errorCode).toBe(
      Errors.UNKNOWN_TOPIC_OR_PARTITION,
    );
    expect(broker.logs.get('t', 0)).toBeUndefined();
  });

  test('a session is answered with news only', async () => {
    const broker = await DataBroker.start([{ name: 't', partitions: 2 }]);
    const client = await broker.connect();
    const both = fetchRequest([{ partition: 0 }, { partition: 1 }], { sessionEpoch: 0 });
    const first = await broker.ask(client, Fetch, V, both);
    expect(first.sessionId).toBeGreaterThan(0);
    expect(partitionsOf(first)).toHaveLength(2);
    const next = (sessionEpoch: number) =>
      fetchRequest([], { sessionId: first.sessionId, sessionEpoch });
    expect(partitionsOf(await broker.ask(client, Fetch, V, next(1)))).toEqual([]);
    await broker.ask(client, Produce, V, produceRequest('t', batch(['a']), { index: 1 }));
    const third = await broker.ask(client, Fetch, V, next(2));
    expect(partitionsOf(third).map(({ partitionIndex }) => partitionIndex)).toEqual([1]);
    const wrong = await broker.ask(client, Fetch, V, next(9));
    expect(wrong).toMatchObject({ errorCode: Errors.INVALID_FETCH_SESSION_EPOCH, sessionId: 0 });
  });

  test.each([
    [{ fetchOffset: 9n }, Errors.OFFSET_OUT_OF_RANGE],
    [{ currentLeaderEpoch: 3 }, Errors.UNKNOWN_LEADER_EPOCH],
    [{ partition: 5 }, Errors.UNKNOWN_TOPIC_OR_PARTITION],
    [{ topic: 'nowhere' }, Errors.UNKNOWN_TOPIC_OR_PARTITION],
    [{ topic: 'remote' }, Errors.NOT_LEADER_OR_FOLLOWER],
  ])('of %o is answered at once with its error', async (wanted, errorCode) => {
    const broker = await DataBroker.start([
      { name: 't' },
      { name: 'remote', replicas: [2], leader: 2 },
    ]);
    const client = await broker.connect();
    const request = fetchRequest([wanted], { maxWaitMs: 5000 });
    const response = await broker.ask(client, Fetch, V, request);
    expect(partitionsOf(response)).toMatchObject([{ errorCode, highWatermark: -1 }]);
  });

  test('a debugging consumer sees the log to its end, any other to the high watermark', async () => {
    const broker = await DataBroker.start([{ name: 't', replicas: [1, 2] }]);
    const client = await broker.connect();
    await broker.ask(client, Produce, V, produceRequest('t', batch(['a']), { acks: 1 }));
    const values = async (replicaId: number) => {
      const response = await broker.ask(client, Fetch, V, fetchRequest([{}], { replicaId }));
      return valuesIn(partitionsOf(response)[0]?.records ?? null);
    };
    expect(await values(-1)).toEqual([]);
    expect(await values(-2)).toEqual(['a']);
  });

  test('large answers come whole, in pieces of a slab', async () => {
    const settings = { 'max.message.bytes': '10000000' };
    const broker = await DataBroker.start([{ name: 't', settings }]);
    const client = await broker.connect();
    const values = ['x'.repeat(1_500_000), 'y'.repeat(1_500_000), 'z'];
    for (const value of values) await produce(broker, client, 't', [value]);
    const request = fetchRequest([{ maxBytes: 10_000_000 }]);
    const response = await broker.ask(client, Fetch, V, request, 5000);
    expect(valuesIn(partitionsOf(response)[0]?.records ?? null)).toEqual(values);
  });

  test('read_committed names no aborted transactions where there are none', async () => {
    const broker = await DataBroker.start([{ name: 't' }]);
    const client = await broker.connect();
    await produce(broker, client, 't', ['a']);
    const request = fetchRequest([{}], { isolationLevel: 1 });
    const response = await broker.ask(client, Fetch, V, request);
    expect(partitionsOf(response)).toMatchObject([{ errorCode: 0, abortedTransactions: [] }]);
    expect(valuesIn(partitionsOf(response)[0]?.records ?? null)).toEqual(['a']);
  });
});

describe('ListOffsets', () => {
  const request = (timestamp: bigint, count = 1): RequestDraft<typeof ListOffsets> => ({
    replicaId: -1,
    topics: [
      {
        name: 't',
        partitions: Array.from({ length: count }, () => ({ partitionIndex: 0, timestamp })),
      },
    ],
  });

  test.each([
    [1, -1n, 0, 3, -1n],
    [11, -1n, 0, 3, -1n],
    [11, -2n, 0, 0, -1n],
    [11, -3n, 0, 2, 1002n],
    [11, -4n, 0, 0, -1n],
    [11, -5n, 0, -1, -1n],
    [11, -6n, 0, -1, -1n],
    [11, 1001n, 0, 1, 1001n],
    [11, 9999n, 0, -1, -1n],
    [6, -3n, Errors.UNSUPPORTED_VERSION, -1, -1n],
    [7, -4n, Errors.UNSUPPORTED_VERSION, -1, -1n],
    [10, -6n, Errors.UNSUPPORTED_VERSION, -1, -1n],
    [11, -7n, Errors.UNSUPPORTED_VERSION, -1, -1n],
  ])(
    'in version %i finds %d: error %i, offset %i',
    async (version, asked, errorCode, offset, timestamp) => {
      const broker = await DataBroker.start([{ name: 't' }]);
      const client = await broker.connect();
      await produce(broker, client, 't', ['a', 'b', 'c']);
      const response = await broker.ask(client, ListOffsets, version, request(asked));
      expect(response.topics[0]?.partitions).toMatchObject([
        { partitionIndex: 0, errorCode, offset, timestamp },
      ]);
    },
  );

  test('a partition named twice is refused', async () => {
    const broker = await DataBroker.start([{ name: 't' }]);
    const client = await broker.connect();
    const response = await broker.ask(client, ListOffsets, 7, request(-1n, 2));
    expect(response.topics[0]?.partitions.map(({ errorCode }) => errorCode)).toEqual([
      Errors.INVALID_REQUEST,
      Errors.INVALID_REQUEST,
    ]);
  });
});

test('OffsetForLeaderEpoch tells where an epoch ended', async () => {
  const broker = await DataBroker.start([{ name: 't' }]);
  const client = await broker.connect();
  await produce(broker, client, 't', ['a', 'b', 'c']);
  const ask = async (leaderEpoch: number, currentLeaderEpoch = -1, topic = 't') => {
    const partitions = [{ partition: 0, currentLeaderEpoch, leaderEpoch }];
    const request = { replicaId: -1, topics: [{ topic, partitions }] };
    const response = await broker.ask(client, OffsetForLeaderEpoch, 4, request);
    return response.topics[0]?.partitions[0];
  };
  expect(await ask(0)).toMatchObject({ errorCode: 0, leaderEpoch: 0, endOffset: 3 });
  expect(await ask(5)).toMatchObject({ errorCode: 0, leaderEpoch: -1, endOffset: -1 });
  expect(await ask(0, 9)).toMatchObject({ errorCode: Errors.UNKNOWN_LEADER_EPOCH });
  expect(await ask(0, -1, 'nowhere')).toMatchObject({
    errorCode: Errors.UNKNOWN_TOPIC_OR_PARTITION,
  });
});

test('DeleteRecords moves the start, and refuses what it must', async () => {
  const broker = await DataBroker.start([
    { name: 't' },
    { name: 'compacted', settings: { 'cleanup.policy': 'compact' } },
    { name: '__consumer_offsets' },
  ]);
  const client = await broker.connect();
  await produce(broker, client, 't', ['a', 'b', 'c']);
  const ask = async (name: string, offset: bigint) => {
    const request = {
      timeoutMs: 100,
      topics: [{ name, partitions: [{ partitionIndex: 0, offset }] }],
    };
    const response = await broker.ask(client, DeleteRecords, 2, request);
    return response.topics[0]?.partitions[0];
  };
  expect(await ask('t', 2n)).toMatchObject({ errorCode: 0, lowWatermark: 2 });
  expect(await ask('t', -1n)).toMatchObject({ errorCode: 0, lowWatermark: 3 });
  expect(await ask('t', 4n)).toMatchObject({
    errorCode: Errors.OFFSET_OUT_OF_RANGE,
    lowWatermark: -1,
  });
  expect(await ask('compacted', 0n)).toMatchObject({ errorCode: Errors.POLICY_VIOLATION });
  expect(await ask('__consumer_offsets', 0n)).toMatchObject({
    errorCode: Errors.INVALID_TOPIC_EXCEPTION,
  });
  expect(await ask('nowhere', 0n)).toMatchObject({ errorCode: Errors.UNKNOWN_TOPIC_OR_PARTITION });
});

test('DeleteRecords that a follower does not confirm in time answers REQUEST_TIMED_OUT', async () => {
  const broker = await DataBroker.start([{ name: 't', replicas: [1, 2], isr: [1] }]);
  const client = await broker.connect();
  const acked = produceRequest('t', batch(['a', 'b']), { acks: 1 });
  await broker.ask(client, Produce, V, acked);
  const request = {
    timeoutMs: 300,
    topics: [{ name: 't', partitions: [{ partitionIndex: 0, offset: 1n }] }],
  };
  const response = await broker.ask(client, DeleteRecords, 2, request, 400);
  expect(response.topics[0]?.partitions[0]).toMatchObject({
    errorCode: Errors.REQUEST_TIMED_OUT,
    lowWatermark: -1,
  });
});

test('DescribeLogDirs shows every folder and what lies in it', async () => {
  const broker = await DataBroker.start([{ name: 't', partitions: 2 }, { name: 'u' }]);
  const client = await broker.connect();
  await produce(broker, client, 't', ['a', 'b']);
  const ask = (topics: RequestDraft<typeof DescribeLogDirs>['topics']) =>
    broker.ask(client, DescribeLogDirs, 4, { topics });
  const sizes = (response: ResponseOf<typeof DescribeLogDirs>) =>
    response.results.map(({ errorCode, logDir, topics }) => [
      errorCode,
      logDir,
      topics.map(({ name, partitions }) => [name, partitions.map((one) => one.partitionSize)]),
    ]);
  const [folder] = (await ask(null)).results;
  expect([folder?.totalBytes, folder?.usableBytes]).toEqual([-1, -1]);
  broker.machine.disk.space = () => ({ totalBytes: 1000, usableBytes: 400 });
  const [bounded] = (await ask(null)).results;
  expect([bounded?.totalBytes, bounded?.usableBytes]).toEqual([1000, 400]);
  const size = batch(['a', 'b']).length;
  expect(sizes(await ask(null))).toEqual([
    [
      0,
      '/data',
      [
        ['t', [size, 0]],
        ['u', [0]],
      ],
    ],
  ]);
  expect(sizes(await ask([{ topic: 't', partitions: [1, 7] }]))).toEqual([
    [0, '/data', [['t', [0]]]],
  ]);
  expect(sizes(await ask([]))).toEqual([[0, '/data', []]]);
});

test('a folder that failed is shown as such, and its partitions are answered so', async () => {
  const broker = await DataBroker.start([{ name: 't' }]);
  const client = await broker.connect();
  broker.logs.folders[0]?.fail('trying it out', new Error('EIO'));
  await broker.world.settle();
  const response = await broker.ask(client, DescribeLogDirs, 4, { topics: null });
  expect(response.results).toMatchObject([
    { errorCode: Errors.KAFKA_STORAGE_ERROR, logDir: '/data', topics: [] },
  ]);
  expect(await produce(broker, client, 't', ['a'])).toMatchObject({
    errorCode: Errors.KAFKA_STORAGE_ERROR,
  });
  const old = await broker.ask(client, Fetch, 5, fetchRequest([{}]));
  expect(partitionsOf(old)[0]?.errorCode).toBe(Errors.NOT_LEADER_OR_FOLLOWER);
});

test('DescribeProducers shows whose sequences a partition remembers', async () => {
  const broker = await DataBroker.start([{ name: 't' }]);
  const client = await broker.connect();
  const options = { producerId: 7, producerEpoch: 2, baseSequence: 0 };
  await produce(broker, client, 't', ['a', 'b'], options);
  const request = { topics: [{ name: 't', partitionIndexes: [0, 4] }] };
  const response = await broker.ask(client, DescribeProducers, 0, request);
  expect(response.topics[0]?.partitions).toMatchObject([
    {
      errorCode: 0,
      activeProducers: [{ producerId: 7, producerEpoch: 2, lastSequence: 1, lastTimestamp: 1001n }],
    },
    { errorCode: Errors.UNKNOWN_TOPIC_OR_PARTITION, activeProducers: [] },
  ]);
});

describe('ApiVersions', () => {
  test.each([0, 1, 2, 3, 4, 5])('in version %i names what is served', async (version) => {
    const broker = await DataBroker.start();
    const client = await broker.connect();
    const request = { clientSoftwareName: 'test', clientSoftwareVersion: '1.0' };
    const response = await broker.ask(client, ApiVersions, version, request);
    expect(response.errorCode).toBe(0);
    expect(response.apiKeys).toContainEqual({ apiKey: 0, minVersion: 0, maxVersion: 13 });
    expect(response.apiKeys).toContainEqual({ apiKey: 1, minVersion: 4, maxVersion: 18 });
    const kraft = { name: 'kraft.version', minVersionLevel: 1, maxVersionLevel: 1 };
    expect(response.finalizedFeatures).toEqual(version >= 3 ? [kraft] : []);
  });

  test('in a version that is unknown is answered in version 0 with what is known', async () => {
    const broker = await DataBroker.start();
    const client = await broker.connect();
    // Key 18, version 99, correlation id 7, client id null, no tagged fields, an unknown body.
    client.link.write(
      Buffer.from('0000001000120063' + '00000007' + 'ffff' + '00' + 'deadbeef99', 'hex'),
    );
    await broker.world.advance(100);
    expect(client.answer(ApiVersions, 0)).toMatchObject({
      errorCode: Errors.UNSUPPORTED_VERSION,
      apiKeys: [{ apiKey: 18, minVersion: 0, maxVersion: 5 }],
    });
    expect(client.isClosed).toBe(false);
  });

  test.each([
    [
      'a name with a blank',
      { clientSoftwareName: 'a b', clientSoftwareVersion: '1' },
      Errors.INVALID_REQUEST,
    ],
    [
      'an empty version',
      { clientSoftwareName: 'a', clientSoftwareVersion: '' },
      Errors.INVALID_REQUEST,
    ],
    [
      'a node id without a cluster',
      { clientSoftwareName: 'a', clientSoftwareVersion: '1', nodeId: 1 },
      Errors.INVALID_REQUEST,
    ],
    [
      'another cluster',
      { clientSoftwareName: 'a', clientSoftwareVersion: '1', nodeId: 1, clusterId: 'other' },
      Errors.REBOOTSTRAP_REQUIRED,
    ],
    [
      'this node of this cluster',
      { clientSoftwareName: 'a', clientSoftwareVersion: '1', nodeId: 1, clusterId: 'test-cluster' },
      Errors.NONE,
    ],
  ])('%s', async (_, request, errorCode) => {
    const broker = await DataBroker.start();
    const client = await broker.connect();
    expect((await broker.ask(client, ApiVersions, 5, request)).errorCode).toBe(errorCode);
  });

  test('Produce before version 3 closes the connection with one line', async () => {
    const broker = await DataBroker.start([{ name: 't' }]);
    const client = await broker.connect();
    client.send(Produce, 2, { acks: 1, timeoutMs: 1, topicData: [] });
    await broker.world.advance(100);
    expect(client.isClosed).toBe(true);
    expect(broker.machine.lines.map(({ event }) => event)).toEqual([
      expect.stringMatching(/version 2 of Produce is not served/),
    ]);
  });
});

test('a topic made anew under its name begins empty, and its old id is refused', async () => {
  const broker = await DataBroker.start([{ name: 't', id: idOf(5) }]);
  const client = await broker.connect();
  await produce(broker, client, 't', ['a']);
  await broker.draw([metadataRecord('RemoveTopicRecord', 0, { topicId: idOf(5) })]);
  await broker.createTopics([{ name: 't', id: idOf(6) }]);
  expect(broker.replicas.get('t', 0)?.endOffset).toBe(0);
  const request = produceRequest('', batch(['b']), { topicId: idOf(5) });
  const response = await broker.ask(client, Produce, 13, request);
  expect(produced(response)?.errorCode).toBe(Errors.UNKNOWN_TOPIC_ID);
});

function damaged(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy[copy.length - 1] = (copy[copy.length - 1] as number) ^ 0xff;
  return copy;
}

/** Records of transactions on their way in (Produce) and out (Fetch, ListOffsets), KIP-98, KIP-890. */
import { ZERO_UUID } from '../../src/base/ids';
import { wallMs } from '../../src/base/times';
import type { RequestDraft, ResponseOf } from '../../src/protocol/api';
import { DescribeProducers } from '../../src/protocol/apis/describe-producers';
import { Fetch } from '../../src/protocol/apis/fetch';
import { ListOffsets } from '../../src/protocol/apis/list-offsets';
import { Produce } from '../../src/protocol/apis/produce';
import { type ErrorCode, Errors } from '../../src/protocol/errors';
import { buildBatch } from '../../src/protocol/records/builder';
import { appendTransactionEnd } from '../../src/replication/transaction-end';
import { LATEST_TIMESTAMP } from '../../src/storage/log';
import { DataBroker } from './data-broker';
import type { RawClient } from './raw-client';

const LATEST = 12;
const PRODUCER_ID = 7;

interface Sent {
  readonly sequence?: number;
  readonly epoch?: number;
  readonly producerId?: number;
  readonly indexes?: readonly number[];
}

const recordsOf = ({ sequence = 0, epoch = 0, producerId = PRODUCER_ID }: Sent): Buffer =>
  buildBatch([{ timestamp: 1000 + sequence, value: `${producerId}:${sequence}` }], {
    producerId,
    producerEpoch: epoch,
    baseSequence: sequence,
    isTransactional: true,
  });

const requestOf = (sent: Sent): RequestDraft<typeof Produce> => ({
  transactionalId: 'orders',
  acks: -1,
  timeoutMs: 1000,
  topicData: [
    {
      name: 't',
      topicId: ZERO_UUID,
      partitionData: (sent.indexes ?? [0]).map((index) => ({ index, records: recordsOf(sent) })),
    },
  ],
});

const responsesOf = (response: ResponseOf<typeof Produce>) =>
  response.responses.flatMap(({ partitionResponses }) => partitionResponses);

async function broker(): Promise<{ node: DataBroker; client: RawClient }> {
  const node = await DataBroker.start([{ name: 't', partitions: 3 }]);
  return { node, client: await node.connect() };
}

async function produce(node: DataBroker, client: RawClient, sent: Sent, version = LATEST) {
  const [first] = responsesOf(await node.ask(client, Produce, version, requestOf(sent), 500));
  return first;
}

/** The coordinator ends the transaction with that epoch. */
function end(node: DataBroker, outcome: 'commit' | 'abort', epoch: number, producerId = 7) {
  const partition = node.replicas.get('t', 0);
  if (partition === undefined) throw new Error('the partition is held here');
  const marker = { producerId, producerEpoch: epoch, outcome, coordinatorEpoch: 0 };
  const ended = appendTransactionEnd(partition, { ...marker, transactionVersion: 2 }, wallMs(5000));
  expect(ended).toMatchObject({ kind: 'appended' });
}

const fetchRequest = (more: Partial<RequestDraft<typeof Fetch>> = {}, fetchOffset = 0n) => ({
  maxWaitMs: 0,
  minBytes: 1,
  isolationLevel: 1,
  topics: [
    {
      topic: 't',
      topicId: ZERO_UUID,
      partitions: [{ partition: 0, fetchOffset, partitionMaxBytes: 1e6 }],
    },
  ],
  ...more,
});

async function fetched(node: DataBroker, client: RawClient, isolationLevel: number, from = 0n) {
  const request = fetchRequest({ isolationLevel }, from);
  const response = await node.ask(client, Fetch, LATEST, request);
  return response.responses?.[0]?.partitions[0];
}

describe('before a transaction begins in a partition', () => {
  test.each([
    [3, 'verify'],
    [11, 'verify'],
    [12, 'add'],
  ] as const)(
    'a producer of version %i has the coordinator asked to %s it',
    async (version, how) => {
      const { node, client } = await broker();
      const response = await node.ask(
        client,
        Produce,
        version,
        requestOf({ indexes: [0, 2] }),
        500,
      );
      expect(responsesOf(response)).toMatchObject([{ errorCode: 0 }, { errorCode: 0 }]);
      const producer = { transactionalId: 'orders', producerId: PRODUCER_ID, producerEpoch: 0 };
      expect(node.coordinator.asked).toEqual([{ how, producer, partitions: ['t-0', 't-2'] }]);
    },
  );

  test('it is asked once, and again only where the transaction is new', async () => {
    const { node, client } = await broker();
    await produce(node, client, { sequence: 0 });
    await produce(node, client, { sequence: 1 });
    expect(node.coordinator.asked).toHaveLength(1);
    await node.ask(client, Produce, LATEST, requestOf({ sequence: 0, indexes: [1] }), 500);
    expect(node.coordinator.asked.map(({ partitions }) => partitions)).toEqual([['t-0'], ['t-1']]);
    end(node, 'commit', 1);
    await produce(node, client, { sequence: 0, epoch: 1 });
    expect(node.coordinator.asked).toHaveLength(3);
  });

  test.each([
    ['not part of it', Errors.TRANSACTION_ABORTABLE, 10, Errors.INVALID_TXN_STATE],
    ['not part of it', Errors.TRANSACTION_ABORTABLE, 11, Errors.TRANSACTION_ABORTABLE],
    ['not part of it', Errors.TRANSACTION_ABORTABLE, 12, Errors.TRANSACTION_ABORTABLE],
    ['fenced', Errors.PRODUCER_FENCED, 12, Errors.INVALID_PRODUCER_EPOCH],
    ['unknown', Errors.INVALID_PRODUCER_ID_MAPPING, 9, Errors.INVALID_PRODUCER_ID_MAPPING],
    ['not reached', Errors.NETWORK_EXCEPTION, 12, Errors.NOT_ENOUGH_REPLICAS],
    ['loading', Errors.COORDINATOR_LOAD_IN_PROGRESS, 9, Errors.NOT_ENOUGH_REPLICAS],
    ['away', Errors.NOT_COORDINATOR, 12, Errors.NOT_ENOUGH_REPLICAS],
    ['still ending', Errors.CONCURRENT_TRANSACTIONS, 11, Errors.NOT_ENOUGH_REPLICAS],
    ['still ending', Errors.CONCURRENT_TRANSACTIONS, 12, Errors.CONCURRENT_TRANSACTIONS],
  ] satisfies readonly (readonly [string, ErrorCode, number, ErrorCode])[])(
    'what is %s (%i) is told to version %i as %i, and nothing is appended',
    async (_, said, version, told) => {
      const { node, client } = await broker();
      node.coordinator.says = () => said;
      expect(await produce(node, client, {}, version)).toMatchObject({
        errorCode: told,
        baseOffset: -1,
      });
      expect(node.replicas.get('t', 0)?.endOffset).toBe(0);
    },
  );

  test('one partition may be refused while the other is written', async () => {
    const { node, client } = await broker();
    node.coordinator.says = (_, partition) =>
      partition === 't-1' ? Errors.TRANSACTION_ABORTABLE : Errors.NONE;
    const response = await node.ask(client, Produce, LATEST, requestOf({ indexes: [0, 1] }), 500);
    expect(responsesOf(response)).toMatchObject([
      { errorCode: Errors.NONE, baseOffset: 0 },
      { errorCode: Errors.TRANSACTION_ABORTABLE, baseOffset: -1 },
    ]);
  });

  test('a producer that leaves adding to brokers waits a little for its last one to end', async () => {
    const { node, client } = await broker();
    let asked = 0;
    node.coordinator.says = () => {
      asked += 1;
      return asked < 3 ? Errors.CONCURRENT_TRANSACTIONS : Errors.NONE;
    };
    expect(await produce(node, client, {})).toMatchObject({ errorCode: Errors.NONE });
    expect(asked).toBe(3);
  });

  test('an answer that comes after the transaction was aborted begins nothing', async () => {
    const { node, client } = await broker();
    let answer = (): void => undefined;
    node.coordinator.waitsFor = new Promise((resolve) => {
      answer = resolve;
    });
    client.send(Produce, 11, requestOf({}));
    await node.world.advance(10);
    expect(node.coordinator.asked).toHaveLength(1);
    end(node, 'abort', 0);
    answer();
    await node.world.advance(10);
    const [first] = responsesOf(client.answer(Produce, 11));
    expect(first).toMatchObject({ errorCode: Errors.INVALID_TXN_STATE });
  });

  test('requests of one connection stay in order while it is asked', async () => {
    const { node, client } = await broker();
    let answer = (): void => undefined;
    node.coordinator.waitsFor = new Promise((resolve) => {
      answer = resolve;
    });
    for (const sequence of [0, 1, 2]) client.send(Produce, LATEST, requestOf({ sequence }));
    await node.world.advance(10);
    answer();
    await node.world.advance(10);
    expect(client.answers()).toHaveLength(3);
    expect(node.replicas.get('t', 0)?.endOffset).toBe(3);
    expect(node.coordinator.asked).toHaveLength(1);
  });

  test('records of two producers in one request are refused as a whole', async () => {
    const { node, client } = await broker();
    const one = requestOf({ indexes: [0, 1] });
    const other = { index: 1, records: recordsOf({ producerId: 8 }) };
    const topicData = one.topicData.map((topic) => ({
      ...topic,
      partitionData: topic.partitionData.map((each) => (each.index === 1 ? other : each)),
    }));
    const response = await node.ask(client, Produce, LATEST, { ...one, topicData });
    expect(responsesOf(response).map(({ errorCode }) => errorCode)).toEqual([
      Errors.INVALID_PRODUCER_ID_MAPPING,
      Errors.INVALID_PRODUCER_ID_MAPPING,
    ]);
    expect(node.coordinator.asked).toEqual([]);
  });

  test('a producer fenced in the partition is refused without a question', async () => {
    const { node, client } = await broker();
    await produce(node, client, { epoch: 3 });
    end(node, 'commit', 4);
    const answer = await produce(node, client, { epoch: 3, sequence: 1 });
    expect(answer).toMatchObject({ errorCode: Errors.INVALID_PRODUCER_EPOCH });
    expect(node.coordinator.asked).toHaveLength(1);
  });
});

describe('a read_committed consumer', () => {
  test('gets nothing of an open transaction, nor anything behind its beginning', async () => {
    const { node, client } = await broker();
    await produce(node, client, { producerId: 8 });
    await produce(node, client, { sequence: 0 });
    end(node, 'commit', 1, 8);
    const committed = await fetched(node, client, 1);
    expect(committed).toMatchObject({ lastStableOffset: 1, highWatermark: 3 });
    expect(committed?.abortedTransactions).toEqual([]);
    expect(committed?.records?.length).toBe(recordsOf({ producerId: 8 }).length);
    const uncommitted = await fetched(node, client, 0);
    expect(uncommitted).toMatchObject({ lastStableOffset: 1, abortedTransactions: null });
    expect(uncommitted?.records?.length).toBeGreaterThan(committed?.records?.length ?? 0);
  });

  test('is told which transactions among what it gets were aborted, by their beginning', async () => {
    const { node, client } = await broker();
    await produce(node, client, { producerId: 8 });
    await produce(node, client, { sequence: 0 });
    await produce(node, client, { sequence: 1 });
    end(node, 'abort', 1);
    end(node, 'abort', 1, 8);
    await produce(node, client, { sequence: 0, epoch: 1 });
    end(node, 'commit', 2);
    expect((await fetched(node, client, 1))?.abortedTransactions).toEqual([
      { producerId: 8, firstOffset: 0 },
      { producerId: 7, firstOffset: 1 },
    ]);
    // Begun before what it asks for, and still among it.
    expect((await fetched(node, client, 1, 2n))?.abortedTransactions).toHaveLength(2);
    expect((await fetched(node, client, 1, 5n))?.abortedTransactions).toEqual([]);
  });

  test('that waits is served when a transaction ends', async () => {
    const { node, client } = await broker();
    await produce(node, client, {});
    client.send(Fetch, LATEST, fetchRequest({ maxWaitMs: 10_000 }));
    await node.world.advance(100);
    expect(client.answers()).toEqual([]);
    end(node, 'commit', 1);
    await node.world.advance(10);
    const response = client.answer(Fetch, LATEST);
    expect(response.responses?.[0]?.partitions[0]).toMatchObject({ lastStableOffset: 2 });
  });

  test('sees as latest offset where the first open transaction begins', async () => {
    const { node, client } = await broker();
    await produce(node, client, {});
    end(node, 'commit', 1);
    await produce(node, client, { epoch: 1 });
    const latest = async (isolationLevel: number, timestamp: number) => {
      const partition = { partitionIndex: 0, timestamp: BigInt(timestamp) };
      const topics = [{ name: 't', partitions: [partition] }];
      const request = { replicaId: -1, isolationLevel, topics };
      const response = await node.ask(client, ListOffsets, 7, request);
      return response.topics[0]?.partitions[0]?.offset;
    };
    expect(await latest(1, LATEST_TIMESTAMP)).toBe(2);
    expect(await latest(0, LATEST_TIMESTAMP)).toBe(3);
  });
});

test('DescribeProducers shows where an open transaction begins', async () => {
  const { node, client } = await broker();
  await produce(node, client, {});
  const describe = async () => {
    const request = { topics: [{ name: 't', partitionIndexes: [0] }] };
    const response = await node.ask(client, DescribeProducers, 0, request);
    return response.topics[0]?.partitions[0]?.activeProducers;
  };
  expect(await describe()).toMatchObject([
    { producerId: 7, producerEpoch: 0, currentTxnStartOffset: 0, coordinatorEpoch: -1 },
  ]);
  end(node, 'abort', 1);
  expect(await describe()).toMatchObject([
    { producerId: 7, producerEpoch: 1, currentTxnStartOffset: -1, coordinatorEpoch: 0 },
  ]);
});

test.each([
  ['records of a transaction without its id', { transactionalId: null }, [{}], /TRANSACTIONAL_ID/],
  ['records of two producers', {}, [{}, { producerId: 8 }], /INVALID_PRODUCER_ID_MAPPING/],
])('with acks 0 %s close the connection without an answer', async (_, changed, sent, why) => {
  const { node, client } = await broker();
  const partitionData = sent.map((each, index) => ({ index, records: recordsOf(each) }));
  const topicData = [{ name: 't', topicId: ZERO_UUID, partitionData }];
  client.send(Produce, LATEST, { ...requestOf({}), acks: 0, topicData, ...changed });
  await node.world.advance(100);
  expect(client.answers()).toEqual([]);
  expect(client.isClosed).toBe(true);
  const lines = node.machine.lines.filter(({ event }) => /acks=0/.test(event));
  expect(lines.map(({ event }) => event)).toEqual([expect.stringMatching(why)]);
});

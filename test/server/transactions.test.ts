import { metadataRecord } from '../../src/metadata/metadata-record';
import { memoryDisk } from '../../src/platform/memory-disk';
import { AddPartitionsToTxn } from '../../src/protocol/apis/add-partitions-to-txn';
import { DescribeTransactions } from '../../src/protocol/apis/describe-transactions';
import { FindCoordinator } from '../../src/protocol/apis/find-coordinator';
import { ListTransactions } from '../../src/protocol/apis/list-transactions';
import { WriteTxnMarkers } from '../../src/protocol/apis/write-txn-markers';
import { Errors } from '../../src/protocol/errors';
import { idOf } from './data-broker';
import { GroupBroker, OFFSETS_TOPIC } from './group-broker';
import { fetched, storedOffset, TransactionClient } from './transaction-client';

const TRANSACTIONS_TOPIC = '__transaction_state';
const READ = { name: 'read', partitions: 2, id: idOf(7) };
const TOPICS = [
  READ,
  { name: 't', partitions: 2 },
  { name: OFFSETS_TOPIC, partitions: 4 },
  { name: TRANSACTIONS_TOPIC, partitions: 4 },
];

/** A node with `transaction.version` at that level. */
async function start(level = 2, disk = memoryDisk()) {
  const node = await GroupBroker.start(TOPICS, disk);
  const feature = { name: 'transaction.version', featureLevel: level };
  await node.broker.draw([metadataRecord('FeatureLevelRecord', 0, feature)]);
  return node;
}

async function begun(node: GroupBroker, transactionalId?: string) {
  const client = new TransactionClient(node, transactionalId);
  expect(await client.init()).toMatchObject({ errorCode: 0 });
  return client;
}

describe('FindCoordinator', () => {
  test('makes the topic of transactions and answers with a coordinator that works at once', async () => {
    const node = await GroupBroker.start([READ]);
    const client = new TransactionClient(node);
    expect(await client.findCoordinator()).toMatchObject({ errorCode: 0, nodeId: 1, port: 9092 });
    expect(await client.init()).toMatchObject({ errorCode: 0, producerEpoch: 0 });
    const topic = node.broker.publisher.image.topicByName(TRANSACTIONS_TOPIC);
    expect(topic?.partitions.length).toBe(4);
    expect(node.transactions.coordinators.topic.configs).toEqual([
      { name: 'cleanup.policy', value: 'compact' },
      { name: 'compression.type', value: 'uncompressed' },
      { name: 'min.insync.replicas', value: '1' },
      { name: 'segment.bytes', value: '104857600' },
      { name: 'unclean.leader.election.enable', value: 'false' },
    ]);
  });

  test('finds the coordinators of several ids from version 4 on', async () => {
    const node = await start();
    const found = await node.ask(FindCoordinator, 6, { keyType: 1, coordinatorKeys: ['a', 'b'] });
    expect(found.coordinators).toMatchObject([
      { key: 'a', nodeId: 1, errorCode: 0 },
      { key: 'b', nodeId: 1, errorCode: 0 },
    ]);
  });

  test('without its topic nobody coordinates an id', async () => {
    const client = new TransactionClient(await GroupBroker.start([READ]));
    expect(await client.init()).toMatchObject({ errorCode: Errors.NOT_COORDINATOR });
    expect(await client.end(4, true)).toMatchObject({ errorCode: Errors.NOT_COORDINATOR });
  });
});

describe('InitProducerId while no controller gives out producer ids', () => {
  test('goes on with a known transactional id, and makes no new one until there is one', async () => {
    const node = await start();
    const client = await begun(node);
    node.givesProducerIds = false;
    while (node.producerIds.take() !== undefined);
    const { producerId } = client;
    expect(await client.init()).toMatchObject({ errorCode: 0, producerId, producerEpoch: 1 });
    const other = new TransactionClient(node, 'other');
    expect(await other.init()).toMatchObject({ errorCode: Errors.COORDINATOR_NOT_AVAILABLE });
    node.givesProducerIds = true;
    expect(await other.init()).toMatchObject({ errorCode: 0, producerEpoch: 0 });
    expect(node.failures).toEqual([]);
  });
});

describe('a transaction of version 1', () => {
  test('is read once it is committed', async () => {
    const node = await start(1);
    const client = await begun(node);
    expect(await client.add(3, 't', [0, 1])).toEqual([0, 0]);
    expect(await client.produce(11, 't', 0, 'a')).toBe(0);
    expect((await fetched(node, 't', 1)).shown).toEqual([]);
    expect(await client.end(4, true)).toMatchObject({ errorCode: 0, producerId: -1 });
    expect(await fetched(node, 't', 1)).toEqual({ shown: ['a', 'marker'], aborted: [] });
  });

  test('is left out once it is aborted', async () => {
    const node = await start(1);
    const client = await begun(node);
    await client.add(3, 't', [0]);
    await client.produce(11, 't', 0, 'a');
    expect(await client.end(4, false)).toMatchObject({ errorCode: 0 });
    const { producerId } = client;
    expect((await fetched(node, 't', 1)).aborted).toEqual([{ producerId, firstOffset: 0 }]);
  });

  test('takes offsets along', async () => {
    const node = await start(1);
    const client = await begun(node);
    expect(await client.addOffsets(3, 'g')).toBe(0);
    expect(await client.commitOffset(3, 'g', 5n)).toBe(0);
    expect(await storedOffset(node, 'g')).toBe(-1n);
    expect(await storedOffset(node, 'g', true)).toBe(Errors.UNSTABLE_OFFSET_COMMIT);
    await client.end(4, true);
    expect(await storedOffset(node, 'g', true)).toBe(5n);
  });

  test('begins in no partition that was not added', async () => {
    const client = await begun(await start(1));
    expect(await client.produce(10, 't', 0, 'a')).toBe(Errors.INVALID_TXN_STATE);
    expect(await client.produce(11, 't', 0, 'a')).toBe(Errors.TRANSACTION_ABORTABLE);
    expect(await client.commitOffset(3, 'g', 5n)).toBe(Errors.INVALID_TXN_STATE);
    expect(await client.commitOffset(4, 'g', 5n)).toBe(Errors.TRANSACTION_ABORTABLE);
  });
});

describe('a transaction of version 2', () => {
  test('needs no adding, and gives its producer a new epoch', async () => {
    const node = await start();
    const client = await begun(node);
    expect(await client.produce(12, 't', 0, 'a')).toBe(0);
    expect(await client.commitOffset(5, 'g', 5n)).toBe(0);
    expect(await client.end(5, true)).toMatchObject({ errorCode: 0, producerEpoch: 1 });
    expect((await fetched(node, 't', 1)).shown).toEqual(['a', 'marker']);
    expect(await storedOffset(node, 'g', true)).toBe(5n);
    expect(await client.produce(12, 't', 0, 'b')).toBe(0);
    expect(await client.commitOffset(6, 'g', 7n)).toBe(0);
    expect(await client.end(5, false)).toMatchObject({ errorCode: 0, producerEpoch: 2 });
    expect((await fetched(node, 't', 1)).aborted).toMatchObject([{ firstOffset: 2 }]);
    expect(await storedOffset(node, 'g', true)).toBe(5n);
  });

  test('is over for a producer that does not know it yet', async () => {
    const node = await start();
    const client = await begun(node);
    await client.produce(12, 't', 0, 'a');
    const late = await begun(node, 'other');
    Object.assign(late, { producerId: client.producerId, transactionalId: 'tx' });
    await client.end(5, true);
    late.producerEpoch = 0;
    expect(await late.produce(12, 't', 0, 'late')).toBe(Errors.INVALID_PRODUCER_EPOCH);
    expect(await late.produce(12, 't', 1, 'late')).toBe(Errors.INVALID_PRODUCER_EPOCH);
    expect(await late.commitOffset(5, 'g', 9n)).toBe(Errors.INVALID_PRODUCER_EPOCH);
    expect((await fetched(node, 't', 0)).shown).toEqual(['a', 'marker']);
  });
});

describe('offsets within a transaction', () => {
  test('are checked against the group', async () => {
    const node = await start();
    const client = await begun(node);
    const { memberId, generationId } = await node.member('g');
    const as = (memberId: string, generationIdOrMemberEpoch: number) => ({
      memberId,
      generationIdOrMemberEpoch,
    });
    const commit = (more: object) => client.commitOffset(5, 'g', 5n, more);
    expect(await commit(as(memberId, generationId + 1))).toBe(Errors.ILLEGAL_GENERATION);
    expect(await commit(as('nobody', generationId))).toBe(Errors.UNKNOWN_MEMBER_ID);
    expect(await commit(as(memberId, generationId))).toBe(0);
    expect(await client.commitOffset(5, '', 5n)).toBe(Errors.INVALID_GROUP_ID);
    expect(await client.commitOffset(5, 'none', 5n, as('m', 3))).toBe(Errors.ILLEGAL_GENERATION);
    expect(await client.commitOffset(6, 'none', 5n, as('m', 3))).toBe(Errors.GROUP_ID_NOT_FOUND);
  });

  test.each([true, false])('of no epoch are refused, verified (%s) or not', async (isVerified) => {
    const node = await start();
    const settings = { transactionPartitionVerificationEnable: isVerified };
    Object.assign(node.broker.services.settings, settings);
    const client = await begun(node);
    for (const producerEpoch of [-1, -5, -32_768]) {
      client.producerEpoch = producerEpoch;
      for (const version of [0, 2, 3, 4, 5, 6]) {
        const answer = await client.commitOffset(version, 'g', 5n);
        expect(answer).toBe(Errors.INVALID_PRODUCER_EPOCH);
      }
    }
    expect(await storedOffset(node, 'g', true)).toBe(-1n);
    expect(node.failures).toEqual([]);
  });

  test('of topics that do not exist are refused', async () => {
    const client = await begun(await start());
    const of = (name: string, topicId: string, partitionIndex = 0) => ({
      topics: [
        {
          name,
          topicId,
          partitions: [{ partitionIndex, committedOffset: 1n, committedMetadata: null }],
        },
      ],
    });
    const commit = (version: number, more: object) => client.commitOffset(version, 'g', 1n, more);
    const unknown = Errors.UNKNOWN_TOPIC_OR_PARTITION;
    expect(await commit(5, of('none', idOf(9)))).toBe(unknown);
    expect(await commit(5, of('read', READ.id, 9))).toBe(unknown);
    expect(await commit(6, of('read', idOf(9)))).toBe(Errors.UNKNOWN_TOPIC_ID);
    expect(await commit(6, of('', READ.id, 9))).toBe(unknown);
  });

  test('are made by producers that exist', async () => {
    const client = await begun(await start());
    const mapping = Errors.INVALID_PRODUCER_ID_MAPPING;
    expect(await client.commitOffset(5, 'g', 1n, { producerId: -1n })).toBe(mapping);
    expect(await client.commitOffset(5, 'g', 1n, { producerId: 2n ** 60n })).toBe(mapping);
    expect(await client.commitOffset(5, 'g', 1n, { producerId: 77n })).toBe(mapping);
  });
});

describe('old clients are told what they understand', () => {
  async function fenced() {
    const node = await start(1);
    const client = await begun(node);
    await new TransactionClient(node).init();
    return client;
  }

  test.each([3, 4])('InitProducerId %i', async (version) => {
    const client = await fenced();
    const expected = version < 4 ? Errors.INVALID_PRODUCER_EPOCH : Errors.PRODUCER_FENCED;
    const { producerId, producerEpoch } = client;
    const again = { producerId: BigInt(producerId), producerEpoch };
    // The first is its own retry: nobody else has begun since the epoch before.
    expect(await client.init(version, { ...again, producerId: 5n })).toMatchObject({
      errorCode: expected,
    });
    expect(await client.init(version, again)).toMatchObject({ errorCode: expected });
  });

  test.each([1, 2])('AddPartitionsToTxn and AddOffsetsToTxn %i', async (version) => {
    const client = await fenced();
    const expected = version < 2 ? Errors.INVALID_PRODUCER_EPOCH : Errors.PRODUCER_FENCED;
    expect(await client.add(version, 't', [0, 1])).toEqual([expected, expected]);
    expect(await client.addOffsets(version, 'g')).toBe(expected);
  });

  test.each([1, 2])('EndTxn %i', async (version) => {
    const client = await fenced();
    const expected = version < 2 ? Errors.INVALID_PRODUCER_EPOCH : Errors.PRODUCER_FENCED;
    expect(await client.end(version, true)).toMatchObject({ errorCode: expected });
  });
});

describe('AddPartitionsToTxn', () => {
  test('adds nothing where one partition does not exist', async () => {
    const client = await begun(await start());
    const codes = [Errors.OPERATION_NOT_ATTEMPTED, Errors.UNKNOWN_TOPIC_OR_PARTITION];
    expect(await client.add(3, 't', [0, 9])).toEqual(codes);
    expect(await client.end(4, true)).toMatchObject({ errorCode: Errors.INVALID_TXN_STATE });
  });

  test('adds no internal topics', async () => {
    const client = await begun(await start());
    const refused = [Errors.TOPIC_AUTHORIZATION_FAILED];
    expect(await client.add(3, TRANSACTIONS_TOPIC, [0])).toEqual(refused);
    expect(await client.add(3, OFFSETS_TOPIC, [0])).toEqual(refused);
  });

  test('serves brokers several transactions at once, and tells them what belongs to one', async () => {
    const node = await start();
    const [one, two] = [await begun(node, 'one'), await begun(node, 'two')];
    const asked = (client: TransactionClient, verifyOnly: boolean, partitions: number[]) => ({
      ...client.named,
      verifyOnly,
      topics: [{ name: 't', partitions }],
    });
    const ask = async (transactions: object[]) => {
      const request = { transactions } as never;
      const answer = await node.ask(AddPartitionsToTxn, 5, request);
      expect(answer.errorCode).toBe(0);
      return answer.resultsByTransaction.map(({ transactionalId, topicResults }) => [
        transactionalId,
        ...(topicResults[0]?.resultsByPartition.map((result) => result.partitionErrorCode) ?? []),
      ]);
    };
    expect(await ask([asked(one, false, [0]), asked(two, true, [0])])).toEqual([
      ['one', 0],
      ['two', Errors.TRANSACTION_ABORTABLE],
    ]);
    expect(await ask([asked(one, true, [0, 1]), asked(two, false, [1])])).toEqual([
      ['one', 0, Errors.TRANSACTION_ABORTABLE],
      ['two', 0],
    ]);
    expect(await ask([asked(one, false, [9])])).toEqual([
      ['one', Errors.UNKNOWN_TOPIC_OR_PARTITION],
    ]);
    const twice = [asked(one, true, [0]), asked(one, true, [1])];
    const refused = await node.ask(AddPartitionsToTxn, 5, { transactions: twice });
    expect(refused.errorCode).toBe(Errors.INVALID_REQUEST);
  });
});

describe('WriteTxnMarkers', () => {
  test('mends a hanging transaction, as a tool asks', async () => {
    const node = await start();
    const client = await begun(node);
    await client.produce(12, 't', 0, 'a');
    const write = async (topic: string, partition: number) => {
      const { markers } = await node.ask(WriteTxnMarkers, 1, {
        markers: [
          {
            producerId: client.producerId,
            producerEpoch: client.producerEpoch,
            transactionResult: false,
            coordinatorEpoch: -1,
            topics: [{ name: topic, partitionIndexes: [partition] }],
          },
        ],
      });
      return markers[0]?.topics[0]?.partitions[0]?.errorCode;
    };
    expect(await write('t', 0)).toBe(0);
    expect((await fetched(node, 't', 1)).aborted).toMatchObject([{ firstOffset: 0 }]);
    expect(await write('t', 9)).toBe(Errors.UNKNOWN_TOPIC_OR_PARTITION);
    expect(await write('none', 0)).toBe(Errors.UNKNOWN_TOPIC_OR_PARTITION);
    expect(await write(TRANSACTIONS_TOPIC, 0)).toBe(Errors.INVALID_TOPIC_EXCEPTION);
    expect(await write(OFFSETS_TOPIC, 0)).toBe(0);
    expect(node.failures).toEqual([]);
  });
});

describe('WriteTxnMarkers of no producer', () => {
  test.each([
    [-1, 0],
    [7, -1],
    [-1, -1],
    [-5, -5],
  ])('is refused: id %i, epoch %i', async (producerId, producerEpoch) => {
    const node = await start();
    const client = await begun(node);
    await client.produce(12, 't', 0, 'a');
    const { markers } = await node.ask(WriteTxnMarkers, 2, {
      markers: [
        {
          producerId,
          producerEpoch,
          transactionResult: true,
          coordinatorEpoch: 0,
          topics: [
            { name: 't', partitionIndexes: [0, 1] },
            { name: OFFSETS_TOPIC, partitionIndexes: [0] },
          ],
        },
      ],
    });
    const codes = markers.flatMap(({ topics }) =>
      topics.flatMap(({ partitions }) => partitions.map(({ errorCode }) => errorCode)),
    );
    expect(codes).toEqual([Errors.INVALID_REQUEST, Errors.INVALID_REQUEST, Errors.INVALID_REQUEST]);
    expect((await fetched(node, 't', 0)).shown).toEqual(['a']);
    expect(node.failures).toEqual([]);
  });
});

describe('what tools see', () => {
  test('one transaction as it is', async () => {
    const node = await start();
    const client = await begun(node);
    await client.produce(12, 't', 1, 'a');
    const asked = { transactionalIds: ['tx', 'none', ''] };
    const { transactionStates } = await node.ask(DescribeTransactions, 0, asked);
    expect(transactionStates).toMatchObject([
      {
        errorCode: 0,
        transactionState: 'Ongoing',
        transactionTimeoutMs: 60_000,
        producerId: client.producerId,
        topics: [{ topic: 't', partitions: [1] }],
      },
      { errorCode: Errors.TRANSACTIONAL_ID_NOT_FOUND, transactionalId: 'none' },
      { errorCode: Errors.INVALID_REQUEST, transactionalId: '' },
    ]);
  });

  test('all of them, or some', async () => {
    const node = await start();
    for (const id of ['order-1', 'order-2', 'payment-1']) await begun(node, id);
    await (await begun(node, 'order-2')).produce(12, 't', 1, 'a');
    const list = async (version: number, more: object) => {
      const request = { stateFilters: [], producerIdFilters: [], ...more };
      const answer = await node.ask(ListTransactions, version, request);
      const ids = answer.transactionStates.map(({ transactionalId }) => transactionalId).sort();
      return { ...answer, ids };
    };
    expect((await list(0, {})).ids).toEqual(['order-1', 'order-2', 'payment-1']);
    expect((await list(0, { stateFilters: ['Ongoing'] })).ids).toEqual(['order-2']);
    expect(await list(1, { stateFilters: ['Wrong'], durationFilter: 5n })).toMatchObject({
      ids: [],
      unknownStateFilters: ['Wrong'],
    });
    const matching = async (transactionalIdPattern: string) =>
      (await list(2, { transactionalIdPattern })).ids;
    expect(await matching('order-.*')).toEqual(['order-1', 'order-2']);
    expect(await matching('.*1')).toEqual(['order-1', 'payment-1']);
    expect(await matching('order')).toEqual([]);
    expect(await matching('')).toHaveLength(3);
    const wrong = await list(2, { transactionalIdPattern: '(' });
    expect(wrong.errorCode).toBe(Errors.INVALID_REGULAR_EXPRESSION);
  });

  test('a pattern made to take for ever takes no time', async () => {
    const node = await start();
    await begun(node, `${'a'.repeat(200)}!`);
    const answer = await node.ask(ListTransactions, 2, {
      stateFilters: [],
      producerIdFilters: [],
      transactionalIdPattern: '(a*)*b',
    });
    expect(answer.transactionStates).toEqual([]);
  });
});

describe('a coordinator', () => {
  test('that comes and goes is told as such, and knows what was before', async () => {
    const node = await start();
    const client = await begun(node);
    await client.produce(12, 't', 0, 'a');
    const topicId = node.broker.idOf(TRANSACTIONS_TOPIC);
    const lead = (leader: number) =>
      node.broker.draw(
        [0, 1, 2, 3].map((partitionId) =>
          metadataRecord('PartitionChangeRecord', 0, { topicId, partitionId, leader }),
        ),
      );
    await lead(2);
    expect(await client.end(5, true)).toMatchObject({ errorCode: Errors.NOT_COORDINATOR });
    await lead(1);
    expect(await client.end(5, true)).toMatchObject({ errorCode: 0, producerEpoch: 1 });
    expect((await fetched(node, 't', 1)).shown).toEqual(['a', 'marker']);
  });

  test('aborts what is open for too long', async () => {
    const node = await start();
    const client = new TransactionClient(node);
    await client.init(5, { transactionTimeoutMs: 5_000 });
    await client.produce(12, 't', 0, 'a');
    await node.broker.world.advance(20_000);
    expect((await fetched(node, 't', 1)).aborted).toMatchObject([{ firstOffset: 0 }]);
    expect(await client.produce(12, 't', 0, 'b')).toBe(Errors.INVALID_PRODUCER_EPOCH);
  });
});

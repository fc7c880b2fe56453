/** Offsets of a transaction that ends while they wait for the coordinator to read its log. */
import type { Slices } from '../../src/machine/life';
import { metadataRecord } from '../../src/metadata/metadata-record';
import { memoryDisk } from '../../src/platform/memory-disk';
import type { Disk } from '../../src/platform/platform';
import { DescribeProducers } from '../../src/protocol/apis/describe-producers';
import { TxnOffsetCommit } from '../../src/protocol/apis/txn-offset-commit';
import { WriteTxnMarkers } from '../../src/protocol/apis/write-txn-markers';
import { Errors } from '../../src/protocol/errors';
import { idOf } from './data-broker';
import { GroupBroker, OFFSETS_TOPIC } from './group-broker';
import { storedOffset, TransactionClient } from './transaction-client';

const TOPICS = [
  { name: 'read', partitions: 1, id: idOf(7) },
  { name: OFFSETS_TOPIC, partitions: 4, id: idOf(8) },
  { name: '__transaction_state', partitions: 4, id: idOf(9) },
];
const LONG_MS = 100;

/** Slices whose work is done when the test says so. */
class HeldSlices implements Slices {
  readonly #held: (() => void)[] = [];

  run(work: Iterator<unknown>, done: () => void) {
    this.#held.push(() => {
      while (work.next().done !== true);
      done();
    });
    return { cancel: () => {} };
  }

  release(): void {
    for (const run of this.#held.splice(0)) run();
  }
}

async function start(disk: Disk, slices?: Slices) {
  const node = await GroupBroker.start(TOPICS, disk, slices);
  const feature = { name: 'transaction.version', featureLevel: 1 };
  await node.broker.draw([metadataRecord('FeatureLevelRecord', 0, feature)]);
  return node;
}

test.each([0, 3])('offsets of version %i begin nothing once it has ended', async (version) => {
  const disk = memoryDisk();
  const before = await start(disk);
  const client = new TransactionClient(before);
  await client.init();
  expect(await client.addOffsets(3, 'g')).toBe(0);
  expect(await client.commitOffset(version, 'g', 5n)).toBe(0);
  before.groups.close();
  before.transactions.close();
  await before.broker.world.outcome(before.broker.logs.close(11));

  const slices = new HeldSlices();
  const after = await start(disk, slices);
  const index = after.groups.partitionOf('g') ?? -1;
  const ended = await after.broker.connect();
  ended.send(WriteTxnMarkers, 1, {
    markers: [
      {
        producerId: client.producerId,
        producerEpoch: client.producerEpoch,
        transactionResult: true,
        coordinatorEpoch: 0,
        topics: [{ name: OFFSETS_TOPIC, partitionIndexes: [index] }],
      },
    ],
  });
  await after.broker.world.advance(LONG_MS);
  const late = await after.broker.connect();
  const partition = { partitionIndex: 0, committedOffset: 9n, committedMetadata: null };
  late.send(TxnOffsetCommit, version, {
    ...client.named,
    groupId: 'g',
    topics: [{ name: 'read', partitions: [partition] }],
  });
  await after.broker.world.advance(LONG_MS);
  expect([ended.answers(), late.answers()]).toEqual([[], []]);
  slices.release();
  await after.broker.world.advance(LONG_MS);

  expect(ended.answer(WriteTxnMarkers, 1).markers[0]?.topics[0]?.partitions).toMatchObject([
    { errorCode: 0 },
  ]);
  expect(late.answer(TxnOffsetCommit, version).topics[0]?.partitions).toMatchObject([
    { errorCode: Errors.INVALID_TXN_STATE },
  ]);
  expect(await storedOffset(after, 'g', true)).toBe(5n);
  const described = await after.ask(DescribeProducers, 0, {
    topics: [{ name: OFFSETS_TOPIC, partitionIndexes: [index] }],
  });
  expect(described.topics[0]?.partitions[0]?.activeProducers).toMatchObject([
    { currentTxnStartOffset: -1 },
  ]);
  expect(after.failures).toEqual([]);
});

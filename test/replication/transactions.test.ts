/** Transactions in a partition that several brokers hold (KIP-98, KIP-392). */
import { wallMs } from '../../src/base/times';
import { buildBatch } from '../../src/protocol/records/builder';
import type { Partition } from '../../src/replication/partition';
import { appendTransactionEnd } from '../../src/replication/transaction-end';
import { ReplicaCluster } from './replica-cluster';

const PRODUCER = { producerId: 7, producerEpoch: 0 };

function write(leader: Partition, sequence: number): void {
  const record = { timestamp: 1000, value: `v${sequence}` };
  const options = { ...PRODUCER, baseSequence: sequence, isTransactional: true };
  const checks = { verification: 'unchecked' } as const;
  const written = leader.appendAsLeader(buildBatch([record], options), false, checks);
  expect(written).toMatchObject({ kind: 'appended' });
}

function end(leader: Partition, outcome: 'commit' | 'abort'): void {
  const marker = { ...PRODUCER, outcome, coordinatorEpoch: 1, transactionVersion: 1 };
  expect(appendTransactionEnd(leader, marker, wallMs(2000))).toMatchObject({ kind: 'appended' });
}

/** What a read_committed consumer gets of that replica: bytes, and what was aborted among them. */
function committed(partition: Partition) {
  const read = partition.read({
    fetchOffset: 0n,
    leaderEpoch: -1,
    lastFetchedEpoch: -1,
    isLeaderRequired: false,
    maxBytes: 1_000_000,
    isAtLeastOneBatch: true,
    upTo: 'last-stable',
  });
  read.slice?.release();
  const aborted = read.abortedTransactions.map(({ firstOffset }) => firstOffset);
  return { hasRecords: read.sizeInBytes > 0, lastStableOffset: read.lastStableOffset, aborted };
}

async function cluster() {
  const made = await ReplicaCluster.start(2);
  made.createTopic('t', [{ replicas: [1, 2] }]);
  await made.world.advance(50);
  return made;
}

test('the end of a transaction counts once every in-sync replica has its marker', async () => {
  const made = await cluster();
  const leader = made.node(1).partition('t');
  write(leader, 0);
  await made.world.advance(600);
  expect(leader).toMatchObject({ highWatermark: 1, lastStableOffset: 0 });
  end(leader, 'commit');
  expect(committed(leader)).toEqual({ hasRecords: false, lastStableOffset: 0, aborted: [] });
  await made.world.advance(600);
  expect(committed(leader)).toEqual({ hasRecords: true, lastStableOffset: 2, aborted: [] });
});

test('a follower shows no more, and the same aborted transactions', async () => {
  const made = await cluster();
  const [leader, follower] = [made.node(1).partition('t'), made.node(2).partition('t')];
  write(leader, 0);
  end(leader, 'abort');
  write(leader, 1);
  await made.world.advance(1200);
  const shown = { hasRecords: true, lastStableOffset: 2, aborted: [0] };
  expect(committed(leader)).toEqual(shown);
  expect(committed(follower)).toEqual(shown);
});

test('a new leader goes on with the transactions that are open', async () => {
  const made = await cluster();
  const [leader, follower] = [made.node(1).partition('t'), made.node(2).partition('t')];
  write(leader, 0);
  await made.world.advance(600);
  made.change('t', { leader: 2 });
  await made.world.advance(600);
  expect(follower.isLeader).toBe(true);
  const beginning = { ...PRODUCER, baseSequence: 1, supportsEpochBump: false };
  expect(follower.beginVerification(beginning)).toBe('open');
  expect(leader.beginVerification(beginning)).toMatchObject({ kind: 'refused' });
  write(follower, 1);
  end(follower, 'abort');
  await made.world.advance(1200);
  const shown = { hasRecords: true, lastStableOffset: 3, aborted: [0] };
  expect(committed(follower)).toEqual(shown);
  expect(committed(leader)).toEqual(shown);
});

test('a marker that is cut off again leaves its transaction open', async () => {
  const made = await cluster();
  const [leader, follower] = [made.node(1).partition('t'), made.node(2).partition('t')];
  write(leader, 0);
  await made.world.advance(600);
  await made.node(2).kill();
  end(leader, 'abort');
  await made.node(1).kill();
  await made.node(2).start(12);
  made.change('t', { leader: 2 });
  await made.world.advance(100);
  const later = made.node(2).partition('t');
  expect(later).toMatchObject({ endOffset: 1, lastStableOffset: 0 });
  expect([follower, leader]).not.toContain(later);
  await made.node(1).start(11);
  await made.world.advance(1200);
  const cut = made.node(1).partition('t');
  expect(cut).toMatchObject({ endOffset: 1, lastStableOffset: 0 });
  expect(cut.log?.abortedTransactions(0, 1)).toEqual([]);
});

import fc from 'fast-check';
import { monotonicMs } from '../../src/base/times';
import { Leader, type Peers } from '../../src/replication/leader';

const SELF = 1;
const LAG_MS = 30_000;
const at = monotonicMs;
const allWell: Peers = {
  isAlive: () => true,
  isEligible: (_, epoch) => epoch !== undefined,
  isStale: () => false,
};

function lead(replicas: number[], isr: number[], epochStartOffset = 0): Leader {
  const leader = new Leader(SELF, epochStartOffset);
  leader.update({ replicas, isr }, at(0));
  return leader;
}

const fetched = (leader: Leader, id: number, endOffset: number, leaderEnd: number, nowMs = 0) =>
  leader.fetched(id, { endOffset, startOffset: 0, brokerEpoch: 7 }, leaderEnd, at(nowMs));

const highWatermark = (leader: Leader, end: number, minIsr = 1, nowMs = 0, peers = allWell) =>
  leader.highWatermark(end, minIsr, LAG_MS, peers, at(nowMs));

test('the sole replica commits what it has', () => {
  expect(highWatermark(lead([1], [1]), 42)).toBe(42);
});

test('the slowest replica in sync bounds the high watermark, one out of sync does not', () => {
  const leader = lead([1, 2, 3], [1, 2]);
  fetched(leader, 2, 5, 10);
  fetched(leader, 3, 1, 10);
  expect(highWatermark(leader, 10, 1, LAG_MS + 1)).toBe(5);
  fetched(leader, 2, 9, 10);
  expect(highWatermark(leader, 10, 1, LAG_MS + 1)).toBe(9);
});

test('a replica out of sync that has caught up and may join counts already', () => {
  const leader = lead([1, 2], [1]);
  fetched(leader, 2, 10, 10, 1);
  expect(highWatermark(leader, 12, 1, 2)).toBe(10);
  const ineligible = { ...allWell, isEligible: () => false };
  expect(highWatermark(leader, 12, 1, 2, ineligible)).toBe(12);
  expect(highWatermark(leader, 12, 1, LAG_MS + 2)).toBe(12);
});

test('a replica in sync that has not fetched yet holds everything back', () => {
  expect(highWatermark(lead([1, 2], [1, 2]), 10)).toBe(-1);
});

test('with too few in sync it does not move at all', () => {
  const leader = lead([1, 2, 3], [1]);
  expect(highWatermark(leader, 10, 2)).toBeUndefined();
  expect(leader.isUnderMinIsr(2)).toBe(true);
});

test('no more replicas are asked for than are assigned', () => {
  const leader = lead([1], [1]);
  expect(leader.effectiveMinIsr(3)).toBe(1);
  expect(highWatermark(leader, 10, 3)).toBe(10);
});

test('an expansion that was proposed counts at once, and until the picture says otherwise', () => {
  const leader = lead([1, 2], [1]);
  fetched(leader, 2, 8, 10);
  leader.propose([1, 2]);
  expect(highWatermark(leader, 12, 1, LAG_MS + 1)).toBe(8);
  expect([...leader.maximalIsr]).toEqual([1, 2]);
  leader.update({ replicas: [1, 2], isr: [1] }, at(0));
  expect(highWatermark(leader, 12, 1, LAG_MS + 1)).toBe(12);
});

test('a follower was caught up when it last had all that there was at its fetch before', () => {
  const leader = lead([1, 2], [1]);
  fetched(leader, 2, 0, 10, 1000);
  expect(leader.follower(2)?.caughtUpAtMs).toBe(Number.NEGATIVE_INFINITY);
  fetched(leader, 2, 10, 20, 2000);
  expect(leader.follower(2)?.caughtUpAtMs).toBe(1000);
  fetched(leader, 2, 20, 20, 3000);
  expect(leader.follower(2)?.caughtUpAtMs).toBe(3000);
});

test('a fetch of a replica that is not assigned is not noted', () => {
  const leader = lead([1, 2], [1, 2]);
  expect(fetched(leader, 9, 5, 5)).toBe(false);
  expect(leader.follower(9)).toBeUndefined();
});

test('a replica that is no longer assigned is forgotten', () => {
  const leader = lead([1, 2, 3], [1, 2, 3]);
  fetched(leader, 2, 10, 10);
  leader.update({ replicas: [1, 2], isr: [1, 2] }, at(0));
  expect([...leader.followers.keys()]).toEqual([2]);
  expect(leader.follower(2)?.endOffset).toBe(10);
});

test('in the next term of the same leader ends are still known, being caught up is not', () => {
  const leader = lead([1, 2, 3], [1, 2]);
  fetched(leader, 2, 10, 10, 5);
  fetched(leader, 3, 10, 10, 5);
  const next = leader.renewed(10, [1, 2], at(100));
  next.update({ replicas: [1, 2, 3], isr: [1, 2] }, at(100));
  expect(next.epochStartOffset).toBe(10);
  expect(next.follower(2)).toMatchObject({ endOffset: 10, caughtUpAtMs: 100 });
  expect(next.follower(3)).toMatchObject({ caughtUpAtMs: Number.NEGATIVE_INFINITY });
});

test('the low watermark is the lowest start of all live replicas', () => {
  const leader = lead([1, 2, 3], [1]);
  leader.fetched(2, { endOffset: 9, startOffset: 4, brokerEpoch: 1 }, 9, at(0));
  leader.fetched(3, { endOffset: 9, startOffset: 2, brokerEpoch: 1 }, 9, at(0));
  expect(leader.lowWatermark(6, allWell)).toBe(2);
  expect(leader.lowWatermark(6, { ...allWell, isAlive: (id) => id !== 3 })).toBe(4);
  expect(leader.lowWatermark(1, allWell)).toBe(1);
});

test('nothing above the high watermark is missing on any replica of the ISR', () => {
  const ends = fc.array(fc.nat(50), { minLength: 0, maxLength: 4 });
  fc.assert(
    fc.property(ends, fc.nat(50), fc.integer({ min: 1, max: 4 }), (followers, ownEnd, minIsr) => {
      const ids = followers.map((_, index) => index + 2);
      const isr = [1, ...ids.filter((id) => id % 2 === 0)];
      const leader = lead([1, ...ids], isr);
      followers.forEach((end, index) => {
        fetched(leader, index + 2, Math.min(end, ownEnd), ownEnd, 5);
      });
      const result = highWatermark(leader, ownEnd, minIsr, LAG_MS * 2);
      if (isr.length < Math.min(minIsr, ids.length + 1)) {
        expect(result).toBeUndefined();
        return;
      }
      const inSync = followers.filter((_, index) => isr.includes(index + 2));
      expect(result).toBe(Math.min(ownEnd, ...inSync.map((end) => Math.min(end, ownEnd))));
    }),
  );
});

test('a follower may join with all that is committed, in this term and in its present life', () => {
  const leader = lead([1, 2, 3], [1], 10);
  expect(leader.mayJoin(2, 0, allWell)).toBe(false);
  fetched(leader, 2, 9, 12);
  // What was committed in former terms may lie above our high watermark.
  expect(leader.mayJoin(2, 5, allWell)).toBe(false);
  fetched(leader, 2, 10, 12);
  expect(leader.mayJoin(2, 5, allWell)).toBe(true);
  expect(leader.mayJoin(2, 11, allWell)).toBe(false);
  expect(leader.mayJoin(2, 5, { ...allWell, isEligible: () => false })).toBe(false);
});

test('while a change is pending no other one is wanted', () => {
  const leader = lead([1, 2, 3], [1, 3]);
  fetched(leader, 2, 10, 10);
  const pending = leader.propose([1, 3, 2]);
  expect(leader.pending).toBe(pending);
  expect(leader.mayJoin(2, 10, allWell)).toBe(false);
  expect(leader.outOfSync(10, LAG_MS, at(LAG_MS + 1))).toEqual([]);
  leader.withdraw();
  expect(leader.pending).toBeUndefined();
  expect([...leader.maximalIsr]).toEqual([1, 3]);
  expect(leader.outOfSync(10, LAG_MS, at(LAG_MS + 1))).toEqual([3]);
});

test('a shrink that was proposed does not count before it is made', () => {
  const leader = lead([1, 2], [1, 2]);
  fetched(leader, 2, 3, 10);
  leader.propose([1]);
  expect([...leader.maximalIsr].sort()).toEqual([1, 2]);
  expect(highWatermark(leader, 10, 1, LAG_MS + 1)).toBe(3);
});

test('consumers are shown the in-sync followers that have their offset', () => {
  const leader = lead([1, 2, 3, 4], [1, 2, 3]);
  leader.fetched(2, { endOffset: 8, startOffset: 5, brokerEpoch: 7 }, 10, at(0));
  leader.fetched(4, { endOffset: 10, startOffset: 0, brokerEpoch: 7 }, 10, at(0));
  const readable = (offset: number) => [...leader.inSyncWith(offset)].map(([id]) => id);
  expect([4, 5, 8, 9].map(readable)).toEqual([[], [2], [2], []]);
});

test('a follower that had everything while nothing happened was caught up until something did', () => {
  const leader = lead([1, 2], [1, 2]);
  fetched(leader, 2, 10, 10, 0);
  leader.appended(10, at(500_000));
  expect(leader.outOfSync(11, LAG_MS, at(500_000 + LAG_MS))).toEqual([]);
  // More of the same does not count as having had everything again.
  leader.appended(11, at(510_000));
  expect(leader.outOfSync(12, LAG_MS, at(500_001 + LAG_MS))).toEqual([2]);
});

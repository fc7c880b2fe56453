import fc from 'fast-check';
import type { LeaderEpoch } from '../../src/base/ids';
import { setBaseOffset, setLeaderEpoch } from '../../src/protocol/records/batch';
import { buildBatch } from '../../src/protocol/records/builder';
import { checkFetched, resetFor, truncationPoint } from '../../src/replication/follower';
import { type EpochStart, Epochs } from '../../src/storage/epochs';

/** A log's epochs, and where it ends. */
const logOf = (starts: readonly EpochStart[], endOffset: number) => {
  const epochs = new Epochs(starts);
  return {
    endOffset,
    endOffsetForEpoch: (epoch: LeaderEpoch) => epochs.endOffsetFor(epoch, endOffset),
  };
};

const starts = (...pairs: readonly (readonly [number, number])[]): EpochStart[] =>
  pairs.map(([epoch, startOffset]) => ({ epoch, startOffset }));

const batchAt = (baseOffset: number, leaderEpoch: number): Buffer => {
  const batch = buildBatch([{ timestamp: 1, value: `value ${baseOffset}` }]);
  setBaseOffset(batch, 0, baseOffset);
  setLeaderEpoch(batch, 0, leaderEpoch);
  return batch;
};

test.each([
  ['the leader ends an epoch that both have', starts([1, 0], [2, 5]), 9, [1, 4], 4],
  ['ours of that epoch ends earlier', starts([1, 0], [2, 5]), 9, [1, 7], 5],
  ['an epoch that is not ours: to the end of the one below', starts([1, 0], [4, 5]), 9, [3, 8], 5],
  ['an epoch below all of ours: to where ours begin', starts([4, 5]), 9, [3, 8], 5],
  ['nothing but the end differs', starts([1, 0]), 9, [1, 6], 6],
  ['our log ends before', starts([1, 0]), 3, [1, 6], 3],
] as const)('where to cut: %s', (_, epochs, end, [epoch, endOffset], expected) => {
  expect(truncationPoint(logOf(epochs, end), { epoch, endOffset })).toBe(expected);
});

/** Two logs that agree up to some offset and then went on under other leaders. */
const twoLogs = fc
  .record({
    shared: fc.array(fc.nat(3), { maxLength: 8 }),
    left: fc.array(fc.nat(3), { maxLength: 8 }),
    right: fc.array(fc.nat(3), { maxLength: 8 }),
  })
  .map(({ shared, left, right }) => {
    // Each record has an epoch; epochs rise, and those behind the fork are not shared.
    let epoch = 0;
    const common = shared.map((step) => (epoch += step));
    const fork = epoch;
    let ours = fork;
    const own = left.map((step) => (ours += 2 * step + (ours === fork ? 1 : 0)));
    let theirs = fork;
    const other = right.map((step) => (theirs += 2 * step + (theirs === fork ? 2 : 0)));
    return { follower: [...common, ...own], leader: [...common, ...other], agree: common.length };
  });

const epochsOf = (records: readonly number[]): EpochStart[] =>
  records.flatMap((epoch, offset) =>
    records[offset - 1] === epoch ? [] : [{ epoch, startOffset: offset }],
  );

test('cut again and again, a follower keeps all that agrees and nothing that does not', () => {
  fc.assert(
    fc.property(twoLogs, ({ follower, leader, agree }) => {
      // The leader's term has an epoch above all.
      const newest = Math.max(0, ...follower, ...leader) + 1;
      const leading = logOf(
        [...epochsOf(leader), ...starts([newest, leader.length])],
        leader.length,
      );
      let records = [...follower];
      for (let round = 0; round < 20; round++) {
        const last = records[records.length - 1];
        if (last === undefined) break;
        const end = leading.endOffsetForEpoch(last);
        if (end === undefined) throw new Error('the newest epoch is above all');
        if (end.epoch >= last && end.endOffset >= records.length) break;
        records = records.slice(0, truncationPoint(logOf(epochsOf(records), records.length), end));
      }
      expect(records).toEqual(leader.slice(0, records.length));
      expect(records.length).toBeGreaterThanOrEqual(Math.min(agree, follower.length));
    }),
  );
});

test('whole sound batches are taken, a torn last one is left for the next fetch', () => {
  const whole = Buffer.concat([batchAt(0, 1), batchAt(1, 1)]);
  const torn = Buffer.concat([whole, batchAt(2, 1).subarray(0, 40)]);
  const checked = checkFetched(torn, 1);
  expect(checked).toEqual({ kind: 'sound', bytes: whole });
  expect(checkFetched(null, 1)).toMatchObject({ kind: 'sound', bytes: { length: 0 } });
});

test('batches of a later epoch than the leader that was asked are left out', () => {
  const first = batchAt(0, 3);
  const bytes = Buffer.concat([first, batchAt(1, 4), batchAt(2, 3)]);
  expect(checkFetched(bytes, 3)).toEqual({ kind: 'sound', bytes: first });
});

test('a flipped bit is told, and nothing of the answer is taken', () => {
  const bytes = Buffer.concat([batchAt(0, 1), batchAt(1, 1)]);
  bytes[bytes.length - 3] = (bytes[bytes.length - 3] ?? 0) ^ 1;
  expect(checkFetched(bytes, 1)).toEqual({
    kind: 'corrupt',
    reason: 'the batch at offset 1 has a wrong checksum',
  });
  expect(checkFetched(Buffer.alloc(100), 1)).toMatchObject({ kind: 'corrupt' });
});

test('out of range: cut to the end of the leader, begin at its start, or try again', () => {
  expect(resetFor(10, 0, 7)).toEqual({ kind: 'truncate', to: 7 });
  expect(resetFor(10, 12, 20)).toEqual({ kind: 'begin-at', offset: 12 });
  expect(resetFor(10, 3, 20)).toEqual({ kind: 'go-on' });
});

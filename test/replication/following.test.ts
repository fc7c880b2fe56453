import { Errors } from '../../src/protocol/errors';
import { setBaseOffset, setLeaderEpoch } from '../../src/protocol/records/batch';
import { buildBatch } from '../../src/protocol/records/builder';
import { Following } from '../../src/replication/following';
import type { Fetched } from '../../src/replication/partition-types';
import { Change } from '../../src/replication/waiting';
import { StorageBench } from '../storage/support';

const batchAt = (baseOffset: number, leaderEpoch: number): Buffer => {
  const batch = buildBatch([{ timestamp: 1, value: `value ${baseOffset}` }]);
  setBaseOffset(batch, 0, baseOffset);
  setLeaderEpoch(batch, 0, leaderEpoch);
  return batch;
};

const fetched = (more: Partial<Fetched> = {}): Fetched => ({
  errorCode: Errors.NONE,
  highWatermark: 0,
  startOffset: 0,
  records: null,
  divergingEpoch: { epoch: -1, endOffset: -1 },
  ...more,
});

/** A follower in epoch 5 whose log has three records of epoch 1 and two of epoch 3. */
function setUp() {
  const bench = new StorageBench();
  const log = bench.create();
  for (const [offset, epoch] of [1, 1, 1, 3, 3].entries()) {
    log.appendAsFollower(batchAt(offset, epoch));
  }
  const changes: number[] = [];
  const following = new Following({
    log,
    leaderId: 2,
    leaderEpoch: 5,
    watchers: { changed: (change) => changes.push(change) },
    logger: bench.machine.log,
  });
  const take = (answer: Fetched) => {
    const position = following.position();
    if (position === undefined) throw new Error('it cannot fetch now');
    return following.take(position, answer);
  };
  return { bench, log, following, changes, take };
}

test('it asks from the end of its log on, in the epoch of its last record', () => {
  const { following } = setUp();
  expect(following.position()).toEqual({
    leaderEpoch: 5,
    fetchOffset: 5,
    lastFetchedEpoch: 3,
    startOffset: 0,
    highWatermark: 0,
  });
});

test('what it gets is appended as it is, and committed as far as the leader says and it has', () => {
  const { log, take, changes } = setUp();
  const records = Buffer.concat([batchAt(5, 5), batchAt(6, 5)]);
  expect(take(fetched({ records, highWatermark: 9, startOffset: 2 }))).toEqual({
    kind: 'followed',
    bytes: records.length,
    lag: 2,
  });
  expect(log).toMatchObject({ endOffset: 7, highWatermark: 7, startOffset: 2, latestEpoch: 5 });
  expect(changes).toEqual([Change.end, Change.highWatermark | Change.lastStable, Change.logStart]);
});

test('its high watermark does not fall with a leader that knows less', () => {
  const { log, take } = setUp();
  take(fetched({ highWatermark: 4 }));
  take(fetched({ highWatermark: 2 }));
  expect(log.highWatermark).toBe(4);
});

test('where the logs part it is cut back, and asks on from there', () => {
  const { log, take, following } = setUp();
  expect(take(fetched({ divergingEpoch: { epoch: 2, endOffset: 4 } }))).toEqual({
    kind: 'truncated',
  });
  expect(log.endOffset).toBe(3);
  expect(following.position()).toMatchObject({ fetchOffset: 3, lastFetchedEpoch: 1 });
});

test('a leader that wants nothing cut is not asked in a tight circle', () => {
  const { log, take } = setUp();
  expect(take(fetched({ divergingEpoch: { epoch: 3, endOffset: 9 } }))).toMatchObject({
    kind: 'failed',
  });
  expect(log.endOffset).toBe(5);
});

test('an answer to another question than the open one is nothing', () => {
  const { log, following } = setUp();
  const position = following.position();
  if (position === undefined) throw new Error('it cannot fetch now');
  log.appendAsFollower(batchAt(5, 5));
  const answer = fetched({ records: batchAt(5, 5) });
  expect(following.take(position, answer)).toEqual({ kind: 'stale' });
  expect(following.take({ ...position, fetchOffset: 6, leaderEpoch: 4 }, answer)).toEqual({
    kind: 'stale',
  });
  following.end();
  expect(following.take({ ...position, fetchOffset: 6 }, answer)).toEqual({ kind: 'stale' });
  expect(following.position()).toBeUndefined();
  expect(log.endOffset).toBe(6);
});

test('errors are told apart: out of range, and what is to be tried again', () => {
  const { take } = setUp();
  expect(take(fetched({ errorCode: Errors.OFFSET_OUT_OF_RANGE }))).toEqual({
    kind: 'out-of-range',
  });
  expect(take(fetched({ errorCode: Errors.NOT_LEADER_OR_FOLLOWER }))).toEqual({
    kind: 'failed',
    errorCode: Errors.NOT_LEADER_OR_FOLLOWER,
    reason: 'NOT_LEADER_OR_FOLLOWER',
  });
  // Below what it has: nothing is appended.
  expect(take(fetched({ records: batchAt(2, 5) }))).toMatchObject({
    kind: 'failed',
    errorCode: Errors.CORRUPT_MESSAGE,
  });
});

test('out of range it takes what the leader has', () => {
  const { log, following } = setUp();
  const position = following.position();
  if (position === undefined) throw new Error('it cannot fetch now');
  expect(following.takeRange(position, 20, 30)).toEqual({ kind: 'truncated' });
  expect(log).toMatchObject({ startOffset: 20, endOffset: 20, highWatermark: 20 });
  expect(following.takeRange(position, 40, 50)).toEqual({ kind: 'stale' });
});

test('a new log of a leader that starts within a batch begins with that batch', () => {
  const { log, following, take } = setUp();
  const position = following.position();
  if (position === undefined) throw new Error('it cannot fetch now');
  following.takeRange(position, 21, 30);
  const large = buildBatch(Array.from({ length: 4 }, () => ({ timestamp: 1, value: 'x' })));
  setBaseOffset(large, 0, 20);
  setLeaderEpoch(large, 0, 5);
  take(fetched({ records: large, highWatermark: 24, startOffset: 21 }));
  expect(log).toMatchObject({ startOffset: 21, endOffset: 24, highWatermark: 24 });
});

test('an epoch that began without a record is not told to the next leader', () => {
  const { bench, log } = setUp();
  log.startEpoch(4);
  const following = new Following({
    log,
    leaderId: 3,
    leaderEpoch: 6,
    watchers: { changed: () => undefined },
    logger: bench.machine.log,
  });
  expect(following.position()).toMatchObject({ fetchOffset: 5, lastFetchedEpoch: 3 });
});

test('a failed folder is told as such, whatever is answered', () => {
  const { bench, following } = setUp();
  const position = following.position();
  if (position === undefined) throw new Error('it cannot fetch now');
  bench.folder.fail('writing', new Error('no space'));
  expect(following.take(position, fetched())).toEqual({ kind: 'offline' });
});

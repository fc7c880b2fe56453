/** A shortage of descriptors in the middle of a change to a log leaves nothing half done. */
import { StorageError } from '../../src/storage/errors';
import type { Log } from '../../src/storage/log';
import { batchBy, batchOf, headersOf, markerBy, offsetsOf, range, StorageBench } from './support';
import { WatchedDisk } from './watched-disk';

const SETTINGS = { indexIntervalBytes: 100, fileDeleteDelayMs: 0, retentionMs: -1 };
/** A marker aborts what its producer has begun. */
const BEGIN = () => batchBy(7, 0, 0, 1, 1000, { isTransactional: true });
const ABORT = () => markerBy(7, 0, 'abort', 1);

/** As `log` finds it again after a clean stop: no index is in memory. */
async function reopened(fill: (log: Log) => void) {
  const disk = new WatchedDisk();
  const bench = new StorageBench(disk);
  const first = bench.create(SETTINGS);
  fill(first);
  const { endOffset } = first;
  await bench.done(first.close());
  const known = { recoveryPoint: endOffset, highWatermark: endOffset, isClean: true };
  return { bench, disk, log: bench.reopen(SETTINGS, known), known };
}

/** What the log says of itself, and what its files hold. */
const stateOf = (log: Log) => ({
  endOffset: log.endOffset,
  sizeInBytes: log.sizeInBytes,
  offsets: offsetsOf(log),
  producers: log.activeProducers(),
  aborted: log.abortedTransactions(0, log.endOffset),
  epoch: log.latestEpoch,
});

const APPENDS: Readonly<Record<string, (log: Log) => unknown>> = {
  'of a leader': (log) => log.appendAsLeader(batchOf(2), 4, 'client'),
  'of an idempotent producer': (log) => log.appendAsLeader(batchBy(9, 0, 0), 4, 'client'),
  'of a marker': (log) => log.appendAsLeader(ABORT(), 4, 'coordinator'),
  'of a follower': (log) => {
    const batch = batchOf(2);
    batch.writeBigInt64BE(BigInt(log.endOffset), 0);
    log.appendAsFollower(batch);
  },
};

describe.each(Object.entries(APPENDS))('an append %s', (_, append) => {
  const fill = (log: Log): void => {
    for (let at = 0; at < 20; at++) log.appendAsLeader(batchOf(1), 3, 'client');
    log.appendAsLeader(BEGIN(), 3, 'coordinator');
    log.appendAsLeader(ABORT(), 3, 'coordinator');
    log.appendAsLeader(BEGIN(), 3, 'coordinator');
  };

  // However many files could be opened before there was none left.
  test.each(range(0, 6))('happens wholly or not at all (%d descriptors left)', async (spare) => {
    const { bench, disk, log, known } = await reopened(fill);
    const before = stateOf(log);
    bench.context.indexes.clear();
    disk.openLimit = disk.openHandles;
    disk.opensLeft = spare;
    let isDone = true;
    try {
      append(log);
    } catch (error) {
      expect(error).toBeInstanceOf(StorageError);
      isDone = false;
    }
    disk.openLimit = Number.POSITIVE_INFINITY;
    expect(log.failure).toBeUndefined();
    if (!isDone) expect(stateOf(log)).toEqual(before);
    if (!isDone) append(log);
    const after = stateOf(log);
    expect(after.offsets).toEqual(range(0, after.endOffset));
    await bench.done(log.close());
    const again = bench.reopen(SETTINGS, { ...known, isClean: false });
    expect(stateOf(again)).toMatchObject({ offsets: after.offsets, aborted: after.aborted });
  });
});

test('a truncation that cannot be ended takes the folder offline', async () => {
  const { bench, disk, log } = await reopened((first) => {
    for (let at = 0; at < 20; at++) {
      first.appendAsLeader(batchBy(9, 0, at), 3, 'client');
      if (at % 5 === 4) first.roll();
    }
  });
  disk.openLimit = 0;
  expect(() => log.truncateFullyAndStartAt(100)).toThrow(StorageError);
  expect(bench.folder.isOffline).toBe(true);
});

test('aborted transactions are known until they are in their file', async () => {
  const { bench, disk, log } = await reopened((first) => {
    first.appendAsLeader(BEGIN(), 3, 'coordinator');
  });
  log.appendAsLeader(ABORT(), 4, 'coordinator');
  const aborted = log.abortedTransactions(0, 2);
  expect(aborted).toHaveLength(1);
  const { openHandles } = disk;
  for (const spare of range(0, 4)) {
    disk.openLimit = openHandles;
    disk.opensLeft = spare;
    try {
      log.writeIndexes();
    } catch (error) {
      expect(error).toBeInstanceOf(StorageError);
    }
    disk.openLimit = Number.POSITIVE_INFINITY;
    expect(log.abortedTransactions(0, 2)).toEqual(aborted);
  }
  expect(bench.folder.isOffline).toBe(false);
});

test('of a large fetch, the epochs of what was taken are known', async () => {
  const { disk, log } = await reopened((first) => first.appendAsLeader(batchOf(1), 3, 'client'));
  const batches = range(0, 6).map((at) => {
    const batch = batchOf(1, 1000, { valueBytes: 300 });
    batch.writeBigInt64BE(BigInt(1 + at), 0);
    batch.writeInt32BE(at < 1 ? 4 : 5, 12);
    return batch;
  });
  log.applySettings({ ...log.settings, segmentBytes: 1000 });
  log.appendAsFollower(batches[0] as Buffer);
  disk.openLimit = disk.openHandles;
  expect(() => log.appendAsFollower(Buffer.concat(batches.slice(1)))).toThrow(StorageError);
  disk.openLimit = Number.POSITIVE_INFINITY;
  const { bytes } = log.readBytes(0, { maxBytes: 10_000 }) ?? { bytes: Buffer.alloc(0) };
  for (const { baseOffset, leaderEpoch } of headersOf(bytes)) {
    expect([baseOffset, log.epochForOffset(baseOffset)]).toEqual([baseOffset, leaderEpoch]);
  }
  expect(log.endOffset).toBe(headersOf(bytes).length);
  expect(log.endOffset).toBeGreaterThan(2);
});

/** One log: what appends, reads, look-ups, truncation, durability and failure promise. */
import { Errors } from '../../src/protocol/errors';
import { hasValidCrc } from '../../src/protocol/records/batch';
import { buildBatch } from '../../src/protocol/records/builder';
import { CorruptLogError, OffsetsOutOfOrderError, StorageError } from '../../src/storage/errors';
import {
  EARLIEST_LOCAL_TIMESTAMP,
  EARLIEST_PENDING_UPLOAD_TIMESTAMP,
  EARLIEST_TIMESTAMP,
  LATEST_TIERED_TIMESTAMP,
  LATEST_TIMESTAMP,
  type Log,
  MAX_TIMESTAMP,
} from '../../src/storage/log';
import {
  batchBy,
  batchOf,
  bytesOf,
  headersOf,
  namesIn,
  offsetsOf,
  PARTITION_PATH,
  range,
  StorageBench,
  TOPIC_ID,
} from './support';
import { WatchedDisk } from './watched-disk';

const SMALL = {
  segmentBytes: 1000,
  indexIntervalBytes: 200,
  fileDeleteDelayMs: 0,
  retentionMs: -1,
};

function logOf(count: number, settings = SMALL): { bench: StorageBench; log: Log } {
  const bench = new StorageBench();
  const log = bench.create(settings);
  for (let at = 0; at < count; at++) log.appendAsLeader(batchOf(2, 1000 + at), 0, 'client');
  return { bench, log };
}

describe('appending as leader', () => {
  test('gives offsets and the epoch, in place and without touching the checksum', () => {
    const { log } = logOf(3);
    const bytes = batchOf(4, [5, 9, 7, 8]);
    expect(log.appendAsLeader(bytes, 6, 'client')).toEqual({
      outcome: 'appended',
      baseOffset: 6,
      lastOffset: 9,
      maxTimestamp: 9,
    });
    expect(headersOf(bytes)).toMatchObject([{ baseOffset: 6, leaderEpoch: 6 }]);
    expect(hasValidCrc(bytes, 0)).toBe(true);
    expect(log.latestEpoch).toBe(6);
    expect(log.endOffset).toBe(10);
  });

  test('takes several batches of a coordinator in one write', () => {
    const { log } = logOf(0);
    const both = Buffer.concat([batchOf(2), batchOf(3)]);
    expect(log.appendAsLeader(both, 0, 'coordinator')).toMatchObject({ lastOffset: 4 });
    expect(offsetsOf(log)).toEqual(range(0, 5));
  });

  test('answers a repeated batch with its first offset and appends nothing', () => {
    const { log } = logOf(0);
    log.appendAsLeader(batchBy(7, 0, 0, 2, 4000), 0, 'client');
    log.appendAsLeader(batchOf(1), 0, 'client');
    expect(log.appendAsLeader(batchBy(7, 0, 0, 2, 4000), 0, 'client')).toEqual({
      outcome: 'duplicate',
      baseOffset: 0,
      lastOffset: 1,
      maxTimestamp: 4000,
    });
    expect(log.endOffset).toBe(3);
  });

  test('refuses a sequence out of order and leaves batch and log as they were', () => {
    const { log } = logOf(0);
    log.appendAsLeader(batchBy(7, 0, 0), 0, 'client');
    const bytes = batchBy(7, 0, 5);
    const before = Buffer.from(bytes);
    expect(log.appendAsLeader(bytes, 0, 'client')).toMatchObject({
      outcome: 'refused',
      errorCode: Errors.OUT_OF_ORDER_SEQUENCE_NUMBER,
    });
    expect(bytes).toEqual(before);
    expect(log.endOffset).toBe(1);
  });

  test('refuses more than a segment holds', () => {
    const { log } = logOf(0);
    expect(log.appendAsLeader(batchOf(1, 1, { valueBytes: 1000 }), 0, 'client')).toMatchObject({
      outcome: 'refused',
      errorCode: Errors.RECORD_LIST_TOO_LARGE,
    });
    expect(log.sizeInBytes).toBe(0);
  });
});

describe('appending as follower', () => {
  test('keeps the bytes as they are, gaps and epochs too', () => {
    const { log } = logOf(0);
    const bytes = Buffer.concat([
      batchOf(2, 1, { baseOffset: 0, leaderEpoch: 1 }),
      batchOf(2, 1, { baseOffset: 5, leaderEpoch: 1 }),
      batchOf(1, 1, { baseOffset: 9, leaderEpoch: 4 }),
    ]);
    const before = Buffer.from(bytes);
    expect(log.appendAsFollower(bytes)).toMatchObject({ baseOffset: 0, lastOffset: 9 });
    expect(bytesOf(log.read(0, { maxBytes: 10_000 }))).toEqual(before);
    expect(offsetsOf(log)).toEqual([0, 1, 5, 6, 9]);
    expect([log.epochForOffset(8), log.epochForOffset(9)]).toEqual([1, 4]);
  });

  test('throws for offsets that do not go on, and for torn bytes, and appends nothing', () => {
    const { log } = logOf(2);
    const backwards = batchOf(2, 1, { baseOffset: 3 });
    expect(() => log.appendAsFollower(backwards)).toThrow(OffsetsOutOfOrderError);
    const torn = batchOf(2, 1, { baseOffset: 4 }).subarray(0, -1);
    expect(() => log.appendAsFollower(torn)).toThrow(OffsetsOutOfOrderError);
    const overlapping = Buffer.concat([
      batchOf(2, 1, { baseOffset: 4 }),
      batchOf(2, 1, { baseOffset: 5 }),
    ]);
    expect(() => log.appendAsFollower(overlapping)).toThrow(OffsetsOutOfOrderError);
    expect(log.endOffset).toBe(4);
  });

  test('takes what is more than a segment batch by batch', () => {
    const { log } = logOf(0);
    const large = batchOf(1, 1, { baseOffset: 6, valueBytes: 1200 });
    const many = range(0, 6).map((at) => batchOf(1, 1, { baseOffset: at, valueBytes: 300 }));
    log.appendAsFollower(Buffer.concat([...many, large]));
    expect(offsetsOf(log)).toEqual(range(0, 7));
    expect(log.segmentCount).toBeGreaterThan(2);
  });

  test('takes offsets further apart than a segment can count', () => {
    const { bench, log } = logOf(0);
    const far = 2 ** 33;
    log.appendAsFollower(
      Buffer.concat([batchOf(1, 1, { baseOffset: 3 }), batchOf(2, 1, { baseOffset: far })]),
    );
    expect(offsetsOf(log)).toEqual([3, far, far + 1]);
    expect(offsetsOf(bench.reopen(SMALL))).toEqual([3, far, far + 1]);
  });
});

describe('rolling', () => {
  test('comes when the next batch would not fit, and names the segment by its first offset', () => {
    const { bench, log } = logOf(12);
    expect(log.segmentCount).toBe(2);
    const second = namesIn(bench.disk, PARTITION_PATH).filter((name) => name.endsWith('.log'))[1];
    const first = headersOf(bench.disk.readFile(`${PARTITION_PATH}/${second}`))[0];
    expect(Number.parseInt(second as string, 10)).toBe(first?.baseOffset);
  });

  test('comes when a batch is younger than the first one by more than segment.ms', () => {
    const { log } = logOf(0, { ...SMALL, segmentMs: 5000 } as typeof SMALL);
    log.appendAsLeader(batchOf(1, 1000), 0, 'client');
    log.appendAsLeader(batchOf(1, 6000), 0, 'client');
    expect(log.segmentCount).toBe(1);
    log.appendAsLeader(batchOf(1, 6001), 0, 'client');
    expect(log.segmentCount).toBe(2);
    log.appendAsLeader(batchOf(1, 1), 0, 'client');
    expect(log.segmentCount).toBe(2);
  });

  test('goes by the clock where records have no timestamp', async () => {
    const { bench, log } = logOf(0, { ...SMALL, segmentMs: 5000 } as typeof SMALL);
    log.appendAsLeader(batchOf(1, -1), 0, 'client');
    await bench.world.advance(6000);
    log.appendAsLeader(batchOf(1, -1), 0, 'client');
    expect(log.segmentCount).toBe(2);
  });

  test('comes when an index is full', () => {
    const { log } = logOf(12, { ...SMALL, segmentBytes: 1e6, segmentIndexBytes: 24 } as never);
    expect(log.segmentCount).toBeGreaterThan(2);
    expect(offsetsOf(log)).toEqual(range(0, 24));
  });

  test('leaves a producer snapshot where the new segment begins', () => {
    const { bench, log } = logOf(2);
    log.roll();
    log.roll();
    expect(log.segmentCount).toBe(2);
    expect(namesIn(bench.disk, PARTITION_PATH)).toContain('00000000000000000004.snapshot');
  });
});

describe('reading', () => {
  test('gives nothing at the end, and undefined outside the log', () => {
    const { log } = logOf(3);
    log.setHighWatermark(6);
    log.advanceStartOffset(2);
    expect(log.read(6, { maxBytes: 100 })).toMatchObject({ slice: undefined, nextOffset: 6 });
    expect(log.read(7, { maxBytes: 100 })).toBeUndefined();
    expect(log.read(1, { maxBytes: 100 })).toBeUndefined();
  });

  test('begins with the batch that holds the offset, though it begins before', () => {
    const { log } = logOf(3);
    const read = log.read(3, { maxBytes: 10_000 });
    expect(read).toMatchObject({ baseOffset: 2, nextOffset: 6 });
    expect(headersOf(bytesOf(read)).map(({ baseOffset }) => baseOffset)).toEqual([2, 4]);
  });

  test('leaves out a batch that straddles the bound', () => {
    const { log } = logOf(3);
    const read = log.read(0, { maxBytes: 10_000, until: 3 });
    expect(read).toMatchObject({ nextOffset: 2 });
    expect(headersOf(bytesOf(read))).toHaveLength(1);
    expect(log.read(2, { maxBytes: 10_000, until: 3 })?.slice).toBeUndefined();
  });

  test('says when the first batch alone is too large', () => {
    const { log } = logOf(3);
    const size = headersOf(bytesOf(log.read(0, { maxBytes: 10_000 })))[0]?.sizeInBytes as number;
    const refused = { slice: undefined, isFirstBatchTooLarge: true, nextOffset: 0 };
    expect(log.read(0, { maxBytes: size - 1 })).toMatchObject(refused);
    const read = log.read(0, { maxBytes: 0, atLeastOneBatch: true });
    expect(read).toMatchObject({ sizeInBytes: size, nextOffset: 2, isFirstBatchTooLarge: false });
    read?.slice?.release();
  });

  test('of damaged bytes throws and leaves the folder online', () => {
    const { bench, log } = logOf(3);
    const file = bench.disk.open(`${PARTITION_PATH}/00000000000000000000.log`, 'write');
    file.write([Buffer.alloc(20)], 0);
    expect(() => log.read(0, { maxBytes: 100 })).toThrow(CorruptLogError);
    expect(log.failure).toBeUndefined();
  });

  test('gives slices that survive retention, truncation to their end, and deletion', () => {
    const { log } = logOf(12);
    const read = log.read(0, { maxBytes: 10_000 });
    const expected = bytesOf(log.read(0, { maxBytes: 10_000 }));
    log.truncateFullyAndStartAt(100);
    expect(bytesOf(read)).toEqual(expected);
  });
});

describe('look-ups', () => {
  test('by special timestamps', () => {
    const { log } = logOf(3);
    log.appendAsLeader(batchOf(2, [9000, 500]), 4, 'client');
    log.appendAsLeader(batchOf(1, 600), 4, 'client');
    log.setHighWatermark(9);
    log.advanceStartOffset(2);
    const named = (offset: number, leaderEpoch: number) => ({ offset, timestamp: -1, leaderEpoch });
    expect(log.offsetForTimestamp(EARLIEST_TIMESTAMP)).toEqual(named(2, 0));
    expect(log.offsetForTimestamp(EARLIEST_LOCAL_TIMESTAMP)).toEqual(named(2, 0));
    expect(log.offsetForTimestamp(LATEST_TIMESTAMP)).toEqual(named(9, 4));
    expect(log.offsetForTimestamp(LATEST_TIERED_TIMESTAMP)).toEqual(named(-1, -1));
    expect(log.offsetForTimestamp(EARLIEST_PENDING_UPLOAD_TIMESTAMP)).toEqual(named(-1, -1));
    expect(log.offsetForTimestamp(MAX_TIMESTAMP)).toEqual({
      offset: 6,
      timestamp: 9000,
      leaderEpoch: 4,
    });
  });

  test('find the record within a compressed batch, and of a batch stamped by the broker the first', () => {
    const { log } = logOf(0);
    log.appendAsLeader(batchOf(3, [10, 20, 30], { compression: 'gzip' }), 0, 'client');
    log.appendAsLeader(batchOf(3, [1, 2, 3], { logAppendTimeMs: 40 }), 0, 'client');
    expect(log.offsetForTimestamp(15)).toMatchObject({ offset: 1, timestamp: 20 });
    expect(log.offsetForTimestamp(35)).toMatchObject({ offset: 3, timestamp: 40 });
    expect(log.offsetForTimestamp(41)).toBeUndefined();
  });

  test('in an empty log find nothing but its ends', () => {
    const { log } = logOf(0);
    expect(log.offsetForTimestamp(MAX_TIMESTAMP)).toBeUndefined();
    expect(log.offsetForTimestamp(0)).toBeUndefined();
    expect(log.offsetForTimestamp(LATEST_TIMESTAMP)).toMatchObject({ offset: 0, leaderEpoch: -1 });
  });
});

describe('truncation', () => {
  test('takes back offsets, epochs and producers', () => {
    const { log } = logOf(0);
    log.appendAsLeader(batchBy(7, 0, 0, 2, 4e12), 1, 'client');
    log.appendAsLeader(batchBy(7, 0, 2, 2, 4e12), 2, 'client');
    log.setHighWatermark(4);
    log.truncateTo(2);
    expect([log.endOffset, log.highWatermark, log.latestEpoch]).toEqual([2, 2, 1]);
    expect(log.activeProducers()).toMatchObject([{ producerId: 7, lastSequence: 1 }]);
    expect(log.appendAsLeader(batchBy(7, 0, 2, 1, 4e12), 3, 'client')).toMatchObject({
      outcome: 'appended',
      baseOffset: 2,
    });
  });

  test('that meets damage leaves everything as it was', () => {
    const { bench, log } = logOf(40);
    const { segmentCount, sizeInBytes } = log;
    const first = `${PARTITION_PATH}/00000000000000000000.log`;
    bench.disk.open(first, 'write').write([Buffer.alloc(20)], 0);
    expect(() => log.truncateTo(2)).toThrow(CorruptLogError);
    expect(log).toMatchObject({ endOffset: 80, segmentCount, sizeInBytes, failure: undefined });
  });

  test('is not held up by damage well before it', () => {
    const bench = new StorageBench();
    const log = bench.create({ indexIntervalBytes: 1 });
    const value = Buffer.alloc(16 * 1024);
    // The greatest timestamp comes early, and whatever has it is looked for from there on.
    const sizes = Array.from({ length: 20 }, (_, offset) => {
      const batch = buildBatch([{ timestamp: offset === 0 ? 0 : 1000 - offset, value }]);
      log.appendAsLeader(batch, 0, 'client');
      return batch.length;
    });
    const position = sizes.slice(0, 5).reduce((sum, size) => sum + size, 0);
    const file = bench.disk.open(`${PARTITION_PATH}/00000000000000000000.log`, 'write');
    file.write([Buffer.alloc(20)], position);
    log.truncateTo(15);
    expect(log.endOffset).toBe(15);
  });

  test('beyond the end only forgets an epoch that has no record yet', () => {
    const { log } = logOf(2);
    log.startEpoch(5);
    log.truncateTo(10);
    expect([log.endOffset, log.latestEpoch]).toEqual([4, 0]);
  });

  test('reaches back over segments and forgets their snapshots', () => {
    const { bench, log } = logOf(40);
    expect(log.segmentCount).toBeGreaterThan(3);
    log.truncateTo(4);
    expect(log.segmentCount).toBe(1);
    expect(offsetsOf(log)).toEqual(range(0, 4));
    expect(
      namesIn(bench.disk, PARTITION_PATH).filter((name) => name.endsWith('.snapshot')),
    ).toEqual([]);
    log.appendAsLeader(batchOf(3), 1, 'client');
    expect(offsetsOf(log)).toEqual(range(0, 7));
  });

  test('of everything begins anew elsewhere', () => {
    const { log } = logOf(5);
    log.truncateFullyAndStartAt(100);
    expect([log.startOffset, log.endOffset, log.latestEpoch]).toEqual([100, 100, undefined]);
    log.appendAsLeader(batchOf(2), 3, 'client');
    expect(offsetsOf(log)).toEqual([100, 101]);
  });
});

test('old segments go with their indexes and snapshots once the start offset passed them', async () => {
  const { bench, log } = logOf(40);
  const count = log.segmentCount;
  log.setHighWatermark(80);
  log.advanceStartOffset(70);
  expect(log.deleteOldSegments(bench.context.clock.wallMs())).toBeGreaterThan(2);
  await bench.world.settle();
  expect(log.segmentCount).toBeLessThan(count);
  expect(log.startOffset).toBe(70);
  const bases = namesIn(bench.disk, PARTITION_PATH).map((name) => Number.parseInt(name, 10));
  expect(Math.min(...bases.filter((base) => base >= 0))).toBe(log.firstSegmentOffset);
  expect(offsetsOf(log)).toEqual(range(70, 80));
});

test('a log whose every record is too old is empty and goes on where it was', async () => {
  const { bench, log } = logOf(5, { ...SMALL, retentionMs: 1000 } as typeof SMALL);
  log.setHighWatermark(10);
  log.deleteOldSegments(bench.context.clock.wallMs());
  expect([log.startOffset, log.endOffset, log.segmentCount]).toEqual([10, 10, 1]);
  expect(log.appendAsLeader(batchOf(1), 0, 'client')).toMatchObject({ baseOffset: 10 });
});

describe('durability', () => {
  function watchedLog(settings: Parameters<StorageBench['create']>[0] = {}) {
    const disk = new WatchedDisk();
    const bench = new StorageBench(disk);
    return { disk, bench, log: bench.create({ ...SMALL, ...settings }) };
  }

  test('by default nothing is synced, and the end may be claimed at once', async () => {
    const { disk, bench, log } = watchedLog();
    log.appendAsLeader(batchOf(2), 0, 'client');
    await bench.world.settle();
    expect(disk.synced).toEqual([]);
    expect([log.claimableEndOffset, log.flushedEndOffset]).toEqual([2, 0]);
  });

  test('with flush.messages 1 only what is durable may be claimed, and the listener hears of it', async () => {
    const { disk, bench, log } = watchedLog({ flushMessages: 1 });
    disk.isSyncHeld = true;
    const flushed: number[] = [];
    log.listen({ flushed: () => flushed.push(log.flushedEndOffset) });
    log.appendAsLeader(batchOf(2), 0, 'client');
    await bench.world.settle();
    log.appendAsLeader(batchOf(3), 0, 'client');
    expect([log.claimableEndOffset, log.endOffset]).toEqual([0, 5]);
    disk.releaseSyncs();
    await bench.world.settle();
    disk.releaseSyncs();
    await bench.world.settle();
    expect(flushed).toEqual([2, 5]);
    expect(log.claimableEndOffset).toBe(5);
  });

  test('one sync answers all who asked before it began', async () => {
    const { disk, bench, log } = watchedLog();
    log.appendAsLeader(batchOf(2), 0, 'client');
    await bench.done(Promise.all([log.flush(), log.flush(), log.flush()]));
    const data = disk.synced.filter((path) => path.endsWith('.log'));
    expect(data).toHaveLength(1);
    await bench.done(log.flush());
    expect(disk.synced.filter((path) => path.endsWith('.log'))).toHaveLength(1);
  });

  test('the first flush of a log makes its folder and its names durable too', async () => {
    const { disk, bench, log } = watchedLog();
    log.appendAsLeader(batchOf(2), 0, 'client');
    await bench.done(log.flush());
    expect([...disk.synced].sort()).toEqual(
      [
        '/data/',
        `${PARTITION_PATH}/`,
        `${PARTITION_PATH}/00000000000000000000.log`,
        `${PARTITION_PATH}/leader-epoch-checkpoint`,
        `${PARTITION_PATH}/partition.metadata`,
      ].sort(),
    );
    disk.synced.length = 0;
    log.appendAsLeader(batchOf(2), 0, 'client');
    await bench.done(log.flush());
    expect(disk.synced).toEqual([`${PARTITION_PATH}/00000000000000000000.log`]);
  });

  test('flush.ms syncs so long after an append', async () => {
    const { bench, log } = watchedLog({ flushMs: 500 });
    log.appendAsLeader(batchOf(2), 0, 'client');
    await bench.world.advance(400);
    expect(log.flushedEndOffset).toBe(0);
    await bench.world.advance(200);
    expect(log.flushedEndOffset).toBe(2);
  });

  test('what was cut off while a sync ran does not count as durable', async () => {
    const { disk, bench, log } = watchedLog();
    log.appendAsLeader(batchOf(2), 0, 'client');
    log.appendAsLeader(batchOf(2), 0, 'client');
    disk.isSyncHeld = true;
    const flushing = log.flush();
    await bench.world.settle();
    log.truncateTo(2);
    log.appendAsLeader(batchOf(5), 1, 'client');
    disk.isSyncHeld = false;
    disk.releaseSyncs();
    await bench.done(flushing);
    expect(log.flushedEndOffset).toBe(2);
  });

  test('new settings take effect at once', async () => {
    const { bench, log } = watchedLog();
    log.appendAsLeader(batchOf(2), 0, 'client');
    log.applySettings({ ...log.settings, flushMessages: 1 });
    expect(log.claimableEndOffset).toBe(0);
    await bench.world.settle();
    expect(log.claimableEndOffset).toBe(2);
  });
});

describe('a failing disk', () => {
  test('cuts a failed append back, takes the folder offline and is never tried again', async () => {
    const disk = new WatchedDisk();
    const bench = new StorageBench(disk);
    const log = bench.create(SMALL);
    const failures: Error[] = [];
    log.listen({ failed: (error) => failures.push(error) });
    log.appendAsLeader(batchOf(2), 0, 'client');
    disk.writableBytes = 30;
    expect(() => log.appendAsLeader(batchOf(2), 0, 'client')).toThrow(StorageError);
    expect(failures).toEqual([]);
    await bench.world.settle();
    expect(failures).toEqual([bench.folder.failure]);
    expect(bench.folder.isOffline).toBe(true);
    disk.writableBytes = Number.POSITIVE_INFINITY;
    expect(() => log.appendAsLeader(batchOf(2), 0, 'client')).toThrow(StorageError);
    expect(() => log.read(0, { maxBytes: 10 })).toThrow(StorageError);
    await expect(log.flush()).rejects.toThrow(StorageError);
    await bench.done(log.close());
    expect(disk.openHandles).toBe(0);
    expect(offsetsOf(bench.reopen(SMALL))).toEqual([0, 1]);
  });

  test('that fails an fsync takes the folder offline, and who waited hears it', async () => {
    const disk = new WatchedDisk();
    const bench = new StorageBench(disk);
    const log = bench.create(SMALL);
    log.appendAsLeader(batchOf(2), 0, 'client');
    disk.isSyncFailing = true;
    await expect(bench.done(log.flush())).rejects.toThrow(StorageError);
    expect(log.flushedEndOffset).toBe(0);
    expect(bench.folder.isOffline).toBe(true);
    const { length } = disk.synced;
    await expect(log.flush()).rejects.toThrow(StorageError);
    expect(disk.synced).toHaveLength(length);
  });
});

test('a closed log refuses every call and leaves no handle open', async () => {
  const disk = new WatchedDisk();
  const bench = new StorageBench(disk);
  const log = bench.create(SMALL);
  for (let at = 0; at < 30; at++) log.appendAsLeader(batchOf(2), 0, 'client');
  await bench.done(log.close());
  await bench.done(log.close());
  expect(() => log.appendAsLeader(batchOf(2), 0, 'client')).toThrow(StorageError);
  expect(() => log.read(0, { maxBytes: 10 })).toThrow(StorageError);
  bench.context.close();
  expect(disk.openHandles).toBe(0);
});

test('a log keeps its topic id and its producers across a clean stop', async () => {
  const bench = new StorageBench();
  const log = bench.create(SMALL);
  log.appendAsLeader(batchBy(7, 0, 0, 2, 4e12), 3, 'client');
  log.setHighWatermark(2);
  await bench.done(log.close());
  const again = bench.reopen(SMALL, { isClean: true, highWatermark: 2 });
  expect(again.topicId).toBe(TOPIC_ID);
  expect([again.endOffset, again.highWatermark, again.latestEpoch]).toEqual([2, 2, 3]);
  expect(again.flushedEndOffset).toBe(2);
  expect(again.appendAsLeader(batchBy(7, 0, 0, 2, 4e12), 3, 'client')).toMatchObject({
    outcome: 'duplicate',
  });
});

/** What was deleted is unlinked later, and a large file never in one turn of the loop. */
import { wallMs } from '../../src/base/times';
import { batchOf, namesIn, PARTITION_PATH, StorageBench } from './support';
import { WatchedDisk } from './watched-disk';

const LARGE = { segmentBytes: 100_000_000, retentionMs: 1000, fileDeleteDelayMs: 60_000 };

test('a large segment shrinks step by step before its name goes', async () => {
  const disk = new WatchedDisk();
  const bench = new StorageBench(disk);
  const log = bench.create(LARGE);
  const batch = batchOf(1, 1000, { valueBytes: 5_000_000 });
  for (let at = 0; at < 8; at++) log.appendAsLeader(batch, 0, 'coordinator');
  const { sizeInBytes } = log;
  log.setHighWatermark(8);
  log.deleteOldSegments(wallMs(1e12));
  await bench.world.advance(59_000);
  const retired = `${PARTITION_PATH}/00000000000000000000.log.deleted`;
  expect(disk.exists(retired)).toBe(true);
  await bench.world.advance(2_000);
  const steps = disk.truncated.filter(([path]) => path === retired).map(([, length]) => length);
  expect(steps).toEqual([sizeInBytes - 16_777_216, sizeInBytes - 2 * 16_777_216]);
  expect(namesIn(disk, PARTITION_PATH).join()).not.toContain('deleted');
});

test('without a delay files go at once, and who reads them reads on', async () => {
  const bench = new StorageBench();
  const log = bench.create({ ...LARGE, fileDeleteDelayMs: 0 });
  log.appendAsLeader(batchOf(1, 1000), 0, 'client');
  log.setHighWatermark(1);
  const slice = log.read(0, { maxBytes: 1000 })?.slice;
  log.deleteOldSegments(wallMs(1e12));
  await bench.world.settle();
  expect(namesIn(bench.disk, PARTITION_PATH).join()).not.toContain('00000000000000000000');
  const into = Buffer.alloc(10);
  expect(slice?.file.read(into, 0, 10, 0)).toBe(10);
  slice?.release();
});

test('what was not yet unlinked at a stop is removed by the next start', async () => {
  const bench = new StorageBench();
  const log = bench.create(LARGE);
  log.appendAsLeader(batchOf(1, 1000), 0, 'client');
  log.setHighWatermark(1);
  log.deleteOldSegments(wallMs(1e12));
  await bench.done(log.close());
  bench.context.close();
  await bench.world.advance(120_000);
  expect(namesIn(bench.disk, PARTITION_PATH).join()).toContain('.deleted');
  const again = bench.reopen(LARGE, { isClean: true, startOffset: 1 });
  expect(namesIn(bench.disk, PARTITION_PATH).join()).not.toContain('.deleted');
  expect([again.startOffset, again.endOffset]).toEqual([1, 1]);
});

test('a flush that waits its turn while the log is given up touches nothing of it', async () => {
  const disk = new WatchedDisk();
  const bench = new StorageBench(disk);
  const log = bench.create(LARGE);
  disk.isSyncHeld = true;
  log.appendAsLeader(batchOf(1, 1000), 0, 'client');
  const running = log.flush();
  log.appendAsLeader(batchOf(1, 1000), 0, 'client');
  const waiting = log.flush();
  const outcomes = Promise.allSettled([running, waiting]);
  await bench.world.settle();
  log.abandon();
  disk.rename(PARTITION_PATH, `${PARTITION_PATH}-delete`);
  const { length } = disk.synced;
  disk.isSyncHeld = false;
  disk.releaseSyncs();
  const [, waited] = await bench.done(outcomes);
  // Not a missing file: nothing was looked for.
  expect(waited).toMatchObject({ reason: { cause: { message: `${PARTITION_PATH} was closed` } } });
  expect(disk.synced).toHaveLength(length);
  expect(disk.exists(PARTITION_PATH)).toBe(false);
});

/** Opening a log again: what is believed, what is read again, what is cut, what is put in order. */
import type { Log } from '../../src/storage/log';
import {
  batchBy,
  batchOf,
  namesIn,
  offsetsOf,
  PARTITION_PATH,
  range,
  StorageBench,
} from './support';

const SMALL = {
  segmentBytes: 1000,
  indexIntervalBytes: 200,
  fileDeleteDelayMs: 0,
  retentionMs: -1,
};

/** A log of some segments with an idempotent producer, as a killed process leaves it. */
function killedLog(batches = 40): { bench: StorageBench; log: Log } {
  const bench = new StorageBench();
  const log = bench.create(SMALL);
  for (let at = 0; at < batches; at++) {
    log.appendAsLeader(batchBy(7, 0, at, 1, 4e12 + at), at < 20 ? 1 : 2, 'client');
  }
  return { bench, log };
}

const path = (name: string): string => `${PARTITION_PATH}/${name}`;

function lastLogFile(bench: StorageBench): string {
  const logs = namesIn(bench.disk, PARTITION_PATH).filter((name) => name.endsWith('.log'));
  return path(logs[logs.length - 1] as string);
}

const warnings = (bench: StorageBench): string[] =>
  bench.machine.lines.filter(({ level }) => level !== 'info').map(({ event }) => event);

test('a killed process loses nothing that was appended, not even what its producers did', () => {
  const { bench } = killedLog();
  const log = bench.reopen(SMALL);
  expect(offsetsOf(log)).toEqual(range(0, 40));
  expect([log.epochForOffset(19), log.epochForOffset(20)]).toEqual([1, 2]);
  expect(log.appendAsLeader(batchBy(7, 0, 37, 1, 4e12), 2, 'client')).toMatchObject({
    outcome: 'duplicate',
    baseOffset: 37,
  });
  expect(warnings(bench)).toEqual([]);
});

test('a batch that was cut short by the crash goes, and nothing before it', () => {
  const { bench } = killedLog();
  const file = bench.disk.open(lastLogFile(bench), 'write');
  file.truncate(file.length() - 5);
  const log = bench.reopen(SMALL);
  expect(offsetsOf(log)).toEqual(range(0, 39));
  expect(log.appendAsLeader(batchBy(7, 0, 39, 1, 4e12), 2, 'client')).toMatchObject({
    outcome: 'appended',
    baseOffset: 39,
  });
  expect(warnings(bench)).toEqual(['cut a torn or damaged tail off a log']);
});

test.each([
  ['zeros, as a file system leaves them', (at: number) => Buffer.alloc(at % 90)],
  ['half a header', () => batchOf(1).subarray(0, 30)],
  ['a batch whose checksum is wrong', () => flipped(batchOf(1, 1, { baseOffset: 40 }))],
  ['a batch of an offset that was there', () => batchOf(1, 1, { baseOffset: 39, leaderEpoch: 2 })],
  ['a batch of an older leader', () => batchOf(1, 1, { baseOffset: 40, leaderEpoch: 1 })],
  ['a length beyond the end', () => withLength(0x7fffffff)],
  ['a negative length', () => withLength(-20)],
])('%s at the end are cut off', (_, tail) => {
  const { bench } = killedLog();
  const file = bench.disk.open(lastLogFile(bench), 'write');
  file.write([tail(77)], file.length());
  const log = bench.reopen(SMALL);
  expect(offsetsOf(log)).toEqual(range(0, 40));
  expect(log.endOffset).toBe(40);
});

function flipped(bytes: Buffer): Buffer {
  bytes[bytes.length - 1] = (bytes[bytes.length - 1] as number) ^ 1;
  return bytes;
}

function withLength(length: number): Buffer {
  const bytes = batchOf(1, 1, { baseOffset: 40 });
  bytes.writeInt32BE(length, 8);
  return bytes;
}

test('damage in the middle cuts the log there, and the segments behind it go', () => {
  const { bench } = killedLog();
  const logs = namesIn(bench.disk, PARTITION_PATH).filter((name) => name.endsWith('.log'));
  expect(logs.length).toBeGreaterThan(2);
  const second = logs[1] as string;
  bench.disk.open(path(second), 'write').write([Buffer.from([255])], 300);
  const log = bench.reopen(SMALL);
  expect(log.segmentCount).toBe(2);
  expect(log.endOffset).toBeLessThan(40);
  expect(offsetsOf(log)).toEqual(range(0, log.endOffset));
  const left = namesIn(bench.disk, PARTITION_PATH).filter((name) => name.endsWith('.log'));
  expect(left).toEqual(logs.slice(0, 2));
});

test('a tail lost at a batch boundary takes the segments behind the hole with it', () => {
  const { bench } = killedLog();
  const first = bench.disk.open(path('00000000000000000000.log'), 'write');
  first.truncate(first.length() / 2);
  const log = bench.reopen(SMALL);
  expect(log.segmentCount).toBe(1);
  expect(offsetsOf(log)).toEqual(range(0, log.endOffset));
  expect(log.endOffset).toBeGreaterThan(0);
});

test('a hole that compaction made before a segment is none', () => {
  const bench = new StorageBench();
  const log = bench.create(SMALL);
  log.appendAsFollower(batchOf(1, 1, { baseOffset: 4, leaderEpoch: 0 }));
  log.appendAsFollower(batchOf(1, 1, { baseOffset: 10, leaderEpoch: 0 }));
  log.roll();
  log.appendAsFollower(batchOf(1, 1, { baseOffset: 20, leaderEpoch: 0 }));
  const active = bench.disk.readFile(path('00000000000000000011.log'));
  bench.disk.open(path('00000000000000000020.log'), 'create').write([active], 0);
  bench.disk.remove(path('00000000000000000011.log'));
  expect(offsetsOf(bench.reopen(SMALL))).toEqual([4, 10, 20]);
});

test('segments below the recovery point are not read again', () => {
  const { bench } = killedLog();
  const file = bench.disk.open(path('00000000000000000000.log'), 'write');
  file.write([Buffer.from([255])], 300);
  const log = bench.reopen(SMALL, { recoveryPoint: 35 });
  expect(log.endOffset).toBe(40);
  expect(log.flushedEndOffset).toBeLessThanOrEqual(35);
});

test('a recovery point beyond the end of the log is believed in nothing', () => {
  const { bench } = killedLog();
  const first = bench.disk.open(path('00000000000000000000.log'), 'write');
  first.truncate(first.length() / 2);
  const log = bench.reopen(SMALL, { recoveryPoint: 1000 });
  expect(offsetsOf(log)).toEqual(range(0, log.endOffset));
  expect(log.segmentCount).toBe(1);
});

test('after a clean stop nothing is read again', async () => {
  const { bench, log } = killedLog();
  await bench.done(log.close());
  const file = bench.disk.open(path('00000000000000000000.log'), 'write');
  file.write([Buffer.from([255])], 300);
  const again = bench.reopen(SMALL, { isClean: true });
  expect([again.endOffset, again.flushedEndOffset]).toEqual([40, 40]);
});

test('a log that was closed cleanly but ends in damage is read again after all', async () => {
  const { bench, log } = killedLog();
  await bench.done(log.close());
  const file = bench.disk.open(lastLogFile(bench), 'write');
  file.truncate(file.length() - 5);
  const again = bench.reopen(SMALL, { isClean: true });
  expect(offsetsOf(again)).toEqual(range(0, 39));
});

test.each([true, false])(
  'missing indexes are made again (stopped cleanly: %s)',
  async (isClean) => {
    const { bench, log } = killedLog();
    await bench.done(log.close());
    const before = indexFiles(bench);
    for (const name of before.keys()) bench.disk.remove(path(name));
    const again = bench.reopen(SMALL, { isClean, recoveryPoint: 40 });
    expect(offsetsOf(again)).toEqual(range(0, 40));
    expect(again.offsetForTimestamp(4e12 + 33)).toMatchObject({ offset: 33 });
    await bench.done(again.close());
    expect(indexFiles(bench)).toEqual(before);
  },
);

function indexFiles(bench: StorageBench): Map<string, string> {
  const names = namesIn(bench.disk, PARTITION_PATH).filter((name) => name.endsWith('index'));
  return new Map(names.map((name) => [name, bench.disk.readFile(path(name)).toString('hex')]));
}

test('indexes that a crash filled with zeros are made again', () => {
  const { bench } = killedLog();
  const last = lastLogFile(bench).replace('.log', '.index');
  bench.disk.open(last, 'create').write([Buffer.alloc(4096)], 0);
  const log = bench.reopen(SMALL);
  expect(offsetsOf(log, 30)).toEqual(range(30, 40));
});

test('index files without data go, other files stay', () => {
  const { bench } = killedLog();
  for (const name of ['00000000000000009999.index', '00000000000000000077.txnindex', 'notes']) {
    bench.disk.open(path(name), 'create').close();
  }
  bench.reopen(SMALL);
  const names = namesIn(bench.disk, PARTITION_PATH);
  expect(names).not.toContain('00000000000000009999.index');
  expect(names).not.toContain('00000000000000000077.txnindex');
  expect(names).toContain('notes');
});

test('what was marked as deleted, or was not finished, goes', () => {
  const { bench } = killedLog();
  for (const name of ['00000000000000000500.log.deleted', '00000000000000000600.log.cleaned']) {
    bench.disk.open(path(name), 'create').close();
  }
  bench.disk.open(path('00000000000000000100-0000000001.checkpoint.deleted'), 'create').close();
  const log = bench.reopen(SMALL);
  expect(offsetsOf(log)).toEqual(range(0, 40));
  const names = namesIn(bench.disk, PARTITION_PATH);
  expect(names.filter((name) => /cleaned$|log\.deleted$/.test(name))).toEqual([]);
  expect(names).toContain('00000000000000000100-0000000001.checkpoint.deleted');
});

test('an interrupted swap is finished', async () => {
  const { bench, log } = killedLog();
  await bench.done(log.close());
  const names = namesIn(bench.disk, PARTITION_PATH).filter((name) => name.endsWith('.log'));
  const whole = Buffer.concat(names.map((name) => bench.disk.readFile(path(name))));
  bench.disk.open(path('00000000000000000000.log.swap'), 'create').write([whole], 0);
  const again = bench.reopen({ ...SMALL, segmentBytes: 1e6 }, { isClean: true });
  expect(again.segmentCount).toBe(1);
  expect(offsetsOf(again)).toEqual(range(0, 40));
});

test('a swap that was not complete is undone', async () => {
  const { bench, log } = killedLog();
  await bench.done(log.close());
  bench.disk.open(path('00000000000000000005.log.swap'), 'create').close();
  bench.disk.open(path('00000000000000000003.log.cleaned'), 'create').close();
  const again = bench.reopen(SMALL, { isClean: true });
  expect(offsetsOf(again)).toEqual(range(0, 40));
  expect(namesIn(bench.disk, PARTITION_PATH).join()).not.toMatch(/swap|cleaned/);
});

test('a start offset beyond the end begins an empty log there', () => {
  const { bench } = killedLog();
  const log = bench.reopen(SMALL, { startOffset: 100, recoveryPoint: 100 });
  expect([log.startOffset, log.endOffset, log.segmentCount]).toEqual([100, 100, 1]);
  expect(log.latestEpoch).toBeUndefined();
  log.appendAsLeader(batchOf(1), 9, 'client');
  expect(offsetsOf(bench.reopen(SMALL, { startOffset: 100 }))).toEqual([100]);
});

test('a start offset within a segment is kept', () => {
  const { bench } = killedLog();
  const log = bench.reopen(SMALL, { startOffset: 15 });
  expect(offsetsOf(log)).toEqual(range(15, 40));
  expect(log.epochForOffset(15)).toBe(1);
});

test('a malformed epoch checkpoint is made again from the batches', () => {
  const { bench } = killedLog();
  bench.disk.open(path('leader-epoch-checkpoint'), 'create').write([Buffer.from('0\nx\n')], 0);
  const log = bench.reopen(SMALL, { recoveryPoint: 40 });
  expect([log.epochForOffset(0), log.epochForOffset(20)]).toEqual([1, 2]);
});

test.each([
  ['was written before other batches took the place of the last', '0\n1\n9 0\n'],
  ['begins where the log began before', '0\n1\n2 30\n'],
  ['knows none of the epochs', '0\n0\n'],
])('an epoch checkpoint that %s yields to the batches', (_why, text) => {
  const { bench } = killedLog();
  const file = bench.disk.open(path('leader-epoch-checkpoint'), 'create');
  file.truncate(0);
  file.write([Buffer.from(text)], 0);
  const log = bench.reopen(SMALL);
  expect(range(0, 40).map((offset) => log.epochForOffset(offset))).toEqual(
    range(0, 40).map((offset) => (offset < 20 ? 1 : 2)),
  );
});

test('a damaged producer snapshot costs only time', async () => {
  const { bench, log } = killedLog();
  await bench.done(log.close());
  for (const name of namesIn(bench.disk, PARTITION_PATH)) {
    if (name.endsWith('.snapshot'))
      bench.disk.open(path(name), 'write').write([Buffer.alloc(9)], 0);
  }
  const again = bench.reopen(SMALL, { isClean: true });
  expect(again.activeProducers()).toMatchObject([{ producerId: 7, lastSequence: 39 }]);
});

test('a log opened many times ends where it ended', () => {
  const { bench } = killedLog();
  for (let at = 0; at < 5; at++) {
    const log = bench.reopen(SMALL);
    expect(log.endOffset).toBe(40 + at);
    log.appendAsLeader(batchOf(1), 3, 'client');
  }
});

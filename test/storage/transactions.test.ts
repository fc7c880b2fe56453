/** Transactions in a log against the list of what was appended: what is decided, what was aborted. */
import fc from 'fast-check';
import * as batch from '../../src/protocol/records/batch';
import type { Log } from '../../src/storage/log';
import { batchBy, batchOf, markerBy, namesIn, PARTITION_PATH, StorageBench } from './support';

type Kind = 'data' | 'commit' | 'abort' | 'plain';

interface Entry {
  readonly kind: Kind;
  readonly producerId: number;
  readonly baseOffset: number;
  readonly lastOffset: number;
}

interface Transaction {
  readonly producerId: number;
  readonly firstOffset: number;
  /** Of its marker; undefined while it is open. */
  readonly lastOffset: number | undefined;
  readonly isAborted: boolean;
}

/** What was appended, and what follows from that. */
class Model {
  entries: Entry[] = [];
  endOffset = 0;
  highWatermark = 0;
  /** Since the log was opened or cut nothing was forgotten of ends that were not committed. */
  isExact = true;

  append(kind: Kind, producerId: number, count: number): void {
    const [baseOffset, lastOffset] = [this.endOffset, this.endOffset + count - 1];
    this.entries.push({ kind, producerId, baseOffset, lastOffset });
    this.endOffset = lastOffset + 1;
  }

  truncateTo(offset: number): void {
    this.entries = this.entries.filter(({ lastOffset }) => lastOffset < offset);
    this.endOffset = offset;
    this.highWatermark = Math.min(this.highWatermark, offset);
    this.isExact = false;
  }

  startAt(offset: number): void {
    this.truncateTo(0);
    this.endOffset = offset;
    this.highWatermark = offset;
  }

  transactions(): Transaction[] {
    const open = new Map<number, number>();
    const found: Transaction[] = [];
    for (const { kind, producerId, baseOffset } of this.entries) {
      const firstOffset = open.get(producerId);
      if (kind === 'data' && firstOffset === undefined) open.set(producerId, baseOffset);
      if (kind === 'data' || kind === 'plain' || firstOffset === undefined) continue;
      open.delete(producerId);
      const isAborted = kind === 'abort';
      found.push({ producerId, firstOffset, lastOffset: baseOffset, isAborted });
    }
    for (const [producerId, firstOffset] of open) {
      found.push({ producerId, firstOffset, lastOffset: undefined, isAborted: false });
    }
    return found;
  }

  /** Where the first transaction begins that is open, or whose end is not committed. */
  undecided(areEndsBelieved: boolean): number {
    const undecided = this.transactions().filter(({ lastOffset }) => {
      return lastOffset === undefined || (!areEndsBelieved && lastOffset >= this.highWatermark);
    });
    return Math.min(this.highWatermark, ...undecided.map(({ firstOffset }) => firstOffset));
  }

  aborted(from: number, until: number) {
    return this.transactions()
      .filter(({ isAborted, firstOffset, lastOffset = -1 }) => {
        return isAborted && firstOffset < until && lastOffset >= from;
      })
      .map(({ producerId, firstOffset, lastOffset }) => ({ producerId, firstOffset, lastOffset }))
      .sort((a, b) => a.firstOffset - b.firstOffset);
  }
}

interface Written {
  readonly kind: Kind;
  readonly producerId: number;
  readonly count: number;
}

type Step =
  | { readonly kind: 'lead'; readonly written: Written }
  | { readonly kind: 'follow'; readonly all: readonly Written[] }
  | { readonly kind: 'truncate' | 'startAt' | 'commit'; readonly at: number }
  | { readonly kind: 'read'; readonly from: number; readonly until: number }
  | { readonly kind: 'roll' | 'write' | 'restart' | 'crash' };

const share = fc.double({ min: 0, max: 1, noNaN: true });
const written: fc.Arbitrary<Written> = fc.record({
  kind: fc.constantFrom<Kind[]>('data', 'data', 'data', 'commit', 'abort', 'abort', 'plain'),
  producerId: fc.integer({ min: 1, max: 4 }),
  count: fc.integer({ min: 1, max: 3 }),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ kind: fc.constant('lead'), written }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('follow'),
      all: fc.array(written, { minLength: 1, maxLength: 12 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('truncate'), at: share }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('startAt'), at: share }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('commit'), at: share }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('read'), from: share, until: share }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constantFrom('roll', 'write', 'restart', 'crash') }),
  },
) as fc.Arbitrary<Step>;

/** Small segments, so that transactions span several. */
const SETTINGS = {
  segmentBytes: 600,
  indexIntervalBytes: 150,
  segmentMs: Number.POSITIVE_INFINITY,
  retentionMs: -1,
  fileDeleteDelayMs: 0,
};
/** Young, so that no producer is forgotten. */
const NOW = 4e12;

test('a log knows what is decided and what was aborted, whatever is done to it and how often it restarts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60 }), async (steps) => {
      const bench = new StorageBench();
      const model = new Model();
      let log = bench.create(SETTINGS);
      for (const one of steps) {
        if (one.kind === 'restart' || one.kind === 'crash') {
          log = await reopen(bench, log, one.kind === 'restart');
          model.isExact = false;
        } else {
          act(log, model, one);
        }
        expect(log.endOffset).toBe(model.endOffset);
        checkDecided(log, model);
      }
      checkAborted(log, model, log.startOffset, log.endOffset);
      log = await reopen(bench, log, true);
      checkAborted(log, model, log.startOffset, log.endOffset);
      checkFiles(bench, model);
    }),
    { numRuns: 300 },
  );
});

async function reopen(bench: StorageBench, log: Log, isClean: boolean): Promise<Log> {
  const { startOffset, endOffset, highWatermark } = log;
  if (isClean) await bench.done(log.close());
  const recoveryPoint = isClean ? endOffset : log.flushedEndOffset;
  return bench.reopen(SETTINGS, { startOffset, recoveryPoint, highWatermark, isClean });
}

function act(log: Log, model: Model, one: Step): void {
  switch (one.kind) {
    case 'lead': {
      const bytes = bytesOf(one.written);
      model.append(one.written.kind, one.written.producerId, recordsIn(bytes));
      expect(log.appendAsLeader(bytes, 1, 'coordinator')).toMatchObject({ outcome: 'appended' });
      break;
    }
    case 'follow': {
      const all = one.all.map((each) => {
        const bytes = bytesOf(each);
        batch.setBaseOffset(bytes, 0, model.endOffset);
        batch.setLeaderEpoch(bytes, 0, 1);
        model.append(each.kind, each.producerId, recordsIn(bytes));
        return bytes;
      });
      log.appendAsFollower(Buffer.concat(all));
      break;
    }
    case 'truncate': {
      const offset = log.startOffset + Math.round(one.at * (model.endOffset - log.startOffset));
      const straddling = model.entries.find((e) => e.baseOffset < offset && e.lastOffset >= offset);
      const boundary = straddling?.baseOffset ?? offset;
      if (boundary < model.endOffset) model.truncateTo(boundary);
      log.truncateTo(boundary);
      break;
    }
    case 'startAt': {
      const offset = model.endOffset + Math.round(one.at * 5);
      model.startAt(offset);
      log.truncateFullyAndStartAt(offset);
      break;
    }
    case 'commit': {
      const { highWatermark, endOffset } = model;
      model.highWatermark = highWatermark + Math.round(one.at * (endOffset - highWatermark));
      log.setHighWatermark(model.highWatermark);
      break;
    }
    case 'read': {
      const from = log.startOffset + Math.round(one.from * (model.endOffset - log.startOffset));
      checkAborted(log, model, from, from + Math.round(one.until * (model.endOffset - from)));
      break;
    }
    case 'roll':
      log.roll();
      break;
    case 'write':
      log.writeIndexes();
      break;
  }
}

function bytesOf({ kind, producerId, count }: Written): Buffer {
  if (kind === 'plain') return batchOf(count, NOW);
  if (kind === 'data') return batchBy(producerId, 0, 0, count, NOW, { isTransactional: true });
  return markerBy(producerId, 0, kind, 1, NOW);
}

const recordsIn = (bytes: Buffer): number => batch.lastOffsetDelta(bytes, 0) + 1;

/**
 * A snapshot keeps no ends that were not committed when it was made, as in Kafka: they are believed
 * afterwards. That is safe: the coordinator had decided before it sent the marker.
 */
function checkDecided(log: Log, model: Model): void {
  const { lastStableOffset } = log;
  expect(log.highWatermark).toBe(model.highWatermark);
  if (model.isExact) expect(lastStableOffset).toBe(model.undecided(false));
  expect(lastStableOffset).toBeGreaterThanOrEqual(model.undecided(false));
  expect(lastStableOffset).toBeLessThanOrEqual(model.undecided(true));
}

function checkAborted(log: Log, model: Model, from: number, until: number): void {
  const found = log.abortedTransactions(from, until);
  expect(found.map(({ lastStableOffset: _, ...rest }) => rest)).toEqual(model.aborted(from, until));
  for (const { lastOffset, lastStableOffset } of found) {
    expect(lastStableOffset).toBeLessThanOrEqual(lastOffset + 1);
  }
}

/** There is a file only where a transaction was aborted, or all that were have been cut off. */
function checkFiles(bench: StorageBench, model: Model): void {
  const files = namesIn(bench.disk, PARTITION_PATH).filter((name) => name.endsWith('.txnindex'));
  const aborted = model.transactions().filter(({ isAborted }) => isAborted);
  let entries = 0;
  for (const name of files) {
    const bytes = bench.disk.readFile(`${PARTITION_PATH}/${name}`);
    expect(bytes.length % 34).toBe(0);
    entries += bytes.length / 34;
  }
  expect(entries).toBe(aborted.length);
}

describe('the index of aborted transactions', () => {
  const data = (producerId: number) => batchBy(producerId, 0, 0, 1, NOW, { isTransactional: true });
  const index = `${PARTITION_PATH}/${'0'.repeat(20)}.txnindex`;

  async function closedLog(): Promise<StorageBench> {
    const bench = new StorageBench();
    const log = bench.create();
    log.appendAsLeader(data(7), 1, 'coordinator');
    log.appendAsLeader(data(8), 1, 'coordinator');
    log.appendAsLeader(markerBy(8, 0, 'abort', 1, NOW), 1, 'coordinator');
    log.appendAsLeader(markerBy(7, 0, 'commit', 1, NOW), 1, 'coordinator');
    await bench.done(log.close());
    return bench;
  }
  const ABORTED = { producerId: 8, firstOffset: 1, lastOffset: 2, lastStableOffset: 0 };

  test('is there once a transaction was aborted, in the layout of Kafka', async () => {
    const bench = await closedLog();
    const bytes = bench.disk.readFile(index);
    expect(bytes.length).toBe(34);
    expect(bytes.readInt16BE(0)).toBe(0);
    expect([2, 10, 18, 26].map((at) => Number(bytes.readBigInt64BE(at)))).toEqual([8, 1, 2, 0]);
    const log = bench.reopen({}, { recoveryPoint: 4, isClean: true, highWatermark: 4 });
    expect(log.abortedTransactions(0, 4)).toEqual([ABORTED]);
  });

  test('is not made while none is aborted', async () => {
    const bench = new StorageBench();
    const log = bench.create();
    log.appendAsLeader(data(7), 1, 'coordinator');
    log.appendAsLeader(markerBy(7, 0, 'commit', 1, NOW), 1, 'coordinator');
    await bench.done(log.close());
    expect(bench.disk.exists(index)).toBe(false);
  });

  test.each([
    ['cut short', (bytes: Buffer) => bytes.subarray(0, 20)],
    ['of an unknown version', (bytes: Buffer) => Buffer.from(bytes).fill(9, 0, 2)],
    ['of another segment', (bytes: Buffer) => Buffer.from(bytes).fill(0xff, 18, 26)],
    ['not rising', (bytes: Buffer) => Buffer.concat([bytes, bytes])],
  ])('that is %s is made anew from the log, even after a clean stop', async (_, damage) => {
    const bench = await closedLog();
    const damaged = damage(bench.disk.readFile(index));
    const file = bench.disk.open(index, 'create');
    file.write([damaged], 0);
    file.truncate(damaged.length);
    file.close();
    const log = bench.reopen({}, { recoveryPoint: 4, isClean: true, highWatermark: 4 });
    expect(log.abortedTransactions(0, 4)).toEqual([ABORTED]);
    expect(bench.machine.lines.map(({ event }) => event)).toContain(
      'an index of aborted transactions is made anew',
    );
  });

  test('goes with its segment', async () => {
    const bench = await closedLog();
    const log = bench.reopen(SETTINGS, { recoveryPoint: 4, isClean: true, highWatermark: 4 });
    log.roll();
    log.appendAsLeader(batchOf(1, NOW), 1, 'client');
    log.setHighWatermark(5);
    log.advanceStartOffset(4);
    expect(log.deleteOldSegments(bench.context.clock.wallMs())).toBe(1);
    expect(log.abortedTransactions(4, 5)).toEqual([]);
    expect(bench.disk.exists(index)).toBe(false);
  });
});

test('a transaction whose beginning was deleted holds consumers at the start of the log', () => {
  const bench = new StorageBench();
  const log = bench.create();
  for (let at = 0; at < 4; at++) {
    log.appendAsLeader(batchBy(7, 0, at, 1, NOW, { isTransactional: true }), 1, 'coordinator');
  }
  log.setHighWatermark(4);
  log.advanceStartOffset(2);
  expect(log.lastStableOffset).toBe(2);
  log.appendAsLeader(markerBy(7, 0, 'abort', 1, NOW), 1, 'coordinator');
  log.setHighWatermark(5);
  expect(log.lastStableOffset).toBe(5);
  expect(log.abortedTransactions(2, 5)).toMatchObject([{ firstOffset: 0, lastOffset: 4 }]);
});

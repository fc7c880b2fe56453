/** A log against the simplest one there is: a list of batches. */
import fc from 'fast-check';
import * as batch from '../../src/protocol/records/batch';
import { batchPositions } from '../../src/protocol/records/batches';
import {
  EARLIEST_TIMESTAMP,
  LATEST_TIMESTAMP,
  type Log,
  MAX_TIMESTAMP,
} from '../../src/storage/log';
import { batchOf, bytesOf, headersOf, PARTITION_PATH, StorageBench } from './support';

interface ModelBatch {
  readonly baseOffset: number;
  readonly lastOffset: number;
  readonly timestamps: readonly number[];
  readonly epoch: number;
  readonly bytes: Buffer;
}

/** The list, and what follows from it. */
class Model {
  batches: ModelBatch[] = [];
  startOffset = 0;
  endOffset = 0;

  append(bytes: Buffer, timestamps: readonly number[], epoch: number, gap = 0): void {
    const baseOffset = this.endOffset + gap;
    const lastOffset = baseOffset + timestamps.length - 1;
    const copy = Buffer.from(bytes);
    batch.setBaseOffset(copy, 0, baseOffset);
    batch.setLeaderEpoch(copy, 0, epoch);
    this.batches.push({ baseOffset, lastOffset, timestamps, epoch, bytes: copy });
    this.endOffset = lastOffset + 1;
  }

  truncateTo(offset: number): void {
    if (offset >= this.endOffset) return;
    this.batches = this.batches.filter(({ lastOffset }) => lastOffset < offset);
    this.startOffset = Math.min(this.startOffset, offset);
    this.endOffset = offset;
  }

  startAt(offset: number): void {
    this.batches = [];
    this.startOffset = offset;
    this.endOffset = offset;
  }

  /** Every whole batch from the one that holds `from`, below `until`. */
  from(from: number, until: number): ModelBatch[] {
    return this.batches.filter(({ lastOffset }) => lastOffset >= from && lastOffset < until);
  }

  records(): { offset: number; timestamp: number }[] {
    return this.batches
      .flatMap(({ baseOffset, timestamps }) =>
        timestamps.map((timestamp, index) => ({ offset: baseOffset + index, timestamp })),
      )
      .filter(({ offset }) => offset >= this.startOffset);
  }
}

type Step =
  | { readonly kind: 'append'; readonly timestamps: readonly number[]; readonly bytes: number }
  | { readonly kind: 'follow'; readonly gap: number; readonly timestamps: readonly number[] }
  | { readonly kind: 'truncate'; readonly at: number }
  | { readonly kind: 'startAt'; readonly at: number }
  | { readonly kind: 'advance'; readonly at: number }
  | { readonly kind: 'read'; readonly at: number; readonly until: number; readonly bytes: number }
  | { readonly kind: 'find'; readonly timestamp: number }
  | { readonly kind: 'roll' | 'epoch' | 'restart' | 'crash' | 'retain' };

const share = fc.double({ min: 0, max: 1, noNaN: true });
const timestamps = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('append'),
      timestamps,
      bytes: fc.integer({ min: 0, max: 80 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('follow'),
      timestamps,
      gap: fc.integer({ min: 0, max: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('truncate'), at: share }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('advance'), at: share }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('startAt'), at: share }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('read'),
      at: share,
      until: share,
      bytes: fc.integer({ min: 0, max: 1200 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('find'),
      timestamp: fc.integer({ min: 0, max: 420 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('roll', 'epoch', 'restart', 'crash', 'retain') }),
  },
) as fc.Arbitrary<Step>;

/** Small segments and indexes, so that few steps reach every corner. */
const SETTINGS = {
  segmentBytes: 700,
  indexIntervalBytes: 150,
  segmentMs: Number.POSITIVE_INFINITY,
  retentionMs: -1,
  fileDeleteDelayMs: 0,
};

test('a log gives what a list of batches gives, whatever is done to it and how often it restarts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60 }), async (steps) => {
      const bench = new StorageBench();
      const model = new Model();
      let log = bench.create(SETTINGS);
      let epoch = 0;
      for (const one of steps) {
        switch (one.kind) {
          case 'restart':
          case 'crash':
            log = await restart(bench, log, one.kind === 'restart');
            break;
          case 'epoch':
            epoch++;
            break;
          default:
            act(bench, log, model, one, epoch);
        }
        expect([log.startOffset, log.endOffset]).toEqual([model.startOffset, model.endOffset]);
      }
      checkWhole(log, model);
      checkIndexes(bench, log);
    }),
    { numRuns: 300 },
  );
});

async function restart(bench: StorageBench, log: Log, isClean: boolean): Promise<Log> {
  const { startOffset, flushedEndOffset } = log;
  if (isClean) await bench.done(log.close());
  const recoveryPoint = isClean ? log.endOffset : flushedEndOffset;
  return bench.reopen(SETTINGS, { startOffset, recoveryPoint, isClean });
}

function act(bench: StorageBench, log: Log, model: Model, one: Step, epoch: number): void {
  switch (one.kind) {
    case 'append': {
      const bytes = batchOf(one.timestamps.length, one.timestamps, { valueBytes: one.bytes });
      model.append(bytes, one.timestamps, epoch);
      log.appendAsLeader(bytes, epoch, 'client');
      break;
    }
    case 'follow': {
      model.append(batchOf(one.timestamps.length, one.timestamps), one.timestamps, epoch, one.gap);
      log.appendAsFollower(model.batches[model.batches.length - 1]?.bytes as Buffer);
      break;
    }
    case 'truncate': {
      const span = model.endOffset - model.startOffset;
      const offset = model.startOffset + Math.round(one.at * span);
      // To a batch boundary, as replication does: what straddles the offset goes whole.
      const straddling = model.batches.find((b) => b.baseOffset < offset && b.lastOffset >= offset);
      const boundary = straddling?.baseOffset ?? offset;
      log.truncateTo(boundary);
      if (boundary < firstBase(log)) model.startAt(boundary);
      else model.truncateTo(boundary);
      break;
    }
    case 'startAt': {
      const offset = model.endOffset + Math.round(one.at * 10);
      log.truncateFullyAndStartAt(offset);
      model.startAt(offset);
      break;
    }
    case 'advance': {
      log.setHighWatermark(log.endOffset);
      const offset = model.startOffset + Math.round(one.at * (model.endOffset - model.startOffset));
      log.advanceStartOffset(offset);
      model.startOffset = offset;
      break;
    }
    case 'retain':
      log.setHighWatermark(log.endOffset);
      log.deleteOldSegments(bench.context.clock.wallMs());
      model.batches = model.batches.filter(({ lastOffset }) => lastOffset >= firstBase(log));
      break;
    case 'roll':
      log.roll();
      break;
    case 'read':
      checkRead(log, model, one);
      break;
    case 'find':
      checkFind(log, model, one.timestamp);
      break;
  }
}

const firstBase = (log: Log): number => log.firstSegmentOffset;

function checkRead(log: Log, model: Model, one: Step & { readonly kind: 'read' }): void {
  const span = model.endOffset - model.startOffset;
  const from = model.startOffset + Math.round(one.at * span);
  const until = from + Math.round(one.until * (model.endOffset - from));
  const wanted = model.from(from, until);
  const read = log.read(from, { maxBytes: one.bytes, until, atLeastOneBatch: true });
  const bytes = bytesOf(read);
  const got = headersOf(bytes);
  // A prefix of what there is, within the bytes but for the first batch, and never nothing.
  expect(got.map(({ baseOffset }) => baseOffset)).toEqual(
    wanted.slice(0, got.length).map(({ baseOffset }) => baseOffset),
  );
  expect(bytes).toEqual(Buffer.concat(wanted.slice(0, got.length).map((b) => b.bytes)));
  if (wanted.length > 0) expect(got.length).toBeGreaterThan(0);
  if (got.length > 1) expect(bytes.length).toBeLessThanOrEqual(one.bytes);
  const last = wanted[got.length - 1];
  if (last !== undefined) expect(read?.nextOffset).toBeGreaterThan(last.lastOffset);
  const next = wanted[got.length];
  if (next !== undefined) expect(read?.nextOffset).toBeLessThanOrEqual(next.lastOffset);
  const strict = log.read(from, { maxBytes: one.bytes, until });
  strict?.slice?.release();
  const fits = wanted[0] !== undefined && wanted[0].bytes.length <= one.bytes;
  expect(strict?.sizeInBytes).toBe(fits ? bytes.length : 0);
}

function checkFind(log: Log, model: Model, timestamp: number): void {
  const records = model.records();
  const first = records.find((record) => record.timestamp >= timestamp);
  const found = log.offsetForTimestamp(timestamp);
  expect(found && { offset: found.offset, timestamp: found.timestamp }).toEqual(first);
  expect(log.offsetForTimestamp(LATEST_TIMESTAMP)?.offset).toBe(model.endOffset);
  expect(log.offsetForTimestamp(EARLIEST_TIMESTAMP)?.offset).toBe(model.startOffset);
  const greatest = Math.max(...model.batches.flatMap((b) => b.timestamps), -1);
  expect(log.offsetForTimestamp(MAX_TIMESTAMP)?.timestamp ?? -1).toBe(greatest);
}

function checkWhole(log: Log, model: Model): void {
  const all = model.from(model.startOffset, model.endOffset);
  const chunks: Buffer[] = [];
  for (let next = log.startOffset; next < log.endOffset; ) {
    const read = log.readBytes(next, { maxBytes: 300, atLeastOneBatch: true });
    if (read === undefined || read.bytes.length === 0) break;
    chunks.push(read.bytes);
    next = read.nextOffset;
  }
  expect(Buffer.concat(chunks)).toEqual(Buffer.concat(all.map(({ bytes }) => bytes)));
  for (const { epoch, lastOffset } of all) expect(log.epochForOffset(lastOffset)).toBe(epoch);
}

/** Every entry of every index file names a batch that is there, as Kafka's own checker wants it. */
function checkIndexes(bench: StorageBench, log: Log): void {
  log.writeIndexes();
  const { disk } = bench;
  for (const { name } of disk.list(PARTITION_PATH)) {
    if (!name.endsWith('.index')) continue;
    const base = Number.parseInt(name, 10);
    const data = disk.readFile(`${PARTITION_PATH}/${name.replace('.index', '.log')}`);
    const index = disk.readFile(`${PARTITION_PATH}/${name}`);
    const lastOffsetAt = new Map(
      batchPositions(data).map((at) => [at, batch.lastOffset(data, at)] as const),
    );
    for (let at = 0; at < index.length; at += 8) {
      expect(lastOffsetAt.get(index.readInt32BE(at + 4))).toBe(base + index.readInt32BE(at));
    }
    checkTimeIndex(
      disk.readFile(`${PARTITION_PATH}/${name.replace('.index', '.timeindex')}`),
      data,
      base,
    );
  }
}

function checkTimeIndex(index: Buffer, data: Buffer, base: number): void {
  const maxTimestampOf = new Map(
    headersOf(data).map((header) => [header.lastOffset, header.maxTimestamp] as const),
  );
  let previous = -1n;
  for (let at = 0; at < index.length; at += 12) {
    const timestamp = index.readBigInt64BE(at);
    expect(timestamp).toBeGreaterThan(previous);
    expect(maxTimestampOf.get(base + index.readInt32BE(at + 8))).toBe(timestamp);
    previous = timestamp;
  }
  const greatest = Math.max(...headersOf(data).map(({ maxTimestamp }) => Number(maxTimestamp)));
  if (data.length > 0) expect(Number(previous)).toBe(greatest);
}

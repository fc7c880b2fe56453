/**
 * The walk over the (decompressed) records of a batch that validation does: sizes, keys, timestamps
 * and offsets, in place. It makes no object per record and reads nothing it does not need.
 */
import { invariant } from '../../base/invariant';
import * as batch from './batch';
import { CorruptRecordError } from './corrupt-record-error';
import type { RecordsBytes } from './record';
import { cursor, readVarint, readVarlong } from './varint';

export interface WalkOptions {
  readonly requiresKeys: boolean;
  /** `undefined`: timestamps are not looked at. */
  readonly timestampRange: TimestampRange | undefined;
}

/** What timestamps other than -1 may be. */
interface TimestampRange {
  readonly now: number;
  readonly beforeMaxMs: bigint;
  readonly afterMaxMs: bigint;
}

export interface Walk {
  /** The greatest timestamp, at least -1; a number if it is a safe integer. */
  readonly maxTimestamp: number | bigint;
  /** The first record that has it; 0 if all have none. */
  readonly indexOfMaxTimestamp: number;
  /** Whether the offset deltas are 0, 1, 2, … */
  readonly hasConsecutiveOffsets: boolean;
  /** Indexes of records without the key they need. */
  readonly withoutKey: readonly number[];
  /** Indexes of records whose timestamp is out of range (and that have their key). */
  readonly outOfRange: readonly number[];
}

/**
 * Walks the decompressed records of the batch at the start of `whole`. They must be as many as its
 * header says, and fill their bytes exactly: else throws `CorruptRecordError`.
 */
export function walkRecords(whole: Uint8Array, records: RecordsBytes, options: WalkOptions): Walk {
  const recordCount = batch.recordCount(whole, 0);
  const fast = FastTimestamps.for(whole, options.timestampRange);
  if (fast !== undefined) {
    const walk = walkWith(records, recordCount, options.requiresKeys, fast);
    if (walk !== undefined) return walk;
  }
  const timestamps = new ExactTimestamps(whole, options.timestampRange);
  const exact = walkWith(records, recordCount, options.requiresKeys, timestamps);
  invariant(exact !== undefined, 'every timestamp can be read exactly');
  return exact;
}

/** Reads the timestamp of each record, and remembers the greatest. */
interface Timestamps {
  /** The greatest so far, and the record that has it. */
  readonly greatest: number | bigint;
  readonly indexOfGreatest: number;
  /** Whether the last one read was within range. */
  isInRange: boolean;
  /** Reads the delta at `position`; returns where it ends, or -1 if it does not fit. */
  read(bytes: Uint8Array, position: number, index: number): number;
}

/** `undefined` if a timestamp does not fit `timestamps`. */
function walkWith(
  { bytes, start, end }: RecordsBytes,
  recordCount: number,
  requiresKeys: boolean,
  timestamps: Timestamps,
): Walk | undefined {
  const withoutKey: number[] = [];
  const outOfRange: number[] = [];
  let hasConsecutiveOffsets = true;
  let at = start;
  for (let index = 0; index < recordCount; index++) {
    const bodySize = readVarint(bytes, at);
    const bodyAt = cursor();
    const recordEnd = bodyAt + bodySize;
    if (bodySize < 0 || recordEnd > end) throw new CorruptRecordError('a record is cut short');
    at = timestamps.read(bytes, bodyAt + 1, index);
    if (at < 0) return undefined;
    if (readVarint(bytes, at) !== index) hasConsecutiveOffsets = false;
    at = cursor();
    // Zig-zag: a negative length, which means null, has its lowest bit set.
    if (requiresKeys && (bytes[at] as number) & 1) withoutKey.push(index);
    else if (!timestamps.isInRange) outOfRange.push(index);
    at = skipHeaders(bytes, skipField(bytes, skipField(bytes, at)), recordEnd);
    // Positions only grow, so one look at the end finds any field that reached beyond it.
    if (at !== recordEnd) throw new CorruptRecordError('a record does not end where its size says');
  }
  if (at !== end) throw new CorruptRecordError('bytes are left behind the last record');
  return {
    maxTimestamp: timestamps.greatest,
    indexOfMaxTimestamp: timestamps.indexOfGreatest,
    hasConsecutiveOffsets,
    withoutKey,
    outOfRange,
  };
}

/** Behind a key or value; a negative length means null. */
function skipField(bytes: Uint8Array, position: number): number {
  const first = bytes[position] as number;
  if (first < 0x80) return position + 1 + (first & 1 ? 0 : first >> 1);
  const length = readVarint(bytes, position);
  return length > 0 ? cursor() + length : cursor();
}

function skipHeaders(bytes: Uint8Array, position: number, recordEnd: number): number {
  if (bytes[position] === 0) return position + 1;
  const count = readVarint(bytes, position);
  let at = cursor();
  if (count < 0 || count > recordEnd - at) {
    throw new CorruptRecordError(`a record claims ${count} headers`);
  }
  for (let index = 0; index < count; index++) {
    if (at >= recordEnd) throw new CorruptRecordError('a record has fewer headers than it claims');
    if ((bytes[at] as number) & 1) throw new CorruptRecordError('a header has no key');
    at = skipField(bytes, skipField(bytes, at));
  }
  return at;
}

/** Beyond this, the sum of a base and a delta may be inexact as a number. */
const SAFE_BASE = 2 ** 52;
/** This many bytes of a varlong hold 49 bits, safe to add to a safe base. */
const SAFE_VARLONG_BYTES = 7;

/** What a batch says about the timestamp of each of its records: a base, or the time itself. */
const baseOf = (whole: Uint8Array): number =>
  isStamped(whole) ? batch.maxTimestamp(whole, 0) : batch.baseTimestamp(whole, 0);

const isStamped = (whole: Uint8Array): boolean => batch.timestampType(whole, 0) === 'LogAppendTime';

/** Timestamps as numbers: all but those at the ends of the int64 range. */
class FastTimestamps implements Timestamps {
  isInRange = true;
  indexOfGreatest = 0;
  greatest = batch.NO_TIMESTAMP;
  readonly #base: number;
  readonly #isStamped: boolean;
  readonly #oldest: number;
  readonly #newest: number;

  static for(whole: Uint8Array, range: TimestampRange | undefined): FastTimestamps | undefined {
    return Math.abs(baseOf(whole)) <= SAFE_BASE ? new FastTimestamps(whole, range) : undefined;
  }

  private constructor(whole: Uint8Array, range: TimestampRange | undefined) {
    this.#base = baseOf(whole);
    this.#isStamped = isStamped(whole);
    // A bound that is rounded lies beyond every timestamp that comes here, and decides the same.
    this.#oldest = range === undefined ? -Infinity : range.now - Number(range.beforeMaxMs);
    this.#newest = range === undefined ? Infinity : range.now + Number(range.afterMaxMs);
  }

  read(bytes: Uint8Array, position: number, index: number): number {
    let at = position;
    let byte = bytes[at++] as number;
    let raw = byte & 0x7f;
    for (let scale = 128; byte >= 0x80; scale *= 128) {
      if (at - position === SAFE_VARLONG_BYTES) return -1;
      byte = bytes[at++] as number;
      raw += (byte & 0x7f) * scale;
    }
    const delta = raw % 2 === 0 ? raw / 2 : -(raw + 1) / 2;
    const timestamp = this.#isStamped ? this.#base : this.#base + delta;
    this.isInRange =
      (timestamp >= this.#oldest && timestamp <= this.#newest) || timestamp === batch.NO_TIMESTAMP;
    if (timestamp > this.greatest) {
      this.greatest = timestamp;
      this.indexOfGreatest = index;
    }
    return at;
  }
}

/** Timestamps as Kafka reckons them, in 64 bits that wrap. */
class ExactTimestamps implements Timestamps {
  isInRange = true;
  indexOfGreatest = 0;
  #greatest = BigInt(batch.NO_TIMESTAMP);
  readonly #base: bigint;
  readonly #isStamped: boolean;
  readonly #range: TimestampRange | undefined;

  constructor(whole: Uint8Array, range: TimestampRange | undefined) {
    this.#isStamped = isStamped(whole);
    this.#base = this.#isStamped
      ? batch.exactMaxTimestamp(whole, 0)
      : batch.exactBaseTimestamp(whole, 0);
    this.#range = range;
  }

  get greatest(): number | bigint {
    const number = Number(this.#greatest);
    return Number.isSafeInteger(number) ? number : this.#greatest;
  }

  read(bytes: Uint8Array, position: number, index: number): number {
    const delta = readVarlong(bytes, position);
    const timestamp = this.#isStamped ? this.#base : BigInt.asIntN(64, this.#base + delta);
    this.isInRange = timestamp === BigInt(batch.NO_TIMESTAMP) || this.#allows(timestamp);
    if (timestamp > this.#greatest) {
      this.#greatest = timestamp;
      this.indexOfGreatest = index;
    }
    return cursor();
  }

  #allows(timestamp: bigint): boolean {
    if (this.#range === undefined) return true;
    const age = BigInt.asIntN(64, BigInt(this.#range.now) - timestamp);
    return age <= this.#range.beforeMaxMs && BigInt.asIntN(64, -age) <= this.#range.afterMaxMs;
  }
}

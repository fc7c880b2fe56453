/**
 * The walk over the (decompressed) records of a batch that validation does: sizes, keys, timestamps
 * and offsets, in place. It makes no object per record and reads nothing it does not need.
 */
import { invariant } from '../../base/invariant';
import { NO_TIMESTAMP } from './batch';
import { CorruptRecordError } from './corrupt-record-error';
import { cursor, readVarint, readVarlong } from './varint';

export interface WalkOptions {
  /** How many records there must be. */
  readonly recordCount: number;
  readonly baseTimestamp: bigint;
  /** Set when the batch says that the broker stamped it: then every record has this timestamp. */
  readonly logAppendTime: bigint | undefined;
  readonly requiresKeys: boolean;
  /** `undefined`: timestamps are not looked at. */
  readonly timestampRange: TimestampRange | undefined;
}

/** What timestamps other than -1 may be. */
export interface TimestampRange {
  readonly now: number;
  readonly beforeMaxMs: bigint;
  readonly afterMaxMs: bigint;
}

export interface Walk {
  /** The greatest timestamp, at least -1. */
  readonly maxTimestamp: bigint;
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
 * Walks the records in [start, end), which they must fill exactly. Throws `CorruptRecordError` at
 * the first malformed one.
 */
export function walkRecords(
  bytes: Uint8Array,
  start: number,
  end: number,
  options: WalkOptions,
): Walk {
  const fast = FastTimestamps.for(options);
  if (fast !== undefined) {
    const walk = walkWith(bytes, start, end, options, fast);
    if (walk !== undefined) return walk;
  }
  const exact = walkWith(bytes, start, end, options, new ExactTimestamps(options));
  invariant(exact !== undefined, 'every timestamp can be read exactly');
  return exact;
}

/** Reads the timestamp of each record, and remembers the greatest. */
interface Timestamps {
  /** The greatest so far, and the record that has it. */
  readonly greatest: bigint;
  readonly indexOfGreatest: number;
  /** Whether the last one read was within range. */
  isInRange: boolean;
  /** Reads the delta at `position`; returns where it ends, or -1 if it does not fit. */
  read(bytes: Uint8Array, position: number, index: number): number;
}

/** `undefined` if a timestamp does not fit `timestamps`. */
function walkWith(
  bytes: Uint8Array,
  start: number,
  end: number,
  options: WalkOptions,
  timestamps: Timestamps,
): Walk | undefined {
  const { recordCount, requiresKeys } = options;
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

/** Timestamps as numbers: all but those at the ends of the int64 range. */
class FastTimestamps implements Timestamps {
  isInRange = true;
  indexOfGreatest = 0;
  #greatest = -1;
  readonly #base: number;
  readonly #isStamped: boolean;
  readonly #oldest: number;
  readonly #newest: number;

  static for(options: WalkOptions): FastTimestamps | undefined {
    const base = Number(options.logAppendTime ?? options.baseTimestamp);
    return Math.abs(base) <= SAFE_BASE ? new FastTimestamps(options, base) : undefined;
  }

  private constructor(options: WalkOptions, base: number) {
    const range = options.timestampRange;
    this.#base = base;
    this.#isStamped = options.logAppendTime !== undefined;
    // A bound that is rounded lies beyond every timestamp that comes here, and decides the same.
    this.#oldest = range === undefined ? -Infinity : range.now - Number(range.beforeMaxMs);
    this.#newest = range === undefined ? Infinity : range.now + Number(range.afterMaxMs);
  }

  get greatest(): bigint {
    return BigInt(this.#greatest);
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
      (timestamp >= this.#oldest && timestamp <= this.#newest) || timestamp === NO_TIMESTAMP;
    if (timestamp > this.#greatest) {
      this.#greatest = timestamp;
      this.indexOfGreatest = index;
    }
    return at;
  }
}

/** Timestamps as Kafka reckons them, in 64 bits that wrap. */
class ExactTimestamps implements Timestamps {
  isInRange = true;
  indexOfGreatest = 0;
  greatest = BigInt(NO_TIMESTAMP);
  readonly #options: WalkOptions;

  constructor(options: WalkOptions) {
    this.#options = options;
  }

  read(bytes: Uint8Array, position: number, index: number): number {
    const { baseTimestamp, logAppendTime } = this.#options;
    const delta = readVarlong(bytes, position);
    const timestamp = logAppendTime ?? BigInt.asIntN(64, baseTimestamp + delta);
    this.isInRange = timestamp === BigInt(NO_TIMESTAMP) || this.#allows(timestamp);
    if (timestamp > this.greatest) {
      this.greatest = timestamp;
      this.indexOfGreatest = index;
    }
    return cursor();
  }

  #allows(timestamp: bigint): boolean {
    const range = this.#options.timestampRange;
    if (range === undefined) return true;
    const age = BigInt.asIntN(64, BigInt(range.now) - timestamp);
    return age <= range.beforeMaxMs && BigInt.asIntN(64, -age) <= range.afterMaxMs;
  }
}

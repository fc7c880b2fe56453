/**
 * Reading the records of a batch of magic 2, for those who read their own log, for compaction,
 * tools and tests. Keys, values and headers are views on the batch (or on its decompressed
 * records), made when asked for.
 */
import type { Offset } from '../../base/ids';
import * as batch from './batch';
import { asBuffer } from './bytes';
import { DEFAULT_DECOMPRESSED_LIMIT_BYTES, decompress } from './compression';
import { CorruptRecordError } from './corrupt-record-error';
import { cursor, readVarint, readVarlong } from './varint';

interface RecordHeader {
  readonly key: string;
  readonly value: Buffer | null;
}

/** One record; its byte views live as long as the buffer it was read from. */
export interface BatchRecord {
  readonly offset: Offset;
  readonly offsetDelta: number;
  /** Milliseconds since 1970, -1 for none; nearest number, exact within ±2^53. */
  readonly timestamp: number;
  /** As `timestamp`, exact for every value. */
  readonly exactTimestamp: bigint;
  /** -1 if the batch has none. */
  readonly sequence: number;
  /** With its length field, uncompressed. */
  readonly sizeInBytes: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: readonly RecordHeader[];
}

/** The bytes of a batch's records after decompression: [start, end) of `bytes`. */
export interface RecordsBytes {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/**
 * Yields the records of the batch at `position`, whose frame was checked (`batchSizeAt`). Throws
 * `CorruptRecordError` at the first record that is malformed, and in the end if bytes are left.
 */
export function* readRecords(
  buffer: Uint8Array,
  position = 0,
  limitBytes = DEFAULT_DECOMPRESSED_LIMIT_BYTES,
): Generator<BatchRecord, void, undefined> {
  const count = batch.recordCount(buffer, position);
  if (count < 0) throw new CorruptRecordError(`the batch claims ${count} records`);
  if (count === 0) return;
  const { bytes, start, end } = recordsBytes(buffer, position, limitBytes);
  const context = batchContext(buffer, position);
  let at = start;
  for (let index = 0; index < count; index++) {
    const record = new RecordView(context, bytes, at, end);
    at += record.sizeInBytes;
    yield record;
  }
  if (at !== end) throw new CorruptRecordError('bytes are left behind the last record');
}

/** The records of a batch as an array. */
export const recordsOf = (buffer: Uint8Array, position = 0, limitBytes?: number): BatchRecord[] => [
  ...readRecords(buffer, position, limitBytes),
];

/** Where the (decompressed) records of a batch lie. Uncompressed ones are not copied. */
export function recordsBytes(
  buffer: Uint8Array,
  position: number,
  limitBytes: number,
): RecordsBytes {
  const start = position + batch.BATCH_OVERHEAD;
  const end = position + batch.sizeInBytes(buffer, position);
  const compression = batch.compression(buffer, position);
  if (compression === undefined) throw new CorruptRecordError('the compression type is unknown');
  if (compression === 'none') return { bytes: asBuffer(buffer), start, end };
  const bytes = decompress(compression, buffer.subarray(start, end), limitBytes);
  return { bytes, start: 0, end: bytes.length };
}

/** What the header of a batch says about each of its records. */
interface BatchContext {
  readonly baseOffset: Offset;
  readonly baseTimestamp: bigint;
  /** Set when the broker stamped the whole batch. */
  readonly logAppendTime: bigint | undefined;
  readonly baseSequence: number;
}

function batchContext(buffer: Uint8Array, position: number): BatchContext {
  return {
    baseOffset: batch.baseOffset(buffer, position),
    baseTimestamp: batch.exactBaseTimestamp(buffer, position),
    logAppendTime:
      batch.timestampType(buffer, position) === 'LogAppendTime'
        ? batch.exactMaxTimestamp(buffer, position)
        : undefined,
    baseSequence: batch.baseSequence(buffer, position),
  };
}

class RecordView implements BatchRecord {
  readonly sizeInBytes: number;
  readonly offsetDelta: number;
  readonly #context: BatchContext;
  readonly #bytes: Buffer;
  readonly #timestampDelta: bigint;
  readonly #keyAt: number;
  readonly #keyLength: number;
  readonly #valueAt: number;
  readonly #valueLength: number;
  readonly #end: number;

  constructor(context: BatchContext, bytes: Buffer, position: number, limit: number) {
    this.#context = context;
    this.#bytes = bytes;
    const bodySize = readVarint(bytes, position);
    const bodyAt = cursor();
    const end = bodyAt + bodySize;
    if (bodySize < 0 || end > limit) throw new CorruptRecordError('a record is cut short');
    this.#end = end;
    this.sizeInBytes = end - position;
    this.#timestampDelta = readVarlong(bytes, bodyAt + 1);
    this.offsetDelta = readVarint(bytes, cursor());
    this.#keyLength = readVarint(bytes, cursor());
    this.#keyAt = cursor();
    this.#valueLength = readVarint(bytes, fieldEnd(this.#keyAt, this.#keyLength, end));
    this.#valueAt = cursor();
    skipHeaders(bytes, fieldEnd(this.#valueAt, this.#valueLength, end), end);
  }

  get offset(): Offset {
    return this.#context.baseOffset + this.offsetDelta;
  }

  get timestamp(): number {
    return Number(this.exactTimestamp);
  }

  get exactTimestamp(): bigint {
    const { logAppendTime, baseTimestamp } = this.#context;
    return logAppendTime ?? BigInt.asIntN(64, baseTimestamp + this.#timestampDelta);
  }

  get sequence(): number {
    const { baseSequence } = this.#context;
    if (baseSequence < 0) return batch.NO_SEQUENCE;
    return batch.incrementSequence(baseSequence, this.offsetDelta);
  }

  get key(): Buffer | null {
    return view(this.#bytes, this.#keyAt, this.#keyLength);
  }

  get value(): Buffer | null {
    return view(this.#bytes, this.#valueAt, this.#valueLength);
  }

  get headers(): readonly RecordHeader[] {
    const bytes = this.#bytes;
    const count = readVarint(bytes, fieldEnd(this.#valueAt, this.#valueLength, this.#end));
    let at = cursor();
    const headers: RecordHeader[] = [];
    for (let index = 0; index < count; index++) {
      const keyLength = readVarint(bytes, at);
      const keyAt = cursor();
      const valueLength = readVarint(bytes, keyAt + keyLength);
      const valueAt = cursor();
      headers.push({
        key: bytes.toString('utf8', keyAt, keyAt + keyLength),
        value: view(bytes, valueAt, valueLength),
      });
      at = fieldEnd(valueAt, valueLength, this.#end);
    }
    return headers;
  }
}

/** A negative length means null, whatever its value. */
const view = (bytes: Buffer, at: number, length: number): Buffer | null =>
  length < 0 ? null : bytes.subarray(at, at + length);

function fieldEnd(at: number, length: number, limit: number): number {
  const end = length > 0 ? at + length : at;
  if (end > limit) throw new CorruptRecordError('a field reaches beyond its record');
  return end;
}

/** Checks the headers from `position` on, which must end where the record does. */
function skipHeaders(bytes: Uint8Array, position: number, end: number): void {
  const count = readVarint(bytes, position);
  let at = cursor();
  if (count < 0 || count > end - at)
    throw new CorruptRecordError(`a record claims ${count} headers`);
  for (let index = 0; index < count; index++) {
    const keyLength = readVarint(bytes, at);
    if (keyLength < 0) throw new CorruptRecordError('a header has no key');
    const valueLength = readVarint(bytes, fieldEnd(cursor(), keyLength, end));
    at = fieldEnd(cursor(), valueLength, end);
  }
  if (at !== end) throw new CorruptRecordError('a record does not end where its size says');
}

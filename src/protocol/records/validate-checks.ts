/**
 * The checks of `validate.ts`, and the code and sentence with which each refuses, in the order in
 * which Kafka 4.4 looks (ProduceRequest, UnifiedLog, LogValidator).
 */
import type { WallMs } from '../../base/times';
import { Errors } from '../errors';
import * as batch from './batch';
import { batchSizeAt, CORRUPT, TORN } from './batches';
import { CorruptRecordError, DecompressionLimitError } from './corrupt-record-error';
import type { RecordsBytes } from './record';
import { type Walk, walkRecords } from './walk';
import { ZstdUnavailableError } from './zstd';

/** Settings of the topic and version of the request. */
export interface ValidationSettings {
  /** Of the Produce request: zstd is allowed from 7 on. */
  readonly produceVersion: number;
  /** Whether `cleanup.policy` holds `compact`: every record needs a key. */
  readonly isCompacted: boolean;
  /** `max.message.bytes`: the batch, compressed. */
  readonly maxMessageBytes: number;
  /** `segment.bytes`: what is stored never exceeds it. */
  readonly segmentBytes: number;
  /** `compression.type`; 'producer' keeps what came. */
  readonly compressionType: 'producer' | 'uncompressed' | Exclude<batch.CompressionType, 'none'>;
  /** `compression.*.level` of that type. */
  readonly compressionLevel?: number | undefined;
  /** `message.timestamp.type`. */
  readonly timestampType: batch.TimestampType;
  /** `message.timestamp.before.max.ms`. */
  readonly timestampBeforeMaxMs: bigint;
  /** `message.timestamp.after.max.ms`. */
  readonly timestampAfterMaxMs: bigint;
  /** What the records may decompress to; ottla's own limit (`DEFAULT_DECOMPRESSED_LIMIT_BYTES`). */
  readonly maxDecompressedBytes: number;
}

/** Of so many records a producer is told what is wrong with each. */
const MAX_RECORD_ERRORS = 1000;

interface RecordError {
  /** Index of the record in its batch. */
  readonly batchIndex: number;
  readonly message: string;
}

export interface RefusedBatch {
  readonly outcome: 'refused';
  /** Kafka's code: -1, 2, 10, 18, 32, 76 or 87. */
  readonly errorCode: number;
  readonly message: string;
  /** For Produce v8 and later; empty unless single records are at fault. */
  readonly recordErrors: readonly RecordError[];
}

/** One batch of magic 2 and nothing whole behind it. */
export function checkFraming(
  records: Buffer,
  settings: Pick<ValidationSettings, 'produceVersion'>,
): RefusedBatch | undefined {
  const size = batchSizeAt(records, 0, records.length);
  if (size === TORN) return refuse(Errors.INVALID_RECORD, 'There is no whole record batch.');
  if (size === CORRUPT) return refuse(Errors.CORRUPT_MESSAGE, 'These bytes are no record batch.');
  const version = batch.magic(records, 0);
  if (version !== 2) {
    return refuse(Errors.INVALID_RECORD, `Record batches have magic 2 here, not ${version}.`);
  }
  if (settings.produceVersion < 7 && batch.compression(records, 0) === 'zstd') {
    return refuse(
      Errors.UNSUPPORTED_COMPRESSION_TYPE,
      `zstd needs Produce version 7, this is ${settings.produceVersion}.`,
    );
  }
  const second = batchSizeAt(records, size, records.length);
  if (second === TORN) return undefined;
  return second === CORRUPT
    ? refuse(Errors.CORRUPT_MESSAGE, 'The bytes behind the record batch are no record batch.')
    : refuse(Errors.INVALID_RECORD, 'There is more than one record batch for the partition.');
}

export function checkHeader(
  records: Buffer,
  settings: ValidationSettings,
): RefusedBatch | undefined {
  const size = batch.sizeInBytes(records, 0);
  if (batch.baseOffset(records, 0) !== 0) {
    return refuse(Errors.INVALID_RECORD, 'A producer’s batch begins at offset 0.');
  }
  if (size > settings.maxMessageBytes) return refuseTooLarge(size, settings);
  if (!batch.hasValidCrc(records, 0)) {
    return refuse(Errors.CORRUPT_MESSAGE, 'The checksum of the record batch is wrong.');
  }
  if (batch.compression(records, 0) === undefined) {
    // Kafka knows no better code: its CompressionType.forId throws what no error code stands for.
    const id = batch.compressionId(records, 0);
    return refuse(Errors.UNKNOWN_SERVER_ERROR, `There is no compression type ${id}.`);
  }
  const reason = reasonAgainstCounts(records) ?? reasonAgainstProducer(records);
  return reason === undefined ? undefined : refuse(Errors.INVALID_RECORD, reason);
}

function reasonAgainstCounts(records: Buffer): string | undefined {
  const lastOffsetDelta = batch.lastOffsetDelta(records, 0);
  const recordCount = batch.recordCount(records, 0);
  if (lastOffsetDelta < 0) return `The last offset delta is ${lastOffsetDelta}.`;
  if (recordCount <= 0) return `The record count is ${recordCount}.`;
  if (lastOffsetDelta + 1 !== recordCount) {
    return `The record count is ${recordCount}, but the last offset delta ${lastOffsetDelta}.`;
  }
  return undefined;
}

/**
 * Flags and producer. Kafka leaves the delete horizon, a transaction without a producer, a negative
 * epoch and ids from 2^53 on to chance; nothing that is right has them.
 */
function reasonAgainstProducer(records: Buffer): string | undefined {
  if (batch.isControl(records, 0)) return 'Clients may not write control records.';
  if (batch.hasDeleteHorizon(records, 0)) return 'Clients may not set a delete horizon.';
  if (!batch.hasProducerId(records, 0)) {
    return batch.isTransactional(records, 0)
      ? 'A transactional batch needs a producer id.'
      : undefined;
  }
  const sequence = batch.baseSequence(records, 0);
  const epoch = batch.producerEpoch(records, 0);
  if (sequence < 0) return `The base sequence of a producer’s batch is ${sequence}.`;
  if (epoch < 0) return `The producer epoch is ${epoch}.`;
  if (!Number.isSafeInteger(batch.producerId(records, 0))) return 'No such producer id exists.';
  return undefined;
}

export interface CheckedRecords {
  readonly outcome: 'checked';
  readonly walk: Walk;
}

export function checkRecords(
  whole: Buffer,
  payload: RecordsBytes,
  settings: ValidationSettings,
  nowMs: WallMs,
): CheckedRecords | RefusedBatch {
  const isCreateTime = settings.timestampType === 'CreateTime';
  let walk: Walk;
  try {
    walk = walkRecords(whole, payload, {
      requiresKeys: settings.isCompacted,
      timestampRange: isCreateTime
        ? {
            now: nowMs,
            beforeMaxMs: settings.timestampBeforeMaxMs,
            afterMaxMs: settings.timestampAfterMaxMs,
          }
        : undefined,
    });
  } catch (error) {
    if (!(error instanceof CorruptRecordError)) throw error;
    return refuse(Errors.INVALID_RECORD, `The records are malformed: ${error.message}.`);
  }
  return refusedRecords(whole, walk, settings, nowMs) ?? { outcome: 'checked', walk };
}

/** The records at fault; only one kind of fault is told of each. */
function refusedRecords(
  whole: Buffer,
  walk: Walk,
  settings: ValidationSettings,
  nowMs: WallMs,
): RefusedBatch | undefined {
  const badTimes = isStampedByClient(whole, settings)
    ? indexesExcept(batch.recordCount(whole, 0), walk.withoutKey)
    : walk.outOfRange;
  if (badTimes.length === 0 && walk.withoutKey.length === 0) return undefined;
  const keyMessage = 'A compacted topic takes only records with a key.';
  const timeMessage =
    badTimes === walk.outOfRange
      ? rangeMessage(settings, nowMs)
      : 'A producer may not set the timestamp type LogAppendTime.';
  const recordErrors = firstErrors(walk.withoutKey, keyMessage, badTimes, timeMessage);
  return badTimes.length > 0
    ? refuse(Errors.INVALID_TIMESTAMP, 'Timestamps of records are invalid.', recordErrors)
    : refuse(Errors.INVALID_RECORD, 'Records were refused.', recordErrors);
}

/** Kafka looks at the claim only where it does not check the range. */
function isStampedByClient(whole: Buffer, settings: ValidationSettings): boolean {
  if (batch.timestampType(whole, 0) !== 'LogAppendTime') return false;
  const hasTimestamp = batch.maxTimestamp(whole, 0) !== batch.NO_TIMESTAMP;
  return settings.timestampType === 'LogAppendTime' || !hasTimestamp;
}

/** The first of those that are not excepted; `excepted` ascends. */
function indexesExcept(count: number, excepted: readonly number[]): number[] {
  const others: number[] = [];
  let next = 0;
  for (let index = 0; index < count && others.length < MAX_RECORD_ERRORS; index++) {
    if (index === excepted[next]) next += 1;
    else others.push(index);
  }
  return others;
}

/** The first errors of two kinds by index; a batch may hold millions of records at fault. */
function firstErrors(
  ones: readonly number[],
  oneMessage: string,
  others: readonly number[],
  otherMessage: string,
): readonly RecordError[] {
  const errors: RecordError[] = [];
  let one = 0;
  let other = 0;
  while (errors.length < MAX_RECORD_ERRORS) {
    const batchIndex = Math.min(ones[one] ?? Infinity, others[other] ?? Infinity);
    if (batchIndex === Infinity) break;
    const isOne = batchIndex === ones[one];
    errors.push({ batchIndex, message: isOne ? oneMessage : otherMessage });
    if (isOne) one += 1;
    else other += 1;
  }
  return errors;
}

function rangeMessage(settings: ValidationSettings, nowMs: WallMs): string {
  const oldest = BigInt(nowMs) - settings.timestampBeforeMaxMs;
  const newest = BigInt(nowMs) + settings.timestampAfterMaxMs;
  return `The timestamp is not within [${oldest}, ${newest}].`;
}

function refuse(
  errorCode: number,
  message: string,
  recordErrors: readonly RecordError[] = [],
): RefusedBatch {
  return { outcome: 'refused', errorCode, message, recordErrors };
}

export const refuseTooLarge = (size: number, settings: ValidationSettings): RefusedBatch =>
  refuse(
    Errors.MESSAGE_TOO_LARGE,
    `The record batch has ${size} bytes, max.message.bytes is ${settings.maxMessageBytes}.`,
  );

export const refuseTooLargeForSegment = (
  stored: Buffer,
  settings: ValidationSettings,
): RefusedBatch =>
  refuse(
    Errors.RECORD_LIST_TOO_LARGE,
    `The record batch has ${stored.length} bytes, segment.bytes is ${settings.segmentBytes}.`,
  );

/** Kafka answers what does not decompress with its code for the unforeseen. */
export function refuseUnreadable(error: unknown): RefusedBatch {
  if (error instanceof DecompressionLimitError) {
    return refuse(Errors.MESSAGE_TOO_LARGE, `The batch is refused: ${error.message}.`);
  }
  if (error instanceof ZstdUnavailableError) {
    return refuse(Errors.UNSUPPORTED_COMPRESSION_TYPE, `${error.message}.`);
  }
  if (error instanceof CorruptRecordError) {
    return refuse(Errors.UNKNOWN_SERVER_ERROR, `The records do not decompress: ${error.message}.`);
  }
  throw error;
}

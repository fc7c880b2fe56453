/**
 * The header of a record batch of magic 2: reading each field and patching some in place, without
 * allocation. Every function takes the buffer and the position of the batch's first byte; the
 * caller has made sure (`batches.ts`) that the whole header lies in the buffer.
 *
 * Layout (big-endian): 0 baseOffset i64 · 8 batchLength i32 · 12 partitionLeaderEpoch i32 ·
 * 16 magic i8 · 17 crc u32 over 21…end · 21 attributes i16 · 23 lastOffsetDelta i32 ·
 * 27 baseTimestamp i64 · 35 maxTimestamp i64 · 43 producerId i64 · 51 producerEpoch i16 ·
 * 53 baseSequence i32 · 57 recordCount i32 · 61 records. Source: KIP-98, KIP-534 (delete horizon).
 */
import type { LeaderEpoch, Offset, ProducerEpoch, ProducerId } from '../../base/ids';
import { crc32c } from './crc32c';

/** Bytes before the records of a batch. */
export const BATCH_OVERHEAD = 61;
/** Bytes of base offset and length, which the length does not count. */
export const LOG_OVERHEAD = 12;
/** Bytes up to and with the magic byte: the least that tells what follows. */
export const HEADER_UP_TO_MAGIC = 17;

export const NO_TIMESTAMP = -1;
export const NO_PRODUCER_ID = -1;
export const NO_PRODUCER_EPOCH = -1;
export const NO_SEQUENCE = -1;
export const NO_LEADER_EPOCH = -1;
/** After the greatest sequence number comes 0. */
export const MAX_SEQUENCE = 0x7fffffff;

/** Kafka's names, as in `compression.type`. */
export type CompressionType = 'none' | 'gzip' | 'snappy' | 'lz4' | 'zstd';
/** Index = the id in the attributes. */
export const COMPRESSION_TYPES: readonly CompressionType[] = [
  'none',
  'gzip',
  'snappy',
  'lz4',
  'zstd',
];
/** Kafka's names, as in `message.timestamp.type`. */
export type TimestampType = 'CreateTime' | 'LogAppendTime';

const BATCH_LENGTH = 8;
const LEADER_EPOCH = 12;
const MAGIC = 16;
const CRC = 17;
const ATTRIBUTES = 21;
const LAST_OFFSET_DELTA = 23;
const BASE_TIMESTAMP = 27;
const MAX_TIMESTAMP = 35;
const PRODUCER_ID = 43;
const PRODUCER_EPOCH = 51;
const BASE_SEQUENCE = 53;
const RECORD_COUNT = 57;

/** The low byte of the attributes; Kafka gives the high byte no meaning. */
export const COMPRESSION_MASK = 0x07;
export const LOG_APPEND_TIME_FLAG = 0x08;
export const TRANSACTIONAL_FLAG = 0x10;
export const CONTROL_FLAG = 0x20;
export const DELETE_HORIZON_FLAG = 0x40;

/** All fields of one header, for code off the hot path, tools and tests. */
export interface BatchHeader {
  readonly position: number;
  readonly baseOffset: Offset;
  readonly lastOffset: Offset;
  readonly lastOffsetDelta: number;
  readonly sizeInBytes: number;
  readonly leaderEpoch: LeaderEpoch;
  readonly magic: number;
  readonly crc: number;
  readonly attributes: number;
  /** `undefined` for the ids 5 to 7, which mean nothing. */
  readonly compression: CompressionType | undefined;
  readonly timestampType: TimestampType;
  readonly isTransactional: boolean;
  readonly isControl: boolean;
  /** When tombstones and markers in this batch may go; `undefined` if not set. */
  readonly deleteHorizonMs: bigint | undefined;
  readonly baseTimestamp: bigint;
  readonly maxTimestamp: bigint;
  readonly producerId: bigint;
  readonly producerEpoch: ProducerEpoch;
  readonly baseSequence: number;
  readonly lastSequence: number;
  readonly recordCount: number;
}

export function readBatchHeader(buffer: Uint8Array, position: number): BatchHeader {
  return {
    position,
    baseOffset: baseOffset(buffer, position),
    lastOffset: lastOffset(buffer, position),
    lastOffsetDelta: lastOffsetDelta(buffer, position),
    sizeInBytes: sizeInBytes(buffer, position),
    leaderEpoch: leaderEpoch(buffer, position),
    magic: magic(buffer, position),
    crc: crc(buffer, position),
    attributes: attributes(buffer, position),
    compression: compression(buffer, position),
    timestampType: timestampType(buffer, position),
    isTransactional: isTransactional(buffer, position),
    isControl: isControl(buffer, position),
    deleteHorizonMs: hasDeleteHorizon(buffer, position)
      ? exactBaseTimestamp(buffer, position)
      : undefined,
    baseTimestamp: exactBaseTimestamp(buffer, position),
    maxTimestamp: exactMaxTimestamp(buffer, position),
    producerId: exactProducerId(buffer, position),
    producerEpoch: producerEpoch(buffer, position),
    baseSequence: baseSequence(buffer, position),
    lastSequence: lastSequence(buffer, position),
    recordCount: recordCount(buffer, position),
  };
}

/** The offset of the first record, kept even when that record was compacted away. */
export const baseOffset = (buffer: Uint8Array, position: number): Offset =>
  readInt64(buffer, position);

/** The whole batch, header and length field included. */
export const sizeInBytes = (buffer: Uint8Array, position: number): number =>
  LOG_OVERHEAD + readInt32(buffer, position + BATCH_LENGTH);

/** The epoch of the leader that appended the batch; outside the CRC. */
export const leaderEpoch = (buffer: Uint8Array, position: number): LeaderEpoch =>
  readInt32(buffer, position + LEADER_EPOCH);

export const magic = (buffer: Uint8Array, position: number): number =>
  ((buffer[position + MAGIC] as number) << 24) >> 24;

/** The stored checksum, unsigned. */
export const crc = (buffer: Uint8Array, position: number): number =>
  readInt32(buffer, position + CRC) >>> 0;

/** All sixteen bits, unsigned. */
const attributes = (buffer: Uint8Array, position: number): number =>
  ((buffer[position + ATTRIBUTES] as number) << 8) | flags(buffer, position);

/** The id 0 to 7 in the attributes; 5 to 7 mean nothing. */
export const compressionId = (buffer: Uint8Array, position: number): number =>
  flags(buffer, position) & COMPRESSION_MASK;

/** `undefined` for the ids 5 to 7. */
export const compression = (buffer: Uint8Array, position: number): CompressionType | undefined =>
  COMPRESSION_TYPES[compressionId(buffer, position)];

export const timestampType = (buffer: Uint8Array, position: number): TimestampType =>
  (flags(buffer, position) & LOG_APPEND_TIME_FLAG) === 0 ? 'CreateTime' : 'LogAppendTime';

export const isTransactional = (buffer: Uint8Array, position: number): boolean =>
  (flags(buffer, position) & TRANSACTIONAL_FLAG) !== 0;

export const isControl = (buffer: Uint8Array, position: number): boolean =>
  (flags(buffer, position) & CONTROL_FLAG) !== 0;

/** If so, the base timestamp *is* the horizon, and record timestamps are relative to it. */
export const hasDeleteHorizon = (buffer: Uint8Array, position: number): boolean =>
  (flags(buffer, position) & DELETE_HORIZON_FLAG) !== 0;

export const lastOffsetDelta = (buffer: Uint8Array, position: number): number =>
  readInt32(buffer, position + LAST_OFFSET_DELTA);

export const lastOffset = (buffer: Uint8Array, position: number): Offset =>
  baseOffset(buffer, position) + lastOffsetDelta(buffer, position);

/** Milliseconds since 1970, or the delete horizon; nearest number, exact within ±2^53. */
export const baseTimestamp = (buffer: Uint8Array, position: number): number =>
  readInt64(buffer, position + BASE_TIMESTAMP);

/** As `baseTimestamp`, exact for every value: clients may name any int64. */
export const exactBaseTimestamp = (buffer: Uint8Array, position: number): bigint =>
  readBigInt64(buffer, position + BASE_TIMESTAMP);

/** Milliseconds since 1970, -1 for none; nearest number, exact within ±2^53. */
export const maxTimestamp = (buffer: Uint8Array, position: number): number =>
  readInt64(buffer, position + MAX_TIMESTAMP);

/** As an int64 again: clients may name the greatest, whose nearest number lies beyond it. */
export function toTimestamp64(nearest: number): bigint {
  const exact = BigInt(nearest);
  return exact < GREATEST_INT64 ? exact : GREATEST_INT64;
}

const GREATEST_INT64 = 2n ** 63n - 1n;

/** As `maxTimestamp`, exact for every value. */
export const exactMaxTimestamp = (buffer: Uint8Array, position: number): bigint =>
  readBigInt64(buffer, position + MAX_TIMESTAMP);

/** Negative for none. Validation refuses ids from 2^53 on, so that logs hold exact ones. */
export const producerId = (buffer: Uint8Array, position: number): ProducerId =>
  readInt64(buffer, position + PRODUCER_ID);

/** As `producerId`, exact for every value a client may name. */
export const exactProducerId = (buffer: Uint8Array, position: number): bigint =>
  readBigInt64(buffer, position + PRODUCER_ID);

/**
 * Whether the batch belongs to an idempotent or transactional producer. Epoch and sequence do not
 * count: kafkajs sends epoch 0 and sequence 0 with producer id -1.
 */
export const hasProducerId = (buffer: Uint8Array, position: number): boolean =>
  (buffer[position + PRODUCER_ID] as number) < 0x80;

export const producerEpoch = (buffer: Uint8Array, position: number): ProducerEpoch =>
  (((buffer[position + PRODUCER_EPOCH] as number) << 24) >> 16) |
  (buffer[position + PRODUCER_EPOCH + 1] as number);

/** -1 for none. */
export const baseSequence = (buffer: Uint8Array, position: number): number =>
  readInt32(buffer, position + BASE_SEQUENCE);

/** The sequence of the last record, wrapped; -1 for none. */
export function lastSequence(buffer: Uint8Array, position: number): number {
  const first = baseSequence(buffer, position);
  if (first === NO_SEQUENCE) return NO_SEQUENCE;
  return incrementSequence(first, lastOffsetDelta(buffer, position));
}

/** How many records the header claims; may be 0 after compaction. */
export const recordCount = (buffer: Uint8Array, position: number): number =>
  readInt32(buffer, position + RECORD_COUNT);

/** A sequence `increment` records later: 2^31 - 1 is followed by 0. */
export const incrementSequence = (sequence: number, increment: number): number =>
  sequence > MAX_SEQUENCE - increment
    ? sequence + increment - MAX_SEQUENCE - 1
    : sequence + increment;

/** A sequence `decrement` records earlier: 0 is preceded by 2^31 - 1. */
export const decrementSequence = (sequence: number, decrement: number): number =>
  sequence < decrement ? sequence - decrement + MAX_SEQUENCE + 1 : sequence - decrement;

/** Whether the stored checksum is that of the bytes. */
export const hasValidCrc = (buffer: Uint8Array, position: number): boolean =>
  crc(buffer, position) === computeCrc(buffer, position);

/** CRC-32C of everything from the attributes to the end of the batch. */
export const computeCrc = (buffer: Uint8Array, position: number): number =>
  crc32c(buffer, position + ATTRIBUTES, position + sizeInBytes(buffer, position));

/** Outside the CRC. */
export const setBaseOffset = (buffer: Uint8Array, position: number, offset: Offset): void =>
  writeInt64(buffer, position, offset);

/** Outside the CRC. */
export const setLeaderEpoch = (buffer: Uint8Array, position: number, epoch: LeaderEpoch): void =>
  writeInt32(buffer, position + LEADER_EPOCH, epoch);

/**
 * Sets timestamp type and greatest timestamp (a number if it is a safe integer), and the CRC if
 * either changed. As in Kafka the high byte of the attributes is then cleared.
 */
export function setMaxTimestamp(
  buffer: Uint8Array,
  position: number,
  type: TimestampType,
  timestampMs: number | bigint,
): void {
  const current =
    typeof timestampMs === 'number'
      ? maxTimestamp(buffer, position)
      : exactMaxTimestamp(buffer, position);
  if (timestampType(buffer, position) === type && current === timestampMs) return;
  const kept = flags(buffer, position) & ~LOG_APPEND_TIME_FLAG & 0x7f;
  buffer[position + ATTRIBUTES] = 0;
  buffer[position + ATTRIBUTES + 1] = type === 'LogAppendTime' ? kept | LOG_APPEND_TIME_FLAG : kept;
  writeBigInt64(buffer, position + MAX_TIMESTAMP, BigInt(timestampMs));
  setCrc(buffer, position);
}

/** Stores the checksum of the bytes as they are. */
export const setCrc = (buffer: Uint8Array, position: number): void =>
  writeInt32(buffer, position + CRC, computeCrc(buffer, position));

/** What `writeBatchHeader` needs; the records already stand behind the header. */
export interface BatchHeaderFields {
  readonly baseOffset: Offset;
  readonly sizeInBytes: number;
  readonly leaderEpoch: LeaderEpoch;
  readonly attributes: number;
  readonly lastOffsetDelta: number;
  readonly baseTimestamp: bigint;
  readonly maxTimestamp: bigint;
  readonly producerId: bigint;
  readonly producerEpoch: ProducerEpoch;
  readonly baseSequence: number;
  readonly recordCount: number;
}

/** Writes a whole header of magic 2 and its CRC, which covers the records behind it. */
export function writeBatchHeader(
  buffer: Uint8Array,
  position: number,
  fields: BatchHeaderFields,
): void {
  writeInt64(buffer, position, fields.baseOffset);
  writeInt32(buffer, position + BATCH_LENGTH, fields.sizeInBytes - LOG_OVERHEAD);
  writeInt32(buffer, position + LEADER_EPOCH, fields.leaderEpoch);
  buffer[position + MAGIC] = 2;
  buffer[position + ATTRIBUTES] = fields.attributes >> 8;
  buffer[position + ATTRIBUTES + 1] = fields.attributes;
  writeInt32(buffer, position + LAST_OFFSET_DELTA, fields.lastOffsetDelta);
  writeBigInt64(buffer, position + BASE_TIMESTAMP, fields.baseTimestamp);
  writeBigInt64(buffer, position + MAX_TIMESTAMP, fields.maxTimestamp);
  writeBigInt64(buffer, position + PRODUCER_ID, fields.producerId);
  buffer[position + PRODUCER_EPOCH] = fields.producerEpoch >> 8;
  buffer[position + PRODUCER_EPOCH + 1] = fields.producerEpoch;
  writeInt32(buffer, position + BASE_SEQUENCE, fields.baseSequence);
  writeInt32(buffer, position + RECORD_COUNT, fields.recordCount);
  setCrc(buffer, position);
}

/** The low byte of the attributes. */
function flags(buffer: Uint8Array, position: number): number {
  return buffer[position + ATTRIBUTES + 1] as number;
}

/** Big-endian, byte by byte: Buffer's own setters cost ten times as much on Node 20. */
function readInt32(buffer: Uint8Array, at: number): number {
  return (
    ((buffer[at] as number) << 24) |
    ((buffer[at + 1] as number) << 16) |
    ((buffer[at + 2] as number) << 8) |
    (buffer[at + 3] as number)
  );
}

function writeInt32(buffer: Uint8Array, at: number, value: number): void {
  buffer[at] = value >> 24;
  buffer[at + 1] = value >> 16;
  buffer[at + 2] = value >> 8;
  buffer[at + 3] = value;
}

/** The nearest number; exact within ±2^53. */
function readInt64(buffer: Uint8Array, at: number): number {
  return readInt32(buffer, at) * 0x100000000 + (readInt32(buffer, at + 4) >>> 0);
}

function writeInt64(buffer: Uint8Array, at: number, value: number): void {
  writeInt32(buffer, at, Math.floor(value / 0x100000000));
  writeInt32(buffer, at + 4, value >>> 0);
}

function readBigInt64(buffer: Uint8Array, at: number): bigint {
  return (BigInt(readInt32(buffer, at)) << 32n) | BigInt(readInt32(buffer, at + 4) >>> 0);
}

function writeBigInt64(buffer: Uint8Array, at: number, value: bigint): void {
  writeInt32(buffer, at, Number(BigInt.asIntN(32, value >> 32n)));
  writeInt32(buffer, at + 4, Number(BigInt.asUintN(32, value)));
}

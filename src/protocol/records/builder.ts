/** Building batches of magic 2 from records: for machines, the quorum log, tools and tests. */
import type { LeaderEpoch, Offset, ProducerEpoch } from '../../base/ids';
import { invariant } from '../../base/invariant';
import * as batch from './batch';
import { compress } from './compression';
import { sizeOfVarint, sizeOfVarlong, writeVarint, writeVarlong } from './varint';

/** Text stands for its UTF-8 bytes. */
type BytesIn = Uint8Array | string | null;

interface HeaderIn {
  readonly key: string;
  readonly value: BytesIn;
}

export interface RecordIn {
  /** Absolute, rising within the batch. Default: the one after the record before. */
  readonly offset?: Offset;
  /** Milliseconds since 1970; -1 for none. */
  readonly timestamp: number | bigint;
  readonly key?: BytesIn;
  readonly value?: BytesIn;
  readonly headers?: readonly HeaderIn[];
}

export interface BatchOptions {
  /** Default 0. */
  readonly baseOffset?: Offset;
  /** Default: the offset of the last record. Later where the last records were compacted away. */
  readonly lastOffset?: Offset;
  /** Default -1. */
  readonly leaderEpoch?: LeaderEpoch;
  /** Given, the batch is of LogAppendTime and carries this. */
  readonly logAppendTimeMs?: number | bigint;
  /** Default -1. With one go epoch and sequence (a control batch has no sequence). */
  readonly producerId?: number | bigint;
  readonly producerEpoch?: ProducerEpoch;
  readonly baseSequence?: number;
  readonly isTransactional?: boolean;
  readonly isControl?: boolean;
  /** When tombstones and markers in this batch may go (KIP-534). */
  readonly deleteHorizonMs?: number | bigint;
  /** Default 'none'. */
  readonly compression?: batch.CompressionType;
  /** Default: Kafka's for that compression. */
  readonly compressionLevel?: number;
}

/** One whole batch with its CRC. No records are allowed only where `lastOffset` is given. */
export function buildBatch(records: readonly RecordIn[], options: BatchOptions = {}): Buffer {
  checkProducer(options);
  const baseTimestamp =
    toBigInt(options.deleteHorizonMs) ?? toBigInt(records[0]?.timestamp) ?? NO_TIMESTAMP;
  const plan = planRecords(records, { ...options, baseTimestamp });
  const whole = writeRecords(plan, batch.BATCH_OVERHEAD);
  const fields: HeaderOptions = {
    baseOffset: options.baseOffset ?? 0,
    leaderEpoch: options.leaderEpoch ?? batch.NO_LEADER_EPOCH,
    attributes: attributesOf(options),
    lastOffsetDelta: plan.lastOffsetDelta,
    baseTimestamp,
    maxTimestamp: toBigInt(options.logAppendTimeMs) ?? plan.maxTimestamp,
    producerId: BigInt(options.producerId ?? batch.NO_PRODUCER_ID),
    producerEpoch: options.producerEpoch ?? batch.NO_PRODUCER_EPOCH,
    baseSequence: options.baseSequence ?? batch.NO_SEQUENCE,
    recordCount: records.length,
  };
  if (options.compression !== undefined && options.compression !== 'none') {
    const payload = whole.subarray(batch.BATCH_OVERHEAD);
    return wrapRecords(payload, fields, options.compression, options.compressionLevel);
  }
  batch.writeBatchHeader(whole, 0, { ...fields, sizeInBytes: whole.length });
  return whole;
}

/** The records alone, uncompressed, relative to `baseTimestamp` and with offset deltas from 0. */
export const encodeRecords = (records: readonly RecordIn[], baseTimestamp: bigint): Buffer =>
  writeRecords(planRecords(records, { baseTimestamp }), 0);

/** A header without what `wrapRecords` knows; it sets the compression bits of the attributes. */
export type HeaderOptions = Omit<batch.BatchHeaderFields, 'sizeInBytes'>;

/** A new batch of records that are encoded already, uncompressed: compresses them if asked. */
export function wrapRecords(
  payload: Uint8Array,
  header: HeaderOptions,
  compression: batch.CompressionType,
  compressionLevel?: number,
): Buffer {
  const records =
    compression === 'none' ? payload : compress(compression, payload, compressionLevel);
  const whole = Buffer.allocUnsafe(batch.BATCH_OVERHEAD + records.length);
  whole.set(records, batch.BATCH_OVERHEAD);
  const compressionId = batch.COMPRESSION_TYPES.indexOf(compression);
  const attributes = (header.attributes & ~batch.COMPRESSION_MASK) | compressionId;
  batch.writeBatchHeader(whole, 0, { ...header, attributes, sizeInBytes: whole.length });
  return whole;
}

/** A record whose texts are bytes and whose sizes are known. */
interface PlannedRecord {
  readonly bodySize: number;
  readonly timestampDelta: bigint;
  readonly offsetDelta: number;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers: readonly { readonly key: Uint8Array; readonly value: Uint8Array | null }[];
}

interface Plan {
  readonly records: readonly PlannedRecord[];
  readonly sizeInBytes: number;
  readonly lastOffsetDelta: number;
  readonly maxTimestamp: bigint;
}

function planRecords(
  records: readonly RecordIn[],
  options: Pick<BatchOptions, 'baseOffset' | 'lastOffset'> & { readonly baseTimestamp: bigint },
): Plan {
  const { baseTimestamp } = options;
  const baseOffset = options.baseOffset ?? 0;
  const planned: PlannedRecord[] = [];
  let sizeInBytes = 0;
  let lastOffsetDelta = -1;
  let maxTimestamp = NO_TIMESTAMP;
  for (const record of records) {
    const timestamp = BigInt(record.timestamp);
    if (timestamp > maxTimestamp) maxTimestamp = timestamp;
    const offsetDelta =
      record.offset === undefined ? lastOffsetDelta + 1 : record.offset - baseOffset;
    invariant(offsetDelta > lastOffsetDelta, 'offsets rise within a batch');
    lastOffsetDelta = offsetDelta;
    const one = planRecord(record, BigInt.asIntN(64, timestamp - baseTimestamp), offsetDelta);
    planned.push(one);
    sizeInBytes += sizeOfVarint(one.bodySize) + one.bodySize;
  }
  if (options.lastOffset !== undefined) {
    invariant(options.lastOffset - baseOffset >= lastOffsetDelta, 'the last offset is the last');
    lastOffsetDelta = options.lastOffset - baseOffset;
  }
  invariant(lastOffsetDelta >= 0, 'a batch without records says where it ends');
  return { records: planned, sizeInBytes, lastOffsetDelta, maxTimestamp };
}

function planRecord(record: RecordIn, timestampDelta: bigint, offsetDelta: number): PlannedRecord {
  const key = toBytes(record.key);
  const value = toBytes(record.value);
  const headers = (record.headers ?? []).map((header) => ({
    key: Buffer.from(header.key, 'utf8'),
    value: toBytes(header.value),
  }));
  let bodySize = 1 + sizeOfVarlong(timestampDelta) + sizeOfVarint(offsetDelta);
  bodySize += sizeOfField(key) + sizeOfField(value) + sizeOfVarint(headers.length);
  for (const header of headers) bodySize += sizeOfField(header.key) + sizeOfField(header.value);
  return { bodySize, timestampDelta, offsetDelta, key, value, headers };
}

/** All records, behind `free` bytes. */
function writeRecords(plan: Plan, free: number): Buffer {
  const into = Buffer.allocUnsafe(free + plan.sizeInBytes);
  let at = free;
  for (const record of plan.records) at = writeRecord(into, at, record);
  invariant(at === into.length, 'the records take the bytes that were reckoned');
  return into;
}

function writeRecord(into: Uint8Array, position: number, record: PlannedRecord): number {
  let at = writeVarint(into, position, record.bodySize);
  into[at++] = 0;
  at = writeVarlong(into, at, record.timestampDelta);
  at = writeVarint(into, at, record.offsetDelta);
  at = writeField(into, at, record.key);
  at = writeField(into, at, record.value);
  at = writeVarint(into, at, record.headers.length);
  for (const header of record.headers) {
    at = writeField(into, at, header.key);
    at = writeField(into, at, header.value);
  }
  return at;
}

function writeField(into: Uint8Array, position: number, bytes: Uint8Array | null): number {
  if (bytes === null) return writeVarint(into, position, -1);
  const at = writeVarint(into, position, bytes.length);
  into.set(bytes, at);
  return at + bytes.length;
}

const sizeOfField = (bytes: Uint8Array | null): number =>
  bytes === null ? 1 : sizeOfVarint(bytes.length) + bytes.length;

function toBytes(value: BytesIn | undefined): Uint8Array | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? Buffer.from(value, 'utf8') : value;
}

const NO_TIMESTAMP = BigInt(batch.NO_TIMESTAMP);

const toBigInt = (value: number | bigint | undefined): bigint | undefined =>
  value === undefined ? undefined : BigInt(value);

function attributesOf(options: BatchOptions): number {
  return (
    (options.logAppendTimeMs === undefined ? 0 : batch.LOG_APPEND_TIME_FLAG) |
    (options.isTransactional ? batch.TRANSACTIONAL_FLAG : 0) |
    (options.isControl ? batch.CONTROL_FLAG : 0) |
    (options.deleteHorizonMs === undefined ? 0 : batch.DELETE_HORIZON_FLAG)
  );
}

function checkProducer(options: BatchOptions): void {
  const hasProducer = BigInt(options.producerId ?? batch.NO_PRODUCER_ID) >= 0n;
  invariant(hasProducer || !options.isTransactional, 'a transactional batch names its producer');
  if (!hasProducer) return;
  invariant((options.producerEpoch ?? -1) >= 0, 'a batch with a producer has its epoch');
  invariant(options.isControl || (options.baseSequence ?? -1) >= 0, 'and its first sequence');
}

/** Reading batches of the metadata log: from the log, from a leader's answer, from a checkpoint. */
import { OperatorError } from '../base/operator-error';
import { type WallMs, wallMs } from '../base/times';
import {
  baseOffset,
  hasValidCrc,
  isControl,
  lastOffset,
  leaderEpoch,
  magic,
  maxTimestamp,
} from '../protocol/records/batch';
import { walkBatches } from '../protocol/records/batches';
import { buildBatch } from '../protocol/records/builder';
import { readRecords } from '../protocol/records/record';
import { quorumRecordsIn } from './control-records';
import type { FetchedBatch } from './messages';
import type { CommittedBatch, RecordSerde } from './quorum-log';

/** Kafka's bound on one batch of metadata. */
export const MAX_BATCH_BYTES = 8 * 1024 * 1024;

/** The metadata log, or what a peer sent, holds bytes that are no batch of it. */
export class CorruptMetadataError extends OperatorError {
  override readonly name = 'CorruptMetadataError';
}

/**
 * The whole and sound batches at the start of what a leader sent; what follows is asked for again.
 * The bytes are copied: they outlive the frame.
 */
export function fetchedBatches(bytes: Uint8Array): {
  readonly batches: FetchedBatch[];
  readonly isCorrupt: boolean;
} {
  const batches: FetchedBatch[] = [];
  const copy = Buffer.from(bytes);
  let isCorrupt = false;
  const walk = walkBatches(copy, 0, copy.length, (position, size) => {
    isCorrupt ||= magic(copy, position) !== 2 || !hasValidCrc(copy, position);
    if (isCorrupt) return;
    batches.push({
      baseOffset: baseOffset(copy, position),
      lastOffset: lastOffset(copy, position),
      epoch: leaderEpoch(copy, position),
      bytes: copy.subarray(position, position + size),
      records: isControl(copy, position) ? quorumRecordsIn(copy, position) : {},
    });
  });
  return { batches, isCorrupt: isCorrupt || walk.rest === 'corrupt' };
}

/** Calls `visit` with the position of each batch; anything but whole batches is corrupt. */
export function eachBatch(buffer: Buffer, visit: (position: number, size: number) => void): void {
  const walk = walkBatches(buffer, 0, buffer.length, visit);
  if (walk.rest !== 'none') throw new CorruptMetadataError('the metadata log holds half a batch');
}

/** Throws what `serde.decode` throws, and CorruptRecordError. */
export function readBatch<R>(
  buffer: Buffer,
  position: number,
  size: number,
  serde: RecordSerde<R>,
): CommittedBatch<R> {
  return {
    baseOffset: baseOffset(buffer, position),
    lastOffset: lastOffset(buffer, position),
    epoch: leaderEpoch(buffer, position),
    appendTimestampMs: wallMs(maxTimestamp(buffer, position)),
    sizeBytes: size,
    records: isControl(buffer, position) ? [] : readDataRecords(buffer, position, serde),
  };
}

export function readDataRecords<R>(buffer: Buffer, position: number, serde: RecordSerde<R>): R[] {
  const records: R[] = [];
  for (const { value, offset } of readRecords(buffer, position)) {
    if (value === null) throw new CorruptMetadataError(`the record at ${offset} has no value`);
    records.push(serde.decode(value));
  }
  return records;
}

export interface DataBatchOptions {
  readonly baseOffset: number;
  readonly epoch: number;
  readonly timestampMs: WallMs;
}

/** One batch of metadata records: uncompressed, all with one timestamp. */
export const dataBatch = (
  values: readonly Uint8Array[],
  { baseOffset: first, epoch, timestampMs }: DataBatchOptions,
): Buffer =>
  buildBatch(
    values.map((value) => ({ timestamp: timestampMs, value })),
    { baseOffset: first, leaderEpoch: epoch },
  );

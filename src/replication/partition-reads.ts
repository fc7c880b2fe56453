/** How a partition's log is read, and cut, for requests: within bounds, with Kafka's errors. */

import type { LeaderEpoch, Offset } from '../base/ids';
import { Errors } from '../protocol/errors';
import { CorruptLogError, StorageError } from '../storage/errors';
import {
  EARLIEST_LOCAL_TIMESTAMP,
  EARLIEST_TIMESTAMP,
  type EpochAndEndOffset,
  type FileSlice,
  LATEST_TIMESTAMP,
  type Log,
  type LogRead,
  type OffsetAndTimestamp,
} from '../storage/log';
import type { PartitionRead, ReadRequest, Refused, Result } from './partition-types';

const NONE_ABORTED: readonly never[] = [];

/** A read that gives nothing; see `errorCode` of the copy. */
export const NO_READ: PartitionRead = {
  errorCode: Errors.NONE,
  highWatermark: -1,
  lastStableOffset: -1,
  startOffset: -1,
  slice: undefined,
  sizeInBytes: 0,
  isAtEnd: false,
  abortedTransactions: NONE_ABORTED,
  divergingEpoch: undefined,
};

export const failedRead = (errorCode: number): PartitionRead => ({ ...NO_READ, errorCode });

/** The offsets that every answer shows. */
export type Shown = Pick<PartitionRead, 'highWatermark' | 'lastStableOffset' | 'startOffset'>;

/** Reads up to `until` (exclusive), unless the fetcher's log departs from this one. */
export function readLog(
  log: Log,
  request: ReadRequest,
  until: Offset,
  shown: Shown,
): PartitionRead {
  if (request.fetchOffset < 0n) return failedRead(Errors.OFFSET_OUT_OF_RANGE);
  const fetchOffset = Number(request.fetchOffset);
  try {
    const agreement = agreementOf(log, request.lastFetchedEpoch, fetchOffset);
    if (agreement === 'unknown') return failedRead(Errors.OFFSET_OUT_OF_RANGE);
    if (agreement !== 'agrees') return { ...NO_READ, ...shown, divergingEpoch: agreement };
    if (fetchOffset === log.endOffset || (fetchOffset >= until && isWithin(log, fetchOffset))) {
      return readOf(shown, undefined, 0, true);
    }
    const { maxBytes, isAtLeastOneBatch: atLeastOneBatch } = request;
    const read = log.read(fetchOffset, { maxBytes, until, atLeastOneBatch });
    if (read === undefined) return failedRead(Errors.OFFSET_OUT_OF_RANGE);
    const { slice, sizeInBytes } = read;
    if (slice === undefined || request.upTo !== 'last-stable') {
      return readOf(shown, slice, sizeInBytes, false);
    }
    const abortedTransactions = abortedIn(log, fetchOffset, read);
    return { ...readOf(shown, slice, sizeInBytes, false), abortedTransactions };
  } catch (error) {
    return failedRead(storageCode(error));
  }
}

const isWithin = ({ startOffset, endOffset }: Log, offset: Offset): boolean =>
  offset >= startOffset && offset <= endOffset;

/** Without spreading: most fetches read many partitions that have nothing. */
const readOf = (
  { highWatermark, lastStableOffset, startOffset }: Shown,
  slice: FileSlice | undefined,
  sizeInBytes: number,
  isAtEnd: boolean,
): PartitionRead => ({
  errorCode: Errors.NONE,
  highWatermark,
  lastStableOffset,
  startOffset,
  slice,
  sizeInBytes,
  isAtEnd,
  abortedTransactions: NONE_ABORTED,
  divergingEpoch: undefined,
});

function abortedIn(log: Log, fetchOffset: Offset, { slice, nextOffset }: LogRead) {
  try {
    return log.abortedTransactions(fetchOffset, nextOffset);
  } catch (error) {
    slice?.release();
    throw error;
  }
}

/** Whether a log that ends at `fetchOffset` with a record of that epoch may go on with this one. */
function agreementOf(
  log: Log,
  lastFetchedEpoch: LeaderEpoch,
  fetchOffset: Offset,
): 'agrees' | 'unknown' | EpochAndEndOffset {
  if (lastFetchedEpoch === -1) return 'agrees';
  const end = log.endOffsetForEpoch(lastFetchedEpoch);
  if (end === undefined || fetchOffset < log.startOffset) return 'unknown';
  return end.epoch < lastFetchedEpoch || end.endOffset < fetchOffset ? end : 'agrees';
}

/**
 * ListOffsets up to `bound` (exclusive). `isHighWatermarkBehind`: a consumer asks a new leader that
 * does not know yet what is committed of former terms. Undefined where there is no such record.
 */
export function findOffset(
  log: Log,
  timestamp: number,
  bound: Offset,
  isHighWatermarkBehind: boolean,
  leaderEpoch: LeaderEpoch,
): Result<OffsetAndTimestamp | undefined> {
  try {
    if (timestamp === LATEST_TIMESTAMP) {
      if (isHighWatermarkBehind) return offsetNotAvailable;
      return ok({ offset: bound, timestamp: -1, leaderEpoch });
    }
    const found = log.offsetForTimestamp(timestamp);
    const isBounded = timestamp !== EARLIEST_TIMESTAMP && timestamp !== EARLIEST_LOCAL_TIMESTAMP;
    if (!isBounded || (found !== undefined && found.offset < bound)) return ok(found);
    return isHighWatermarkBehind ? offsetNotAvailable : ok(undefined);
  } catch (error) {
    return refused(storageCode(error), '');
  }
}

/** Everything below `offset` (-1 = the high watermark) is deleted; the value is that offset. */
export function deleteBelow(log: Log, offset: bigint): Result<Offset> {
  const wanted = offset === -1n ? BigInt(log.highWatermark) : offset;
  if (wanted < 0n || wanted > BigInt(log.highWatermark)) {
    return refused(Errors.OFFSET_OUT_OF_RANGE, 'not up to the high watermark');
  }
  try {
    log.advanceStartOffset(Number(wanted));
    return ok(Number(wanted));
  } catch (error) {
    return refused(storageCode(error), '');
  }
}

export const ok = <T>(value: T): Result<T> => ({ kind: 'ok', value });

export const refused = (errorCode: number, message: string): Refused => ({
  kind: 'refused',
  errorCode,
  message,
});

const offsetNotAvailable = refused(
  Errors.OFFSET_NOT_AVAILABLE,
  'the high watermark has not reached the start of this leader epoch',
);

/** The code for a failing disk or a damaged batch; anything else is a bug and goes on. */
export function storageCode(error: unknown): number {
  if (error instanceof StorageError) return Errors.KAFKA_STORAGE_ERROR;
  if (error instanceof CorruptLogError) return Errors.CORRUPT_MESSAGE;
  throw error;
}

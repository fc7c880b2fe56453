/** Several batches one after another in a buffer: where each begins, and how the buffer ends. */
import { BATCH_OVERHEAD, HEADER_UP_TO_MAGIC, LOG_OVERHEAD, magic, sizeInBytes } from './batch';

/** `batchSizeAt`: the batch is cut short by the end of the buffer. */
export const TORN = 0;
/** `batchSizeAt`: these bytes are no batch. */
export const CORRUPT = -1;

/** The smallest batch of magic 0 after its length field: checksum, magic, attributes, two sizes. */
const LEAST_LENGTH = 14;

/**
 * The size of the batch at `position` if all of it lies before `end`, else TORN or CORRUPT. A
 * length too small for any batch, a magic other than 0 to 2, or a batch of magic 2 too small for
 * its header is corrupt, which shows even when the rest is missing. Nothing but framing is checked.
 */
export function batchSizeAt(buffer: Uint8Array, position: number, end: number): number {
  const remaining = end - position;
  if (remaining < LOG_OVERHEAD) return TORN;
  const size = sizeInBytes(buffer, position);
  if (size < LOG_OVERHEAD + LEAST_LENGTH) return CORRUPT;
  if (remaining < HEADER_UP_TO_MAGIC) return TORN;
  const version = magic(buffer, position);
  if (version < 0 || version > 2) return CORRUPT;
  if (version === 2 && size < BATCH_OVERHEAD) return CORRUPT;
  return remaining < size ? TORN : size;
}

/** How a walk over batches ended. */
export interface BatchesWalk {
  /** Where the last whole batch ends. */
  readonly end: number;
  readonly batchCount: number;
  /** What follows `end`: nothing, the beginning of a batch, or bytes that are no batch. */
  readonly rest: 'none' | 'torn' | 'corrupt';
}

/** Calls `visit` with position and size of each whole batch in [start, end). Never throws. */
export function walkBatches(
  buffer: Uint8Array,
  start: number,
  end: number,
  visit: (position: number, size: number) => void,
): BatchesWalk {
  let position = start;
  let batchCount = 0;
  while (position < end) {
    const size = batchSizeAt(buffer, position, end);
    if (size === TORN) return { end: position, batchCount, rest: 'torn' };
    if (size === CORRUPT) return { end: position, batchCount, rest: 'corrupt' };
    visit(position, size);
    batchCount++;
    position += size;
  }
  return { end: position, batchCount, rest: 'none' };
}

/** The positions of the whole batches in [start, end), up to the first torn or corrupt one. */
export function batchPositions(buffer: Uint8Array, start = 0, end = buffer.length): number[] {
  const positions: number[] = [];
  walkBatches(buffer, start, end, (position) => positions.push(position));
  return positions;
}

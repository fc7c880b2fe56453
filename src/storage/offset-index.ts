/** The `.index` of a segment: where in the file some of its batches begin. */
import { invariant } from '../base/invariant';
import { type Entries, lastWhere, type MemoryEntries } from './entries';

/**
 * i32 last offset of the batch, relative to the segment's base · i32 position of its first byte.
 */
export const OFFSET_ENTRY_BYTES = 8;

/** A batch boundary at or before the batch that holds the offset; 0 if no entry is below. */
export function positionForOffset(index: Entries, relativeOffset: number): number {
  const entry = lastWhere(index.count, (at) => index.int32(at, 0) <= relativeOffset);
  return entry < 0 ? 0 : index.int32(entry, 4);
}

/** The greatest known batch boundary not above `position`; 0 if there is none. */
export function boundaryAtMost(index: Entries, position: number): number {
  const entry = lastWhere(index.count, (at) => index.int32(at, 4) <= position);
  return entry < 0 ? 0 : index.int32(entry, 4);
}

export function addOffsetEntry(
  index: MemoryEntries,
  relativeOffset: number,
  position: number,
): void {
  const last = index.count - 1;
  invariant(last < 0 || index.int32(last, 0) < relativeOffset, 'offsets rise in an offset index');
  const at = index.add();
  index.setInt32(at, relativeOffset);
  index.setInt32(at + 4, position);
}

/** Keeps the entries below the offset. */
export function truncateOffsetEntries(index: MemoryEntries, relativeOffset: number): void {
  index.truncate(lastWhere(index.count, (at) => index.int32(at, 0) < relativeOffset) + 1);
}

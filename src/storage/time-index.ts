/** The `.timeindex` of a segment: the greatest timestamp so far, at some of its offsets. */
import { type Entries, lastWhere, type MemoryEntries } from './entries';

/**
 * i64 greatest timestamp up to here · i32 last offset of the batch that has it, relative to the
 * segment's base.
 */
export const TIME_ENTRY_BYTES = 12;

/** The greatest relative offset all before and at which is older than `timestamp`; -1 if none. */
export function offsetBefore(index: Entries, timestamp: number): number {
  const entry = lastWhere(index.count, (at) => index.int64(at, 0) < timestamp);
  return entry < 0 ? -1 : index.int32(entry, 8);
}

/** The last entry, which has the greatest timestamp; undefined in an empty index. */
export function lastTimeEntry(
  index: Entries,
): { readonly timestamp: number; readonly relativeOffset: number } | undefined {
  const last = index.count - 1;
  if (last < 0) return undefined;
  return { timestamp: index.int64(last, 0), relativeOffset: index.int32(last, 8) };
}

/** Adds an entry if `timestamp` is greater than the last one, as Kafka does. */
export function addTimeEntry(
  index: MemoryEntries,
  timestamp: number,
  relativeOffset: number,
): void {
  const last = index.count - 1;
  if (timestamp <= (last < 0 ? -1 : index.int64(last, 0))) return;
  const at = index.add();
  index.setInt64(at, timestamp);
  index.setInt32(at + 8, relativeOffset);
}

/** Keeps the entries below the offset. */
export function truncateTimeEntries(index: MemoryEntries, relativeOffset: number): void {
  index.truncate(lastWhere(index.count, (at) => index.int32(at, 8) < relativeOffset) + 1);
}

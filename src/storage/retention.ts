/**
 * Which of a log's oldest segments may go (`retention.bytes`, `retention.ms`, the start offset).
 */
import type { Offset } from '../base/ids';
import type { WallMs } from '../base/times';
import type { LogSettings } from './settings';

export interface RetentionView {
  /** In order; the last one is the active segment. */
  readonly segments: readonly {
    readonly baseOffset: Offset;
    readonly size: number;
    /** -1 if no record has one. */
    readonly maxTimestamp: number;
    /** Stands in for the timestamp where there is none. */
    readonly modifiedAt: WallMs;
  }[];
  readonly startOffset: Offset;
  readonly endOffset: Offset;
  /** Nothing at or above it goes. */
  readonly highWatermark: Offset;
}

/**
 * How many segments, from the oldest on, may go. With all of them a new one must be made first; an
 * empty active segment never counts. Without the delete policy only the start offset decides.
 */
export function deletableSegments(view: RetentionView, settings: LogSettings, now: WallMs): number {
  const bySpace = settings.isDeleting ? settings.retentionBytes : -1;
  const byAge = settings.isDeleting ? settings.retentionMs : -1;
  let excess = bySpace < 0 ? -1 : sizeOf(view) - bySpace;
  let count = 0;
  for (const [at, segment] of view.segments.entries()) {
    const next = view.segments[at + 1];
    const end = next?.baseOffset ?? view.endOffset;
    if (view.highWatermark < end || (next === undefined && segment.size === 0)) break;
    const isBelowStart = next !== undefined && next.baseOffset <= view.startOffset;
    excess -= segment.size;
    const isTooMuch = excess >= 0;
    const youngest = segment.maxTimestamp >= 0 ? segment.maxTimestamp : segment.modifiedAt;
    const isTooOld = byAge >= 0 && now - youngest > byAge;
    if (!isBelowStart && !isTooMuch && !isTooOld) break;
    count++;
  }
  return count;
}

function sizeOf(view: RetentionView): number {
  let size = 0;
  for (const segment of view.segments) size += segment.size;
  return size;
}

/** Reading a log: which bytes of which file a fetch gets, and which offset a timestamp names. */
import type { LeaderEpoch, Offset } from '../base/ids';
import { NO_SEQUENCE, NO_TIMESTAMP } from '../protocol/records/batch';
import { readRecords } from '../protocol/records/record';
import type { Epochs } from './epochs';
import { CorruptLogError } from './errors';
import {
  type ActiveProducer,
  type BytesRead,
  EARLIEST_LOCAL_TIMESTAMP,
  EARLIEST_PENDING_UPLOAD_TIMESTAMP,
  EARLIEST_TIMESTAMP,
  LATEST_TIERED_TIMESTAMP,
  LATEST_TIMESTAMP,
  type LogRead,
  MAX_TIMESTAMP,
  type OffsetAndTimestamp,
  type ReadOptions,
} from './log-types';
import type { AbortedTransaction } from './open-transactions';
import type { Producers } from './producers';
import type { Segment } from './segment';
import type { Segments } from './segments';

/**
 * Batches of one segment, whole ones, from the one that holds `from`; `from` lies within the log.
 * A batch that straddles `until` does not come.
 */
export function readSegments(
  segments: Segments,
  endOffset: Offset,
  from: Offset,
  options: ReadOptions,
): LogRead {
  const until = Math.min(options.until ?? endOffset, endOffset);
  for (let at = segments.indexOf(from); at < segments.count && from < until; at++) {
    const segment = segments.at(at);
    if (segment.baseOffset >= until) break;
    const next = segments.list[at + 1]?.baseOffset ?? endOffset;
    const read = readSegment(segment, next, from, until, options);
    // Everything from here to the end of the segment was compacted away: go on in the next one.
    if (read !== undefined) return read;
  }
  return nothing(from, false);
}

function readSegment(
  segment: Segment,
  segmentEnd: Offset,
  from: Offset,
  until: Offset,
  { maxBytes, atLeastOneBatch }: ReadOptions,
): LogRead | undefined {
  const first = segment.locate(from);
  if (first === undefined) return undefined;
  let end = { position: segment.size, nextOffset: segmentEnd };
  if (until < segmentEnd) {
    const bound = segment.locate(until);
    if (bound !== undefined) end = { position: bound.position, nextOffset: bound.baseOffset };
  }
  if (first.position >= end.position) return nothing(from, false);
  if (end.position - first.position > maxBytes) {
    if (first.size <= maxBytes) {
      end = segment.boundaryBefore(first.position, first.position + maxBytes);
    } else if (atLeastOneBatch === true) {
      end = { position: first.position + first.size, nextOffset: first.lastOffset + 1 };
    } else {
      return nothing(from, true);
    }
  }
  segment.hint(end.nextOffset, end.position);
  const length = end.position - first.position;
  return {
    slice: segment.data.slice(first.position, length),
    sizeInBytes: length,
    baseOffset: first.baseOffset,
    nextOffset: end.nextOffset,
    isFirstBatchTooLarge: false,
  };
}

function nothing(from: Offset, isFirstBatchTooLarge: boolean): LogRead {
  return {
    slice: undefined,
    sizeInBytes: 0,
    baseOffset: from,
    nextOffset: from,
    isFirstBatchTooLarge,
  };
}

/** Aborted transactions with records in [from, until), by first offset. */
export function findAborted(
  segments: Segments,
  from: Offset,
  until: Offset,
): readonly AbortedTransaction[] {
  const found: AbortedTransaction[] = [];
  for (let at = segments.indexOf(from); at < segments.count; at++) {
    if (segments.at(at).collectAborted(from, until, found)) break;
  }
  return found.sort((a, b) => a.firstOffset - b.firstOffset);
}

/** The bytes of a read; its slice is released. */
export function copyOut({ slice, baseOffset, nextOffset }: LogRead): BytesRead {
  if (slice === undefined) return { bytes: Buffer.alloc(0), baseOffset, nextOffset };
  try {
    const bytes = Buffer.allocUnsafeSlow(slice.length);
    const count = slice.file.read(bytes, 0, slice.length, slice.position);
    if (count < slice.length) throw new CorruptLogError('a log is shorter than it was');
    return { bytes, baseOffset, nextOffset };
  } finally {
    slice.release();
  }
}

/** What the look-ups need of a log. */
export interface LookedUp {
  readonly segments: Segments;
  readonly epochs: Epochs;
  readonly startOffset: Offset;
  readonly endOffset: Offset;
}

/** ListOffsets: a special timestamp, or the first record that is at least so young. */
export function lookUp(log: LookedUp, timestamp: number): OffsetAndTimestamp | undefined {
  switch (timestamp) {
    case EARLIEST_TIMESTAMP:
    case EARLIEST_LOCAL_TIMESTAMP:
      return named(log.startOffset, log.epochs.epochAt(log.startOffset));
    case LATEST_TIMESTAMP:
      return named(log.endOffset, log.epochs.latest);
    case LATEST_TIERED_TIMESTAMP:
    case EARLIEST_PENDING_UPLOAD_TIMESTAMP:
      // Nothing is ever tiered.
      return named(-1, undefined);
    case MAX_TIMESTAMP:
      return findMaxTimestamp(log.segments);
    default:
      return findByTimestamp(log.segments, timestamp, log.startOffset);
  }
}

function named(offset: Offset, leaderEpoch: LeaderEpoch | undefined): OffsetAndTimestamp {
  return { offset, timestamp: NO_TIMESTAMP, leaderEpoch: leaderEpoch ?? -1 };
}

/** The first record at or after `from` that is at least so young, in offset order. */
function findByTimestamp(
  segments: Segments,
  timestamp: number,
  from: Offset,
): OffsetAndTimestamp | undefined {
  for (const segment of segments.list) {
    if (segment.maxTimestamp < timestamp) continue;
    const walk = segment.walkFromTimestamp(timestamp, from);
    while (walk.next()) {
      if (walk.maxTimestamp < timestamp || walk.lastOffset < from) continue;
      const { leaderEpoch } = walk;
      const found = findRecord(segment.readBatch(walk), leaderEpoch, timestamp, from);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** The first record with the greatest timestamp of the log; undefined if none has a timestamp. */
function findMaxTimestamp(segments: Segments): OffsetAndTimestamp | undefined {
  let youngest = segments.first;
  for (const segment of segments.list) {
    if (segment.maxTimestamp > youngest.maxTimestamp) youngest = segment;
  }
  if (youngest.maxTimestamp < 0) return undefined;
  const place = youngest.locate(youngest.offsetOfMaxTimestamp);
  if (place === undefined) return undefined;
  const { leaderEpoch } = place;
  return findRecord(youngest.readBatch(place), leaderEpoch, youngest.maxTimestamp, 0);
}

function findRecord(
  bytes: Buffer,
  leaderEpoch: LeaderEpoch,
  timestamp: number,
  from: Offset,
): OffsetAndTimestamp | undefined {
  for (const record of readRecords(bytes)) {
    if (record.timestamp >= timestamp && record.offset >= from) {
      return { offset: record.offset, timestamp: record.timestamp, leaderEpoch };
    }
  }
  return undefined;
}

/** The producers as DescribeProducers shows them. */
export function listProducers(producers: Producers): readonly ActiveProducer[] {
  return Array.from(producers.all(), ({ batches, ...state }) => ({
    ...state,
    lastSequence: batches[batches.length - 1]?.lastSequence ?? NO_SEQUENCE,
  }));
}

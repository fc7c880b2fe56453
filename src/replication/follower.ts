/**
 * What a follower does to its log with what its leader answers: cut back to where the logs agree
 * (KIP-101, KIP-279, KIP-595), append as it came, or begin anew where the leader's log begins.
 */
import type { LeaderEpoch, Offset } from '../base/ids';
import * as batch from '../protocol/records/batch';
import { batchSizeAt, TORN } from '../protocol/records/batches';
import { isSoundLegacyBatch } from '../protocol/records/legacy-checksum';
import { NO_BYTES } from '../protocol/schema';
import type { EpochAndEndOffset, Log } from '../storage/log';

/** The part of a log that truncation looks at. */
export type EpochsOfLog = Pick<Log, 'endOffset' | 'endOffsetForEpoch'>;

/**
 * Where to cut, after the leader said that `diverging.epoch` is the last one that it shares, ending
 * at `diverging.endOffset`. An epoch that this log does not have cuts to the end of the largest one
 * below it; the next fetch then finds out more (KIP-279).
 */
export function truncationPoint(log: EpochsOfLog, diverging: EpochAndEndOffset): Offset {
  const own = log.endOffsetForEpoch(diverging.epoch);
  // It has no epoch above: the leader's word alone counts.
  if (own === undefined) return Math.min(diverging.endOffset, log.endOffset);
  if (own.epoch !== diverging.epoch) return Math.min(own.endOffset, log.endOffset);
  return Math.min(own.endOffset, diverging.endOffset, log.endOffset);
}

/** Whole, sound batches of an answer, in this leader's time. */
export type Checked =
  | { readonly kind: 'sound'; readonly bytes: Buffer }
  | { readonly kind: 'corrupt'; readonly reason: string };

/**
 * The batches of an answer to append: a torn last one is left off (other leaders cut anywhere), and
 * so is all from the first batch of a later epoch than the leader's that was asked (KAFKA-18723:
 * the answer may mix two leaders' times).
 */
export function checkFetched(records: Buffer | null, leaderEpoch: LeaderEpoch): Checked {
  if (records === null) return { kind: 'sound', bytes: NO_BYTES };
  let end = 0;
  while (end < records.length) {
    const size = batchSizeAt(records, end, records.length);
    if (size === TORN) break;
    if (size < 0) return { kind: 'corrupt', reason: `no batch at byte ${end}` };
    if (!isSound(records, end, size)) {
      const offset = batch.baseOffset(records, end);
      return { kind: 'corrupt', reason: `the batch at offset ${offset} has a wrong checksum` };
    }
    if (batch.magic(records, end) === 2 && batch.leaderEpoch(records, end) > leaderEpoch) break;
    end += size;
  }
  return { kind: 'sound', bytes: records.subarray(0, end) };
}

/**
 * Appends batches. A follower's first batch may begin below where its log starts: the leader's log
 * starts within that batch, and so must this one's.
 */
export function appendFetched(log: Log, bytes: Buffer): void {
  if (bytes.length === 0) return;
  const baseOffset = batch.baseOffset(bytes, 0);
  const isEmpty = log.startOffset === log.endOffset;
  if (isEmpty && baseOffset < log.startOffset) log.truncateFullyAndStartAt(baseOffset);
  log.appendAsFollower(bytes);
}

/** What follows from the leader's offsets, once those of the follower are out of its range. */
export type Reset =
  | { readonly kind: 'truncate'; readonly to: Offset }
  | { readonly kind: 'begin-at'; readonly offset: Offset }
  | { readonly kind: 'go-on' };

/**
 * The leader's log ends below ours (an unclean election), starts above our end (we were away for
 * long), or neither any more.
 */
export function resetFor(ownEnd: Offset, leaderStart: Offset, leaderEnd: Offset): Reset {
  if (leaderEnd < ownEnd) return { kind: 'truncate', to: leaderEnd };
  if (leaderStart > ownEnd) return { kind: 'begin-at', offset: leaderStart };
  return { kind: 'go-on' };
}

function isSound(records: Buffer, at: number, size: number): boolean {
  if (batch.magic(records, at) === 2) return batch.hasValidCrc(records, at);
  return isSoundLegacyBatch(records, at, size);
}

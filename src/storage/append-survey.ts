/** Looks over the headers of batches about to be appended, once, before anything is changed. */
import type { Offset } from '../base/ids';
import { invariant } from '../base/invariant';
import { Errors } from '../protocol/errors';
import * as batch from '../protocol/records/batch';
import { batchSizeAt } from '../protocol/records/batches';
import { lastOffsetOfBatch } from './batch-walk';
import { OffsetsOutOfOrderError } from './errors';
import type { AppendResult } from './log-types';
import type { ProducerAppend } from './producer-append';
import type { Duplicate, Refusal } from './producer-checks';
import type { LogSettings } from './settings';

export interface Survey {
  readonly baseOffset: Offset;
  /** Inclusive. */
  readonly lastOffset: Offset;
  /** -1 = none. */
  readonly maxTimestamp: number;
}

/** As the batches will stand in the log when the first gets `baseOffset`; or why they will not. */
export function surveyAsLeader(
  bytes: Buffer,
  baseOffset: Offset,
  producers: ProducerAppend,
): Survey | Duplicate | Refusal {
  let maxTimestamp = batch.NO_TIMESTAMP;
  let next = baseOffset;
  for (let at = 0; at < bytes.length; ) {
    const size = batchSizeAt(bytes, at, bytes.length);
    invariant(size > 0, 'what a leader appends was validated');
    if (batch.hasProducerId(bytes, at)) {
      const objection = producers.add(bytes, at, next);
      if (objection !== undefined) return objection;
    }
    maxTimestamp = Math.max(maxTimestamp, batch.maxTimestamp(bytes, at));
    next += batch.lastOffsetDelta(bytes, at) + 1;
    at += size;
  }
  return { baseOffset, lastOffset: next - 1, maxTimestamp };
}

/** Gives the batches their offsets and the epoch, in place; neither is covered by the CRC. */
export function stampAsLeader(bytes: Buffer, baseOffset: Offset, leaderEpoch: number): void {
  let next = baseOffset;
  for (let at = 0; at < bytes.length; at += batch.sizeInBytes(bytes, at)) {
    batch.setBaseOffset(bytes, at, next);
    batch.setLeaderEpoch(bytes, at, leaderEpoch);
    next += batch.lastOffsetDelta(bytes, at) + 1;
  }
}

/** As the leader made the batches: whole, and rising from `endOffset` on. */
export function surveyAsFollower(
  bytes: Buffer,
  endOffset: Offset,
  producers: ProducerAppend,
): Survey {
  let maxTimestamp = batch.NO_TIMESTAMP;
  let least = endOffset;
  for (let at = 0; at < bytes.length; ) {
    const size = batchSizeAt(bytes, at, bytes.length);
    const baseOffset = size > 0 ? batch.baseOffset(bytes, at) : -1;
    if (baseOffset < least) {
      throw new OffsetsOutOfOrderError(
        `batches do not go on from offset ${least}: ${size > 0 ? baseOffset : 'torn'} at ${at}`,
      );
    }
    if (batch.magic(bytes, at) === 2) {
      if (batch.hasProducerId(bytes, at)) producers.add(bytes, at, baseOffset);
      maxTimestamp = Math.max(maxTimestamp, batch.maxTimestamp(bytes, at));
    }
    least = lastOffsetOfBatch(bytes, at) + 1;
    at += size;
  }
  return { baseOffset: batch.baseOffset(bytes, 0), lastOffset: least - 1, maxTimestamp };
}

/** The answer to a batch that no segment can hold. */
export function tooLarge(batches: Buffer, { segmentBytes }: LogSettings): AppendResult {
  return {
    outcome: 'refused',
    errorCode: Errors.RECORD_LIST_TOO_LARGE,
    message:
      `Message batch size is ${batches.length} bytes, ` +
      `which exceeds the maximum configured segment size of ${segmentBytes}.`,
  };
}

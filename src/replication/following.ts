/** One term of following one leader: what to ask it for, and what to do with what it answers. */
import type { LeaderEpoch, NodeId, Offset } from '../base/ids';
import type { Logger } from '../platform/platform';
import { Errors, errorName } from '../protocol/errors';
import { CorruptRecordError } from '../protocol/records/corrupt-record-error';
import { CorruptLogError, OffsetsOutOfOrderError, StorageError } from '../storage/errors';
import type { EpochAndEndOffset, Log } from '../storage/log';
import { appendFetched, checkFetched, resetFor, truncationPoint } from './follower';
import type { Fetched, FetchPosition, Taken } from './partition-types';
import { Change, type Watchers } from './waiting';

export interface FollowingOptions {
  readonly log: Log;
  readonly leaderId: NodeId;
  readonly leaderEpoch: LeaderEpoch;
  readonly watchers: Pick<Watchers, 'changed'>;
  /** Its lines name the partition. */
  readonly logger: Logger;
}

export class Following {
  readonly leaderId: NodeId;
  readonly leaderEpoch: LeaderEpoch;
  readonly #log: Log;
  readonly #watchers: Pick<Watchers, 'changed'>;
  readonly #logger: Logger;
  #isOver = false;

  /** Throws StorageError if the log folder fails, CorruptLogError where the log is damaged. */
  constructor({ log, leaderId, leaderEpoch, watchers, logger }: FollowingOptions) {
    this.leaderId = leaderId;
    this.leaderEpoch = leaderEpoch;
    this.#log = log;
    this.#watchers = watchers;
    this.#logger = logger;
    // An epoch that began at the end of this log has no record, and may be none of this leader's.
    // A log without any epoch, which is of an old format, can only trust what was committed.
    log.truncateTo(log.latestEpoch === undefined ? log.highWatermark : log.endOffset);
  }

  /** The role has ended: whatever is still answered is stale. */
  end(): void {
    this.#isOver = true;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** What to ask for; undefined while that would claim what is not yet durable. */
  position(): FetchPosition | undefined {
    const log = this.#log;
    if (this.#isOver || log.claimableEndOffset < log.endOffset) return undefined;
    return {
      leaderEpoch: this.leaderEpoch,
      fetchOffset: log.endOffset,
      lastFetchedEpoch: log.latestEpoch ?? -1,
      startOffset: log.startOffset,
      highWatermark: log.highWatermark,
    };
  }

  /** Takes what the leader answered to `asked`. */
  take(asked: FetchPosition, fetched: Fetched): Taken {
    return this.#while(asked, () => this.#take(fetched));
  }

  /** Takes where the leader's log lies, after `asked` was out of its range. */
  takeRange(asked: FetchPosition, leaderStart: Offset, leaderEnd: Offset): Taken {
    return this.#while(asked, () => {
      const reset = resetFor(this.#log.endOffset, leaderStart, leaderEnd);
      if (reset.kind === 'truncate') this.#truncate(reset.to);
      if (reset.kind === 'begin-at') this.#beginAt(reset.offset);
      return { kind: 'truncated' };
    });
  }

  /** An answer counts while its question is the one that is open. */
  #while(asked: FetchPosition, take: () => Taken): Taken {
    if (this.#isOver || asked.leaderEpoch !== this.leaderEpoch) return { kind: 'stale' };
    if (this.#log.isClosed || this.#log.failure !== undefined) return { kind: 'offline' };
    if (asked.fetchOffset !== this.#log.endOffset) return { kind: 'stale' };
    try {
      return take();
    } catch (error) {
      if (error instanceof StorageError) return { kind: 'offline' };
      if (error instanceof CorruptLogError) return this.#damaged(error);
      // What the leader gave cannot be appended, and nothing of it was.
      const isRefused = error instanceof OffsetsOutOfOrderError;
      if (!isRefused && !(error instanceof CorruptRecordError)) throw error;
      return { kind: 'failed', errorCode: Errors.CORRUPT_MESSAGE, reason: error.message };
    }
  }

  /** Tried again it would fail again: as Kafka's, this replica waits for the next leader epoch. */
  #damaged(error: CorruptLogError): Taken {
    this.#isOver = true;
    this.#logger.error('a replica gets no more records in this leader epoch: its log is damaged', {
      leaderId: this.leaderId,
      leaderEpoch: this.leaderEpoch,
      endOffset: this.#log.endOffset,
      error,
    });
    return { kind: 'damaged' };
  }

  #take(fetched: Fetched): Taken {
    const { errorCode, divergingEpoch, records } = fetched;
    if (errorCode === Errors.OFFSET_OUT_OF_RANGE) return { kind: 'out-of-range' };
    if (errorCode !== Errors.NONE) {
      return { kind: 'failed', errorCode, reason: errorName(errorCode) };
    }
    if (divergingEpoch.epoch >= 0) return this.#part(divergingEpoch);
    const checked = checkFetched(records, this.leaderEpoch);
    if (checked.kind === 'corrupt') {
      return { kind: 'failed', errorCode: Errors.CORRUPT_MESSAGE, reason: checked.reason };
    }
    const bytes = checked.bytes.length;
    appendFetched(this.#log, checked.bytes);
    if (bytes > 0) this.#watchers.changed(Change.end);
    this.#raiseTo(fetched);
    const lag = Math.max(0, fetched.highWatermark - this.#log.endOffset);
    return { kind: 'followed', bytes, lag };
  }

  #part(diverging: EpochAndEndOffset): Taken {
    const { endOffset, latestEpoch } = this.#log;
    this.#truncate(truncationPoint(this.#log, diverging));
    const isSame = this.#log.endOffset === endOffset && this.#log.latestEpoch === latestEpoch;
    if (!isSame) return { kind: 'truncated' };
    // Asked again it would say the same; not in a tight circle.
    const reason = `its log parts from ours where ours has nothing to cut (${endOffset})`;
    return { kind: 'failed', errorCode: Errors.UNKNOWN_SERVER_ERROR, reason };
  }

  /** High watermark and start follow the leader's, as far as this log reaches. */
  #raiseTo({ highWatermark, startOffset }: Fetched): void {
    const log = this.#log;
    const before = log.highWatermark;
    // It never falls: a leader that was just elected may know less than we do.
    log.setHighWatermark(Math.max(before, Math.min(highWatermark, log.endOffset)));
    if (log.highWatermark > before) {
      this.#watchers.changed(Change.highWatermark | Change.lastStable);
    }
    if (startOffset > log.startOffset && startOffset <= log.highWatermark) {
      log.advanceStartOffset(startOffset);
      this.#watchers.changed(Change.logStart);
    }
  }

  #beginAt(offset: Offset): void {
    this.#logger.warn('a replica begins anew: its leader has deleted what comes next here', {
      endOffset: this.#log.endOffset,
      leaderStartOffset: offset,
    });
    this.#log.truncateFullyAndStartAt(offset);
    this.#watchers.changed(Change.logStart);
  }

  #truncate(to: Offset): void {
    const { endOffset, highWatermark } = this.#log;
    if (to < endOffset) {
      const level = to < highWatermark ? 'warn' : 'info';
      this.#logger.log(level, "a log is cut back to where it agrees with its leader's", {
        leaderId: this.leaderId,
        leaderEpoch: this.leaderEpoch,
        from: endOffset,
        to,
        highWatermark,
      });
    }
    this.#log.truncateTo(to);
    if (to < highWatermark) this.#watchers.changed(Change.highWatermark | Change.lastStable);
  }
}

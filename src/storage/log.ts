/** One partition's log: segments in a folder, seen as one run of batches from start to end offset. */
import type { LeaderEpoch, Offset, ProducerEpoch, ProducerId, Uuid } from '../base/ids';
import type { WallMs } from '../base/times';
import type { DiskFile } from '../platform/platform';
import type { LogFolder } from './log-folder';
import type { LogSettings } from './settings';

/**
 * Who appends, and so what is checked. `client`: duplicates, epochs and sequences; `coordinator`
 * (group and transaction records, markers): epochs only. What a follower appends is not checked.
 */
export type AppendOrigin = 'client' | 'coordinator';

export type AppendResult =
  | {
      readonly outcome: 'appended' | 'duplicate';
      /** Of the first batch; of a duplicate, where it was appended first. */
      readonly baseOffset: Offset;
      /** Inclusive. */
      readonly lastOffset: Offset;
      /** Largest timestamp in the batches (of a duplicate, in the first copy); -1 = none. */
      readonly maxTimestamp: number;
    }
  | {
      /** Nothing was appended; the log is as before. */
      readonly outcome: 'refused';
      /** Kafka's error code: 45, 47, 48, 18, 50 or 90 (see `producers.ts`). */
      readonly errorCode: number;
      readonly message: string;
    };

/** Bytes of a file on their way out. The bytes stay readable until `release` (once). */
export interface FileSlice {
  readonly file: DiskFile;
  readonly position: number;
  /** Bytes. A shorter read means that the log was truncated meanwhile: drop the connection. */
  readonly length: number;
  release(): void;
}

export interface LogRead {
  /** Whole batches; undefined if there is nothing to give. Release it. */
  readonly slice: FileSlice | undefined;
  /** Size of the slice in bytes, 0 without one. */
  readonly sizeInBytes: number;
  /** Base offset of the first batch (may lie below the asked offset); the asked one if none. */
  readonly baseOffset: Offset;
  /** Where the next read continues. */
  readonly nextOffset: Offset;
  /** The first batch did not fit `maxBytes` and `atLeastOneBatch` was not asked for. */
  readonly isFirstBatchTooLarge: boolean;
}

export interface ReadOptions {
  /** Bytes; the slice is cut at the last batch that ends within. */
  readonly maxBytes: number;
  /** Exclusive bound: the high watermark, last stable offset or (default) the end offset. */
  readonly until?: Offset;
  /** The first batch comes even if it is larger than `maxBytes` (KIP-74). */
  readonly atLeastOneBatch?: boolean;
}

/** What ListOffsets answers; timestamp -1 where none belongs to it. */
export interface OffsetAndTimestamp {
  readonly offset: Offset;
  readonly timestamp: number;
  /** -1 if unknown. */
  readonly leaderEpoch: LeaderEpoch;
}

/** The special timestamps of ListOffsets. */
export const LATEST_TIMESTAMP = -1;
export const EARLIEST_TIMESTAMP = -2;
export const MAX_TIMESTAMP = -3;
export const EARLIEST_LOCAL_TIMESTAMP = -4;
export const LATEST_TIERED_TIMESTAMP = -5;
export const EARLIEST_PENDING_UPLOAD_TIMESTAMP = -6;

export interface EpochAndEndOffset {
  readonly epoch: LeaderEpoch;
  /** Exclusive. */
  readonly endOffset: Offset;
}

/** One producer as DescribeProducers shows it. */
export interface ActiveProducer {
  readonly producerId: ProducerId;
  readonly producerEpoch: ProducerEpoch;
  readonly lastSequence: number;
  readonly lastTimestamp: number;
  readonly coordinatorEpoch: number;
  /** -1 if none is open. */
  readonly currentTxnFirstOffset: Offset;
}

/** The owner of a log (replication's partition, raft's driver); called in a turn of its own. */
export interface LogListener {
  /** `flushedEndOffset` rose. */
  flushed?(log: Log): void;
  /** The log folder went offline: every further call throws StorageError. */
  failed?(log: Log, error: Error): void;
}

/**
 * All methods that touch the disk throw StorageError once the folder failed, at once if it fails
 * under them; an append then leaves nothing behind. Offsets are absolute, ends exclusive.
 */
export interface Log {
  readonly topic: string;
  readonly partition: number;
  /** Undefined where partition.metadata is missing: Kafka calls such a log stray. */
  readonly topicId: Uuid | undefined;
  readonly folder: LogFolder;
  /** The partition's folder, absolute. */
  readonly path: string;
  readonly settings: LogSettings;
  readonly startOffset: Offset;
  readonly endOffset: Offset;
  /** Everything below survives a power loss. */
  readonly flushedEndOffset: Offset;
  /**
   * The end offset this replica may claim (its own place in the high watermark, its next fetch
   * offset): `flushedEndOffset` if `flush.messages` is 1, else `endOffset`.
   */
  readonly claimableEndOffset: Offset;
  /** Kept for the owner: bounds deletion and goes to the checkpoint. At first the checkpointed one. */
  readonly highWatermark: Offset;
  readonly sizeInBytes: number;
  readonly segmentCount: number;
  readonly failure: Error | undefined;

  /** At most one listener. */
  listen(listener: LogListener): void;

  /**
   * Appends validated batches (magic 2, sizes and CRCs checked); base offsets and leader epochs are
   * patched in place, then one write puts them into the file. `client` brings exactly one batch.
   * Starts an fsync once `flush.messages` records are unflushed.
   */
  appendAsLeader(batches: Buffer, leaderEpoch: LeaderEpoch, origin: AppendOrigin): AppendResult;

  /**
   * Appends batches as the leader wrote them. They must be whole, their CRCs checked, their offsets
   * rising from `endOffset` (gaps are legal; on an empty log the first may start anywhere above).
   * Out-of-order offsets throw OffsetsOutOfOrderError and append nothing.
   */
  appendAsFollower(batches: Buffer): { readonly baseOffset: Offset; readonly lastOffset: Offset };

  /** Undefined if `from` is below the start or above the end offset (OFFSET_OUT_OF_RANGE). */
  read(from: Offset, options: ReadOptions): LogRead | undefined;

  /** As `read`, with the bytes copied out of the file: for loading, not for serving. */
  readBytes(from: Offset, options: ReadOptions): (LogRead & { readonly bytes: Buffer }) | undefined;

  /**
   * ListOffsets: a special timestamp, or the first record whose timestamp is at least `timestamp`.
   * LATEST is the end offset (bound it for consumers). Undefined if there is no such record.
   */
  offsetForTimestamp(timestamp: number): OffsetAndTimestamp | undefined;

  /** The last epoch that has (or begins) at the end of the log. */
  readonly latestEpoch: LeaderEpoch | undefined;
  /** -1 if unknown. */
  epochForOffset(offset: Offset): LeaderEpoch;
  /** KIP-101/279: the largest epoch not above `epoch`, and where it ends. Undefined if unknown. */
  endOffsetForEpoch(epoch: LeaderEpoch): EpochAndEndOffset | undefined;
  /** Becoming leader: `epoch` begins at the end offset. */
  startEpoch(epoch: LeaderEpoch): void;

  /** Removes everything from `offset` on (a batch that straddles it goes whole). */
  truncateTo(offset: Offset): void;
  /** Empties the log; it goes on at `offset` (a snapshot's end, the leader's start offset). */
  truncateFullyAndStartAt(offset: Offset): void;

  /** Bounded by [startOffset, endOffset]. */
  setHighWatermark(offset: Offset): void;
  /**
   * DeleteRecords and prefix truncation at a snapshot: raises the start offset (never lowers it);
   * segments wholly below go at the next `deleteOldSegments`. At most the high watermark.
   */
  advanceStartOffset(offset: Offset): void;
  /** One retention tick: start offset, size, age. Returns how many segments went. */
  deleteOldSegments(now: WallMs): number;
  /** Closes the active segment and begins a new one at the end offset, unless it is empty. */
  roll(): void;
  applySettings(settings: LogSettings): void;

  activeProducers(): readonly ActiveProducer[];
  removeExpiredProducers(now: WallMs): void;

  /** Resolves when all that is appended now survives a power loss. Joined: one sync answers all. */
  flush(): Promise<void>;
  /** Flushes, writes indexes and the producer snapshot, closes the files. */
  close(): Promise<void>;
}

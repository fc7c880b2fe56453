/** What goes into a log and comes out of it. */
import type { LeaderEpoch, Offset, ProducerEpoch, ProducerId, TopicPartition } from '../base/ids';
import type { FileSlice } from './data-file';
import type { LogSettings } from './settings';

export type { FileSlice } from './data-file';
export type { AbortedTransaction } from './open-transactions';
export type { AppendChecks } from './producer-append';
export type { Beginning, Verification } from './verifications';

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
      /**
       * OUT_OF_ORDER_SEQUENCE_NUMBER, INVALID_PRODUCER_EPOCH, INVALID_TXN_STATE,
       * TRANSACTION_COORDINATOR_FENCED (`producer-checks.ts`), or RECORD_LIST_TOO_LARGE: more than
       * `segment.bytes`.
       */
      readonly errorCode: number;
      readonly message: string;
    };

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

/** A read whose bytes were copied out of the file. */
export interface BytesRead {
  readonly bytes: Buffer;
  readonly baseOffset: Offset;
  readonly nextOffset: Offset;
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
  flushed?(): void;
  /** Retention raised the start offset. */
  startRose?(): void;
  /** The log folder went offline: every further call throws StorageError. */
  failed?(error: Error): void;
}

/** How to open a log. */
export interface LogOptions extends TopicPartition {
  /** The partition's folder, in `folder`. */
  readonly path: string;
  readonly settings: LogSettings;
  /** Checkpointed: everything below is durable. 0 reads the whole log again. */
  readonly recoveryPoint: Offset;
  /** Checkpointed start offset, 0 if none. */
  readonly startOffset: Offset;
  /** Checkpointed high watermark. */
  readonly highWatermark: Offset;
  /** The folder was closed in order: nothing is read again. */
  readonly isClean: boolean;
}

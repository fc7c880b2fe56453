/**
 * The metadata log of the quorum, as the controller and the broker see it: records in, committed
 * records out. Implemented by `driver.ts`.
 */
import type { LeaderEpoch, NodeId, Offset } from '../base/ids';
import type { WallMs } from '../base/times';

/** How records become bytes; raft itself never looks inside. */
export interface RecordSerde<R> {
  /** The value of one record of the log (its frame included). */
  encode(record: R): Uint8Array;
  /** Throws if the bytes are no record this build knows: the node then stops (fail-stop). */
  decode(value: Uint8Array): R;
}

/** One batch below the high watermark; control batches (leader changes, voters) come with none. */
export interface CommittedBatch<R> {
  readonly baseOffset: Offset;
  /** Inclusive. */
  readonly lastOffset: Offset;
  readonly epoch: LeaderEpoch;
  readonly appendTimestampMs: WallMs;
  /** Size in the log, for the cadence of snapshots. */
  readonly sizeBytes: number;
  readonly records: readonly R[];
}

/** The records of a snapshot that take the place of all that was delivered before. */
export interface LoadedSnapshot<R> {
  /** Exclusive: the first offset that is not in the snapshot. */
  readonly endOffset: Offset;
  readonly epoch: LeaderEpoch;
  readonly lastContainedLogTimestampMs: WallMs;
  /** Batch after batch; to be consumed within the call that delivers it. */
  readonly batches: Iterable<readonly R[]>;
}

/** Who leads, as far as this node knows. */
export interface LeaderAndEpoch {
  /** Undefined while no leader is known. */
  readonly leaderId: NodeId | undefined;
  readonly epoch: LeaderEpoch;
  /** This node leads and has delivered every committed record older than its own epoch. */
  readonly isSelf: boolean;
}

/**
 * What the owner of a quorum log is told, in the order of the log. No call comes from within a call
 * to `QuorumLog`; each comes in a step of its own, and none may throw except fail-stop failures.
 */
export interface QuorumListener<R> {
  /** Committed batches, each once and in order, this node's own appends included. */
  committed(batches: readonly CommittedBatch<R>[]): void;
  /** Forget everything delivered so far and start from this; given at start too, if one exists. */
  snapshotLoaded(snapshot: LoadedSnapshot<R>): void;
  /**
   * All is delivered that was committed when this node came back: what came before may have been
   * outdated long ago. Once in the life of a node.
   */
  caughtUp(): void;
  /**
   * A leader was elected, learnt or lost. `isSelf` is true only once all records of earlier epochs
   * were delivered; from then on this node may append until told otherwise.
   */
  leaderChanged(leader: LeaderAndEpoch): void;
  /**
   * The high watermark rose. Own appends below it are committed; comes after `committed` for them.
   * Exclusive.
   */
  highWatermarkRaised(highWatermark: Offset): void;
  /**
   * Wanted now: the records of the picture exactly as of the last delivered batch (an immutable
   * one, walked lazily in slices), metadata.version first. Undefined if it cannot be taken now (a
   * metadata transaction is open); it is then asked again after the next batch.
   */
  snapshotRecords(): Iterable<readonly R[]> | undefined;
  /** The folder failed, or a committed record is unreadable: this node takes no further part. */
  failed(error: Error): void;
}

/** Where an atomic append landed. */
export interface Appended {
  readonly baseOffset: Offset;
  /** Inclusive. */
  readonly lastOffset: Offset;
}

/** Thrown by `append` when this node is not (or no longer) the leader of that epoch. */
export class NotLeaderError extends Error {
  override readonly name = 'NotLeaderError';
}

/** Thrown by `append` when the records do not fit one batch (8 MiB). */
export class BatchTooLargeError extends Error {
  override readonly name = 'BatchTooLargeError';
}

/** The quorum's log; one per node. */
export interface QuorumLog<R> {
  /**
   * Appends the records as one atomic batch, at least one; only as the leader of `epoch`. Returns
   * before anything is durable: they count once the high watermark passes `lastOffset`.
   * Throws NotLeaderError, BatchTooLargeError, or the disk's error (then nothing was appended).
   */
  append(epoch: LeaderEpoch, records: readonly R[]): Appended;
  /** What `leaderChanged` said last, or newer. */
  readonly leader: LeaderAndEpoch;
  /** Exclusive; 0 while unknown. All below is committed. */
  readonly highWatermark: Offset;
  /** The offset that the next record will get. */
  readonly endOffset: Offset;
  /** Where the log starts; what is older is in the latest snapshot. */
  readonly startOffset: Offset;
  /**
   * What `storage format` left for the first leader to write into the empty log (the 0-0
   * checkpoint, or bootstrap.checkpoint of older releases); undefined if there is nothing. Never
   * delivered as a snapshot.
   */
  bootstrapRecords(): readonly R[] | undefined;
  /** Gives up leadership of `epoch` (others are asked to take over); no effect in another epoch. */
  resign(epoch: LeaderEpoch): void;
  /** Hands over leadership where there is one, stops, and closes the log. */
  close(): Promise<void>;
}

/** What goes into a partition and comes out of it; error codes are Kafka's. */
import type { BrokerEpoch, LeaderEpoch, NodeId, Offset } from '../base/ids';
import type { Clock, Logger } from '../platform/platform';
import type { AbortedTransaction, EpochAndEndOffset, FileSlice } from '../storage/log';
import type { IsrProposal } from './isr-proposals';
import type { Peers } from './leader';
import type { ReplicationThrottle } from './throttle';
import type { Waiting } from './waiting';

/** What every partition of a node shares. */
export interface PartitionWorld {
  readonly nodeId: NodeId;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly logger: Logger;
  readonly waiting: Waiting;
  readonly peers: Peers;
  /** `replica.lag.time.max.ms`. */
  readonly replicaLagTimeMaxMs: number;
  /** Of this node's registration; -1 = none yet. */
  readonly brokerEpoch: () => BrokerEpoch;
  /** Takes what leaders propose about who is in sync. */
  readonly proposals: { propose(proposal: IsrProposal): void };
  /** A follower may go on fetching: what it has is durable now. */
  readonly readyToFetch: (partition: { readonly topic: string; readonly index: number }) => void;
  /** Bounds what followers outside the ISR get of throttled partitions (KIP-73). */
  readonly leaderThrottle: ReplicationThrottle;
}

/** What the caller believes; every answer checks it first. */
export interface Believed {
  /** The caller's leader epoch; -1 = none given. */
  readonly leaderEpoch: LeaderEpoch;
  /** Whether only the leader may answer. */
  readonly isLeaderRequired: boolean;
}

export interface ReadRequest extends Believed {
  readonly fetchOffset: bigint;
  /** Of the fetcher's last record; -1 = none given. */
  readonly lastFetchedEpoch: LeaderEpoch;
  readonly maxBytes: number;
  readonly isAtLeastOneBatch: boolean;
  readonly upTo: 'end' | 'high-watermark' | 'last-stable';
}

/** A read by the replica of another broker; it says what that one has. */
export interface ReplicaReadRequest extends ReadRequest {
  /** Its log's start; -1 = not given. */
  readonly startOffset: Offset;
  /** -1 = none given. */
  readonly brokerEpoch: BrokerEpoch;
  /** False when the same request is read again after a wait: it then says nothing new. */
  readonly isNoted: boolean;
}

/** Offsets are -1 and there are no bytes when `errorCode` is not 0. */
export interface PartitionRead {
  readonly errorCode: number;
  readonly highWatermark: Offset;
  readonly lastStableOffset: Offset;
  readonly startOffset: Offset;
  /** Whole batches; to be released. */
  readonly slice: FileSlice | undefined;
  readonly sizeInBytes: number;
  /** Nothing more lies there as far as may be read: no error, and no bytes left out. */
  readonly isAtEnd: boolean;
  /** Whose records among these bytes do not count, by first offset; only up to `last-stable`. */
  readonly abortedTransactions: readonly AbortedTransaction[];
  /** Where the fetcher's log departs from this one (KIP-595); then there are no bytes. */
  readonly divergingEpoch: EpochAndEndOffset | undefined;
}

export type AppendOutcome =
  | {
      readonly kind: 'appended';
      readonly baseOffset: Offset;
      /** Inclusive. */
      readonly lastOffset: Offset;
      /** -1 unless the log stamps records itself, or the batch is a duplicate (as Kafka). */
      readonly logAppendTimeMs: number;
    }
  | Refused;

/** Either a value or Kafka's error code. */
export type Result<T> = { readonly kind: 'ok'; readonly value: T } | Refused;

export interface Refused {
  readonly kind: 'refused';
  readonly errorCode: number;
  readonly message: string;
}

/** What a follower asks its leader for next: where it stands, and in whose time. */
export interface FetchPosition {
  /** Of the leader that is asked. */
  readonly leaderEpoch: LeaderEpoch;
  readonly fetchOffset: Offset;
  /** Of its last record; -1 = it has none. */
  readonly lastFetchedEpoch: LeaderEpoch;
  readonly startOffset: Offset;
  readonly highWatermark: Offset;
}

/** What a leader answers to that; `records` are lent until the call returns. */
export interface Fetched {
  readonly errorCode: number;
  readonly highWatermark: Offset;
  readonly startOffset: Offset;
  readonly records: Buffer | null;
  /** An epoch of -1 = the logs agree. */
  readonly divergingEpoch: EpochAndEndOffset;
}

/** What became of an answer. */
export type Taken =
  | {
      readonly kind: 'followed';
      readonly bytes: number;
      /** How far the follower is behind the leader's high watermark. */
      readonly lag: Offset;
    }
  /** Cut back to where the logs agree: to be fetched again at once. */
  | { readonly kind: 'truncated' }
  /** The leader no longer has, or not yet has, what was asked for: ask where its log lies. */
  | { readonly kind: 'out-of-range' }
  /** It answers another question than the one that is open. */
  | { readonly kind: 'stale' }
  /** To be tried again after a pause. */
  | { readonly kind: 'failed'; readonly errorCode: number; readonly reason: string }
  /** The log folder is offline: nothing can be done here. */
  | { readonly kind: 'offline' }
  /** The log is damaged, which was told: nothing more is asked for in this term. */
  | { readonly kind: 'damaged' };

/**
 * Requests and answers between the nodes of a quorum, free of API versions: `wire.ts` maps them to
 * Kafka's messages. Offsets named `end` are exclusive.
 */
import type { LeaderEpoch, NodeId, Offset } from '../base/ids';
import type { QuorumRecords } from './history';
import type { OffsetAndEpoch } from './log-view';
import type { Endpoint, ReplicaKey, VoterSet } from './voters';

/** Kafka's error codes by name, those that the quorum itself gives or reacts to. */
export type QuorumError =
  | 'NONE'
  | 'UNKNOWN_SERVER_ERROR'
  | 'UNKNOWN_TOPIC_OR_PARTITION'
  | 'NOT_LEADER_OR_FOLLOWER'
  | 'REQUEST_TIMED_OUT'
  | 'BROKER_NOT_AVAILABLE'
  | 'CLUSTER_AUTHORIZATION_FAILED'
  | 'UNSUPPORTED_VERSION'
  | 'INVALID_REQUEST'
  | 'KAFKA_STORAGE_ERROR'
  | 'FENCED_LEADER_EPOCH'
  | 'UNKNOWN_LEADER_EPOCH'
  | 'SNAPSHOT_NOT_FOUND'
  | 'POSITION_OUT_OF_RANGE'
  | 'INCONSISTENT_CLUSTER_ID'
  | 'INVALID_UPDATE_VERSION'
  | 'INVALID_VOTER_KEY'
  | 'DUPLICATE_VOTER'
  | 'VOTER_NOT_FOUND';

export type QuorumRequest =
  | VoteRequest
  | BeginQuorumEpochRequest
  | EndQuorumEpochRequest
  | FetchRequest
  | FetchSnapshotRequest
  | AddVoterRequest
  | RemoveVoterRequest
  | UpdateVoterRequest;

/** What a node sends: the same, and the question which kraft.version a new voter supports. */
export type OutgoingRequest = QuorumRequest | { readonly kind: 'api-versions' };

export interface VoteRequest {
  readonly kind: 'vote';
  readonly clusterId: string | null;
  /** The bumped epoch, or in a pre-vote the current one. */
  readonly epoch: LeaderEpoch;
  readonly candidate: ReplicaKey;
  /** Who is asked; undefined before KIP-853. */
  readonly voter: ReplicaKey | undefined;
  /** The candidate's end. */
  readonly end: OffsetAndEpoch;
  readonly isPreVote: boolean;
}

export interface BeginQuorumEpochRequest {
  readonly kind: 'begin-quorum-epoch';
  readonly clusterId: string | null;
  readonly leaderId: NodeId;
  readonly epoch: LeaderEpoch;
  readonly voter: ReplicaKey | undefined;
  readonly leaderEndpoints: readonly Endpoint[];
}

export interface EndQuorumEpochRequest {
  readonly kind: 'end-quorum-epoch';
  readonly clusterId: string | null;
  readonly leaderId: NodeId;
  readonly epoch: LeaderEpoch;
  /** The voters that should lead next, best first. */
  readonly successors: readonly ReplicaKey[];
  readonly leaderEndpoints: readonly Endpoint[];
}

export interface FetchRequest {
  readonly kind: 'fetch';
  readonly clusterId: string | null;
  /** Id -1 if it is nobody's (a tool's). */
  readonly replica: ReplicaKey;
  readonly epoch: LeaderEpoch;
  readonly fetchOffset: Offset;
  readonly lastFetchedEpoch: LeaderEpoch;
  /** -1: unknown. Infinity: the version has no such field. */
  readonly highWatermark: Offset;
  readonly maxWaitMs: number;
  readonly maxBytes: number;
}

export interface FetchSnapshotRequest {
  readonly kind: 'fetch-snapshot';
  readonly clusterId: string | null;
  readonly replica: ReplicaKey;
  readonly epoch: LeaderEpoch;
  readonly snapshot: OffsetAndEpoch;
  readonly position: number;
  readonly maxBytes: number;
}

export interface AddVoterRequest {
  readonly kind: 'add-voter';
  readonly clusterId: string | null;
  readonly timeoutMs: number;
  readonly voter: ReplicaKey;
  readonly endpoints: readonly Endpoint[];
  /** False: answered once appended (v1, auto-join). */
  readonly isAnsweredWhenCommitted: boolean;
}

export interface RemoveVoterRequest {
  readonly kind: 'remove-voter';
  readonly clusterId: string | null;
  readonly voter: ReplicaKey;
}

export interface UpdateVoterRequest {
  readonly kind: 'update-voter';
  readonly clusterId: string | null;
  readonly epoch: LeaderEpoch;
  readonly voter: ReplicaKey;
  readonly endpoints: readonly Endpoint[];
  readonly minKraftVersion: number;
  readonly maxKraftVersion: number;
}

/** Whom the answering node takes for the leader. */
export interface KnownLeader {
  readonly leaderId: NodeId | undefined;
  readonly epoch: LeaderEpoch;
  readonly endpoints: readonly Endpoint[];
}

/**
 * An answer. `refused` (INCONSISTENT_CLUSTER_ID, an unsupported version, a lost
 * connection as BROKER_NOT_AVAILABLE) say nothing about the leader.
 */
export type QuorumResponse =
  | {
      readonly kind: 'refused';
      readonly error: QuorumError;
      readonly message?: string;
      /** Nobody listens any more where the node that was asked is reached. */
      readonly isGone?: boolean;
    }
  | {
      readonly kind: 'vote';
      readonly error: QuorumError;
      readonly leader: KnownLeader;
      readonly isGranted: boolean;
    }
  | {
      readonly kind: 'begin-quorum-epoch';
      readonly error: QuorumError;
      readonly leader: KnownLeader;
    }
  | { readonly kind: 'end-quorum-epoch'; readonly error: QuorumError; readonly leader: KnownLeader }
  | FetchResponse
  | FetchSnapshotResponse
  | { readonly kind: 'add-voter'; readonly error: QuorumError; readonly message?: string }
  | { readonly kind: 'remove-voter'; readonly error: QuorumError; readonly message?: string }
  | { readonly kind: 'update-voter'; readonly error: QuorumError; readonly leader: KnownLeader };

export interface FetchResponse {
  readonly kind: 'fetch';
  readonly error: QuorumError;
  readonly leader: KnownLeader;
  /** -1: unknown. */
  readonly highWatermark: Offset;
  readonly startOffset: Offset;
  readonly outcome:
    | { readonly kind: 'nothing' }
    /** The driver puts the log's bytes from there in. */
    | { readonly kind: 'read'; readonly from: Offset; readonly maxBytes: number }
    | { readonly kind: 'diverging'; readonly at: OffsetAndEpoch }
    | { readonly kind: 'snapshot'; readonly id: OffsetAndEpoch };
}

export interface FetchSnapshotResponse {
  readonly kind: 'fetch-snapshot';
  readonly error: QuorumError;
  readonly leader: KnownLeader;
  readonly snapshot: OffsetAndEpoch;
  readonly position: number;
  /** The driver puts size and bytes in, or POSITION_OUT_OF_RANGE. */
  readonly maxBytes: number;
}

/** A batch as it came from the leader; the driver has checked sizes and CRC. */
export interface FetchedBatch {
  readonly baseOffset: Offset;
  /** Inclusive. */
  readonly lastOffset: Offset;
  readonly epoch: LeaderEpoch;
  /** The whole batch, as it goes into the log. */
  readonly bytes: Uint8Array;
  readonly records: QuorumRecords;
}

/** An answer that came in to a request of ours. */
export type IncomingResponse =
  | Exclude<QuorumResponse, FetchResponse | FetchSnapshotResponse>
  | {
      readonly kind: 'fetch';
      readonly error: QuorumError;
      readonly leader: KnownLeader;
      readonly highWatermark: Offset;
      readonly outcome:
        | { readonly kind: 'batches'; readonly batches: readonly FetchedBatch[] }
        | { readonly kind: 'diverging'; readonly at: OffsetAndEpoch }
        | { readonly kind: 'snapshot'; readonly id: OffsetAndEpoch };
    }
  | {
      readonly kind: 'fetch-snapshot';
      readonly error: QuorumError;
      readonly leader: KnownLeader;
      readonly snapshot: OffsetAndEpoch;
      readonly position: number;
      readonly size: number;
      readonly bytes: Uint8Array;
    }
  | {
      readonly kind: 'api-versions';
      readonly error: QuorumError;
      /** The kraft.version levels the node supports; undefined if it names none. */
      readonly kraftVersions: { readonly min: number; readonly max: number } | undefined;
    };

/** The control records that a leader writes. */
export type ControlRecord =
  | {
      readonly kind: 'leader-change';
      readonly leaderId: NodeId;
      readonly voters: readonly NodeId[];
      readonly grantingVoters: readonly NodeId[];
    }
  | { readonly kind: 'kraft-version'; readonly level: number }
  | { readonly kind: 'voters'; readonly voters: VoterSet };

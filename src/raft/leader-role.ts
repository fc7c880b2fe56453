/** What a leader keeps of its voters and observers, and the high watermark that follows from it. */
import type { LeaderEpoch, NodeId, Offset } from '../base/ids';
import { after, type MonotonicMs } from '../base/times';
import type { FetchRequest } from './messages';
import {
  compareReplicas,
  describeReplica,
  type Endpoint,
  majority,
  matchesReplica,
  type ReplicaKey,
  type VoterSet,
} from './voters';

/** A replica that fetched nothing for so long is no longer shown. */
const OBSERVER_SESSION_TIMEOUT_MS = 300_000;
/** How long ago an observer may have been caught up to still be made a voter. */
const CAUGHT_UP_WITHIN_MS = 3_600_000;
/** Times the fetch timeout: how long a leader goes on without a majority that fetches. */
const CHECK_QUORUM_FACTOR = 1.5;

/** Another node that leads or led, and when it was heard last. */
export interface HeardLeader {
  readonly nodeId: NodeId;
  readonly atMs: MonotonicMs;
  /** Since when nobody listens where it was; undefined where that is not known. */
  readonly goneAtMs?: MonotonicMs;
}

export interface LeaderRole {
  readonly kind: 'leader';
  readonly epoch: LeaderEpoch;
  /** Where its LeaderChange record is. Nothing counts as committed before that one does. */
  readonly epochStartOffset: Offset;
  readonly self: ReplicaKey;
  /** Undefined where this node followed nobody since it led itself. */
  readonly former: HeardLeader | undefined;
  voters: Map<NodeId, Progress>;
  /** By id and directory. */
  readonly observers: Map<string, Progress>;
  highWatermark: Offset | undefined;
  /** Voters that fetched since the last time a majority had. */
  readonly fetchedVoters: Set<NodeId>;
  checkQuorumAtMs: MonotonicMs;
  beginQuorumAtMs: MonotonicMs;
  change: VoterChange | undefined;
  /**
   * kraft.version 0: the voters as they reported themselves, for the upgrade to 1, or the upgrade
   * that was asked for.
   */
  upgrade:
    | { readonly kind: 'voters'; readonly voters: VoterSet }
    | { readonly kind: 'version'; readonly level: number }
    | undefined;
  isResignRequested: boolean;
  /** Fetches that wait for something to tell. */
  parked: ParkedFetch[];
}

export interface ParkedFetch {
  readonly ticket: number;
  readonly request: FetchRequest;
  readonly highWatermark: Offset | undefined;
  readonly expiresAtMs: MonotonicMs;
}

/** A change of the voters that was asked for and is under way; at most one. */
export type VoterChange =
  | {
      readonly kind: 'add';
      readonly voter: ReplicaKey;
      readonly endpoints: readonly Endpoint[];
      readonly isAnsweredWhenCommitted: boolean;
      /** Undefined once answered. */
      ticket: number | undefined;
      /** Of the record with the new voters; undefined while the new voter's answer is awaited. */
      lastOffset: Offset | undefined;
      readonly expiresAtMs: MonotonicMs;
    }
  | {
      readonly kind: 'remove';
      readonly ticket: number;
      readonly lastOffset: Offset;
      readonly expiresAtMs: MonotonicMs;
    };

/** How far a replica is. */
export interface Progress {
  key: ReplicaKey;
  endpoints: readonly Endpoint[];
  /** What it has for sure. */
  endOffset: Offset | undefined;
  lastFetchAtMs: MonotonicMs | undefined;
  lastCaughtUpAtMs: MonotonicMs | undefined;
  leaderEndAtLastFetch: Offset | undefined;
}

export const newProgress = (key: ReplicaKey, endpoints: readonly Endpoint[]): Progress => ({
  key,
  endpoints,
  endOffset: undefined,
  lastFetchAtMs: undefined,
  lastCaughtUpAtMs: undefined,
  leaderEndAtLastFetch: undefined,
});

/** The replica's progress; a replica that is no voter becomes an observer. */
function progressOf(role: LeaderRole, replica: ReplicaKey): Progress {
  const voter = role.voters.get(replica.id);
  if (voter !== undefined && matchesReplica(voter.key, replica)) return voter;
  const name = describeReplica(replica);
  const observer = role.observers.get(name) ?? newProgress(replica, []);
  role.observers.set(name, observer);
  return observer;
}

/** This node's own end (what is flushed) and the voters in force. */
export function updateOwnProgress(role: LeaderRole, flushedEnd: Offset, voters: VoterSet): boolean {
  const own = progressOf(role, role.self);
  own.endOffset = Math.max(own.endOffset ?? 0, flushedEnd);
  adoptVoters(role, voters);
  return raiseHighWatermark(role);
}

/** A replica fetched from `offset`: it has everything before. True if the high watermark rose. */
export function updateProgress(
  role: LeaderRole,
  replica: ReplicaKey,
  offset: Offset,
  leaderEnd: Offset,
  nowMs: MonotonicMs,
): boolean {
  if (replica.id < 0) return false;
  const progress = progressOf(role, replica);
  if (offset >= leaderEnd) progress.lastCaughtUpAtMs = nowMs;
  else if (
    progress.leaderEndAtLastFetch !== undefined &&
    progress.leaderEndAtLastFetch > 0 &&
    offset >= progress.leaderEndAtLastFetch
  ) {
    progress.lastCaughtUpAtMs = progress.lastFetchAtMs;
  }
  progress.leaderEndAtLastFetch = leaderEnd;
  progress.lastFetchAtMs = nowMs;
  progress.endOffset = offset;
  return role.voters.get(replica.id) === progress && raiseHighWatermark(role);
}

/** Notes that a voter follows; once a majority does, the leader's time begins anew. */
export function noteFollowing(
  role: LeaderRole,
  replica: ReplicaKey,
  fetchTimeoutMs: number,
  nowMs: MonotonicMs,
): void {
  const voter = role.voters.get(replica.id);
  if (voter !== undefined && matchesReplica(voter.key, replica)) role.fetchedVoters.add(replica.id);
  const own = role.voters.has(role.self.id) ? 1 : 0;
  if (role.fetchedVoters.size < majority(role.voters) - own) return;
  role.fetchedVoters.clear();
  role.checkQuorumAtMs = checkQuorumAt(nowMs, fetchTimeoutMs);
}

export const checkQuorumAt = (nowMs: MonotonicMs, fetchTimeoutMs: number): MonotonicMs =>
  after(nowMs, fetchTimeoutMs * CHECK_QUORUM_FACTOR);

/** The other voters, those with the most records first: who should lead next. */
export function successors(role: LeaderRole): ReplicaKey[] {
  return byDescendingEnd(role)
    .filter(({ key }) => !matchesReplica(key, role.self))
    .map(({ key }) => key);
}

/** Voters that have not fetched for `periodMs`: they may not know of this leader. */
export function votersToRemind(
  role: LeaderRole,
  periodMs: number,
  nowMs: MonotonicMs,
): ReplicaKey[] {
  return [...role.voters.values()]
    .filter(
      ({ key, lastFetchAtMs }) =>
        key.id !== role.self.id &&
        (lastFetchAtMs === undefined || nowMs - lastFetchAtMs >= periodMs),
    )
    .map(({ key }) => key);
}

export function isCaughtUp(role: LeaderRole, replica: ReplicaKey, nowMs: MonotonicMs): boolean {
  const observer = role.observers.get(describeReplica(replica));
  return (
    observer?.lastCaughtUpAtMs !== undefined &&
    observer.lastFetchAtMs !== undefined &&
    nowMs - observer.lastFetchAtMs < CAUGHT_UP_WITHIN_MS
  );
}

/** The observers worth showing; those long gone are forgotten. */
export function activeObservers(role: LeaderRole, nowMs: MonotonicMs): Progress[] {
  for (const [name, { key, lastFetchAtMs }] of role.observers) {
    const silentMs = nowMs - (lastFetchAtMs ?? Number.NEGATIVE_INFINITY);
    if (silentMs >= OBSERVER_SESSION_TIMEOUT_MS && !matchesReplica(key, role.self)) {
      role.observers.delete(name);
    }
  }
  return [...role.observers.values()];
}

function adoptVoters(role: LeaderRole, voters: VoterSet): void {
  const before = new Map(role.voters);
  const now = new Map<NodeId, Progress>();
  for (const { key, endpoints } of voters.values()) {
    const known = role.voters.get(key.id);
    const progress =
      known !== undefined && matchesReplica(known.key, key)
        ? known
        : (role.observers.get(describeReplica(key)) ?? newProgress(key, endpoints));
    if (progress === known) before.delete(key.id);
    role.observers.delete(describeReplica(key));
    progress.key = key;
    progress.endpoints = endpoints;
    now.set(key.id, progress);
  }
  role.voters = now;
  for (const progress of before.values()) {
    progress.endpoints = [];
    role.observers.set(describeReplica(progress.key), progress);
  }
}

function raiseHighWatermark(role: LeaderRole): boolean {
  const decisive = byDescendingEnd(role)[Math.floor(role.voters.size / 2)]?.endOffset;
  // Raft §5.4.2: what earlier epochs wrote is committed only together with something of this one.
  if (decisive === undefined || decisive <= role.epochStartOffset) return false;
  if (role.highWatermark !== undefined && decisive <= role.highWatermark) return false;
  role.highWatermark = decisive;
  return true;
}

function byDescendingEnd(role: LeaderRole): Progress[] {
  return [...role.voters.values()].sort(
    (one, other) =>
      (other.endOffset ?? -1) - (one.endOffset ?? -1) || compareReplicas(one.key, other.key),
  );
}

/**
 * The roles a node takes in the quorum, and what each of them grants to who asks for a vote.
 * Which role follows which is said in `transitions.ts`.
 */
import type { LeaderEpoch, NodeId } from '../base/ids';
import type { MonotonicMs } from '../base/times';
import type { LeaderRole } from './leader-role';
import type { OffsetAndEpoch } from './log-view';
import type { ElectionState } from './vote-file';
import { type Endpoint, majority, type ReplicaKey, type VoterSet } from './voters';

export type Role =
  | UnattachedRole
  | ProspectiveRole
  | CandidateRole
  | FollowerRole
  | LeaderRole
  | ResignedRole;

/** Knows an epoch and maybe its leader, but not where to fetch from. */
export interface UnattachedRole {
  readonly kind: 'unattached';
  readonly epoch: LeaderEpoch;
  readonly leaderId: NodeId | undefined;
  readonly voted: ReplicaKey | undefined;
  /** Never for a node that is no voter. */
  readonly electionAtMs: MonotonicMs;
}

/** Asks whether it would be elected, without raising the epoch (KIP-996). */
export interface ProspectiveRole {
  readonly kind: 'prospective';
  readonly epoch: LeaderEpoch;
  readonly leaderId: NodeId | undefined;
  readonly leaderEndpoints: readonly Endpoint[];
  readonly voted: ReplicaKey | undefined;
  readonly election: Election;
  readonly electionAtMs: MonotonicMs;
  /** When those that said no are asked once more. */
  askAgainAtMs: MonotonicMs;
}

/** Has raised the epoch and voted for itself. */
export interface CandidateRole {
  readonly kind: 'candidate';
  readonly epoch: LeaderEpoch;
  readonly election: Election;
  readonly electionAtMs: MonotonicMs;
  /** When it asks anew, since somebody said no. */
  askAgainAtMs: MonotonicMs;
}

/** Fetches from the leader. Also every node that is no voter, once it knows the leader. */
export interface FollowerRole {
  readonly kind: 'follower';
  readonly epoch: LeaderEpoch;
  readonly leaderId: NodeId;
  readonly leaderEndpoints: readonly Endpoint[];
  readonly voted: ReplicaKey | undefined;
  /** When the leader counts as lost. */
  fetchTimeoutAtMs: MonotonicMs;
  /** When to look again whether the leader knows this voter's endpoints, or to join. */
  updateVoterAtMs: MonotonicMs;
  hasFetchedFromLeader: boolean;
  hasUpdatedLeader: boolean;
  fetchingSnapshot: FetchingSnapshot | undefined;
}

interface FetchingSnapshot {
  readonly id: OffsetAndEpoch;
  /** How many bytes are here. */
  position: number;
}

/** Was the leader of this epoch and leads no more; asks others to take over. */
export interface ResignedRole {
  readonly kind: 'resigned';
  readonly epoch: LeaderEpoch;
  readonly successors: readonly ReplicaKey[];
  /** Voters that have not confirmed yet. */
  readonly unacknowledged: Set<NodeId>;
  readonly electionAtMs: MonotonicMs;
}

/** Who voted how in one election. */
export interface Election {
  readonly voters: VoterSet;
  readonly votes: Map<NodeId, 'granted' | 'rejected'>;
}

export const newElection = (voters: VoterSet, self: NodeId): Election => ({
  voters,
  votes: new Map([[self, 'granted']]),
});

export const isWon = (election: Election): boolean =>
  count(election, 'granted') >= majority(election.voters);

export const isLost = (election: Election): boolean =>
  election.voters.size - count(election, 'rejected') < majority(election.voters);

export const grantingVoters = (election: Election): NodeId[] =>
  [...election.votes].filter(([, vote]) => vote === 'granted').map(([id]) => id);

/** A pre-vote binds nobody: who said no may think otherwise by now. */
export function forgetRejections(election: Election): void {
  for (const [id, vote] of election.votes) if (vote === 'rejected') election.votes.delete(id);
}

/** Voters whose vote is still out. */
export function* silentVoters(election: Election): Generator<ReplicaKey> {
  for (const voter of election.voters.values()) {
    if (!election.votes.has(voter.key.id)) yield voter.key;
  }
}

export function leaderOf(role: Role, self: NodeId): NodeId | undefined {
  switch (role.kind) {
    case 'unattached':
    case 'prospective':
    case 'follower':
      return role.leaderId;
    case 'leader':
    case 'resigned':
      return self;
    case 'candidate':
      return undefined;
  }
}

export function votedFor(role: Role, self: ReplicaKey): ReplicaKey | undefined {
  switch (role.kind) {
    case 'unattached':
    case 'prospective':
    case 'follower':
      return role.voted;
    case 'candidate':
      return self;
    case 'leader':
    case 'resigned':
      return undefined;
  }
}

/** What must be on disk before anybody hears of the role. */
export const electionStateOf = (
  role: Role,
  self: ReplicaKey,
  voters: VoterSet,
  kraftVersion: number,
): ElectionState => ({
  epoch: role.epoch,
  leaderId: leaderOf(role, self.id),
  voted: votedFor(role, self),
  voters: [...voters.keys()],
  kraftVersion,
});

/**
 * Whether a node in that role grants its vote. A real vote is given once an epoch; a pre-vote binds
 * nobody, and is refused only by those who know that there is a working leader.
 */
export function grantsVote(
  role: Role,
  candidate: ReplicaKey,
  isLogUpToDate: boolean,
  isPreVote: boolean,
): boolean {
  switch (role.kind) {
    case 'unattached':
    case 'prospective':
      if (isPreVote) return isLogUpToDate;
      if (role.voted !== undefined) return isSameCandidate(role.voted, candidate);
      return role.leaderId === undefined && isLogUpToDate;
    case 'follower':
      return isPreVote && !role.hasFetchedFromLeader && isLogUpToDate;
    case 'candidate':
    case 'resigned':
      return isPreVote && isLogUpToDate;
    case 'leader':
      return false;
  }
}

function isSameCandidate(voted: ReplicaKey, candidate: ReplicaKey): boolean {
  return (
    voted.id === candidate.id &&
    (voted.directoryId === undefined || voted.directoryId === candidate.directoryId)
  );
}

const count = (election: Election, vote: 'granted' | 'rejected'): number => {
  let sum = 0;
  for (const given of election.votes.values()) if (given === vote) sum++;
  return sum;
};

/**
 * Which role follows which (KIP-595, 996):
 *
 * - unattached → prospective (election timeout), follower (leader learnt), unattached (newer
 *   epoch)
 * - prospective → candidate (pre-vote won), follower or unattached (lost, timeout, newer epoch)
 * - candidate → leader (won), prospective (timeout), follower or unattached (newer epoch)
 * - leader → resigned (no majority, asked to), follower or unattached (newer epoch)
 * - follower → prospective (leader lost; voters only), follower or unattached (newer epoch)
 * - resigned → unattached (election timeout, one epoch on), follower (leader learnt)
 *
 * A node that is no voter is only ever unattached or follower. Within an epoch the vote is kept.
 */
import type { LeaderEpoch, NodeId } from '../base/ids';
import { invariant } from '../base/invariant';
import { after, type MonotonicMs } from '../base/times';
import { NEVER } from './connections';
import {
  appendControl,
  type Core,
  enter,
  enterDurably,
  randomElectionTimeoutMs,
  say,
  selfAsVoter,
  selfIsVoter,
} from './core';
import { failParked } from './leader-fetch';
import { checkQuorumAt, type LeaderRole, newProgress } from './leader-role';
import type { ControlRecord } from './messages';
import {
  type CandidateRole,
  grantingVoters,
  isLost,
  isWon,
  leaderOf,
  newElection,
  votedFor,
} from './quorum';
import { failVoterChange } from './voter-changes';
import {
  type Endpoint,
  type ReplicaKey,
  type VoterSet,
  voterNeedsUpdate,
  withUpdatedVoter,
} from './voters';

export function becomeUnattached(
  core: Core,
  epoch: LeaderEpoch,
  leaderId: NodeId | undefined,
  nowMs: MonotonicMs,
): void {
  const { role } = core;
  invariant(
    epoch > role.epoch || (epoch === role.epoch && role.kind === 'prospective'),
    'a node is unattached only in a new epoch or after a lost pre-vote',
  );
  const voted = epoch === role.epoch ? votedFor(role, core.self) : undefined;
  const electionAtMs = electionAfter(core, nowMs);
  leave(core);
  enterDurably(core, { kind: 'unattached', epoch, leaderId, voted, electionAtMs });
  afterLeaving(core, role.kind === 'leader' ? role : undefined);
}

export function becomeFollower(
  core: Core,
  epoch: LeaderEpoch,
  leaderId: NodeId,
  leaderEndpoints: readonly Endpoint[],
  nowMs: MonotonicMs,
): void {
  const { role } = core;
  invariant(leaderId !== core.self.id, 'a node does not follow itself');
  invariant(leaderEndpoints.length > 0, 'a leader is followed only where it can be reached');
  invariant(
    epoch > role.epoch || (epoch === role.epoch && role.kind !== 'leader'),
    'a leader follows nobody in its own epoch',
  );
  const { fetchTimeoutMs } = core.settings;
  core.votesLost = 0;
  leave(core);
  enterDurably(core, {
    kind: 'follower',
    epoch,
    leaderId,
    leaderEndpoints,
    voted: epoch === role.epoch ? votedFor(role, core.self) : undefined,
    fetchTimeoutAtMs: after(nowMs, fetchTimeoutMs),
    updateVoterAtMs: after(nowMs, fetchTimeoutMs),
    hasFetchedFromLeader: false,
    hasUpdatedLeader: false,
    fetchingSnapshot: undefined,
  });
  afterLeaving(core, role.kind === 'leader' ? role : undefined);
}

/** Nothing is written down: neither epoch nor vote change. */
export function becomeProspective(core: Core, nowMs: MonotonicMs): void {
  const { role } = core;
  invariant(selfIsVoter(core), 'only voters stand for election');
  invariant(role.kind !== 'leader' && role.kind !== 'prospective', 'a leader does not stand again');
  const leaderEndpoints = role.kind === 'follower' ? role.leaderEndpoints : [];
  leave(core);
  enter(core, {
    kind: 'prospective',
    epoch: role.epoch,
    // One that resigned knows itself as the leader, which leads no more.
    leaderId: leaderOf(role, core.self.id),
    leaderEndpoints,
    voted: votedFor(role, core.self),
    election: newElection(core.history.lastVoters, core.self.id),
    electionAtMs: after(nowMs, randomElectionTimeoutMs(core)),
    askAgainAtMs: NEVER,
  });
  afterLeaving(core, undefined);
  if (isWon((core.role as { election: CandidateRole['election'] }).election)) {
    becomeCandidate(core, nowMs);
  }
}

export function becomeCandidate(core: Core, nowMs: MonotonicMs): void {
  const { role } = core;
  invariant(role.kind === 'prospective', 'only who won the pre-vote becomes a candidate');
  invariant(selfIsVoter(core), 'only voters stand for election');
  const election = newElection(core.history.lastVoters, core.self.id);
  leave(core);
  enterDurably(core, {
    kind: 'candidate',
    epoch: role.epoch + 1,
    election,
    electionAtMs: after(nowMs, randomElectionTimeoutMs(core)),
    askAgainAtMs: NEVER,
  });
  afterLeaving(core, undefined);
  if (isWon(election)) becomeLeader(core, nowMs);
}

export function becomeLeader(core: Core, nowMs: MonotonicMs): void {
  const { role, history } = core;
  invariant(role.kind === 'candidate' && isWon(role.election), 'a leader has won an election');
  invariant(selfIsVoter(core), 'only voters lead');
  const voters = history.lastVoters;
  const leader = newLeader(core, role, nowMs);
  const records = startOfEpoch(core, voters, role);
  core.votesLost = 0;
  core.heardLeader = undefined;
  leave(core);
  enterDurably(core, leader);
  afterLeaving(core, undefined);
  appendControl(core, role.epoch, records);
}

/** Says who should take over; the role ends on its own if nobody does. */
export function becomeResigned(
  core: Core,
  successors: readonly ReplicaKey[],
  nowMs: MonotonicMs,
): void {
  const { role } = core;
  invariant(role.kind === 'leader', 'only a leader resigns');
  const others = [...core.history.lastVoters.keys()].filter((id) => id !== core.self.id);
  leave(core);
  enter(core, {
    kind: 'resigned',
    epoch: role.epoch,
    successors,
    unacknowledged: new Set(others),
    electionAtMs: after(nowMs, randomElectionTimeoutMs(core)),
  });
  afterLeaving(core, role);
}

/** Prospective and not elected: back to the leader it knew, if it can be reached. */
export function giveUpElection(core: Core, nowMs: MonotonicMs): void {
  const { role } = core;
  invariant(role.kind === 'prospective', 'only a prospective node gives up');
  if (role.leaderId !== undefined && role.leaderEndpoints.length > 0) {
    becomeFollower(core, role.epoch, role.leaderId, role.leaderEndpoints, nowMs);
  } else {
    becomeUnattached(core, role.epoch, role.leaderId, nowMs);
  }
}

/** Gives the vote; the role stays, with more time before it stands itself. */
export function giveVote(core: Core, candidate: ReplicaKey, nowMs: MonotonicMs): void {
  const { role } = core;
  invariant(
    (role.kind === 'unattached' || role.kind === 'prospective') && role.voted === undefined,
    'a vote is given once an epoch',
  );
  invariant(candidate.id !== core.self.id, 'a vote for oneself is not asked for');
  const electionAtMs = after(nowMs, randomElectionTimeoutMs(core));
  if (role.kind === 'unattached') {
    enterDurably(core, { ...role, voted: candidate, electionAtMs });
  } else {
    const election = newElection(core.history.lastVoters, core.self.id);
    enterDurably(core, { ...role, voted: candidate, election, electionAtMs });
  }
}

function newLeader(core: Core, role: CandidateRole, nowMs: MonotonicMs): LeaderRole {
  const { lastVoters, lastKraftVersion } = core.history;
  const ownUpdated = withUpdatedVoter(lastVoters, selfAsVoter(core), true);
  invariant(ownUpdated !== undefined, 'a leader is a voter');
  return {
    kind: 'leader',
    epoch: role.epoch,
    epochStartOffset: core.log.endOffset,
    self: core.self,
    former: core.heardLeader,
    voters: new Map(
      [...lastVoters.values()].map(({ key, endpoints }) => [key.id, newProgress(key, endpoints)]),
    ),
    observers: new Map(),
    // Not the one known before: a leader that tells one must be sure that it never falls.
    highWatermark: undefined,
    fetchedVoters: new Set(),
    checkQuorumAtMs: checkQuorumAt(nowMs, core.settings.fetchTimeoutMs),
    beginQuorumAtMs: nowMs,
    change: undefined,
    upgrade: lastKraftVersion === 0 ? { kind: 'voters', voters: ownUpdated } : undefined,
    isResignRequested: false,
    parked: [],
  };
}

/** LeaderChange and, in a dynamic quorum, the voters where the log does not have them right. */
function startOfEpoch(core: Core, voters: VoterSet, role: CandidateRole): ControlRecord[] {
  const records: ControlRecord[] = [
    {
      kind: 'leader-change',
      leaderId: core.self.id,
      voters: [...voters.keys()],
      grantingVoters: grantingVoters(role.election),
    },
  ];
  const { lastKraftVersion, lastVotersInLog } = core.history;
  if (lastKraftVersion === 0) return records;
  invariant(lastVotersInLog !== undefined, 'a dynamic quorum has its voters in log or checkpoint');
  // Voters of the bootstrap checkpoint (offset -1) are known to those alone who were so formatted.
  if (lastVotersInLog.offset >= 0 && !voterNeedsUpdate(voters, selfAsVoter(core))) return records;
  const updated = withUpdatedVoter(voters, selfAsVoter(core));
  invariant(updated !== undefined, 'a leader is a voter');
  records.push({ kind: 'kraft-version', level: lastKraftVersion });
  records.push({ kind: 'voters', voters: updated });
  return records;
}

function electionAfter(core: Core, nowMs: MonotonicMs): MonotonicMs {
  const { role } = core;
  if (!selfIsVoter(core)) return NEVER;
  // What is left is kept, or every new epoch of another's would put off the own election.
  const keepsTime =
    role.kind === 'candidate' ||
    role.kind === 'unattached' ||
    role.kind === 'resigned' ||
    (role.kind === 'prospective' && !isLost(role.election));
  if (keepsTime && role.electionAtMs !== NEVER) return role.electionAtMs;
  return after(nowMs, randomElectionTimeoutMs(core));
}

/** What ends with the role that is left. */
function leave(core: Core): void {
  const { role } = core;
  if (role.kind === 'follower' && role.fetchingSnapshot !== undefined && !core.isInstalling) {
    core.out.log.push({ kind: 'drop-snapshot', id: role.fetchingSnapshot.id });
  }
}

/** Answers to old requests count no more; who waits at a former leader learns of the new one. */
function afterLeaving(core: Core, leader: LeaderRole | undefined): void {
  core.connections.resetAll();
  if (leader === undefined) return;
  failParked(core, leader);
  failVoterChange(core, leader, 'NOT_LEADER_OR_FOLLOWER');
  say(core, 'info', 'quorum leadership ended', { epoch: leader.epoch });
}

/** Elections: asking for votes as prospective or candidate, and giving them. */
import { after, type MonotonicMs, monotonicMs } from '../base/times';
import { checkElectionRequest, isForSelf, isOfThisCluster, WRONG_CLUSTER } from './checks';
import { NEVER } from './connections';
import { type Core, destinationOfVoter, knownLeader, say, trySend, wantFlush } from './core';
import { compareEnds } from './log-view';
import type { IncomingResponse, QuorumError, QuorumResponse, VoteRequest } from './messages';
import {
  type CandidateRole,
  forgetRejections,
  grantsVote,
  isLost,
  isWon,
  type ProspectiveRole,
  silentVoters,
} from './quorum';
import {
  becomeCandidate,
  becomeLeader,
  becomeProspective,
  becomeUnattached,
  giveUpElection,
  giveVote,
} from './transitions';
import { describeReplica } from './voters';

/** After so long, and up to twice as long, a voter that said no is asked again. */
const ASK_AGAIN_MS = 100;

/** Returns when to look again. */
export function pollElection(
  core: Core,
  role: ProspectiveRole | CandidateRole,
  nowMs: MonotonicMs,
): MonotonicMs {
  if (!core.isShuttingDown && nowMs >= role.electionAtMs) {
    say(core, 'info', 'election timed out', { role: role.kind, epoch: role.epoch });
    if (role.kind === 'candidate') becomeProspective(core, nowMs);
    else giveUpElection(core, nowMs);
    return nowMs;
  }
  if (!core.isShuttingDown && nowMs >= role.askAgainAtMs) {
    if (role.kind === 'candidate') {
      becomeProspective(core, nowMs);
      return nowMs;
    }
    forgetRejections(role.election);
    role.askAgainAtMs = NEVER;
  }
  const askAtMs = askForVotes(core, role, nowMs);
  if (core.isShuttingDown) return askAtMs;
  return monotonicMs(Math.min(askAtMs, role.askAgainAtMs, role.electionAtMs));
}

export function serveVote(core: Core, request: VoteRequest, nowMs: MonotonicMs): QuorumResponse {
  if (!isOfThisCluster(core, request.clusterId)) return WRONG_CLUSTER;
  const { epoch, end, candidate, isPreVote } = request;
  // A candidate never saw a leader of the epoch it asks for; a pre-vote asks in the current one.
  const isLegal =
    end.offset >= 0 &&
    end.epoch >= 0 &&
    end.epoch < epoch + (isPreVote ? 1 : 0) &&
    candidate.id !== core.self.id;
  const error = isLegal ? checkElectionRequest(core, candidate.id, epoch) : 'INVALID_REQUEST';
  if (error !== undefined) return answerVote(core, error, false);
  if (epoch > core.role.epoch) becomeUnattached(core, epoch, undefined, nowMs);
  if (!isForSelf(core, request.voter)) {
    return answerVote(core, 'INVALID_VOTER_KEY', false);
  }
  const isUpToDate = compareEnds(end, core.log.end) >= 0;
  const isGranted = grantsVote(core.role, candidate, isUpToDate, isPreVote);
  const { role } = core;
  const isUnbound =
    (role.kind === 'unattached' || role.kind === 'prospective') && role.voted === undefined;
  if (isGranted && !isPreVote && isUnbound) giveVote(core, candidate, nowMs);
  // A node that is cut off from the leader alone asks again several times a second.
  say(core, isGranted || !isPreVote ? 'info' : 'debug', 'vote asked for', {
    candidate: describeReplica(candidate),
    epoch,
    isPreVote,
    isGranted,
  });
  return answerVote(core, 'NONE', isGranted);
}

/** A vote came in. The caller has dealt with errors and newer epochs. */
export function onVote(
  core: Core,
  fromId: number,
  response: Extract<IncomingResponse, { kind: 'vote' }>,
  nowMs: MonotonicMs,
): void {
  const { role } = core;
  if (role.kind !== 'prospective' && role.kind !== 'candidate') return;
  if (!role.election.voters.has(fromId)) return;
  role.election.votes.set(fromId, response.isGranted ? 'granted' : 'rejected');
  if (isWon(role.election)) {
    if (role.kind === 'prospective') becomeCandidate(core, nowMs);
    else becomeLeader(core, nowMs);
    return;
  }
  if (isLost(role.election)) {
    say(core, 'info', 'election lost', { role: role.kind, epoch: role.epoch });
    if (role.kind === 'prospective') {
      giveUpElection(core, nowMs);
      return;
    }
  }
  if (!response.isGranted) askAgainLater(core, role, nowMs);
}

function askAgainLater(
  core: Core,
  role: ProspectiveRole | CandidateRole,
  nowMs: MonotonicMs,
): void {
  if (role.kind === 'prospective') {
    // Who said no may be about to miss the leader itself.
    role.askAgainAtMs = after(nowMs, ASK_AGAIN_MS + core.below(ASK_AGAIN_MS));
  } else if (role.askAgainAtMs === NEVER) {
    // Two stood at the same moment: they come apart the next time, or after some more.
    const mostMs = Math.max(core.settings.electionBackoffMaxMs, 1);
    const delayMs = Math.min(ASK_AGAIN_MS * 2 ** core.votesLost, mostMs);
    core.votesLost += 1;
    role.askAgainAtMs = after(nowMs, delayMs + core.below(delayMs));
  }
}

function askForVotes(
  core: Core,
  role: ProspectiveRole | CandidateRole,
  nowMs: MonotonicMs,
): MonotonicMs {
  let againAtMs = NEVER;
  if (isLost(role.election)) return againAtMs;
  // Who votes relies on what this log is said to hold, and a vote that is asked for again after a
  // restart is given again: a power loss must not have made the log shorter.
  wantFlush(core);
  if (core.flushedEnd < core.log.endOffset) return againAtMs;
  for (const voter of silentVoters(role.election)) {
    const destination = destinationOfVoter(core, voter.id);
    if (destination === undefined) continue;
    const atMs = trySend(core, destination, nowMs, () => ({
      kind: 'vote',
      clusterId: core.clusterId,
      epoch: role.epoch,
      candidate: core.self,
      voter,
      end: core.log.end,
      isPreVote: role.kind === 'prospective',
    }));
    if (atMs < againAtMs) againAtMs = atMs;
  }
  return againAtMs;
}

function answerVote(core: Core, error: QuorumError, isGranted: boolean): QuorumResponse {
  return { kind: 'vote', error, leader: knownLeader(core), isGranted };
}

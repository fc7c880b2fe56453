/** Elections: asking for votes as prospective or candidate, and giving them. */
import { after, type MonotonicMs, monotonicMs } from '../base/times';
import { checkElectionRequest, isForSelf, isOfThisCluster, WRONG_CLUSTER } from './checks';
import { NEVER } from './connections';
import { type Core, destinationOfVoter, knownLeader, say, trySend } from './core';
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

/** After so long, and up to twice as long, a voter that said no to a pre-vote is asked again. */
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
  if (role.kind === 'prospective' && nowMs >= role.askAgainAtMs) {
    forgetRejections(role.election);
    role.askAgainAtMs = NEVER;
  }
  const askAtMs = askForVotes(core, role, nowMs);
  if (core.isShuttingDown) return askAtMs;
  const againAtMs = role.kind === 'prospective' ? role.askAgainAtMs : NEVER;
  return monotonicMs(Math.min(askAtMs, againAtMs, role.electionAtMs));
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
  say(core, 'info', 'vote asked for', {
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
  } else if (isLost(role.election)) {
    say(core, 'info', 'election lost', { role: role.kind, epoch: role.epoch });
    // A candidate waits for its time to end, to give others theirs.
    if (role.kind === 'prospective') giveUpElection(core, nowMs);
  } else if (role.kind === 'prospective' && !response.isGranted) {
    // It may be about to miss the leader itself.
    role.askAgainAtMs = after(nowMs, ASK_AGAIN_MS + core.below(ASK_AGAIN_MS));
  }
}

function askForVotes(
  core: Core,
  role: ProspectiveRole | CandidateRole,
  nowMs: MonotonicMs,
): MonotonicMs {
  let againAtMs = NEVER;
  if (isLost(role.election)) return againAtMs;
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

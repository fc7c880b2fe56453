/** News of leaders: BeginQuorumEpoch, EndQuorumEpoch, and what every answer says of its leader. */
import type { LeaderEpoch, NodeId } from '../base/ids';
import { after, type MonotonicMs } from '../base/times';
import { checkElectionRequest, isForSelf, isOfThisCluster, WRONG_CLUSTER } from './checks';
import { type Core, currentLeader, knownLeader, say } from './core';
import type {
  BeginQuorumEpochRequest,
  EndQuorumEpochRequest,
  KnownLeader,
  QuorumError,
  QuorumResponse,
} from './messages';
import { becomeFollower, becomeUnattached } from './transitions';
import { type Endpoint, endpointsOf, matchesReplica } from './voters';

export function serveBeginQuorumEpoch(
  core: Core,
  request: BeginQuorumEpochRequest,
  nowMs: MonotonicMs,
): QuorumResponse {
  if (!isOfThisCluster(core, request.clusterId)) return WRONG_CLUSTER;
  const { leaderId, epoch, leaderEndpoints } = request;
  let error = checkElectionRequest(core, leaderId, epoch);
  if (error === undefined) {
    const isConsistent = learn(core, { leaderId, epoch, endpoints: leaderEndpoints }, nowMs);
    if (!isConsistent) error = 'UNKNOWN_SERVER_ERROR';
    else if (!isForSelf(core, request.voter)) error = 'INVALID_VOTER_KEY';
  }
  return answer(core, 'begin-quorum-epoch', error);
}

/** The leader wants to go: the better this node's place in its list, the sooner it stands. */
export function serveEndQuorumEpoch(
  core: Core,
  request: EndQuorumEpochRequest,
  nowMs: MonotonicMs,
): QuorumResponse {
  if (!isOfThisCluster(core, request.clusterId)) return WRONG_CLUSTER;
  const { leaderId, epoch, leaderEndpoints } = request;
  let error = checkElectionRequest(core, leaderId, epoch);
  if (error === undefined) {
    const isConsistent = learn(core, { leaderId, epoch, endpoints: leaderEndpoints }, nowMs);
    if (!isConsistent) error = 'UNKNOWN_SERVER_ERROR';
  }
  const { role } = core;
  if (error === undefined && role.kind === 'follower' && role.leaderId === leaderId) {
    role.fetchTimeoutAtMs = after(nowMs, electionBackoffMs(core, request));
  }
  return answer(core, 'end-quorum-epoch', error);
}

/**
 * Takes in what an answer says of leader and epoch. `handled`: there is nothing more in it,
 * `unusable`: and its sender is to be left alone for a while, `useful`: the rest counts.
 */
export function learnFromAnswer(
  core: Core,
  error: QuorumError,
  leader: KnownLeader,
  nowMs: MonotonicMs,
): 'handled' | 'unusable' | 'useful' {
  // Who has nothing to tell is left alone for a while, or it would be asked without end.
  if (leader.epoch < core.role.epoch || error === 'UNKNOWN_LEADER_EPOCH') return 'unusable';
  const isStale =
    leader.epoch > core.role.epoch ||
    error === 'FENCED_LEADER_EPOCH' ||
    error === 'NOT_LEADER_OR_FOLLOWER';
  if (isStale) {
    const before = core.role;
    return learn(core, leader, nowMs) && core.role !== before ? 'handled' : 'unusable';
  }
  if (isNews(core, leader)) {
    if (!learn(core, leader, nowMs)) return 'unusable';
    // An observer finds the leader and its first records with one Fetch.
    return error === 'NONE' ? 'useful' : 'handled';
  }
  if (error === 'INVALID_VOTER_KEY') {
    say(core, 'info', 'asked a voter by the wrong directory', { epoch: core.role.epoch });
    return 'handled';
  }
  const isRefused =
    error === 'BROKER_NOT_AVAILABLE' ||
    error === 'INVALID_REQUEST' ||
    error === 'UNKNOWN_SERVER_ERROR' ||
    error === 'KAFKA_STORAGE_ERROR';
  if (error === 'INVALID_REQUEST') say(core, 'error', 'quorum request refused', { error });
  return isRefused ? 'unusable' : 'useful';
}

/** False, with a log line, if it contradicts what is known: two leaders of one epoch. */
function learn(core: Core, news: KnownLeader, nowMs: MonotonicMs): boolean {
  const { role } = core;
  const { leaderId, epoch } = news;
  if (!isConsistent(core, leaderId, epoch)) {
    say(core, 'error', 'two leaders of one epoch', {
      leaderId,
      epoch,
      knownLeaderId: currentLeader(core),
      knownEpoch: role.epoch,
    });
    return false;
  }
  const endpoints = whereIs(core, leaderId, news.endpoints);
  const isNewer = epoch > role.epoch;
  if (leaderId === undefined || endpoints.length === 0) {
    if (isNewer) becomeUnattached(core, epoch, leaderId, nowMs);
  } else if (isNewer || isNews(core, news)) {
    becomeFollower(core, epoch, leaderId, endpoints, nowMs);
  }
  return true;
}

/** A leader of this epoch that was unknown, or known without a place where it is reached. */
function isNews(core: Core, { leaderId, epoch, endpoints }: KnownLeader): boolean {
  if (leaderId === undefined || leaderId === core.self.id || epoch !== core.role.epoch)
    return false;
  const known = knownLeader(core);
  return (
    whereIs(core, leaderId, endpoints).length > known.endpoints.length ||
    known.leaderId === undefined
  );
}

function isConsistent(core: Core, leaderId: NodeId | undefined, epoch: LeaderEpoch): boolean {
  if (leaderId === undefined) return true;
  if (leaderId === core.self.id) {
    // Nobody but this node can make it a leader, and it knows its own epochs.
    return epoch <= core.role.epoch && currentLeader(core) === core.self.id;
  }
  const known = currentLeader(core);
  return epoch !== core.role.epoch || known === undefined || known === leaderId;
}

/** What the message says, or else what the voters of the log or the configuration say. */
function whereIs(
  core: Core,
  leaderId: NodeId | undefined,
  endpoints: readonly Endpoint[],
): readonly Endpoint[] {
  if (leaderId === undefined || endpoints.length > 0) return endpoints;
  return endpointsOf(core.history.lastVoters, leaderId);
}

function electionBackoffMs(core: Core, { successors }: EndQuorumEpochRequest): number {
  const { electionBackoffMaxMs } = core.settings;
  const place = successors.findIndex((successor) => matchesReplica(successor, core.self));
  if (place === 0) return 0;
  if (place < 0) return electionBackoffMaxMs;
  const baseMs = Math.floor(electionBackoffMaxMs / 2 ** (successors.length - 1));
  return Math.min(electionBackoffMaxMs, baseMs * 2 ** (place - 1));
}

function answer(
  core: Core,
  kind: 'begin-quorum-epoch' | 'end-quorum-epoch',
  error: QuorumError | undefined,
): QuorumResponse {
  return { kind, error: error ?? 'NONE', leader: knownLeader(core) };
}

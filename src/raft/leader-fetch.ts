/** How a leader serves Fetch and FetchSnapshot of the metadata log (KIP-595, 630). */
import type { Offset } from '../base/ids';
import { after, type MonotonicMs } from '../base/times';
import { checkLeaderRequest, isOfThisCluster, WRONG_CLUSTER } from './checks';
import { type Core, knownLeader, reply, type Ticket } from './core';
import { type LeaderRole, noteFollowing, type ParkedFetch, updateProgress } from './leader-role';
import { BOOTSTRAP_SNAPSHOT, compareEnds, type Validity } from './log-view';
import type {
  FetchRequest,
  FetchResponse,
  FetchSnapshotRequest,
  QuorumError,
  QuorumResponse,
} from './messages';

/** The answer if there is something to tell; else it comes when there is, or its time is over. */
export function serveFetch(
  core: Core,
  ticket: Ticket,
  request: FetchRequest,
  nowMs: MonotonicMs,
): QuorumResponse | undefined {
  if (!isOfThisCluster(core, request.clusterId)) return WRONG_CLUSTER;
  const error = checkFetch(core, request) ?? checkLeaderRequest(core, request.epoch);
  const { role } = core;
  if (error !== undefined || role.kind !== 'leader') {
    return emptyFetch(core, error ?? 'NOT_LEADER_OR_FOLLOWER', undefined);
  }
  const response = answerFetch(core, role, request, nowMs);
  const isNews =
    response.outcome.kind !== 'nothing' ||
    request.maxWaitMs === 0 ||
    request.highWatermark < response.highWatermark;
  if (isNews) return response;
  const expiresAtMs = after(nowMs, request.maxWaitMs);
  role.parked.push({ ticket, request, highWatermark: role.highWatermark, expiresAtMs });
  return undefined;
}

/** Answers the waiting fetches that have something to learn now, or whose time is over. */
export function serveParked(core: Core, role: LeaderRole, nowMs: MonotonicMs): void {
  if (role.parked.length === 0) return;
  const waiting: ParkedFetch[] = [];
  for (const parked of role.parked) {
    const isNews =
      parked.request.fetchOffset < core.log.endOffset ||
      parked.highWatermark !== role.highWatermark;
    if (isNews) reply(core, parked.ticket, answerFetch(core, role, parked.request, nowMs));
    else if (nowMs >= parked.expiresAtMs) {
      reply(core, parked.ticket, emptyFetch(core, 'NONE', role.highWatermark));
    } else waiting.push(parked);
  }
  role.parked = waiting;
}

/** The leader is none any more: who waits is to ask the next one. */
export function failParked(core: Core, role: LeaderRole): void {
  for (const { ticket } of role.parked) {
    reply(core, ticket, emptyFetch(core, 'NOT_LEADER_OR_FOLLOWER', undefined));
  }
  role.parked = [];
}

export function serveFetchSnapshot(
  core: Core,
  request: FetchSnapshotRequest,
  nowMs: MonotonicMs,
): QuorumResponse {
  if (!isOfThisCluster(core, request.clusterId)) return WRONG_CLUSTER;
  const error = checkLeaderRequest(core, request.epoch) ?? checkSnapshot(core, request);
  const response: QuorumResponse = {
    kind: 'fetch-snapshot',
    error: error ?? 'NONE',
    leader: knownLeader(core),
    snapshot: request.snapshot,
    position: request.position,
    maxBytes: request.maxBytes,
  };
  if (error === undefined && core.role.kind === 'leader' && request.replica.id !== core.self.id) {
    noteFollowing(core.role, request.replica, core.settings.fetchTimeoutMs, nowMs);
  }
  return response;
}

function checkFetch(core: Core, request: FetchRequest): QuorumError | undefined {
  const isSane =
    request.maxWaitMs >= 0 &&
    request.fetchOffset >= 0 &&
    request.lastFetchedEpoch >= 0 &&
    request.lastFetchedEpoch <= request.epoch &&
    // Who looks for the leader may come upon itself under another name.
    (request.replica.id !== core.self.id || core.role.kind !== 'leader');
  return isSane ? undefined : 'INVALID_REQUEST';
}

function checkSnapshot(core: Core, request: FetchSnapshotRequest): QuorumError | undefined {
  // The bootstrap checkpoint never travels: the first leader writes what is in it into the log.
  const isThere =
    core.log.hasSnapshot(request.snapshot) &&
    compareEnds(request.snapshot, BOOTSTRAP_SNAPSHOT) !== 0;
  if (!isThere) return 'SNAPSHOT_NOT_FOUND';
  return request.position < 0 ? 'POSITION_OUT_OF_RANGE' : undefined;
}

function answerFetch(
  core: Core,
  role: LeaderRole,
  request: FetchRequest,
  nowMs: MonotonicMs,
): FetchResponse {
  const { fetchOffset } = request;
  const validity = validate(core, request);
  if (validity.kind === 'valid') {
    updateProgress(role, request.replica, fetchOffset, core.log.endOffset, nowMs);
    noteFollowing(role, request.replica, core.settings.fetchTimeoutMs, nowMs);
  }
  const empty = emptyFetch(core, 'NONE', role.highWatermark);
  if (validity.kind !== 'valid') return { ...empty, outcome: validity };
  if (fetchOffset >= core.log.endOffset) return empty;
  return { ...empty, outcome: { kind: 'read', from: fetchOffset, maxBytes: request.maxBytes } };
}

function validate(core: Core, request: FetchRequest): Validity {
  const latest = core.log.latestSnapshot;
  const isNew = request.fetchOffset === 0;
  // A snapshot is the shorter way for who has nothing.
  if (isNew && latest !== undefined && compareEnds(latest, BOOTSTRAP_SNAPSHOT) !== 0) {
    return { kind: 'snapshot', id: latest };
  }
  return core.log.validate(request.fetchOffset, request.lastFetchedEpoch);
}

const emptyFetch = (
  core: Core,
  error: QuorumError,
  highWatermark: Offset | undefined,
): FetchResponse => ({
  kind: 'fetch',
  error,
  leader: knownLeader(core),
  highWatermark: highWatermark ?? -1,
  startOffset: core.log.startOffset,
  outcome: { kind: 'nothing' },
});

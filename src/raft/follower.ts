/** Following: fetching log and snapshots from the leader, and looking for it when it is lost. */
import type { NodeId } from '../base/ids';
import { after, type MonotonicMs } from '../base/times';
import { NEVER } from './connections';
import {
  type Core,
  MAX_KRAFT_VERSION,
  MIN_KRAFT_VERSION,
  say,
  selfAsVoter,
  selfIsVoter,
  trySend,
  wantFlush,
} from './core';
import type { IncomingResponse, OutgoingRequest } from './messages';
import type { FollowerRole, UnattachedRole } from './quorum';
import { becomeProspective } from './transitions';
import { type Destination, destinationOf, voterNeedsUpdate } from './voters';

/** How often it fetches while it does not yet act on what is committed. */
const APPLYING_FETCH_INTERVAL_MS = 100;

/** Within how long the voters that miss a leader stand for election. */
const LEADER_GONE_SPREAD_MS = 150;

type FetchAnswer = Extract<IncomingResponse, { kind: 'fetch' }>;
type SnapshotAnswer = Extract<IncomingResponse, { kind: 'fetch-snapshot' }>;

/** Returns when to look again. */
export function pollUnattached(core: Core, role: UnattachedRole, nowMs: MonotonicMs): MonotonicMs {
  const isVoter = selfIsVoter(core);
  if (core.isInstalling || (isVoter && core.isShuttingDown)) return NEVER;
  if (isVoter && nowMs >= role.electionAtMs) {
    becomeProspective(core, nowMs);
    return nowMs;
  }
  const fetchAtMs = fetchFromAnyBootstrap(core, nowMs);
  return Math.min(fetchAtMs, isVoter ? role.electionAtMs : NEVER) as MonotonicMs;
}

/** Returns when to look again. */
export function pollFollower(core: Core, role: FollowerRole, nowMs: MonotonicMs): MonotonicMs {
  if (core.isShuttingDown || core.isInstalling) return NEVER;
  const isVoter = selfIsVoter(core);
  if (isVoter && nowMs >= role.fetchTimeoutAtMs) {
    say(core, 'info', 'quorum leader lost', { leaderId: role.leaderId, epoch: role.epoch });
    becomeProspective(core, nowMs);
    return nowMs;
  }
  const workAtMs =
    nowMs >= role.updateVoterAtMs
      ? tendMembership(core, role, isVoter, nowMs)
      : fetchFromBestNode(core, role, nowMs);
  return Math.min(workAtMs, isVoter ? role.fetchTimeoutAtMs : NEVER) as MonotonicMs;
}

/** The leader answered a Fetch without error. */
export function onFetched(
  core: Core,
  role: FollowerRole,
  answer: FetchAnswer,
  nowMs: MonotonicMs,
): boolean {
  const { outcome } = answer;
  switch (outcome.kind) {
    case 'diverging': {
      const offset = core.log.truncationOffset(outcome.at);
      if (offset < (core.highWatermark ?? 0)) {
        say(core, 'error', 'refused to cut committed records', {
          offset,
          highWatermark: core.highWatermark,
        });
        return false;
      }
      truncate(core, offset);
      say(core, 'info', 'metadata log truncated', { offset, leaderId: role.leaderId });
      break;
    }
    case 'snapshot':
      if (outcome.id.epoch < 0 || outcome.id.offset < 0) {
        say(core, 'error', 'metadata checkpoint without id', { ...outcome.id });
        return false;
      }
      beginSnapshot(core, role, outcome.id);
      break;
    case 'batches':
      if (!append(core, role, outcome.batches)) return false;
      if (answer.highWatermark >= 0) raiseHighWatermark(core, answer.highWatermark);
      break;
  }
  notesFetched(core, role, nowMs);
  return true;
}

/** A part of the snapshot came, or the leader does not have it any more. */
export function onFetchedSnapshot(
  core: Core,
  role: FollowerRole,
  answer: SnapshotAnswer,
  nowMs: MonotonicMs,
): boolean {
  const fetching = role.fetchingSnapshot;
  if (fetching === undefined) return true;
  const { id } = fetching;
  const isGone = answer.error === 'SNAPSHOT_NOT_FOUND' || answer.snapshot.offset < 0;
  const isWhole = fetching.position === answer.size;
  const isExpected =
    answer.snapshot.offset === id.offset &&
    answer.snapshot.epoch === id.epoch &&
    answer.position === fetching.position &&
    fetching.position + answer.bytes.length <= answer.size &&
    (answer.bytes.length > 0 || isWhole);
  if (isGone || answer.error === 'POSITION_OUT_OF_RANGE' || !isExpected) {
    say(core, isGone ? 'info' : 'error', 'metadata checkpoint dropped', {
      ...id,
      error: answer.error,
      position: fetching.position,
    });
    core.out.log.push({ kind: 'drop-snapshot', id });
    role.fetchingSnapshot = undefined;
    notesFetched(core, role, nowMs);
    return isGone;
  }
  const { position } = fetching;
  core.out.log.push({ kind: 'append-snapshot', id, position, bytes: answer.bytes });
  fetching.position += answer.bytes.length;
  if (fetching.position === answer.size) {
    core.isInstalling = true;
    core.out.log.push({ kind: 'install-snapshot', id });
  }
  notesFetched(core, role, nowMs);
  return true;
}

/**
 * Nobody listens any more where the leader was. A voter then waits no longer than it takes for
 * voters not to stand against each other: it asks the others first, and who still hears the leader
 * says no.
 */
export function onLeaderGone(core: Core, role: FollowerRole, nowMs: MonotonicMs): void {
  role.hasFetchedFromLeader = false;
  const { heardLeader } = core;
  if (heardLeader?.nodeId === role.leaderId) {
    core.heardLeader = { ...heardLeader, goneAtMs: heardLeader.goneAtMs ?? nowMs };
  }
  const atMs = after(nowMs, core.below(LEADER_GONE_SPREAD_MS));
  if (atMs < role.fetchTimeoutAtMs) role.fetchTimeoutAtMs = atMs;
}

/** Whether what is fetched next acknowledges only what no power loss can take away. */
function mayFetch(core: Core): boolean {
  wantFlush(core);
  return core.flushedEnd >= core.log.endOffset && !core.isInstalling;
}

function raiseHighWatermark(core: Core, leaders: number): void {
  const highWatermark = Math.min(leaders, core.log.endOffset);
  if (highWatermark > (core.highWatermark ?? -1)) core.highWatermark = highWatermark;
  core.isCaughtUp ||= leaders <= core.log.endOffset;
}

function notesFetched(core: Core, role: FollowerRole, nowMs: MonotonicMs): void {
  role.fetchTimeoutAtMs = after(nowMs, core.settings.fetchTimeoutMs);
  role.hasFetchedFromLeader = true;
  core.heardLeader = { nodeId: role.leaderId, atMs: nowMs };
}

function append(
  core: Core,
  role: FollowerRole,
  batches: Extract<FetchAnswer['outcome'], { kind: 'batches' }>['batches'],
): boolean {
  if (batches.length === 0) return true;
  const accepted = [];
  let end = core.log.end;
  for (const batch of batches) {
    // Newer than the leader's own epoch would be another leader's: it comes again, rightly asked.
    const fits =
      batch.baseOffset === end.offset && batch.epoch >= end.epoch && batch.epoch <= role.epoch;
    if (!fits) break;
    accepted.push(batch);
    end = { offset: batch.lastOffset + 1, epoch: batch.epoch };
  }
  if (accepted.length < batches.length) {
    say(core, 'error', 'metadata batches refused', { endOffset: end.offset, epoch: role.epoch });
  }
  if (accepted.length === 0) return false;
  core.out.log.push({ kind: 'append-fetched', batches: accepted });
  for (const { baseOffset, lastOffset, epoch, records } of accepted) {
    core.log.append(baseOffset, lastOffset, epoch);
    core.history.add(records);
  }
  return true;
}

function truncate(core: Core, offset: number): void {
  if (offset >= core.log.endOffset) return;
  core.out.log.push({ kind: 'truncate', offset });
  core.log.truncateTo(offset);
  core.history.truncateTo(offset);
  core.flushedEnd = Math.min(core.flushedEnd, offset);
}

function beginSnapshot(
  core: Core,
  role: FollowerRole,
  id: { offset: number; epoch: number },
): void {
  if (core.log.hasSnapshot(id)) {
    say(core, 'info', 'metadata checkpoint is here already', { ...id });
    return;
  }
  say(core, 'info', 'fetching a metadata checkpoint', { ...id, leaderId: role.leaderId });
  role.fetchingSnapshot = { id, position: 0 };
  core.out.log.push({ kind: 'begin-snapshot', id });
}

/** If the leader leaves requests unanswered, anybody may know who leads now. */
function fetchFromBestNode(core: Core, role: FollowerRole, nowMs: MonotonicMs): MonotonicMs {
  const { connections } = core;
  const leader = leaderDestination(core, role);
  if (leader === undefined) return fetchFromAnyBootstrap(core, nowMs);
  if (connections.hasTimedOut(leader.id, nowMs)) {
    connections.reset(leader.id);
    return fetchFromAnyBootstrap(core, nowMs);
  }
  if (connections.isBackingOff(leader.id, nowMs)) return fetchFromAnyBootstrap(core, nowMs);
  if (connections.hasAnyWaiting(nowMs)) return connections.bootstrapAtMs(nowMs);
  const fetching = role.fetchingSnapshot;
  if (fetching === undefined) {
    if (!mayFetch(core)) return NEVER;
    const nextAtMs = fetchIsWorthwhileAtMs(core, nowMs);
    if (nextAtMs > nowMs) return nextAtMs;
    return trySend(core, leader, nowMs, () => fetchRequest(core, nowMs));
  }
  return trySend(core, leader, nowMs, () => ({
    kind: 'fetch-snapshot',
    clusterId: core.clusterId,
    replica: core.self,
    epoch: role.epoch,
    snapshot: fetching.id,
    position: fetching.position,
    maxBytes: core.settings.fetchSnapshotMaxBytes,
  }));
}

function fetchFromAnyBootstrap(core: Core, nowMs: MonotonicMs): MonotonicMs {
  if (!mayFetch(core)) return NEVER;
  const server = core.connections.readyBootstrapServer(nowMs);
  if (server === undefined) return core.connections.bootstrapAtMs(nowMs);
  return trySend(core, server, nowMs, () => fetchRequest(core, nowMs));
}

/**
 * A leader answers at once who is behind its high watermark: who has nothing to acknowledge waits
 * until it acts on what is committed, but not for long, since the leader wants to hear of it.
 */
function fetchIsWorthwhileAtMs(core: Core, nowMs: MonotonicMs): MonotonicMs {
  const { appliedEnd, highWatermark, lastFetch } = core;
  const isApplied = appliedEnd === undefined || appliedEnd >= (highWatermark ?? 0);
  if (isApplied || lastFetch === undefined || lastFetch.offset !== core.log.endOffset) return nowMs;
  return after(lastFetch.atMs, APPLYING_FETCH_INTERVAL_MS);
}

function fetchRequest(core: Core, nowMs: MonotonicMs): OutgoingRequest {
  const { offset, epoch } = core.log.end;
  const { highWatermark = -1, appliedEnd = highWatermark } = core;
  core.lastFetch = { offset, atMs: nowMs };
  return {
    kind: 'fetch',
    clusterId: core.clusterId,
    replica: core.self,
    epoch: core.role.epoch,
    fetchOffset: offset,
    lastFetchedEpoch: epoch,
    highWatermark: Math.min(highWatermark, appliedEnd),
    maxWaitMs: core.settings.fetchMaxWaitMs,
    maxBytes: core.settings.fetchMaxBytes,
  };
}

/** A voter keeps its entry right; a controller that is none joins, if it is told to (KIP-853). */
function tendMembership(
  core: Core,
  role: FollowerRole,
  isVoter: boolean,
  nowMs: MonotonicMs,
): MonotonicMs {
  const request = isVoter ? updateVoterRequest(core, role) : joinRequest(core);
  const leader = leaderDestination(core, role);
  if (request === undefined || leader === undefined) {
    role.updateVoterAtMs = after(nowMs, core.settings.fetchTimeoutMs);
    return fetchFromBestNode(core, role, nowMs);
  }
  if (!core.connections.isReady(leader.id, nowMs))
    return core.connections.readyAtMs(leader.id, nowMs);
  role.updateVoterAtMs = after(nowMs, core.settings.fetchTimeoutMs);
  return trySend(core, leader, nowMs, () => request);
}

function updateVoterRequest(core: Core, role: FollowerRole): OutgoingRequest | undefined {
  const isDynamic = core.history.lastKraftVersion > 0;
  // A leader of a static quorum has to be told, since it finds nothing in the log.
  const isNeeded = isDynamic
    ? voterNeedsUpdate(core.history.lastVoters, selfAsVoter(core))
    : !role.hasUpdatedLeader;
  if (!isNeeded) return undefined;
  return {
    kind: 'update-voter',
    clusterId: core.clusterId,
    epoch: role.epoch,
    voter: core.self,
    endpoints: core.endpoints,
    minKraftVersion: MIN_KRAFT_VERSION,
    maxKraftVersion: MAX_KRAFT_VERSION,
  };
}

function joinRequest(core: Core): OutgoingRequest | undefined {
  const { settings, history, self, clusterId } = core;
  const mayJoin = settings.autoJoinIsEnabled && core.canBecomeVoter && history.lastKraftVersion > 0;
  if (!mayJoin) return undefined;
  const stale = history.lastVoters.get(self.id);
  // The same node with a new disk: its former entry goes first.
  if (stale !== undefined) return { kind: 'remove-voter', clusterId, voter: stale.key };
  return {
    kind: 'add-voter',
    clusterId,
    timeoutMs: settings.requestTimeoutMs,
    voter: self,
    endpoints: core.endpoints,
    isAnsweredWhenCommitted: false,
  };
}

const leaderDestination = (core: Core, role: FollowerRole): Destination | undefined =>
  destinationOf(role.leaderId as NodeId, role.leaderEndpoints, core.listenerName);

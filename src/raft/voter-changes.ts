/** Adding, removing and updating voters, one change at a time (KIP-853), and the upgrade to it. */
import { after, type MonotonicMs } from '../base/times';
import { checkLeaderRequest, isOfThisCluster } from './checks';
import { appendControl, type Core, knownLeader, reply, say, type Ticket, trySend } from './core';
import { isCaughtUp, type LeaderRole, noteFollowing, type VoterChange } from './leader-role';
import type {
  AddVoterRequest,
  ControlRecord,
  IncomingResponse,
  QuorumError,
  QuorumResponse,
  RemoveVoterRequest,
  UpdateVoterRequest,
} from './messages';
import {
  describeReplica,
  destinationOf,
  sameVoters,
  type Voter,
  type VoterSet,
  withoutVoter,
  withUpdatedVoter,
  withVoter,
} from './voters';

interface Refusal {
  readonly error: QuorumError;
  readonly message: string;
}

/** The new voter is first asked which kraft.version it supports; its answer carries on. */
export function serveAddVoter(
  core: Core,
  ticket: Ticket,
  request: AddVoterRequest,
  nowMs: MonotonicMs,
): QuorumResponse | undefined {
  if (!isOfThisCluster(core, request.clusterId)) return refuseCluster(core, 'add-voter');
  const { role } = core;
  const leaderError = checkLeaderRequest(core, role.epoch);
  if (leaderError !== undefined || role.kind !== 'leader') {
    const error = leaderError ?? 'NOT_LEADER_OR_FOLLOWER';
    return { kind: 'add-voter', error };
  }
  const refusal = checkAddVoter(core, role, request);
  if (refusal !== undefined) return { kind: 'add-voter', ...refusal };
  const destination = destinationOf(request.voter.id, request.endpoints, core.listenerName);
  if (destination === undefined || !core.connections.isReady(destination.id, nowMs)) {
    return {
      kind: 'add-voter',
      error: 'REQUEST_TIMED_OUT',
      message: `New voter ${describeReplica(request.voter)} is not ready to receive requests`,
    };
  }
  const expiresAtMs = trySend(core, destination, nowMs, () => ({ kind: 'api-versions' }));
  role.change = {
    kind: 'add',
    voter: request.voter,
    endpoints: request.endpoints,
    isAnsweredWhenCommitted: request.isAnsweredWhenCommitted,
    ticket,
    lastOffset: undefined,
    expiresAtMs,
  };
  return undefined;
}

/** The voter to add said which kraft.version it supports. False: leave it alone for a while. */
export function onApiVersions(
  core: Core,
  fromId: number,
  response: Extract<IncomingResponse, { kind: 'api-versions' | 'refused' }>,
  nowMs: MonotonicMs,
): boolean {
  const { role } = core;
  if (role.kind !== 'leader') return true;
  const { change } = role;
  if (change?.kind !== 'add' || change.lastOffset !== undefined || change.voter.id !== fromId) {
    return true;
  }
  if (response.kind === 'refused' || response.error !== 'NONE') {
    endAdd(core, role, change, {
      error: 'REQUEST_TIMED_OUT',
      message: `The new voter's ApiVersions failed with ${response.error}`,
    });
    return false;
  }
  const refusal = checkNewVoter(core, role, change, response.kraftVersions, nowMs);
  if (refusal !== undefined) {
    endAdd(core, role, change, refusal);
    return true;
  }
  const voters = withVoter(core.history.lastVoters, {
    key: change.voter,
    endpoints: change.endpoints,
    minKraftVersion: response.kraftVersions?.min ?? 0,
    maxKraftVersion: response.kraftVersions?.max ?? 0,
  });
  if (voters === undefined) {
    endAdd(core, role, change, duplicate(change.voter));
    return true;
  }
  change.lastOffset = appendVoters(core, role, voters);
  if (!change.isAnsweredWhenCommitted && change.ticket !== undefined) {
    reply(core, change.ticket, { kind: 'add-voter', error: 'NONE' });
    change.ticket = undefined;
  }
  return true;
}

export function serveRemoveVoter(
  core: Core,
  ticket: Ticket,
  request: RemoveVoterRequest,
  nowMs: MonotonicMs,
): QuorumResponse | undefined {
  if (!isOfThisCluster(core, request.clusterId)) return refuseCluster(core, 'remove-voter');
  const { role } = core;
  const leaderError = checkLeaderRequest(core, role.epoch);
  if (leaderError !== undefined || role.kind !== 'leader') {
    const error = leaderError ?? 'NOT_LEADER_OR_FOLLOWER';
    return { kind: 'remove-voter', error };
  }
  const refusal =
    request.voter.directoryId === undefined
      ? invalid("Remove voter request didn't include a valid voter")
      : checkChange(core, role);
  if (refusal !== undefined) return { kind: 'remove-voter', ...refusal };
  const voters = withoutVoter(core.history.lastVoters, request.voter);
  if (voters === undefined) {
    return {
      kind: 'remove-voter',
      error: 'VOTER_NOT_FOUND',
      message: `Cannot remove voter ${describeReplica(request.voter)} from the set of voters`,
    };
  }
  const lastOffset = appendVoters(core, role, voters);
  const expiresAtMs = after(nowMs, core.settings.requestTimeoutMs);
  role.change = { kind: 'remove', ticket, lastOffset, expiresAtMs };
  return undefined;
}

/** Answered at once: the voter repeats it until the log says what it wants. */
export function serveUpdateVoter(
  core: Core,
  request: UpdateVoterRequest,
  nowMs: MonotonicMs,
): QuorumResponse {
  const error = isOfThisCluster(core, request.clusterId)
    ? (checkLeaderRequest(core, request.epoch) ?? checkUpdate(core, request))
    : 'INCONSISTENT_CLUSTER_ID';
  const outcome = error ?? updateVoter(core, request, nowMs);
  return { kind: 'update-voter', error: outcome, leader: knownLeader(core) };
}

/** Ends the change whose record is committed, or whose time is over. Returns when to look again. */
export function tendVoterChange(
  core: Core,
  role: LeaderRole,
  nowMs: MonotonicMs,
): MonotonicMs | undefined {
  const { change, highWatermark } = role;
  if (change === undefined) return undefined;
  if (change.lastOffset !== undefined && (highWatermark ?? 0) > change.lastOffset) {
    finish(core, role, change, { error: 'NONE' });
    return undefined;
  }
  if (nowMs < change.expiresAtMs) return change.expiresAtMs;
  finish(core, role, change, { error: 'REQUEST_TIMED_OUT' });
  return undefined;
}

export function failVoterChange(core: Core, role: LeaderRole, error: QuorumError): void {
  if (role.change !== undefined) finish(core, role, role.change, { error });
}

/**
 * Raises kraft.version from 0 to `level` (UpdateFeatures). Returns why not, or 'NONE'; all voters
 * must have reported their directories and levels to this leader before.
 */
export function upgradeKraftVersion(
  core: Core,
  role: LeaderRole,
  level: number,
  validateOnly: boolean,
): QuorumError {
  const { upgrade } = role;
  const persisted = core.history.lastKraftVersion;
  if (upgrade?.kind === 'version')
    return upgrade.level === level ? 'NONE' : 'INVALID_UPDATE_VERSION';
  if (persisted === level) return 'NONE';
  if (persisted > level || upgrade === undefined) return 'INVALID_UPDATE_VERSION';
  const { voters } = upgrade;
  for (const { key, minKraftVersion, maxKraftVersion } of voters.values()) {
    const isReady =
      key.directoryId !== undefined && minKraftVersion <= level && maxKraftVersion >= level;
    if (!isReady) return 'INVALID_UPDATE_VERSION';
  }
  if (validateOnly) return 'NONE';
  role.upgrade = { kind: 'version', level };
  const records: ControlRecord[] = [{ kind: 'kraft-version', level }];
  if (!sameVoters(voters, core.history.lastVoters)) records.push({ kind: 'voters', voters });
  appendControl(core, role.epoch, records);
  return 'NONE';
}

function checkAddVoter(core: Core, role: LeaderRole, request: AddVoterRequest) {
  if (request.voter.directoryId === undefined || request.voter.id < 0) {
    return invalid("Add voter request didn't include a valid voter");
  }
  if (destinationOf(request.voter.id, request.endpoints, core.listenerName) === undefined) {
    return invalid(
      `Add voter request didn't include the endpoint for the default listener ${core.listenerName}`,
    );
  }
  const refusal = checkChange(core, role);
  if (refusal !== undefined) return refusal;
  return core.history.lastVoters.has(request.voter.id) ? duplicate(request.voter) : undefined;
}

/** What has to hold for any change of the voters. */
function checkChange(core: Core, role: LeaderRole): Refusal | undefined {
  if (role.change !== undefined) {
    return timedOut('waiting for leader to handle previous voter change request');
  }
  if (role.highWatermark === undefined) {
    return timedOut('waiting for leader to establish HWM and fence previous voter changes');
  }
  const { lastKraftVersion } = core.history;
  if (lastKraftVersion < 1) {
    return {
      error: 'UNSUPPORTED_VERSION',
      message:
        "Cluster doesn't support changing voters because the kraft.version feature is " +
        `${lastKraftVersion}`,
    };
  }
  if (!votersAreCommitted(core, role)) {
    return timedOut('waiting for voters to commit the latest voter change');
  }
  return undefined;
}

function votersAreCommitted(core: Core, role: LeaderRole): boolean {
  const last = core.history.lastVotersInLog;
  return last !== undefined && last.offset < (role.highWatermark ?? 0);
}

function checkNewVoter(
  core: Core,
  role: LeaderRole,
  change: Extract<VoterChange, { kind: 'add' }>,
  supported: { readonly min: number; readonly max: number } | undefined,
  nowMs: MonotonicMs,
): Refusal | undefined {
  const level = core.history.lastKraftVersion;
  const { min, max } = supported ?? { min: 0, max: 0 };
  if (level < min || level > max) {
    return invalid(
      `Aborted add voter operation for ${describeReplica(change.voter)} since the kraft.version ` +
        `range (min: ${min}, max: ${max}) doesn't support the finalized version ${level}`,
    );
  }
  if (isCaughtUp(role, change.voter, nowMs)) return undefined;
  return {
    error: 'REQUEST_TIMED_OUT',
    message:
      `Aborted add voter operation for ${describeReplica(change.voter)} ` +
      'since it is lagging behind',
  };
}

function checkUpdate(core: Core, request: UpdateVoterRequest): QuorumError | undefined {
  const { voter, endpoints, minKraftVersion, maxKraftVersion } = request;
  const isSane =
    voter.directoryId !== undefined &&
    voter.id >= 0 &&
    destinationOf(voter.id, endpoints, core.listenerName) !== undefined &&
    minKraftVersion >= 0 &&
    maxKraftVersion >= minKraftVersion;
  return isSane ? undefined : 'INVALID_REQUEST';
}

function updateVoter(core: Core, request: UpdateVoterRequest, nowMs: MonotonicMs): QuorumError {
  const { role } = core;
  if (role.kind !== 'leader') return 'NOT_LEADER_OR_FOLLOWER';
  if (role.change !== undefined || role.highWatermark === undefined) return 'REQUEST_TIMED_OUT';
  const level = core.history.lastKraftVersion;
  const isDynamic = level > 0;
  if (isDynamic ? !votersAreCommitted(core, role) : role.upgrade?.kind !== 'voters') {
    return 'REQUEST_TIMED_OUT';
  }
  if (level < request.minKraftVersion || level > request.maxKraftVersion) return 'INVALID_REQUEST';
  const { voter: key, endpoints, minKraftVersion, maxKraftVersion } = request;
  const voter: Voter = { key, endpoints, minKraftVersion, maxKraftVersion };
  const known = role.upgrade?.kind === 'voters' ? role.upgrade.voters : core.history.lastVoters;
  const voters = withUpdatedVoter(known, voter, !isDynamic);
  if (voters === undefined) return 'VOTER_NOT_FOUND';
  if (isDynamic) appendVoters(core, role, voters);
  else role.upgrade = { kind: 'voters', voters };
  noteFollowing(role, key, core.settings.fetchTimeoutMs, nowMs);
  return 'NONE';
}

function appendVoters(core: Core, role: LeaderRole, voters: VoterSet): number {
  say(core, 'info', 'quorum voters changed', {
    voters: [...voters.values()].map(({ key }) => describeReplica(key)),
  });
  return appendControl(core, role.epoch, [{ kind: 'voters', voters }]);
}

function endAdd(
  core: Core,
  role: LeaderRole,
  change: Extract<VoterChange, { kind: 'add' }>,
  refusal: Refusal,
): void {
  say(core, 'info', 'voter not added', { voter: describeReplica(change.voter), ...refusal });
  finish(core, role, change, refusal);
}

function finish(
  core: Core,
  role: LeaderRole,
  change: VoterChange,
  outcome: { readonly error: QuorumError; readonly message?: string },
): void {
  role.change = undefined;
  if (change.ticket === undefined) return;
  const kind = change.kind === 'add' ? 'add-voter' : 'remove-voter';
  reply(core, change.ticket, { kind, ...outcome });
}

function refuseCluster(core: Core, kind: 'add-voter' | 'remove-voter'): QuorumResponse {
  return { kind, error: 'INCONSISTENT_CLUSTER_ID', message: `The cluster id is ${core.clusterId}` };
}

const timedOut = (reason: string): Refusal => ({
  error: 'REQUEST_TIMED_OUT',
  message: `Request timed out ${reason}`,
});
const invalid = (message: string): Refusal => ({ error: 'INVALID_REQUEST', message });
const duplicate = (voter: { id: number; directoryId: string | undefined }): Refusal => ({
  error: 'DUPLICATE_VOTER',
  message: `The voter id for ${describeReplica(voter)} is already part of the set of voters.`,
});

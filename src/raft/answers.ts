/** What is done with an answer to a request of ours. */
import type { NodeId } from '../base/ids';
import { unreachable } from '../base/invariant';
import { after, type MonotonicMs } from '../base/times';
import { onVote } from './candidate';
import { type Core, say } from './core';
import { learnFromAnswer } from './epochs';
import { onFetched, onFetchedSnapshot, onLeaderGone } from './follower';
import type { IncomingResponse } from './messages';
import type { FollowerRole } from './quorum';
import { becomeCandidate } from './transitions';
import { onApiVersions } from './voter-changes';

/** False: the node is left alone for a while. */
export function handleAnswer(
  core: Core,
  fromId: number,
  answer: IncomingResponse,
  nowMs: MonotonicMs,
): boolean {
  switch (answer.kind) {
    case 'refused':
      return onRefused(core, fromId, answer, nowMs);
    case 'api-versions':
      return onApiVersions(core, fromId, answer, nowMs);
    case 'add-voter':
    case 'remove-voter':
      return onMembership(core, answer, nowMs);
    default:
      return onLeaderAware(core, fromId, answer, nowMs);
  }
}

type LeaderAware = Extract<IncomingResponse, { readonly leader: unknown }>;

function onLeaderAware(
  core: Core,
  fromId: number,
  answer: LeaderAware,
  nowMs: MonotonicMs,
): boolean {
  const learnt = learnFromAnswer(core, answer.error, answer.leader, nowMs);
  if (learnt !== 'useful') return learnt === 'handled';
  const { role } = core;
  switch (answer.kind) {
    case 'vote':
      if (answer.error !== 'NONE') return unexpected(core, answer);
      onVote(core, fromId, answer, nowMs);
      return true;
    case 'begin-quorum-epoch':
      return answer.error === 'NONE' || unexpected(core, answer);
    case 'end-quorum-epoch':
      if (answer.error !== 'NONE') return unexpected(core, answer);
      if (role.kind === 'resigned') role.unacknowledged.delete(fromId);
      return true;
    case 'fetch':
      // It named a leader that cannot be reached from here.
      if (role.kind !== 'follower') return false;
      if (answer.error !== 'NONE') return unexpected(core, answer);
      return onFetched(core, role, answer, nowMs);
    case 'fetch-snapshot':
      if (role.kind !== 'follower') return true;
      if (isOtherError(answer.error)) return unexpected(core, answer);
      return onFetchedSnapshot(core, role, answer, nowMs);
    case 'update-voter':
      if (role.kind !== 'follower') return true;
      // A leader of an older release does not know it; there is nothing to repeat.
      if (answer.error !== 'NONE' && answer.error !== 'UNSUPPORTED_VERSION') {
        return unexpected(core, answer);
      }
      role.hasUpdatedLeader = true;
      role.hasFetchedFromLeader = true;
      role.fetchTimeoutAtMs = after(nowMs, core.settings.fetchTimeoutMs);
      return true;
    default:
      return unreachable(answer, 'an answer of no known kind');
  }
}

function onRefused(
  core: Core,
  fromId: number,
  answer: Extract<IncomingResponse, { kind: 'refused' }>,
  nowMs: MonotonicMs,
): boolean {
  const { role } = core;
  if (answer.error === 'UNSUPPORTED_VERSION' && role.kind === 'prospective') {
    say(core, 'info', 'a voter knows no pre-vote', { by: fromId, epoch: role.epoch });
    becomeCandidate(core, nowMs);
    return true;
  }
  if (role.kind === 'follower' && answer.error === 'UNSUPPORTED_VERSION')
    role.hasUpdatedLeader = true;
  if (role.kind === 'follower' && answer.isGone === true && isLeadersPlace(core, role, fromId)) {
    onLeaderGone(core, role, nowMs);
  }
  if (role.kind === 'leader') onApiVersions(core, fromId, answer, nowMs);
  if (answer.error !== 'BROKER_NOT_AVAILABLE') {
    say(core, 'warn', 'quorum request refused', { by: fromId, error: answer.error });
  }
  return false;
}

/** A bootstrap server, whose id is not known, may be the leader. */
function isLeadersPlace(core: Core, role: FollowerRole, id: NodeId): boolean {
  if (id === role.leaderId) return true;
  const place = core.connections.bootstrapServer(id);
  return role.leaderEndpoints.some(
    ({ name, host, port }) =>
      name === core.listenerName && host === place?.host && port === place.port,
  );
}

/** An own attempt to join: whatever came of it, the next one waits for its period. */
function onMembership(
  core: Core,
  answer: Extract<IncomingResponse, { kind: 'add-voter' | 'remove-voter' }>,
  nowMs: MonotonicMs,
): boolean {
  const isSettled =
    answer.error === 'NONE' ||
    answer.error === 'REQUEST_TIMED_OUT' ||
    answer.error === (answer.kind === 'add-voter' ? 'DUPLICATE_VOTER' : 'VOTER_NOT_FOUND');
  if (!isSettled) return unexpected(core, answer);
  if (core.role.kind === 'follower') {
    core.role.updateVoterAtMs = after(nowMs, core.settings.fetchTimeoutMs);
  }
  return true;
}

function isOtherError(error: string): boolean {
  return error !== 'NONE' && error !== 'SNAPSHOT_NOT_FOUND' && error !== 'POSITION_OUT_OF_RANGE';
}

function unexpected(core: Core, answer: IncomingResponse): false {
  say(core, 'warn', 'unexpected answer in the quorum', { api: answer.kind, error: answer.error });
  return false;
}

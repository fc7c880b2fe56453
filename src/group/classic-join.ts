/** JoinGroup: a member enters a classic group, or enters it again for a rebalance. */
import type { Ticket } from '../machine/machine';
import { suffixed } from '../protocol/cut';
import { type ErrorCode, Errors } from '../protocol/errors';
import {
  type Caller,
  isFailure,
  type JoinRequest,
  type JoinResponse,
  joinError,
  syncError,
} from './answers';
import {
  type ClassicMember,
  joiningCount,
  NO_ASSIGNMENT,
  selectProtocol,
  speaksSame,
  staticMember,
  supportsProtocols,
} from './classic-group';
import { checkMember } from './classic-member-check';
import {
  completeIfAllJoined,
  generationResponse,
  membersForLeader,
  prepareRebalance,
  rebalanceOrComplete,
} from './classic-rebalance';
import type { ClassicTurn } from './classic-turn';
import { groupRecord } from './group-record';
import { type GroupSettings, NEW_MEMBER_JOIN_TIMEOUT_MS } from './settings';
import { sessionWake } from './wake-names';

/** One JoinGroup request on its way. */
export interface Joining {
  readonly request: JoinRequest;
  readonly caller: Caller;
  readonly ticket: Ticket;
  /** What tells a new member's id from all others, such as a random UUID. */
  readonly uniqueSuffix: string;
}

/** Answers at once, or when everyone is there. */
export function join(turn: ClassicTurn, joining: Joining): void {
  const { request, ticket } = joining;
  const { group } = turn;
  if (!isAccepted(turn, request.memberId)) {
    turnAway(turn, joining);
  } else if (!supportsProtocols(group, request.protocolType, request.protocols)) {
    turn.answerJoin(ticket, joinError(request.memberId, Errors.INCONSISTENT_GROUP_PROTOCOL));
  } else if (request.memberId === '') {
    joinUnknown(turn, joining);
  } else {
    joinKnown(turn, joining);
  }
}

/** The request's own mistakes, before there is a group to ask. */
export function checkJoin(request: JoinRequest, settings: GroupSettings): ErrorCode {
  const { minSessionTimeoutMs, maxSessionTimeoutMs } = settings;
  if (request.groupId === '') return Errors.INVALID_GROUP_ID;
  const { sessionTimeoutMs } = request;
  return sessionTimeoutMs < minSessionTimeoutMs || sessionTimeoutMs > maxSessionTimeoutMs
    ? Errors.INVALID_SESSION_TIMEOUT
    : Errors.NONE;
}

/**
 * While members come back, those who are already there stay and others come in up to the limit;
 * the last to rejoin a group that has grown too large find no place.
 */
function isAccepted(turn: ClassicTurn, memberId: string): boolean {
  const { group, settings } = turn;
  switch (group.state) {
    case 'Empty':
      return true;
    case 'PreparingRebalance':
      return (
        group.members.get(memberId)?.joining !== undefined || joiningCount(group) < settings.maxSize
      );
    default:
      return group.members.has(memberId) || group.members.size < settings.maxSize;
  }
}

function turnAway(turn: ClassicTurn, { request, ticket }: Joining): void {
  const { groupId, memberId } = request;
  turn.answerJoin(ticket, joinError('', Errors.GROUP_MAX_SIZE_REACHED));
  if (memberId === '') return;
  turn.removePending(memberId);
  if (turn.group.members.has(memberId)) turn.removeMember(memberId);
  turn.unwake(sessionWake(groupId, memberId));
  completeIfAllJoined(turn);
}

function joinUnknown(turn: ClassicTurn, joining: Joining): void {
  const { request, caller, uniqueSuffix } = joining;
  const { groupInstanceId } = request;
  const memberId = suffixed(groupInstanceId ?? caller.clientId, uniqueSuffix);
  if (groupInstanceId === null) {
    joinDynamic(turn, joining, memberId);
    return;
  }
  const known = staticMember(turn.group, groupInstanceId);
  if (known === undefined) {
    turn.log('info', 'static member joins', { memberId, groupInstanceId });
    addMember(turn, joining, memberId);
  } else {
    turn.log('info', 'static member is replaced', { memberId, replaced: known.memberId });
    replaceStatic(turn, joining, known, memberId);
  }
}

/** From version 4 on a member first learns its id, so that its retries are known (KIP-394). */
function joinDynamic(turn: ClassicTurn, joining: Joining, memberId: string): void {
  const { request, caller, ticket } = joining;
  if (caller.apiVersion < 4) {
    turn.log('info', 'member joins', { memberId });
    addMember(turn, joining, memberId);
    return;
  }
  turn.addPending(memberId);
  turn.wake(sessionWake(request.groupId, memberId), request.sessionTimeoutMs);
  turn.answerJoin(ticket, joinError(memberId, Errors.MEMBER_ID_REQUIRED));
}

function joinKnown(turn: ClassicTurn, joining: Joining): void {
  const { request, ticket } = joining;
  const { memberId, groupInstanceId } = request;
  const { group } = turn;
  if (group.pendingMembers.has(memberId)) {
    if (groupInstanceId !== null) {
      // Only dynamic members are given ids beforehand; Kafka ends such a request with a bug.
      turn.answerJoin(ticket, joinError(memberId, Errors.UNKNOWN_MEMBER_ID));
      return;
    }
    turn.log('info', 'member joins', { memberId });
    addMember(turn, joining, memberId);
    return;
  }
  const failure = checkMember(turn, memberId, groupInstanceId, 'join');
  if (isFailure(failure)) {
    turn.answerJoin(ticket, joinError(memberId, failure));
    return;
  }
  rejoin(turn, joining, turn.member(memberId));
}

function rejoin(turn: ClassicTurn, joining: Joining, member: ClassicMember): void {
  const { request, ticket } = joining;
  const { memberId } = member;
  const { group } = turn;
  const isSame = speaksSame(member, request.protocols);
  switch (group.state) {
    case 'PreparingRebalance':
      updateMember(turn, joining, member);
      completeIfAllJoined(turn);
      break;
    case 'CompletingRebalance':
      // It may have missed the answer to its JoinGroup.
      if (isSame) turn.answerJoin(ticket, generationResponse(group, memberId));
      else rebalanceFor(turn, joining, member, `${memberId} changed its metadata`);
      break;
    case 'Stable':
      // A leader joins again when topics changed, which its metadata does not show.
      if (group.leaderId === memberId) {
        rebalanceFor(turn, joining, member, `leader ${memberId} joins again`);
      } else if (isSame) {
        turn.answerJoin(ticket, { ...generationResponse(group, memberId), members: [] });
      } else {
        rebalanceFor(turn, joining, member, `${memberId} changed its metadata`);
      }
      break;
    default:
      turn.answerJoin(ticket, joinError(memberId, Errors.UNKNOWN_MEMBER_ID));
  }
}

function rebalanceFor(
  turn: ClassicTurn,
  joining: Joining,
  member: ClassicMember,
  reason: string,
): void {
  updateMember(turn, joining, member);
  prepareRebalance(turn, `${reason}; client's reason: ${clientReason(joining.request)}`);
}

function addMember(turn: ClassicTurn, joining: Joining, memberId: string): void {
  const { request, caller, ticket } = joining;
  const { group } = turn;
  const isFirst = group.members.size === 0;
  turn.removePending(memberId);
  turn.putMember({
    memberId,
    groupInstanceId: request.groupInstanceId,
    clientId: caller.clientId,
    clientHost: caller.clientHost,
    ...timeoutsOf(joining),
    protocols: request.protocols,
    assignment: NO_ASSIGNMENT,
    isNew: true,
    joining: ticket,
    syncing: undefined,
    owesSync: false,
  });
  turn.change({
    protocolType: isFirst ? request.protocolType : group.protocolType,
    leaderId: group.leaderId ?? memberId,
    hasNewMember:
      group.hasNewMember || (group.state === 'PreparingRebalance' && group.isFirstRebalance),
  });
  turn.wake(sessionWake(group.groupId, memberId), NEW_MEMBER_JOIN_TIMEOUT_MS);
  rebalanceOrComplete(turn, `${memberId} joins; client's reason: ${clientReason(request)}`);
}

/** Puts what the member now says in place of what it said, and lets its request wait. */
function updateMember(turn: ClassicTurn, joining: Joining, member: ClassicMember): void {
  const { request, ticket } = joining;
  if (member.joining !== undefined && member.joining !== ticket) {
    // Asked again, over another connection: only the newest request waits on.
    turn.answerJoin(member.joining, joinError(member.memberId, Errors.REBALANCE_IN_PROGRESS));
  }
  turn.putMember({
    ...member,
    ...timeoutsOf(joining),
    protocols: request.protocols,
    joining: ticket,
  });
}

/**
 * A static member that comes back without its id gets a new one; the old id is fenced. If it
 * changes nothing about the protocol, the others are not disturbed (KIP-345).
 */
function replaceStatic(
  turn: ClassicTurn,
  joining: Joining,
  known: ClassicMember,
  memberId: string,
): void {
  const { groupId, leaderId, state } = turn.group;
  fence(turn, known);
  turn.removeMember(known.memberId);
  turn.unwake(sessionWake(groupId, known.memberId));
  turn.putMember({ ...known, memberId, joining: undefined, syncing: undefined, isNew: false });
  turn.change({ leaderId: leaderId === known.memberId ? memberId : leaderId });
  turn.wake(sessionWake(groupId, memberId), known.sessionTimeoutMs);
  updateMember(turn, joining, turn.member(memberId));
  const why = `static member ${known.groupInstanceId} is now ${memberId}`;
  const reason = `${why}; client's reason: ${clientReason(joining.request)}`;
  if (state === 'PreparingRebalance') {
    completeIfAllJoined(turn);
  } else if (state === 'Stable' && selectProtocol(turn.group) === turn.group.protocolName) {
    admitReplacement(turn, joining, memberId, leaderId);
  } else {
    prepareRebalance(turn, reason);
  }
}

/** The replaced member's requests, if any still wait, learn that they are too late. */
function fence(turn: ClassicTurn, known: ClassicMember): void {
  if (known.joining !== undefined) {
    turn.answerJoin(known.joining, joinError(known.memberId, Errors.FENCED_INSTANCE_ID));
  }
  if (known.syncing !== undefined) {
    turn.answerSync(known.syncing, syncError(Errors.FENCED_INSTANCE_ID));
  }
}

/**
 * Before version 9 a leader that comes back must not learn that it leads, or it would assign
 * anew without a rebalance; from then on it is told to skip that (KIP-814).
 */
function admitReplacement(
  turn: ClassicTurn,
  { caller, ticket }: Joining,
  memberId: string,
  oldLeaderId: string | null,
): void {
  turn.putMember({ ...turn.member(memberId), joining: undefined });
  const { group } = turn;
  turn.write(groupRecord(group));
  const isLeader = group.leaderId === memberId;
  const response: JoinResponse = { ...generationResponse(group, memberId), members: [] };
  turn.answerJoin(
    ticket,
    caller.apiVersion >= 9
      ? { ...response, skipAssignment: isLeader, members: isLeader ? membersForLeader(group) : [] }
      : { ...response, leader: oldLeaderId ?? '' },
  );
}

/** Version 0 has no rebalance timeout; the session timeout stands for it. */
function timeoutsOf({ request, caller }: Joining): {
  readonly rebalanceTimeoutMs: number;
  readonly sessionTimeoutMs: number;
} {
  const { sessionTimeoutMs, rebalanceTimeoutMs } = request;
  return {
    sessionTimeoutMs,
    rebalanceTimeoutMs: caller.apiVersion === 0 ? sessionTimeoutMs : rebalanceTimeoutMs,
  };
}

const clientReason = (request: JoinRequest): string => request.reason || 'not provided';

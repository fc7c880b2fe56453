/** SyncGroup, Heartbeat and LeaveGroup of classic groups, and what their timers lead to. */
import type { Ticket } from '../machine/machine';
import { type ErrorCode, Errors } from '../protocol/errors';
import {
  type HeartbeatRequest,
  isFailure,
  type LeaveRequest,
  type LeaveResponse,
  type SyncRequest,
  syncError,
} from './answers';
import type { ClassicGroup, ClassicMember } from './classic-group';
import { haveAllJoined, NO_ASSIGNMENT } from './classic-group';
import { checkMember, memberError } from './classic-member-check';
import {
  completeIfAllJoined,
  completeJoin,
  expel,
  handOut,
  prepareRebalance,
} from './classic-rebalance';
import type { ClassicTurn } from './classic-turn';
import { sessionWake, syncWake } from './wake-names';

/** A member asks for its assignment; the leader brings those of all. */
export function sync(turn: ClassicTurn, request: SyncRequest, ticket: Ticket): void {
  const { memberId } = request;
  const failure = syncFailure(turn, request);
  if (isFailure(failure)) {
    turn.answerSync(ticket, syncError(failure));
    return;
  }
  const member = turn.member(memberId);
  if (turn.group.state === 'Stable') {
    turn.putMember({ ...member, owesSync: false });
    stopWaitingForSyncs(turn);
    const { protocolType, protocolName } = turn.group;
    const { assignment } = member;
    turn.answerSync(ticket, { errorCode: Errors.NONE, protocolType, protocolName, assignment });
    return;
  }
  if (member.syncing !== undefined) {
    // Asked again, over another connection: only the newest request waits on.
    turn.answerSync(member.syncing, syncError(Errors.REBALANCE_IN_PROGRESS));
  }
  turn.putMember({ ...member, syncing: ticket, owesSync: false });
  stopWaitingForSyncs(turn);
  if (turn.group.leaderId === memberId) assign(turn, request);
}

/** A member lives. Its answer never waits for a record. */
export function heartbeat(turn: ClassicTurn, request: HeartbeatRequest): ErrorCode {
  const { memberId, groupInstanceId, generationId } = request;
  const failure = checkMember(turn, memberId, groupInstanceId, 'heartbeat');
  if (isFailure(failure)) return failure;
  const { group } = turn;
  if (generationId !== group.generationId) return Errors.ILLEGAL_GENERATION;
  if (group.state === 'Empty') return Errors.UNKNOWN_MEMBER_ID;
  keepAlive(turn, memberId);
  return group.state === 'PreparingRebalance' ? Errors.REBALANCE_IN_PROGRESS : Errors.NONE;
}

/** Prolongs a member's session. */
export function keepAlive(turn: ClassicTurn, memberId: string): void {
  const member = turn.member(memberId);
  turn.wake(sessionWake(turn.group.groupId, memberId), member.sessionTimeoutMs);
}

/** Takes members out, each by its id, by its static name, or by both. */
export function leave(turn: ClassicTurn, members: LeaveRequest['members']): LeaveResponse {
  const left: string[] = [];
  const responses = members.map(({ memberId, groupInstanceId, reason }) => {
    const errorCode = leaveOne(turn, memberId, groupInstanceId, reason || 'not provided');
    if (errorCode === Errors.NONE) left.push(memberId || `${groupInstanceId}`);
    return { memberId, groupInstanceId, errorCode };
  });
  if (left.length > 0) {
    const { state } = turn.group;
    if (state === 'Stable' || state === 'CompletingRebalance') {
      prepareRebalance(turn, `${left.join(', ')} left`);
    } else {
      completeIfAllJoined(turn);
    }
  }
  return { errorCode: Errors.NONE, members: responses };
}

/** A session ran out: nothing was heard of the member, unless it waits for an answer of ours. */
export function sessionTimedOut(turn: ClassicTurn, memberId: string): void {
  const { group } = turn;
  if (group.pendingMembers.has(memberId)) {
    turn.removePending(memberId);
    turn.log('info', 'member never used the id it was given', { memberId });
    if (group.state === 'PreparingRebalance' && haveAllJoined(turn.group)) completeJoin(turn);
    return;
  }
  const member = group.members.get(memberId);
  if (member === undefined || (!member.isNew && isWaiting(member))) return;
  turn.log('info', 'member missed its session and is removed', { memberId });
  expel(turn, member);
  if (group.state === 'PreparingRebalance') {
    if (haveAllJoined(turn.group)) completeJoin(turn);
  } else {
    prepareRebalance(turn, `${memberId} missed its session`);
  }
}

/** The error of a commit of offsets by that member in that generation. */
export function commitError(
  group: ClassicGroup,
  commit: {
    readonly memberId: string;
    readonly groupInstanceId: string | null;
    readonly generationIdOrMemberEpoch: number;
  },
  isTransactional: boolean,
): ErrorCode {
  const { memberId, groupInstanceId, generationIdOrMemberEpoch: generationId } = commit;
  // Admin clients, and consumers that use no groups, commit without a generation.
  if (generationId < 0 && group.state === 'Empty') return Errors.NONE;
  if (generationId >= 0 || memberId !== '' || groupInstanceId !== null) {
    const failure = memberError(group, memberId, groupInstanceId);
    if (isFailure(failure)) return failure;
    if (generationId !== group.generationId) return Errors.ILLEGAL_GENERATION;
  } else if (!isTransactional && group.state !== 'Empty') {
    return Errors.UNKNOWN_MEMBER_ID;
  }
  // A member that has learned of the new generation must not commit before it has its part.
  return !isTransactional && group.state === 'CompletingRebalance'
    ? Errors.REBALANCE_IN_PROGRESS
    : Errors.NONE;
}

function syncFailure(turn: ClassicTurn, request: SyncRequest): ErrorCode {
  const { group } = turn;
  if (group.state === 'Empty') return Errors.UNKNOWN_MEMBER_ID;
  const failure = checkMember(turn, request.memberId, request.groupInstanceId, 'sync');
  if (isFailure(failure)) return failure;
  if (request.generationId !== group.generationId) return Errors.ILLEGAL_GENERATION;
  const { protocolType, protocolName } = request;
  if (
    (protocolType !== null && protocolType !== group.protocolType) ||
    (protocolName !== null && protocolName !== group.protocolName)
  ) {
    return Errors.INCONSISTENT_GROUP_PROTOCOL;
  }
  return group.state === 'PreparingRebalance' ? Errors.REBALANCE_IN_PROGRESS : Errors.NONE;
}

function assign(turn: ClassicTurn, request: SyncRequest): void {
  const { group } = turn;
  const assignments = new Map<string, Buffer>();
  for (const { memberId, assignment } of request.assignments) assignments.set(memberId, assignment);
  const forgotten = [...group.members.keys()].filter((memberId) => !assignments.has(memberId));
  for (const memberId of forgotten) assignments.set(memberId, NO_ASSIGNMENT);
  if (forgotten.length > 0) {
    turn.log('warn', 'leader assigned nothing to members', { memberIds: forgotten });
  }
  handOut(turn, assignments);
  turn.log('info', 'group is stable', {
    generation: group.generationId,
    members: group.members.size,
  });
}

function stopWaitingForSyncs(turn: ClassicTurn): void {
  for (const member of turn.group.members.values()) if (member.owesSync) return;
  turn.unwake(syncWake(turn.group.groupId));
}

function leaveOne(
  turn: ClassicTurn,
  memberId: string,
  groupInstanceId: string | null,
  reason: string,
): ErrorCode {
  const { group } = turn;
  if (group.pendingMembers.has(memberId)) {
    turn.removePending(memberId);
    turn.unwake(sessionWake(group.groupId, memberId));
    return Errors.NONE;
  }
  const member = memberToLeave(group, memberId, groupInstanceId);
  if (typeof member === 'number') return member;
  turn.unwake(sessionWake(group.groupId, member.memberId));
  turn.log('info', 'member leaves', { memberId: member.memberId, reason });
  expel(turn, member);
  return Errors.NONE;
}

/** An administrator names a static member without its id. */
function memberToLeave(
  group: ClassicGroup,
  memberId: string,
  groupInstanceId: string | null,
): ClassicMember | ErrorCode {
  if (memberId === '') {
    for (const member of group.members.values()) {
      if (groupInstanceId !== null && member.groupInstanceId === groupInstanceId) return member;
    }
    return Errors.UNKNOWN_MEMBER_ID;
  }
  const failure = memberError(group, memberId, groupInstanceId);
  if (isFailure(failure)) return failure;
  return group.members.get(memberId) ?? Errors.UNKNOWN_MEMBER_ID;
}

const isWaiting = (member: ClassicMember): boolean =>
  member.joining !== undefined || member.syncing !== undefined;

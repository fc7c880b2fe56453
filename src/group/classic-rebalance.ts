/**
 * How a classic group gets from one generation to the next: everyone is called back
 * (PreparingRebalance), those who came are told who leads (CompletingRebalance), the leader's
 * assignment is handed out (Stable).
 */
import { Errors } from '../protocol/errors';
import { type JoinResponse, joinError, syncError } from './answers';
import {
  type ClassicGroup,
  type ClassicMember,
  haveAllJoined,
  metadataOf,
  NO_ASSIGNMENT,
  rebalanceTimeoutMs,
  selectProtocol,
  syncTimeoutMs,
} from './classic-group';
import type { ClassicTurn } from './classic-turn';
import { groupRecord } from './group-record';
import { consumerTopics } from './subscriptions';
import { joinWake, sessionWake, syncWake } from './wake-names';

/** Members changed: call everyone back, or see whether all called have come. */
export function rebalanceOrComplete(turn: ClassicTurn, reason: string): void {
  if (turn.group.state === 'PreparingRebalance') completeIfAllJoined(turn);
  else prepareRebalance(turn, reason);
}

/** Calls everyone back. An empty group first waits a while for more members to come. */
export function prepareRebalance(turn: ClassicTurn, reason: string): void {
  const { group, settings } = turn;
  if (group.state === 'CompletingRebalance') refuseSyncs(turn);
  forgetOwedSyncs(turn);
  const isFirstRebalance = group.state === 'Empty';
  turn.change({ isFirstRebalance, hasNewMember: false, firstWait: undefined });
  turn.enter('PreparingRebalance');
  turn.log('info', 'group prepares to rebalance', { generation: group.generationId, reason });
  if (!isFirstRebalance) {
    completeOrWait(turn);
    return;
  }
  const delayMs = settings.initialRebalanceDelayMs;
  const remainingMs = Math.max(rebalanceTimeoutMs(turn.group) - delayMs, 0);
  turn.change({ firstWait: { delayMs, remainingMs } });
  if (delayMs <= 0) prolongOrComplete(turn);
  else turn.wake(joinWake(group.groupId), delayMs);
}

/** Completes the join phase when it only waited for members of a generation to come back. */
export function completeIfAllJoined(turn: ClassicTurn): void {
  const { group } = turn;
  if (group.state !== 'PreparingRebalance' || group.isFirstRebalance) return;
  if (haveAllJoined(group)) completeJoin(turn);
}

/** The join phase has lasted as long as it was to. */
export function joinTimedOut(turn: ClassicTurn): void {
  const { group } = turn;
  if (group.state !== 'PreparingRebalance') return;
  if (group.firstWait !== undefined) prolongOrComplete(turn);
  else completeJoin(turn);
}

/** Begins the next generation with those who have joined. */
export function completeJoin(turn: ClassicTurn): void {
  const { groupId } = turn.group;
  turn.unwake(joinWake(groupId));
  turn.change({ firstWait: undefined });
  dropThoseWhoStayedAway(turn);
  if (turn.group.members.size > 0 && !electJoinedLeader(turn)) {
    turn.log('error', 'no member rejoined, the group waits on', {});
    turn.wake(joinWake(groupId), rebalanceTimeoutMs(turn.group));
    return;
  }
  const generationId = nextGeneration(turn.group.generationId);
  if (turn.group.members.size === 0) becomeEmpty(turn, generationId);
  else announceGeneration(turn, generationId);
}

/** The response that tells a member of its group's generation. */
export function generationResponse(group: ClassicGroup, memberId: string): JoinResponse {
  return {
    errorCode: Errors.NONE,
    generationId: group.generationId,
    protocolType: group.protocolType,
    protocolName: group.protocolName,
    leader: group.leaderId ?? '',
    skipAssignment: false,
    memberId,
    members: memberId === group.leaderId ? membersForLeader(group) : [],
  };
}

/** What the leader needs to know to assign. */
export function membersForLeader(group: ClassicGroup): JoinResponse['members'] {
  return [...group.members.values()].map((member) => ({
    memberId: member.memberId,
    groupInstanceId: member.groupInstanceId,
    metadata: metadataOf(member, group.protocolName),
  }));
}

/** The leader has assigned: everyone who asked gets theirs, the rest may ask from now on. */
export function handOut(turn: ClassicTurn, assignments: ReadonlyMap<string, Buffer>): void {
  turn.changeMembers((member) => ({
    ...member,
    assignment: assignments.get(member.memberId) ?? NO_ASSIGNMENT,
  }));
  turn.write(groupRecord(turn.group));
  const { protocolType, protocolName, groupId } = turn.group;
  for (const member of turn.group.members.values()) {
    if (member.syncing === undefined) continue;
    turn.answerSync(member.syncing, {
      errorCode: Errors.NONE,
      protocolType,
      protocolName,
      assignment: member.assignment,
    });
    turn.wake(sessionWake(groupId, member.memberId), member.sessionTimeoutMs);
  }
  turn.changeMembers((member) => ({ ...member, syncing: undefined }));
  turn.enter('Stable');
}

/** Takes a member out; a JoinGroup of its that still waits is told to begin anew. */
export function expel(turn: ClassicTurn, member: ClassicMember): void {
  if (member.joining !== undefined) {
    turn.answerJoin(member.joining, joinError('', Errors.UNKNOWN_MEMBER_ID));
  }
  if (member.syncing !== undefined) {
    turn.answerSync(member.syncing, syncError(Errors.UNKNOWN_MEMBER_ID));
  }
  turn.removeMember(member.memberId);
}

/** Members that were told of the generation and never asked for their assignment. */
export function syncTimedOut(turn: ClassicTurn): void {
  const { group } = turn;
  if (group.state !== 'CompletingRebalance' && group.state !== 'Stable') return;
  const missing = [...group.members.values()].filter((member) => member.owesSync);
  if (missing.length === 0) return;
  for (const member of missing) {
    turn.unwake(sessionWake(group.groupId, member.memberId));
    expel(turn, member);
  }
  const ids = missing.map((member) => member.memberId).join(', ');
  prepareRebalance(turn, `${ids} did not ask for an assignment in time`);
}

function completeOrWait(turn: ClassicTurn): void {
  if (haveAllJoined(turn.group)) completeJoin(turn);
  else turn.wake(joinWake(turn.group.groupId), rebalanceTimeoutMs(turn.group));
}

/** The wait of an empty group for more members: on while some come, up to a rebalance timeout. */
function prolongOrComplete(turn: ClassicTurn): void {
  const { firstWait, hasNewMember, groupId } = turn.group;
  if (firstWait === undefined || !hasNewMember || firstWait.remainingMs === 0) {
    completeJoin(turn);
    return;
  }
  const delayMs = Math.min(turn.settings.initialRebalanceDelayMs, firstWait.remainingMs);
  const remainingMs = Math.max(firstWait.remainingMs - firstWait.delayMs, 0);
  turn.change({ hasNewMember: false, firstWait: { delayMs, remainingMs } });
  turn.wake(joinWake(groupId), delayMs);
}

/** Static members may stay away for as long as their session lasts. */
function dropThoseWhoStayedAway(turn: ClassicTurn): void {
  const { groupId, members } = turn.group;
  const gone = [...members.values()].filter(
    (member) => member.joining === undefined && member.groupInstanceId === null,
  );
  if (gone.length === 0) return;
  for (const member of gone) {
    turn.removeMember(member.memberId);
    turn.unwake(sessionWake(groupId, member.memberId));
  }
  const memberIds = gone.map((member) => member.memberId);
  turn.log('info', 'members did not rejoin in time and were removed', { memberIds });
}

/** Only a member that has joined can lead. False if none has. */
function electJoinedLeader(turn: ClassicTurn): boolean {
  const { leaderId, members } = turn.group;
  if (leaderId !== null && members.get(leaderId)?.joining !== undefined) return true;
  for (const member of members.values()) {
    if (member.joining === undefined) continue;
    turn.change({ leaderId: member.memberId });
    turn.log('info', 'leader did not rejoin, another leads', { leaderId, next: member.memberId });
    return true;
  }
  return false;
}

function becomeEmpty(turn: ClassicTurn, generationId: number): void {
  turn.change({ generationId, protocolName: null, leaderId: null, isFirstRebalance: false });
  turn.change({ subscribedTopics: consumerTopics(turn.group) });
  turn.enter('Empty');
  turn.write(groupRecord(turn.group));
  turn.log('info', 'group is empty', { generation: generationId });
}

function announceGeneration(turn: ClassicTurn, generationId: number): void {
  turn.change({ generationId, protocolName: selectProtocol(turn.group), isFirstRebalance: false });
  turn.change({ subscribedTopics: consumerTopics(turn.group) });
  turn.enter('CompletingRebalance');
  const { group } = turn;
  for (const member of group.members.values()) {
    if (member.joining !== undefined) {
      turn.answerJoin(member.joining, generationResponse(group, member.memberId));
    }
    turn.wake(sessionWake(group.groupId, member.memberId), member.sessionTimeoutMs);
  }
  turn.changeMembers((member) => ({ ...member, joining: undefined, isNew: false, owesSync: true }));
  turn.wake(syncWake(group.groupId), syncTimeoutMs(group));
  turn.log('info', 'group has a new generation', {
    generation: generationId,
    members: group.members.size,
    protocol: group.protocolName,
    leader: group.leaderId,
  });
}

function refuseSyncs(turn: ClassicTurn): void {
  const { groupId } = turn.group;
  for (const member of turn.group.members.values()) {
    if (member.syncing === undefined) continue;
    turn.answerSync(member.syncing, syncError(Errors.REBALANCE_IN_PROGRESS));
    turn.wake(sessionWake(groupId, member.memberId), member.sessionTimeoutMs);
  }
  turn.changeMembers((member) => ({ ...member, assignment: NO_ASSIGNMENT, syncing: undefined }));
}

function forgetOwedSyncs(turn: ClassicTurn): void {
  const owed = [...turn.group.members.values()].some((member) => member.owesSync);
  if (!owed) return;
  turn.changeMembers((member) => ({ ...member, owesSync: false }));
  turn.unwake(syncWake(turn.group.groupId));
}

/** Generations are 32 bits on the wire; after the last comes 1 (0 is that of a new group). */
function nextGeneration(generationId: number): number {
  return generationId >= 0x7fff_ffff ? 1 : generationId + 1;
}

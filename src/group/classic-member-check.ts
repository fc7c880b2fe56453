/** Whether a request comes from the member it says it comes from. */
import { type ErrorCode, Errors } from '../protocol/errors';
import { type ClassicGroup, staticMember } from './classic-group';
import type { ClassicTurn } from './classic-turn';

/** A static name that now belongs to another member fences the one that still uses it. */
export function memberError(
  group: ClassicGroup,
  memberId: string,
  groupInstanceId: string | null,
): ErrorCode {
  const member = group.members.get(memberId);
  if (groupInstanceId !== null && member?.groupInstanceId !== groupInstanceId) {
    const owner = staticMember(group, groupInstanceId);
    return owner === undefined ? Errors.UNKNOWN_MEMBER_ID : Errors.FENCED_INSTANCE_ID;
  }
  return member === undefined ? Errors.UNKNOWN_MEMBER_ID : Errors.NONE;
}

/** As `memberError`, with a log line when a member is fenced. */
export function checkMember(
  turn: ClassicTurn,
  memberId: string,
  groupInstanceId: string | null,
  request: string,
): ErrorCode {
  const error = memberError(turn.group, memberId, groupInstanceId);
  if (error === Errors.FENCED_INSTANCE_ID) {
    turn.log('info', 'member is fenced by its static name', { memberId, groupInstanceId, request });
  }
  return error;
}

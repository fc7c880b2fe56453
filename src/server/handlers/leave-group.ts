/**
 * LeaveGroup 0–5: takes members out of a classic group; from version 3 on several, and static
 * ones by name (KIP-345), 5 with the client's reason (KIP-800).
 */
import type { LeaveResponse } from '../../group/answers';
import { coordinatorError } from '../../group/refusals';
import { LeaveGroup } from '../../protocol/apis/leave-group';
import { Errors } from '../../protocol/errors';
import { serve } from '../handler';

export const leaveGroup = serve({
  api: LeaveGroup,
  async handle(request, { apiVersion }, { groups }) {
    const { groupId, memberId } = request;
    const isSingle = apiVersion < 3;
    const members = isSingle
      ? [{ memberId, groupInstanceId: null, reason: null }]
      : request.members;
    const answered = await groups.ask<LeaveResponse>(groupId, (group, ticket, now) =>
      group.leave(groupId, members, ticket, now),
    );
    if (answered.kind === 'refused') return { errorCode: coordinatorError(answered.refusal) };
    return isSingle ? onlyMember(answered.response) : answered.response;
  },
});

/** Before version 3 the answer speaks of the one member alone. */
const onlyMember = ({ errorCode, members }: LeaveResponse): LeaveResponse => ({
  errorCode: errorCode === Errors.NONE ? (members?.[0]?.errorCode ?? Errors.NONE) : errorCode,
});

/** DeleteGroups 0–3: deletes groups without members, and their offsets (KIP-229). */
import { coordinatorError } from '../../group/refusals';
import { DeleteGroups } from '../../protocol/apis/delete-groups';
import type { ErrorCode } from '../../protocol/errors';
import { serve } from '../handler';

export const deleteGroups = serve({
  api: DeleteGroups,
  async handle(request, _context, { groups }) {
    const remove = async (groupId: string) => {
      const answered = await groups.ask<ErrorCode>(groupId, (group, ticket) =>
        group.delete(groupId, ticket),
      );
      const errorCode =
        answered.kind === 'answered' ? answered.response : coordinatorError(answered.refusal);
      return { groupId, errorCode };
    };
    const groupIds = new Set(request.groupsNames);
    return { results: await Promise.all([...groupIds].map(remove)) };
  },
});

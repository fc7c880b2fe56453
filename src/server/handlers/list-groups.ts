/**
 * ListGroups 0–5: the groups that this broker coordinates; from version 4 on of some states only
 * (KIP-518), 5 of some types (KIP-848).
 */
import type { ListedGroup } from '../../group/answers';
import { coordinatorError } from '../../group/refusals';
import { ListGroups } from '../../protocol/apis/list-groups';
import { Errors } from '../../protocol/errors';
import { serve } from '../handler';

export const listGroups = serve({
  api: ListGroups,
  async handle(request, { apiVersion }, { groups }) {
    const { statesFilter, typesFilter } = request;
    const answers = await groups.askAll<readonly ListedGroup[]>((group, ticket) =>
      group.list(statesFilter, typesFilter, ticket),
    );
    const listed: ListedGroup[] = [];
    for (const answered of answers) {
      if (answered.kind === 'answered') {
        listed.push(...answered.response);
        continue;
      }
      // Groups that went elsewhere meanwhile are listed there.
      const code = coordinatorError(answered.refusal);
      if (code !== Errors.NOT_COORDINATOR) return ListGroups.refuse(request, code, apiVersion);
    }
    return { errorCode: Errors.NONE, groups: listed };
  },
});

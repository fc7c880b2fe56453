/**
 * DescribeGroups 0–6: groups in terms of the classic protocol; from version 6 on a group that is
 * not there is an error (KIP-1043), before it is Dead.
 */
import type { DescribedGroup } from '../../group/answers';
import { coordinatorError } from '../../group/refusals';
import { DescribeGroups } from '../../protocol/apis/describe-groups';
import { Errors } from '../../protocol/errors';
import { callerOf } from '../caller';
import { distinct } from '../distinct';
import { serve } from '../handler';

/** Read, delete, describe, describe and alter configs: all that can be done to a group. */
const ALL_OPERATIONS = (1 << 3) | (1 << 6) | (1 << 8) | (1 << 10) | (1 << 11);

export const describeGroups = serve({
  api: DescribeGroups,
  async handle(request, context, { groups }) {
    const { apiVersion } = context;
    const caller = callerOf(context);
    const describe = async (groupId: string): Promise<DescribedGroup> => {
      const answered = await groups.ask<DescribedGroup>(groupId, (group, ticket) =>
        group.describe(groupId, caller, ticket),
      );
      return answered.kind === 'answered'
        ? answered.response
        : refused(groupId, coordinatorError(answered.refusal));
    };
    const described = await Promise.all(distinct(request.groups).map(describe));
    const showsOperations = apiVersion >= 3 && request.includeAuthorizedOperations;
    return { groups: showsOperations ? described.map(withOperations) : described };
  },
});

const withOperations = (group: DescribedGroup): DescribedGroup =>
  group.errorCode === Errors.NONE ? { ...group, authorizedOperations: ALL_OPERATIONS } : group;

const refused = (groupId: string, errorCode: number): DescribedGroup => ({
  errorCode,
  groupId,
  groupState: '',
  protocolType: '',
  protocolData: '',
  members: [],
});

/**
 * SyncGroup 0–5: the leader brings everyone's assignment, everyone gets theirs. From version 5 on
 * members name the protocol they mean (KIP-559).
 */
import type { SyncResponse } from '../../group/answers';
import { coordinatorError } from '../../group/refusals';
import { SyncGroup } from '../../protocol/apis/sync-group';
import { Errors } from '../../protocol/errors';
import { serve } from '../handler';

export const syncGroup = serve({
  api: SyncGroup,
  async handle(request, { apiVersion }, { groups }) {
    const isUnnamed = request.protocolType === null || request.protocolName === null;
    if (apiVersion >= 5 && isUnnamed) {
      return SyncGroup.refuse(request, Errors.INCONSISTENT_GROUP_PROTOCOL, apiVersion);
    }
    const answered = await groups.ask<SyncResponse>(request.groupId, (group, ticket, now) =>
      group.sync(request, ticket, now),
    );
    return answered.kind === 'refused'
      ? SyncGroup.refuse(request, coordinatorError(answered.refusal), apiVersion)
      : answered.response;
  },
});

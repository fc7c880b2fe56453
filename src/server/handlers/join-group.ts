/**
 * JoinGroup 0–9: enters a classic group; answered when all its members are there. From version 4
 * on a new member first gets its id (KIP-394), 5 static members (KIP-345), 8 the client's reason
 * (KIP-800), 9 leaders that need not assign (KIP-814).
 */
import type { JoinResponse } from '../../group/answers';
import { coordinatorError } from '../../group/refusals';
import { JoinGroup } from '../../protocol/apis/join-group';
import { callerOf } from '../caller';
import { serve } from '../handler';

export const joinGroup = serve({
  api: JoinGroup,
  async handle(request, context, { groups }) {
    const { apiVersion } = context;
    const caller = callerOf(context);
    const suffix = groups.uniqueSuffix();
    const answered = await groups.ask<JoinResponse>(request.groupId, (group, ticket, now) =>
      group.join(request, caller, suffix, ticket, now),
    );
    return answered.kind === 'refused'
      ? JoinGroup.refuse(request, coordinatorError(answered.refusal), apiVersion)
      : { ...answered.response, protocolName: nameFor(answered.response, apiVersion) };
  },
});

/** "No protocol" is the empty string up to version 6, and null from then on. */
function nameFor({ protocolName }: JoinResponse, apiVersion: number): string | null {
  return apiVersion >= 7 ? protocolName || null : (protocolName ?? '');
}

/** Heartbeat 0–4: a member of a classic group lives, and learns whether to join again. */
import type { HeartbeatResponse } from '../../group/answers';
import { coordinatorError } from '../../group/refusals';
import { Heartbeat } from '../../protocol/apis/heartbeat';
import { Errors } from '../../protocol/errors';
import { serve } from '../handler';

export const heartbeat = serve({
  api: Heartbeat,
  async handle(request, _context, { groups }) {
    const answered = await groups.ask<HeartbeatResponse>(request.groupId, (group, ticket, now) =>
      group.heartbeat(request, ticket, now),
    );
    if (answered.kind === 'answered') return answered.response;
    // While groups are loaded every session begins anew, so nothing is wrong with this member.
    const isLoading = answered.refusal === 'loading';
    return { errorCode: isLoading ? Errors.NONE : coordinatorError(answered.refusal) };
  },
});

/** RemoveRaftVoter 0: a controller votes no more (KIP-853). */
import { RemoveRaftVoter } from '../../protocol/apis/remove-raft-voter';
import { removeVoterRequest } from '../../raft/incoming-requests';
import { voterChangeResponse } from '../../raft/outgoing-responses';
import { serve } from '../handler';

export const removeRaftVoter = serve({
  api: RemoveRaftVoter,
  keepsFrame: true,
  async handle(request, context, services) {
    const isElsewhere = services.quorum.status() === undefined;
    if (isElsewhere && context.connection.serves === 'broker') {
      return services.controller.forward(RemoveRaftVoter, request, context);
    }
    return voterChangeResponse(await services.quorum.request(removeVoterRequest(request)));
  },
});

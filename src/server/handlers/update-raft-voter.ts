/** UpdateRaftVoter 0: a voter says where it is reached and what it supports (KIP-853). */
import { UpdateRaftVoter } from '../../protocol/apis/update-raft-voter';
import { updateVoterRequest } from '../../raft/incoming-requests';
import { updateVoterResponse } from '../../raft/outgoing-responses';
import { serve } from '../handler';

export const updateRaftVoter = serve({
  api: UpdateRaftVoter,
  async handle(request, context, services) {
    const response = await services.quorum.request(updateVoterRequest(request));
    return updateVoterResponse(response, context);
  },
});

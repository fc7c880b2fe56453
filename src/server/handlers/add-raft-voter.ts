/** AddRaftVoter 0–1: another controller votes from now on (KIP-853). */
import { AddRaftVoter } from '../../protocol/apis/add-raft-voter';
import { addVoterRequest } from '../../raft/incoming-requests';
import { voterChangeResponse } from '../../raft/outgoing-responses';
import { serve } from '../handler';

export const addRaftVoter = serve({
  api: AddRaftVoter,
  keepsFrame: true,
  async handle(request, context, services) {
    const isElsewhere = services.quorum.status() === undefined;
    if (isElsewhere && context.connection.serves === 'broker') {
      return services.controller.forward(AddRaftVoter, request, context);
    }
    return voterChangeResponse(await services.quorum.request(addVoterRequest(request)));
  },
});

/** EndQuorumEpoch 0–1: the leader of the quorum wants to be replaced (KIP-595, KIP-853). */
import { EndQuorumEpoch } from '../../protocol/apis/end-quorum-epoch';
import { Errors } from '../../protocol/errors';
import { endRequest } from '../../raft/incoming-requests';
import { epochResponse } from '../../raft/outgoing-responses';
import { serve } from '../handler';

export const endQuorumEpoch = serve({
  api: EndQuorumEpoch,
  async handle(request, context, services) {
    const asked = endRequest(request);
    if (asked === undefined) return { errorCode: Errors.INVALID_REQUEST, topics: [] };
    return epochResponse(await services.quorum.request(asked), context);
  },
});

/** BeginQuorumEpoch 0–1: the new leader of the quorum says so (KIP-595, KIP-853). */
import { BeginQuorumEpoch } from '../../protocol/apis/begin-quorum-epoch';
import { Errors } from '../../protocol/errors';
import { beginRequest } from '../../raft/incoming-requests';
import { epochResponse } from '../../raft/outgoing-responses';
import { serve } from '../handler';

export const beginQuorumEpoch = serve({
  api: BeginQuorumEpoch,
  async handle(request, context, services) {
    const asked = beginRequest(request);
    if (asked === undefined) return { errorCode: Errors.INVALID_REQUEST, topics: [] };
    return epochResponse(await services.quorum.request(asked), context);
  },
});

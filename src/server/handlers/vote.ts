/**
 * Vote 0–2: a candidate of the quorum asks for this node's vote, or whether it would have it
 * (KIP-595, KIP-853, KIP-996).
 */
import { Vote } from '../../protocol/apis/vote';
import { Errors } from '../../protocol/errors';
import { voteRequest } from '../../raft/incoming-requests';
import { voteResponse } from '../../raft/outgoing-responses';
import { serve } from '../handler';

export const vote = serve({
  api: Vote,
  async handle(request, context, services) {
    const asked = voteRequest(request);
    if (asked === undefined) return { errorCode: Errors.INVALID_REQUEST, topics: [] };
    return voteResponse(await services.quorum.request(asked), context);
  },
});

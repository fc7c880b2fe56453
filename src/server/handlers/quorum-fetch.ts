/**
 * Fetch 12–18 on the listener of controllers: the metadata log and nothing else, for voters and
 * brokers (KIP-595, KIP-630, KIP-853). Sessions do not exist here, as in Kafka.
 */
import { Fetch } from '../../protocol/apis/fetch';
import { Errors } from '../../protocol/errors';
import { fetchRequest } from '../../raft/incoming-requests';
import { fetchResponse } from '../../raft/outgoing-responses';
import { serve } from '../handler';

export const quorumFetch = serve({
  api: Fetch,
  versions: [12, 18],
  listeners: ['controller'],
  async handle(request, context, services) {
    const asked = fetchRequest(request, context.apiVersion);
    if (asked === undefined) {
      return { errorCode: Errors.INVALID_REQUEST, sessionId: 0, responses: [] };
    }
    return fetchResponse(await services.quorum.request(asked), context);
  },
});

/**
 * Envelope 0: a client's request that a broker passed on, with who asks and from where (KIP-590).
 * Answers leave in order, so brokers use several connections for those that may take long.
 */
import { Envelope } from '../../protocol/apis/envelope';
import { serve } from '../handler';

export const envelope = serve({
  api: Envelope,
  handle: (request, context, services) =>
    services.controllerRequests.runEnveloped(request, context),
});

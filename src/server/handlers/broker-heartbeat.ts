/**
 * BrokerHeartbeat 0–2: decided by the active controller (`controller/brokers.ts`), which takes the
 * end of the connection for a sign that the broker may be gone.
 */
import { BrokerHeartbeat } from '../../protocol/apis/broker-heartbeat';
import { Errors } from '../../protocol/errors';
import { serve } from '../handler';

export const brokerHeartbeat = serve({
  api: BrokerHeartbeat,
  async handle(request, context, services) {
    const answer = await services.controller.decide(BrokerHeartbeat, request, context);
    const { brokerId, brokerEpoch } = request;
    if (answer.errorCode === Errors.NONE) services.heartbeats.heard(brokerId, brokerEpoch, context);
    return answer;
  },
});

/** BrokerHeartbeat 0–2: decided by the active controller (`controller/brokers.ts`). */
import { BrokerHeartbeat } from '../../protocol/apis/broker-heartbeat';
import { forwarded } from '../forward';

export const brokerHeartbeat = forwarded(BrokerHeartbeat);

/** BrokerRegistration 0–4: decided by the active controller (`controller/brokers.ts`). */
import { BrokerRegistration } from '../../protocol/apis/broker-registration';
import { forwarded } from '../forward';

export const brokerRegistration = forwarded(BrokerRegistration);

/** UnregisterBroker 0: decided by the active controller (`controller/brokers.ts`). */
import { UnregisterBroker } from '../../protocol/apis/unregister-broker';
import { forwarded } from '../forward';

export const unregisterBroker = forwarded(UnregisterBroker);

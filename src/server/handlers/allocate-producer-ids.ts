/** AllocateProducerIds 0: decided by the active controller (`controller/producer-ids.ts`). */
import { AllocateProducerIds } from '../../protocol/apis/allocate-producer-ids';
import { forwarded } from '../forward';

export const allocateProducerIds = forwarded(AllocateProducerIds);

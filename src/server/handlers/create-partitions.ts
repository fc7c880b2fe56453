/** CreatePartitions 0–3: decided by the active controller (`controller/create-partitions.ts`). */
import { CreatePartitions } from '../../protocol/apis/create-partitions';
import { forwarded } from '../forward';

export const createPartitions = forwarded(CreatePartitions);

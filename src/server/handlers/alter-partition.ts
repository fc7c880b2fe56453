/** AlterPartition 2–3: decided by the active controller (`controller/alter-partition.ts`). */
import { AlterPartition } from '../../protocol/apis/alter-partition';
import { forwarded } from '../forward';

export const alterPartition = forwarded(AlterPartition);

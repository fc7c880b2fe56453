/** AlterPartitionReassignments 0–1: decided by the active controller (`controller/reassign.ts`). */
import { AlterPartitionReassignments } from '../../protocol/apis/alter-partition-reassignments';
import { forwarded } from '../forward';

export const alterPartitionReassignments = forwarded(AlterPartitionReassignments);

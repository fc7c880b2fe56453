/** ListPartitionReassignments 0: decided by the active controller (`controller/reassign.ts`). */
import { ListPartitionReassignments } from '../../protocol/apis/list-partition-reassignments';
import { forwarded } from '../forward';

export const listPartitionReassignments = forwarded(ListPartitionReassignments);

/** AssignReplicasToDirs 0: decided by the active controller (`controller/directories.ts`). */
import { AssignReplicasToDirs } from '../../protocol/apis/assign-replicas-to-dirs';
import { forwarded } from '../forward';

export const assignReplicasToDirs = forwarded(AssignReplicasToDirs);

/** Topics and their partitions, as the picture holds them. */
import type { LeaderEpoch, NodeId, Uuid } from '../base/ids';
import type { UnknownTag } from '../protocol/schema';
import type { ChunkedList } from './chunked-list';

/** No leader. */
export const NO_LEADER: NodeId = -1;

/** Directory ids with a meaning of their own (KIP-858); 0…99 are reserved. */
export const DIRECTORY_MIGRATING: Uuid = 'AAAAAAAAAAAAAAAAAAAAAA';
export const DIRECTORY_UNASSIGNED: Uuid = 'AAAAAAAAAAAAAAAAAAAAAQ';
export const DIRECTORY_LOST: Uuid = 'AAAAAAAAAAAAAAAAAAAAAg';

/** A topic; `partitions` is indexed by partition number, without gaps once a batch is applied. */
export interface Topic {
  readonly name: string;
  readonly id: Uuid;
  readonly partitions: ChunkedList<Partition>;
  /** Fields of a newer release, written back as they came. */
  readonly unknownTags?: readonly UnknownTag[];
}

/** One partition's registration: who holds it and who leads it. */
export interface Partition {
  /** The assignment in order of preference; the first is the preferred leader. */
  readonly replicas: readonly NodeId[];
  /** The log folder of each replica, parallel to `replicas`. */
  readonly directories: readonly Uuid[];
  readonly isr: readonly NodeId[];
  /** Parts of a reassignment under way; empty when there is none. */
  readonly removingReplicas: readonly NodeId[];
  readonly addingReplicas: readonly NodeId[];
  /** Eligible leader replicas (KIP-966): out of the ISR, yet holding all committed records. */
  readonly elr: readonly NodeId[];
  readonly lastKnownElr: readonly NodeId[];
  /** -1 = none. */
  readonly leader: NodeId;
  /** The leader was elected uncleanly and has not yet reported its recovery. */
  readonly isRecovering: boolean;
  /** Grows with every record that names a leader. */
  readonly leaderEpoch: LeaderEpoch;
  /** Grows with every change of the registration. */
  readonly partitionEpoch: number;
  /** Fields of a newer release, written back as they came. */
  readonly unknownTags?: readonly UnknownTag[];
}

/** A reassignment is under way. */
export function isReassigning(partition: Partition): boolean {
  return partition.addingReplicas.length > 0 || partition.removingReplicas.length > 0;
}

/** The log folder of `node`'s replica; `undefined` when it holds none. */
export function directoryOf(partition: Partition, node: NodeId): Uuid | undefined {
  const at = partition.replicas.indexOf(node);
  return at < 0 ? undefined : partition.directories[at];
}

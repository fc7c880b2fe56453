/** Moving a partition to other brokers: what is under way, when it ends, how it is undone. */
import type { NodeId } from '../base/ids';
import type { Partition } from '../metadata/topics';

/** A reassignment: the replicas while it lasts, and which of them come and go. */
export interface Reassignment {
  /** The target in its order, then those on their way out. */
  readonly replicas: readonly NodeId[];
  readonly adding: readonly NodeId[];
  readonly removing: readonly NodeId[];
}

/** Replicas and ISR after the last step. */
export interface Completed {
  readonly replicas: readonly NodeId[];
  readonly isr: readonly NodeId[];
}

export interface Reverted extends Completed {
  /** Nobody of the old replicas was in sync: the first of them would lead uncleanly. */
  readonly isUnclean: boolean;
}

/**
 * From the replicas that are to those that shall be, in the place of what may be under way. Kafka
 * leaves replicas of the former target among those that come when none is new; where they are also
 * to go, it never ends.
 */
export function startReassignment(
  { replicas, addingReplicas }: Pick<Partition, 'replicas' | 'addingReplicas'>,
  target: readonly NodeId[],
): Reassignment {
  const removing = sortedDifference(replicas, target);
  const settled = replicas.filter((node) => !addingReplicas.includes(node));
  return {
    replicas: [...target, ...removing],
    adding: sortedDifference(target, settled),
    removing,
  };
}

/**
 * The end of a reassignment, once `isr` allows it: all that come are in sync, someone who stays is,
 * and a smaller assignment waits for all of its own. `undefined` = not yet, or nothing under way.
 */
export function completeReassignment(
  { replicas, adding, removing }: Reassignment,
  isr: readonly NodeId[],
): Completed | undefined {
  if (adding.length === 0 && removing.length === 0) return undefined;
  const remainingIsr = isr.filter((node) => !removing.includes(node));
  const remaining = replicas.filter((node) => !removing.includes(node));
  if (removing.length > 0 && (remainingIsr.length === 0 || remaining.length === 0)) {
    return undefined;
  }
  const isInSync = (node: NodeId): boolean => remainingIsr.includes(node);
  if (!adding.every(isInSync)) return undefined;
  if (adding.length < removing.length && !remaining.every(isInSync)) return undefined;
  return { replicas: remaining, isr: remainingIsr };
}

/** Back to the replicas before the reassignment; `undefined` if there would be none. */
export function revertReassignment(partition: Partition): Reverted | undefined {
  const adding = partition.addingReplicas;
  const replicas = partition.replicas.filter((node) => !adding.includes(node));
  const isr = partition.isr.filter((node) => !adding.includes(node));
  if (isr.length > 0) return { replicas, isr, isUnclean: false };
  const [first] = replicas;
  return first === undefined ? undefined : { replicas, isr: [first], isUnclean: true };
}

function sortedDifference(one: readonly NodeId[], other: readonly NodeId[]): readonly NodeId[] {
  const difference = new Set(one.filter((node) => !other.includes(node)));
  return [...difference].sort((a, b) => a - b);
}

/** Assignments of new partitions: chosen by placement or given by hand. */
import type { NodeId } from '../base/ids';
import type { Partition } from '../metadata/topics';
import { place } from './placement';
import { type Refused, refused } from './refusals';
import { type ControllerNow, hasUncordonedDirectory, type View } from './view';

/** Replicas of new partitions, or why there can be none. */
export function placed(
  view: View,
  partitions: number,
  replicationFactor: number,
  now: ControllerNow,
): readonly (readonly NodeId[])[] | string {
  const usable = [...view.image.brokers.values()].filter(
    (broker) => !view.sessions.isShuttingDown(broker.id) && hasUncordonedDirectory(broker),
  );
  const placement = place(usable, partitions, replicationFactor, now.chance);
  return placement.kind === 'placed' ? placement.replicas : placement.message;
}

/** What is wrong with replicas that were given by hand. */
export function manualProblem(
  view: View,
  replicas: readonly NodeId[],
  replicationFactor: number | undefined,
): Refused | undefined {
  const invalid = (message: string): Refused => refused('INVALID_REPLICA_ASSIGNMENT', message);
  const assignment = 'The manual partition assignment includes';
  if (replicas.length === 0) return invalid(`${assignment} an empty replica list.`);
  let previous: NodeId | undefined;
  for (const id of [...replicas].sort((a, b) => a - b)) {
    const broker = view.image.broker(id);
    if (broker === undefined) {
      return invalid(`${assignment} broker ${id}, but no such broker is registered.`);
    }
    if (!hasUncordonedDirectory(broker)) {
      return invalid(`${assignment} broker ${id}, but all its log directories are cordoned.`);
    }
    if (id === previous) return invalid(`${assignment} the broker ${id} more than once.`);
    previous = id;
  }
  if (replicationFactor === undefined || replicas.length === replicationFactor) return undefined;
  return invalid(
    `${assignment} a partition with ${replicas.length} replica(s), but this is not consistent ` +
      `with previous partitions, which have ${replicationFactor} replica(s).`,
  );
}

/** The registration of a new partition; `undefined` if none of its replicas is alive. */
export function newPartition(view: View, replicas: readonly NodeId[]): Partition | undefined {
  const isr = replicas.filter((broker) => view.isActive(broker));
  const [leader] = isr;
  if (leader === undefined) return undefined;
  return {
    replicas,
    directories: replicas.map((broker) => view.defaultDirectory(broker)),
    isr,
    removingReplicas: [],
    addingReplicas: [],
    elr: [],
    lastKnownElr: [],
    leader,
    isRecovering: false,
    leaderEpoch: 0,
    partitionEpoch: 0,
  };
}

/** Kafka's words when all replicas of a placed partition are dead. */
export const allFenced = (replicationFactor: number): string =>
  `Unable to replicate the partition ${replicationFactor} time(s): All brokers are currently ` +
  'fenced or in controlled shutdown.';

/** Which replica a consumer should rather read from than the leader (KIP-392). */
import type { NodeId, Offset } from '../base/ids';
import type { MonotonicMs } from '../base/times';

/** A replica that has what the consumer asks for, and can be reached by it. */
export interface ReadableReplica {
  readonly id: NodeId;
  readonly rack: string | null;
  readonly endOffset: Offset;
  readonly caughtUpAtMs: MonotonicMs;
}

/**
 * As Kafka's RackAwareReplicaSelector: the leader if it is in the consumer's rack or nobody is,
 * else the most caught-up follower there. Undefined: the leader.
 */
export function selectInRack(
  rack: string,
  leaderRack: string | null,
  followers: Iterable<ReadableReplica>,
): NodeId | undefined {
  if (rack === '' || leaderRack === rack) return undefined;
  let best: ReadableReplica | undefined;
  for (const follower of followers) {
    if (follower.rack !== rack) continue;
    if (best === undefined || isMoreCaughtUp(follower, best)) best = follower;
  }
  return best?.id;
}

function isMoreCaughtUp(one: ReadableReplica, other: ReadableReplica): boolean {
  if (one.endOffset !== other.endOffset) return one.endOffset > other.endOffset;
  if (one.caughtUpAtMs !== other.caughtUpAtMs) return one.caughtUpAtMs > other.caughtUpAtMs;
  return one.id > other.id;
}

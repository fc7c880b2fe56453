/** A leader that gave up: it asks its voters to elect another (EndQuorumEpoch). */
import type { MonotonicMs } from '../base/times';
import { NEVER } from './connections';
import { type Core, destinationOfVoter, trySend } from './core';
import type { ResignedRole } from './quorum';
import { becomeUnattached } from './transitions';

/** Returns when to look again. */
export function pollResigned(core: Core, role: ResignedRole, nowMs: MonotonicMs): MonotonicMs {
  let againAtMs = NEVER;
  for (const id of role.unacknowledged) {
    const destination = destinationOfVoter(core, id);
    if (destination === undefined) continue;
    const atMs = trySend(core, destination, nowMs, () => ({
      kind: 'end-quorum-epoch',
      clusterId: core.clusterId,
      leaderId: core.self.id,
      epoch: role.epoch,
      successors: role.successors,
      leaderEndpoints: core.endpoints,
    }));
    if (atMs < againAtMs) againAtMs = atMs;
  }
  if (core.isShuttingDown) return againAtMs;
  if (nowMs < role.electionAtMs) return Math.min(againAtMs, role.electionAtMs) as MonotonicMs;
  // One epoch on, or answers would go on to name this node as the leader of its old one.
  becomeUnattached(core, role.epoch + 1, undefined, nowMs);
  return nowMs;
}

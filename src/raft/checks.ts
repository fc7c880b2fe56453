/** What is checked of every request before it is looked at more closely. */
import type { LeaderEpoch, NodeId } from '../base/ids';
import type { Core } from './core';
import type { QuorumError, QuorumResponse } from './messages';
import type { ReplicaKey } from './voters';

/** Nobody could be elected after it: epochs are 32-bit numbers. */
const LAST_EPOCH = 0x7fffffff;

/** A cluster id that is named must be this one. */
export const isOfThisCluster = (core: Core, clusterId: string | null): boolean =>
  clusterId === null || clusterId === core.clusterId;

export const WRONG_CLUSTER: QuorumResponse = { kind: 'refused', error: 'INCONSISTENT_CLUSTER_ID' };

/** Vote, BeginQuorumEpoch and EndQuorumEpoch: any epoch but an older one. */
export function checkElectionRequest(
  core: Core,
  senderId: NodeId,
  epoch: LeaderEpoch,
): QuorumError | undefined {
  if (epoch < core.role.epoch) return 'FENCED_LEADER_EPOCH';
  return senderId < 0 || epoch >= LAST_EPOCH ? 'INVALID_REQUEST' : undefined;
}

/** What only the leader of that very epoch answers. */
export function checkLeaderRequest(core: Core, epoch: LeaderEpoch): QuorumError | undefined {
  if (epoch < core.role.epoch) return 'FENCED_LEADER_EPOCH';
  if (epoch > core.role.epoch) return 'UNKNOWN_LEADER_EPOCH';
  if (core.role.kind !== 'leader') return 'NOT_LEADER_OR_FOLLOWER';
  return core.isShuttingDown ? 'BROKER_NOT_AVAILABLE' : undefined;
}

/** Whether a request meant for `voter` is meant for this node. */
export const isForSelf = (core: Core, voter: ReplicaKey | undefined): boolean =>
  voter === undefined ||
  (voter.id === core.self.id &&
    (voter.directoryId === undefined || voter.directoryId === core.self.directoryId));

/**
 * Requests of other nodes and tools, as Kafka's messages name them: the quorum's request, or
 * undefined where they are not about the one partition of the metadata log.
 */
import type { RequestOf } from '../protocol/api';
import type { AddRaftVoter } from '../protocol/apis/add-raft-voter';
import type { BeginQuorumEpoch } from '../protocol/apis/begin-quorum-epoch';
import type { EndQuorumEpoch } from '../protocol/apis/end-quorum-epoch';
import type { Fetch } from '../protocol/apis/fetch';
import type { FetchSnapshot } from '../protocol/apis/fetch-snapshot';
import type { RemoveRaftVoter } from '../protocol/apis/remove-raft-voter';
import type { UpdateRaftVoter } from '../protocol/apis/update-raft-voter';
import type { Vote } from '../protocol/apis/vote';
import type { QuorumRequest } from './messages';
import { onlyPartition, replicaOf } from './wire';

export function voteRequest(request: RequestOf<typeof Vote>): QuorumRequest | undefined {
  const found = onlyPartition(request.topics, ({ partitionIndex }) => partitionIndex);
  if (found === undefined) return undefined;
  const { voterId } = request;
  return {
    kind: 'vote',
    clusterId: request.clusterId,
    epoch: found.replicaEpoch,
    candidate: replicaOf(found.replicaId, found.replicaDirectoryId),
    voter: voterId < 0 ? undefined : replicaOf(voterId, found.voterDirectoryId),
    end: { offset: found.lastOffset, epoch: found.lastOffsetEpoch },
    isPreVote: found.preVote,
  };
}

export function beginRequest(
  request: RequestOf<typeof BeginQuorumEpoch>,
): QuorumRequest | undefined {
  const found = onlyPartition(request.topics, ({ partitionIndex }) => partitionIndex);
  if (found === undefined) return undefined;
  const { clusterId, voterId, leaderEndpoints } = request;
  return {
    kind: 'begin-quorum-epoch',
    clusterId,
    leaderId: found.leaderId,
    epoch: found.leaderEpoch,
    voter: voterId < 0 ? undefined : replicaOf(voterId, found.voterDirectoryId),
    leaderEndpoints,
  };
}

export function endRequest(request: RequestOf<typeof EndQuorumEpoch>): QuorumRequest | undefined {
  const found = onlyPartition(request.topics, ({ partitionIndex }) => partitionIndex);
  if (found === undefined) return undefined;
  const { preferredCandidates, preferredSuccessors } = found;
  const successors =
    preferredCandidates.length > 0
      ? preferredCandidates.map((one) => replicaOf(one.candidateId, one.candidateDirectoryId))
      : preferredSuccessors.map((id) => ({ id, directoryId: undefined }));
  return {
    kind: 'end-quorum-epoch',
    clusterId: request.clusterId,
    leaderId: found.leaderId,
    epoch: found.leaderEpoch,
    successors,
    leaderEndpoints: request.leaderEndpoints,
  };
}

export function fetchRequest(
  request: RequestOf<typeof Fetch>,
  apiVersion: number,
): QuorumRequest | undefined {
  const found = onlyPartition(request.topics, ({ partition }) => partition);
  if (found === undefined) return undefined;
  const replicaId = apiVersion >= 15 ? request.replicaState.replicaId : request.replicaId;
  return {
    kind: 'fetch',
    clusterId: request.clusterId,
    replica: replicaOf(replicaId, found.replicaDirectoryId),
    epoch: found.currentLeaderEpoch,
    fetchOffset: Number(found.fetchOffset),
    lastFetchedEpoch: found.lastFetchedEpoch,
    // The greatest number stands for a version without the field.
    highWatermark: Number(found.highWatermark),
    maxWaitMs: request.maxWaitMs,
    maxBytes: request.maxBytes,
  };
}

export function fetchSnapshotRequest(
  request: RequestOf<typeof FetchSnapshot>,
): QuorumRequest | undefined {
  const found = onlyPartition(request.topics, ({ partition }) => partition);
  if (found === undefined) return undefined;
  return {
    kind: 'fetch-snapshot',
    clusterId: request.clusterId,
    replica: replicaOf(request.replicaId, found.replicaDirectoryId),
    epoch: found.currentLeaderEpoch,
    snapshot: { offset: found.snapshotId.endOffset, epoch: found.snapshotId.epoch },
    position: found.position,
    maxBytes: request.maxBytes,
  };
}

export const addVoterRequest = (request: RequestOf<typeof AddRaftVoter>): QuorumRequest => ({
  kind: 'add-voter',
  clusterId: request.clusterId,
  timeoutMs: request.timeoutMs,
  voter: replicaOf(request.voterId, request.voterDirectoryId),
  endpoints: request.listeners,
  isAnsweredWhenCommitted: request.ackWhenCommitted,
});

export const removeVoterRequest = (request: RequestOf<typeof RemoveRaftVoter>): QuorumRequest => ({
  kind: 'remove-voter',
  clusterId: request.clusterId,
  voter: replicaOf(request.voterId, request.voterDirectoryId),
});

export const updateVoterRequest = (request: RequestOf<typeof UpdateRaftVoter>): QuorumRequest => ({
  kind: 'update-voter',
  clusterId: request.clusterId,
  epoch: request.currentLeaderEpoch,
  voter: replicaOf(request.voterId, request.voterDirectoryId),
  endpoints: request.listeners,
  minKraftVersion: request.kRaftVersionFeature.minSupportedVersion,
  maxKraftVersion: request.kRaftVersionFeature.maxSupportedVersion,
});

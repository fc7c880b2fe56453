/**
 * DescribeQuorum 0–2: leader, high watermark and how far each replica of the metadata log is
 * (KIP-595, KIP-836, KIP-853). Brokers pass it on to the leader.
 */
import { METADATA_TOPIC, ZERO_UUID } from '../../base/ids';
import type { RequestOf, ResponseDraft } from '../../protocol/api';
import { DescribeQuorum } from '../../protocol/apis/describe-quorum';
import { type ErrorCode, Errors } from '../../protocol/errors';
import type { Progress } from '../../raft/leader-role';
import type { QuorumStatus } from '../../raft/raft';
import { onlyPartition } from '../../raft/wire';
import { serve } from '../handler';
import type { Services } from '../services';

type Response = ResponseDraft<typeof DescribeQuorum>;

export const describeQuorum = serve({
  api: DescribeQuorum,
  keepsFrame: true,
  handle(request, context, services) {
    const found = onlyPartition(request.topics, ({ partitionIndex }) => partitionIndex);
    if (found === undefined) {
      return refuse(request, Errors.UNKNOWN_TOPIC_OR_PARTITION);
    }
    const status = services.quorum.status();
    if (status !== undefined) return describe(status, context.apiVersion, services);
    if (context.connection.serves === 'broker') {
      return services.controller.forward(DescribeQuorum, request, context);
    }
    return refuse(request, Errors.NOT_LEADER_OR_FOLLOWER);
  },
});

function refuse(request: RequestOf<typeof DescribeQuorum>, errorCode: ErrorCode): Response {
  return {
    errorCode: Errors.NONE,
    topics: request.topics.map(({ topicName, partitions }) => ({
      topicName,
      partitions: partitions.map(({ partitionIndex }) => ({
        partitionIndex,
        errorCode,
        errorMessage: null,
        leaderId: -1,
        leaderEpoch: -1,
        highWatermark: -1,
        currentVoters: [],
        observers: [],
      })),
    })),
  };
}

function describe(status: QuorumStatus, apiVersion: number, services: Services): Response {
  const isDynamic = apiVersion >= 2;
  const nowMs = services.clock.monotonicMs();
  const nowWallMs = services.clock.wallMs();
  const atWallMs = (atMs: number | undefined) =>
    atMs === undefined ? -1 : Math.round(nowWallMs - (nowMs - atMs));
  const stateOf = ({ key, endOffset, lastFetchAtMs, lastCaughtUpAtMs }: Progress) => {
    const isLeader = key.id === status.leaderId;
    return {
      replicaId: key.id,
      ...(isDynamic ? { replicaDirectoryId: key.directoryId ?? ZERO_UUID } : {}),
      logEndOffset: endOffset ?? -1,
      lastFetchTimestamp: isLeader ? nowWallMs : atWallMs(lastFetchAtMs),
      lastCaughtUpTimestamp: isLeader ? nowWallMs : atWallMs(lastCaughtUpAtMs),
    };
  };
  const partition = {
    partitionIndex: 0,
    errorCode: Errors.NONE,
    errorMessage: null,
    leaderId: status.leaderId,
    leaderEpoch: status.epoch,
    highWatermark: status.highWatermark,
    currentVoters: status.voters.map(stateOf),
    observers: status.observers.map(stateOf),
  };
  return {
    errorCode: Errors.NONE,
    errorMessage: null,
    topics: [{ topicName: METADATA_TOPIC, partitions: [partition] }],
    ...(isDynamic ? { nodes: status.voters.map(nodeOf) } : {}),
  };
}

const nodeOf = ({ key, endpoints }: Progress) => ({
  nodeId: key.id,
  listeners: endpoints.map(({ name, host, port }) => ({ name, host, port })),
});

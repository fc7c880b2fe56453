import { api } from '../api';
import { array, int16, int32, int64, sentence, string, uint16, uuid } from '../schema';

const ReplicaState = {
  replicaId: int32,
  replicaDirectoryId: uuid.since(2),
  logEndOffset: int64,
  lastFetchTimestamp: int64.since(1).default(-1).ignorable(),
  lastCaughtUpTimestamp: int64.since(1).default(-1).ignorable(),
};

/** Describes the quorum and how far each replica is (KIP-595, KIP-836, KIP-853). */
export const DescribeQuorum = api({
  key: 55,
  name: 'DescribeQuorum',
  versions: [0, 2],
  flexible: 0,
  served: [0, 2],
  listeners: ['broker', 'controller'],
  isForwardable: true,
  isClusterAction: true,
  request: {
    topics: array({
      topicName: string,
      partitions: array({
        partitionIndex: int32,
      }),
    }),
  },
  response: {
    errorCode: int16,
    errorMessage: sentence.nullable().since(2).ignorable(),
    topics: array({
      topicName: string,
      partitions: array({
        partitionIndex: int32,
        errorCode: int16,
        errorMessage: sentence.nullable().since(2).ignorable(),
        leaderId: int32,
        leaderEpoch: int32,
        highWatermark: int64,
        currentVoters: array(ReplicaState),
        observers: array(ReplicaState),
      }),
    }),
    nodes: array({
      nodeId: int32,
      listeners: array({
        name: string,
        host: string,
        port: uint16,
      }),
    }).since(2),
  },
  refuse: (_request, errorCode, _version, message) => ({
    errorCode,
    errorMessage: message,
    topics: [],
  }),
});

import { api } from '../api';
import { array, bool, int16, int32, int64, string, uint16, uuid } from '../schema';

/** A candidate asks a voter for its vote, or whether it would have it (KIP-595, KIP-996). */
export const Vote = api({
  key: 52,
  name: 'Vote',
  versions: [0, 2],
  flexible: 0,
  served: [0, 2],
  listeners: ['controller'],
  isClusterAction: true,
  request: {
    clusterId: string.nullable().default(null),
    voterId: int32.since(1).default(-1).ignorable(),
    topics: array({
      topicName: string,
      partitions: array({
        partitionIndex: int32,
        /** The epoch in which the candidate runs. */
        replicaEpoch: int32,
        replicaId: int32,
        replicaDirectoryId: uuid.since(1).ignorable(),
        voterDirectoryId: uuid.since(1).ignorable(),
        lastOffsetEpoch: int32,
        lastOffset: int64,
        preVote: bool.since(2),
      }),
    }),
  },
  response: {
    errorCode: int16,
    topics: array({
      topicName: string,
      partitions: array({
        partitionIndex: int32,
        errorCode: int16,
        leaderId: int32,
        leaderEpoch: int32,
        voteGranted: bool,
      }),
    }),
    nodeEndpoints: array({
      nodeId: int32,
      host: string,
      port: uint16,
    })
      .since(1)
      .tag(0),
  },
  refuse: (_request, errorCode) => ({ errorCode, topics: [] }),
});

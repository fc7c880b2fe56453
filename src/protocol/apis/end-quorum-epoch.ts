import { api } from '../api';
import { array, int16, int32, string, uint16, uuid } from '../schema';

/** A quorum leader tells voters that it steps down (KIP-595, KIP-853). */
export const EndQuorumEpoch = api({
  key: 54,
  name: 'EndQuorumEpoch',
  versions: [0, 1],
  flexible: 1,
  served: [0, 1],
  listeners: ['controller'],
  isClusterAction: true,
  request: {
    clusterId: string.nullable().default(null),
    topics: array({
      topicName: string,
      partitions: array({
        partitionIndex: int32,
        leaderId: int32,
        leaderEpoch: int32,
        preferredSuccessors: array(int32).until(0).ignorable(),
        preferredCandidates: array({
          candidateId: int32,
          candidateDirectoryId: uuid,
        })
          .since(1)
          .ignorable(),
      }),
    }),
    leaderEndpoints: array({
      name: string,
      host: string,
      port: uint16,
    })
      .since(1)
      .ignorable(),
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

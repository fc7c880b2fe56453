import { api } from '../api';
import { array, int16, int32, string, uint16, uuid } from '../schema';

/** A new quorum leader tells a voter that it leads (KIP-595, KIP-853). */
export const BeginQuorumEpoch = api({
  key: 53,
  name: 'BeginQuorumEpoch',
  versions: [0, 1],
  flexible: 1,
  served: [0, 1],
  listeners: ['controller'],
  isClusterAction: true,
  request: {
    clusterId: string.nullable().default(null),
    voterId: int32.since(1).default(-1).ignorable(),
    topics: array({
      topicName: string,
      partitions: array({
        partitionIndex: int32,
        voterDirectoryId: uuid.since(1).ignorable(),
        leaderId: int32,
        leaderEpoch: int32,
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

import { api } from '../api';
import { array, bool, int16, int32, string, uuid } from '../schema';

/** Tells who leads which partition, and which brokers there are; may create topics. */
export const Metadata = api({
  key: 3,
  name: 'Metadata',
  versions: [0, 13],
  flexible: 9,
  served: [0, 13],
  listeners: ['broker'],
  request: {
    /** Null: all topics (in version 0, an empty list says that). */
    topics: array({
      topicId: uuid.since(10).ignorable(),
      name: string.nullable(10),
    }).nullable(1),
    allowAutoTopicCreation: bool.since(4).default(true),
    includeClusterAuthorizedOperations: bool.since(8).until(10),
    includeTopicAuthorizedOperations: bool.since(8),
  },
  response: {
    throttleTimeMs: int32.since(3).default(0).ignorable(),
    brokers: array({
      nodeId: int32,
      host: string,
      port: int32,
      rack: string.nullable().since(1).default(null).ignorable(),
    }),
    clusterId: string.nullable().since(2).default(null).ignorable(),
    controllerId: int32.since(1).default(-1).ignorable(),
    topics: array({
      errorCode: int16,
      name: string.nullable(12),
      topicId: uuid.since(10).ignorable(),
      isInternal: bool.since(1).default(false).ignorable(),
      partitions: array({
        errorCode: int16,
        partitionIndex: int32,
        leaderId: int32,
        leaderEpoch: int32.since(7).default(-1).ignorable(),
        replicaNodes: array(int32),
        isrNodes: array(int32),
        offlineReplicas: array(int32).since(5).ignorable(),
      }),
      topicAuthorizedOperations: int32.since(8).default(-0x80000000),
    }),
    clusterAuthorizedOperations: int32.since(8).until(10).default(-0x80000000),
    errorCode: int16.since(13).ignorable(),
  },
  refuse: ({ topics }, errorCode) => ({
    errorCode,
    brokers: [],
    topics: (topics ?? []).map(({ name, topicId }) => ({
      errorCode,
      name: name ?? '',
      topicId,
      partitions: [],
    })),
  }),
});

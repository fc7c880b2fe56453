import { api } from '../api';
import { array, bool, int16, int32, string, struct, uuid } from '../schema';

/** Describes partitions of topics, page by page (KIP-966). */
export const DescribeTopicPartitions = api({
  key: 75,
  name: 'DescribeTopicPartitions',
  versions: [0, 0],
  flexible: 0,
  served: [0, 0],
  listeners: ['broker'],
  request: {
    topics: array({
      name: string,
    }),
    responsePartitionLimit: int32.default(2000),
    cursor: struct({
      topicName: string,
      partitionIndex: int32,
    })
      .nullable()
      .default(null),
  },
  response: {
    throttleTimeMs: int32.default(0).ignorable(),
    topics: array({
      errorCode: int16,
      name: string.nullable(),
      topicId: uuid.ignorable(),
      isInternal: bool.default(false).ignorable(),
      partitions: array({
        errorCode: int16,
        partitionIndex: int32,
        leaderId: int32,
        leaderEpoch: int32.default(-1).ignorable(),
        replicaNodes: array(int32),
        isrNodes: array(int32),
        eligibleLeaderReplicas: array(int32).nullable().default(null),
        lastKnownElr: array(int32).nullable().default(null),
        offlineReplicas: array(int32).ignorable(),
      }),
      topicAuthorizedOperations: int32.default(-0x80000000),
    }),
    nextCursor: struct({
      topicName: string,
      partitionIndex: int32,
    })
      .nullable()
      .default(null),
  },
  refuse: ({ topics }, errorCode) => ({
    topics: topics.map(({ name }) => ({ errorCode, name, partitions: [] })),
  }),
});

import { api } from '../api';
import { array, int16, int32, int64, sentence, string, uuid } from '../schema';

/** Describes the offsets of share groups (KIP-932). */
export const DescribeShareGroupOffsets = api({
  key: 90,
  name: 'DescribeShareGroupOffsets',
  versions: [0, 1],
  flexible: 0,
  served: [0, 1],
  listeners: ['broker'],
  request: {
    groups: array({
      groupId: string,
      topics: array({
        topicName: string,
        partitions: array(int32),
      }).nullable(),
    }),
  },
  response: {
    throttleTimeMs: int32.default(0),
    groups: array({
      groupId: string,
      topics: array({
        topicName: string,
        topicId: uuid,
        partitions: array({
          partitionIndex: int32,
          startOffset: int64,
          leaderEpoch: int32,
          lag: int64.since(1).default(-1).ignorable(),
          errorCode: int16,
          errorMessage: sentence.nullable().default(null),
        }),
      }),
      errorCode: int16,
      errorMessage: sentence.nullable().default(null),
    }),
  },
  refuse: ({ groups }, errorCode, _version, message) => ({
    groups: groups.map(({ groupId }) => ({
      groupId,
      topics: [],
      errorCode,
      errorMessage: message,
    })),
  }),
});

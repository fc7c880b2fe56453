import { api } from '../api';
import { array, int8, int16, int32, int64, sentence, string, uuid } from '../schema';

/** Reads the persistent state of share partitions (KIP-932). */
export const ReadShareGroupState = api({
  key: 84,
  name: 'ReadShareGroupState',
  versions: [0, 0],
  flexible: 0,
  served: [0, 0],
  listeners: ['broker'],
  isClusterAction: true,
  request: {
    groupId: string,
    topics: array({
      topicId: uuid,
      partitions: array({
        partition: int32,
        leaderEpoch: int32,
      }),
    }),
  },
  response: {
    results: array({
      topicId: uuid,
      partitions: array({
        partition: int32,
        errorCode: int16,
        errorMessage: sentence.nullable().default(null),
        stateEpoch: int32,
        startOffset: int64,
        stateBatches: array({
          firstOffset: int64,
          lastOffset: int64,
          deliveryState: int8,
          deliveryCount: int16,
        }),
      }),
    }),
  },
  refuse: ({ topics }, errorCode, _version, message) => ({
    results: topics.map((topic) => ({
      topicId: topic.topicId,
      partitions: topic.partitions.map(({ partition }) => ({
        partition,
        errorCode,
        errorMessage: message,
        stateEpoch: 0,
        startOffset: 0,
        stateBatches: [],
      })),
    })),
  }),
});

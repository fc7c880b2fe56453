import { api } from '../api';
import { array, int8, int16, int32, int64, sentence, string, uuid } from '../schema';

/** Changes the persistent state of share partitions (KIP-932). */
export const WriteShareGroupState = api({
  key: 85,
  name: 'WriteShareGroupState',
  versions: [0, 1],
  flexible: 0,
  served: [0, 1],
  listeners: ['broker'],
  isClusterAction: true,
  request: {
    groupId: string,
    topics: array({
      topicId: uuid,
      partitions: array({
        partition: int32,
        stateEpoch: int32,
        leaderEpoch: int32,
        startOffset: int64,
        deliveryCompleteCount: int32.since(1).default(-1).ignorable(),
        stateBatches: array({
          firstOffset: int64,
          lastOffset: int64,
          deliveryState: int8,
          deliveryCount: int16,
        }),
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
      })),
    })),
  }),
});

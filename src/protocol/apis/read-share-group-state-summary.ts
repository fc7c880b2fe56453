import { api } from '../api';
import { array, int16, int32, int64, sentence, string, uuid } from '../schema';

/** Reads how far share partitions are (KIP-932). */
export const ReadShareGroupStateSummary = api({
  key: 87,
  name: 'ReadShareGroupStateSummary',
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
        leaderEpoch: int32,
        startOffset: int64,
        deliveryCompleteCount: int32.since(1).default(-1).ignorable(),
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
        leaderEpoch: 0,
        startOffset: 0,
      })),
    })),
  }),
});

import { api } from '../api';
import { array, int16, int32, int64, sentence, string, uuid } from '../schema';

/** Creates the persistent state of share partitions (KIP-932). */
export const InitializeShareGroupState = api({
  key: 83,
  name: 'InitializeShareGroupState',
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
        stateEpoch: int32,
        startOffset: int64,
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

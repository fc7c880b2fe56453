import { api } from '../api';
import { array, int16, int32, sentence, string, uuid } from '../schema';

/** Deletes the persistent state of share partitions (KIP-932). */
export const DeleteShareGroupState = api({
  key: 86,
  name: 'DeleteShareGroupState',
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

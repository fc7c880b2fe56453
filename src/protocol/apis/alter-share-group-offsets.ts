import { api } from '../api';
import { array, bigint64, int16, int32, sentence, string, uuid } from '../schema';

/** Sets the offsets of a share group (KIP-932). */
export const AlterShareGroupOffsets = api({
  key: 91,
  name: 'AlterShareGroupOffsets',
  versions: [0, 0],
  flexible: 0,
  served: [0, 0],
  listeners: ['broker'],
  request: {
    groupId: string,
    topics: array({
      topicName: string,
      partitions: array({
        partitionIndex: int32,
        startOffset: bigint64,
      }),
    }),
  },
  response: {
    throttleTimeMs: int32.default(0),
    errorCode: int16,
    errorMessage: sentence.nullable().default(null),
    responses: array({
      topicName: string,
      topicId: uuid,
      partitions: array({
        partitionIndex: int32,
        errorCode: int16,
        errorMessage: sentence.nullable().default(null),
      }),
    }),
  },
  refuse: (_request, errorCode, _version, message) => ({
    errorCode,
    errorMessage: message,
    responses: [],
  }),
});

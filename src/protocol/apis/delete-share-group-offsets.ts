import { api } from '../api';
import { array, int16, int32, sentence, string, uuid } from '../schema';

/** Deletes the offsets of a share group (KIP-932). */
export const DeleteShareGroupOffsets = api({
  key: 92,
  name: 'DeleteShareGroupOffsets',
  versions: [0, 0],
  flexible: 0,
  served: [0, 0],
  listeners: ['broker'],
  request: {
    groupId: string,
    topics: array({
      topicName: string,
    }),
  },
  response: {
    throttleTimeMs: int32.default(0),
    errorCode: int16,
    errorMessage: sentence.nullable().default(null),
    responses: array({
      topicName: string,
      topicId: uuid,
      errorCode: int16,
      errorMessage: sentence.nullable().default(null),
    }),
  },
  refuse: (_request, errorCode, _version, message) => ({
    errorCode,
    errorMessage: message,
    responses: [],
  }),
});

import { api } from '../api';
import { array, int16, int32, string } from '../schema';

/** Deletes stored offsets of a group (KIP-496). */
export const OffsetDelete = api({
  key: 47,
  name: 'OffsetDelete',
  versions: [0, 0],
  flexible: 'never',
  served: [0, 0],
  listeners: ['broker'],
  request: {
    groupId: string,
    topics: array({
      name: string,
      partitions: array({
        partitionIndex: int32,
      }),
    }),
  },
  response: {
    errorCode: int16,
    throttleTimeMs: int32.default(0).ignorable(),
    topics: array({
      name: string,
      partitions: array({
        partitionIndex: int32,
        errorCode: int16,
      }),
    }),
  },
  refuse: (_request, errorCode) => ({ errorCode, topics: [] }),
});

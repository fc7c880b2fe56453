import { api } from '../api';
import { array, bigint64, int16, int32, int64, string } from '../schema';

/** Moves the start of partitions forward, so that earlier records are gone (KIP-107). */
export const DeleteRecords = api({
  key: 21,
  name: 'DeleteRecords',
  versions: [0, 2],
  flexible: 2,
  served: [0, 2],
  listeners: ['broker'],
  request: {
    topics: array({
      name: string,
      partitions: array({
        partitionIndex: int32,
        /** -1: the high watermark. */
        offset: bigint64,
      }),
    }),
    timeoutMs: int32,
  },
  response: {
    throttleTimeMs: int32.default(0),
    topics: array({
      name: string,
      partitions: array({
        partitionIndex: int32,
        lowWatermark: int64,
        errorCode: int16,
      }),
    }),
  },
  refuse: ({ topics }, errorCode) => ({
    topics: topics.map(({ name, partitions }) => ({
      name,
      partitions: partitions.map(({ partitionIndex }) => ({
        partitionIndex,
        lowWatermark: -1,
        errorCode,
      })),
    })),
  }),
});

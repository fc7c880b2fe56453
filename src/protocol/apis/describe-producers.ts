import { api } from '../api';
import { array, bigint64, int16, int32, int64, sentence, string } from '../schema';

/** Describes the producers that write to partitions (KIP-664). */
export const DescribeProducers = api({
  key: 61,
  name: 'DescribeProducers',
  versions: [0, 0],
  flexible: 0,
  served: [0, 0],
  listeners: ['broker'],
  request: {
    topics: array({
      name: string,
      partitionIndexes: array(int32),
    }),
  },
  response: {
    throttleTimeMs: int32.default(0),
    topics: array({
      name: string,
      partitions: array({
        partitionIndex: int32,
        errorCode: int16,
        errorMessage: sentence.nullable().default(null),
        activeProducers: array({
          producerId: int64,
          producerEpoch: int32,
          lastSequence: int32.default(-1),
          lastTimestamp: bigint64.default(-1n),
          coordinatorEpoch: int32,
          currentTxnStartOffset: int64.default(-1),
        }),
      }),
    }),
  },
  refuse: ({ topics }, errorCode, _version, message) => ({
    topics: topics.map(({ name, partitionIndexes }) => ({
      name,
      partitions: partitionIndexes.map((partitionIndex) => ({
        partitionIndex,
        errorCode,
        errorMessage: message,
        activeProducers: [],
      })),
    })),
  }),
});

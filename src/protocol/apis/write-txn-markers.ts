import { api } from '../api';
import { array, bool, int8, int16, int32, int64, string } from '../schema';

/** Writes the end of transactions into partitions (KIP-98). */
export const WriteTxnMarkers = api({
  key: 27,
  name: 'WriteTxnMarkers',
  versions: [0, 2],
  flexible: 1,
  served: [1, 2],
  listeners: ['broker'],
  isClusterAction: true,
  request: {
    markers: array({
      producerId: int64,
      producerEpoch: int16,
      transactionResult: bool,
      topics: array({
        name: string,
        partitionIndexes: array(int32),
      }),
      coordinatorEpoch: int32,
      transactionVersion: int8.since(2).default(0).ignorable(),
    }),
  },
  response: {
    markers: array({
      producerId: int64,
      topics: array({
        name: string,
        partitions: array({
          partitionIndex: int32,
          errorCode: int16,
        }),
      }),
    }),
  },
  refuse: ({ markers }, errorCode) => ({
    markers: markers.map(({ producerId, topics }) => ({
      producerId,
      topics: topics.map(({ name, partitionIndexes }) => ({
        name,
        partitions: partitionIndexes.map((partitionIndex) => ({ partitionIndex, errorCode })),
      })),
    })),
  }),
});

import { api } from '../api';
import { array, bigint64, int8, int16, int32, int64, string } from '../schema';

/** Finds offsets by timestamp, or by one of the special timestamps. */
export const ListOffsets = api({
  key: 2,
  name: 'ListOffsets',
  versions: [0, 11],
  flexible: 6,
  served: [1, 11],
  listeners: ['broker'],
  request: {
    replicaId: int32,
    isolationLevel: int8.since(2),
    topics: array({
      name: string,
      partitions: array({
        partitionIndex: int32,
        currentLeaderEpoch: int32.since(4).default(-1).ignorable(),
        /**
         * Or -1 latest, -2 earliest, -3 greatest timestamp, -4 earliest local, -5 latest tiered,
         * -6 earliest not tiered yet.
         */
        timestamp: bigint64,
        maxNumOffsets: int32.until(0).default(1),
      }),
    }),
    timeoutMs: int32.since(10).ignorable(),
  },
  response: {
    throttleTimeMs: int32.since(2).default(0).ignorable(),
    topics: array({
      name: string,
      partitions: array({
        partitionIndex: int32,
        errorCode: int16,
        oldStyleOffsets: array(int64).until(0),
        timestamp: bigint64.since(1).default(-1n),
        offset: int64.since(1).default(-1),
        leaderEpoch: int32.since(4).default(-1),
      }),
    }),
  },
  refuse: ({ topics }, errorCode) => ({
    topics: topics.map(({ name, partitions }) => ({
      name,
      partitions: partitions.map(({ partitionIndex }) => ({ partitionIndex, errorCode })),
    })),
  }),
});

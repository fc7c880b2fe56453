import { api } from '../api';
import { array, int16, int32, int64, string } from '../schema';

/** Tells where a leader epoch ended, so that a log can be cut to the divergence point (KIP-101). */
export const OffsetForLeaderEpoch = api({
  key: 23,
  name: 'OffsetForLeaderEpoch',
  versions: [0, 4],
  flexible: 4,
  served: [2, 4],
  listeners: ['broker'],
  request: {
    replicaId: int32.since(3).default(-2).ignorable(),
    topics: array({
      topic: string,
      partitions: array({
        partition: int32,
        currentLeaderEpoch: int32.since(2).default(-1).ignorable(),
        leaderEpoch: int32,
      }),
    }),
  },
  response: {
    throttleTimeMs: int32.since(2).default(0).ignorable(),
    topics: array({
      topic: string,
      partitions: array({
        errorCode: int16,
        partition: int32,
        leaderEpoch: int32.since(1).default(-1).ignorable(),
        endOffset: int64.default(-1),
      }),
    }),
  },
  refuse: ({ topics }, errorCode) => ({
    topics: topics.map(({ topic, partitions }) => ({
      topic,
      partitions: partitions.map(({ partition }) => ({ partition, errorCode })),
    })),
  }),
});

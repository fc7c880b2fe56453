import { api } from '../api';
import { array, bigint64, int16, int32, string, uuid } from '../schema';

/** Stores a group's offsets. */
export const OffsetCommit = api({
  key: 8,
  name: 'OffsetCommit',
  versions: [0, 10],
  flexible: 8,
  served: [2, 10],
  listeners: ['broker'],
  request: {
    groupId: string,
    /** -1 when a client that is in no group commits. */
    generationIdOrMemberEpoch: int32.since(1).default(-1).ignorable(),
    memberId: string.since(1).ignorable(),
    groupInstanceId: string.nullable().since(7).default(null),
    retentionTimeMs: bigint64.since(2).until(4).default(-1n).ignorable(),
    topics: array({
      name: string.until(9).ignorable(),
      topicId: uuid.since(10).ignorable(),
      partitions: array({
        partitionIndex: int32,
        committedOffset: bigint64,
        committedLeaderEpoch: int32.since(6).default(-1).ignorable(),
        commitTimestamp: bigint64.since(1).until(1).default(-1n),
        committedMetadata: string.nullable(),
      }),
    }),
  },
  response: {
    throttleTimeMs: int32.since(3).default(0).ignorable(),
    topics: array({
      name: string.until(9).ignorable(),
      topicId: uuid.since(10).ignorable(),
      partitions: array({
        partitionIndex: int32,
        errorCode: int16,
      }),
    }),
  },
  refuse: ({ topics }, errorCode) => ({
    topics: topics.map(({ name, topicId, partitions }) => ({
      name,
      topicId,
      partitions: partitions.map(({ partitionIndex }) => ({ partitionIndex, errorCode })),
    })),
  }),
});

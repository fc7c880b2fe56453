import { api } from '../api';
import { array, bigint64, int16, int32, string, uuid } from '../schema';

/** Stores a group's offsets as part of a transaction (KIP-98). */
export const TxnOffsetCommit = api({
  key: 28,
  name: 'TxnOffsetCommit',
  versions: [0, 6],
  flexible: 3,
  served: [0, 6],
  listeners: ['broker'],
  request: {
    transactionalId: string,
    groupId: string,
    producerId: bigint64,
    producerEpoch: int16,
    generationIdOrMemberEpoch: int32.since(3).default(-1),
    memberId: string.since(3).default(''),
    groupInstanceId: string.nullable().since(3).default(null),
    topics: array({
      name: string.until(5).ignorable(),
      topicId: uuid.since(6).ignorable(),
      partitions: array({
        partitionIndex: int32,
        committedOffset: bigint64,
        committedLeaderEpoch: int32.since(2).default(-1).ignorable(),
        committedMetadata: string.nullable(),
      }),
    }),
  },
  response: {
    throttleTimeMs: int32.default(0),
    topics: array({
      name: string.until(5).ignorable(),
      topicId: uuid.since(6).ignorable(),
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

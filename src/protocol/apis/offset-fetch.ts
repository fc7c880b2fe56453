import { api } from '../api';
import { array, bigint64, bool, int16, int32, string, uuid } from '../schema';

/** Reads a group's stored offsets; several groups at a time from version 8. */
export const OffsetFetch = api({
  key: 9,
  name: 'OffsetFetch',
  versions: [0, 10],
  flexible: 6,
  served: [1, 10],
  listeners: ['broker'],
  request: {
    groupId: string.until(7),
    topics: array({
      name: string,
      partitionIndexes: array(int32),
    })
      .nullable(2)
      .until(7),
    groups: array({
      groupId: string,
      memberId: string.nullable().since(9).default(null).ignorable(),
      /** -1 when a client that is in no group asks. */
      memberEpoch: int32.since(9).default(-1).ignorable(),
      topics: array({
        name: string.until(9).ignorable(),
        topicId: uuid.since(10).ignorable(),
        partitionIndexes: array(int32),
      }).nullable(),
    }).since(8),
    /** Refuse with UNSTABLE_OFFSET_COMMIT while a transaction is open on an offset (KIP-447). */
    requireStable: bool.since(7).default(false),
  },
  response: {
    throttleTimeMs: int32.since(3).default(0).ignorable(),
    topics: array({
      name: string,
      partitions: array({
        partitionIndex: int32,
        committedOffset: bigint64,
        committedLeaderEpoch: int32.since(5).default(-1).ignorable(),
        metadata: string.nullable(),
        errorCode: int16,
      }),
    }).until(7),
    errorCode: int16.since(2).until(7).default(0).ignorable(),
    groups: array({
      groupId: string,
      topics: array({
        name: string.until(9).ignorable(),
        topicId: uuid.since(10).ignorable(),
        partitions: array({
          partitionIndex: int32,
          committedOffset: bigint64,
          committedLeaderEpoch: int32.default(-1).ignorable(),
          metadata: string.nullable(),
          errorCode: int16,
        }),
      }),
      errorCode: int16.default(0),
    }).since(8),
  },
  refuse: (request, errorCode, version) => {
    if (version >= 8) {
      return { groups: request.groups.map(({ groupId }) => ({ groupId, topics: [], errorCode })) };
    }
    if (version >= 2) return { errorCode };
    return {
      topics: (request.topics ?? []).map(({ name, partitionIndexes }) => ({
        name,
        partitions: partitionIndexes.map((partitionIndex) => ({
          partitionIndex,
          committedOffset: -1n,
          metadata: '',
          errorCode,
        })),
      })),
    };
  },
});

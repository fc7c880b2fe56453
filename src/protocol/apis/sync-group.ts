import { api } from '../api';
import { array, bytes, int16, int32, NO_BYTES, string } from '../schema';

/** Hands the leader's assignment in and each member's assignment out. */
export const SyncGroup = api({
  key: 14,
  name: 'SyncGroup',
  versions: [0, 5],
  flexible: 4,
  served: [0, 5],
  listeners: ['broker'],
  request: {
    groupId: string,
    generationId: int32,
    memberId: string,
    groupInstanceId: string.nullable().since(3).default(null),
    protocolType: string.nullable().since(5).default(null).ignorable(),
    protocolName: string.nullable().since(5).default(null).ignorable(),
    /** Given by the leader alone. */
    assignments: array({
      memberId: string,
      assignment: bytes,
    }),
  },
  response: {
    throttleTimeMs: int32.since(1).default(0).ignorable(),
    errorCode: int16,
    protocolType: string.nullable().since(5).default(null).ignorable(),
    protocolName: string.nullable().since(5).default(null).ignorable(),
    assignment: bytes,
  },
  refuse: (_request, errorCode) => ({ errorCode, assignment: NO_BYTES }),
});

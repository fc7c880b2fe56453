import { api } from '../api';
import { array, bool, bytes, int16, int32, string } from '../schema';

/** Enters a classic group, or enters it again for a rebalance. */
export const JoinGroup = api({
  key: 11,
  name: 'JoinGroup',
  versions: [0, 9],
  flexible: 6,
  served: [0, 9],
  listeners: ['broker'],
  request: {
    /** Never empty. */
    groupId: string,
    sessionTimeoutMs: int32,
    /** -1: the session timeout counts. */
    rebalanceTimeoutMs: int32.since(1).default(-1).ignorable(),
    /** Empty at first; the answer MEMBER_ID_REQUIRED gives one (KIP-394). */
    memberId: string,
    groupInstanceId: string.nullable().since(5).default(null),
    protocolType: string,
    /** In the order of the member's preference; no name twice. */
    protocols: array({
      name: string,
      metadata: bytes,
    }),
    reason: string.nullable().since(8).default(null).ignorable(),
  },
  response: {
    throttleTimeMs: int32.since(2).default(0).ignorable(),
    errorCode: int16,
    generationId: int32.default(-1),
    protocolType: string.nullable().since(7).default(null).ignorable(),
    protocolName: string.nullable(7),
    leader: string,
    skipAssignment: bool.since(9).default(false),
    memberId: string,
    /** Given to the leader alone. */
    members: array({
      memberId: string,
      groupInstanceId: string.nullable().since(5).default(null).ignorable(),
      metadata: bytes,
    }),
  },
  refuse: (_request, errorCode, version) => ({
    errorCode,
    protocolName: version >= 7 ? null : '',
    leader: '',
    memberId: '',
    members: [],
  }),
});

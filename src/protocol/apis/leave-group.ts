import { api } from '../api';
import { array, int16, int32, string } from '../schema';

/** Takes members out of a classic group; several at a time from version 3 (KIP-345). */
export const LeaveGroup = api({
  key: 13,
  name: 'LeaveGroup',
  versions: [0, 5],
  flexible: 4,
  served: [0, 5],
  listeners: ['broker'],
  request: {
    groupId: string,
    memberId: string.until(2),
    members: array({
      memberId: string,
      groupInstanceId: string.nullable().default(null),
      reason: string.nullable().since(5).default(null).ignorable(),
    }).since(3),
  },
  response: {
    throttleTimeMs: int32.since(1).default(0).ignorable(),
    errorCode: int16,
    members: array({
      memberId: string,
      groupInstanceId: string.nullable(),
      errorCode: int16,
    }).since(3),
  },
  refuse: (_request, errorCode) => ({ errorCode }),
});

import { api } from '../api';
import { int16, int32, string } from '../schema';

/** Keeps a member of a classic group alive. */
export const Heartbeat = api({
  key: 12,
  name: 'Heartbeat',
  versions: [0, 4],
  flexible: 4,
  served: [0, 4],
  listeners: ['broker'],
  request: {
    groupId: string,
    generationId: int32,
    memberId: string,
    groupInstanceId: string.nullable().since(3).default(null),
  },
  response: {
    throttleTimeMs: int32.since(1).default(0).ignorable(),
    errorCode: int16,
  },
  refuse: (_request, errorCode) => ({ errorCode }),
});

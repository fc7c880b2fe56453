import { api } from '../api';
import { array, int16, int32, string } from '../schema';

/** Lists the groups this broker coordinates (KIP-518, KIP-848). */
export const ListGroups = api({
  key: 16,
  name: 'ListGroups',
  versions: [0, 5],
  flexible: 3,
  served: [0, 5],
  listeners: ['broker'],
  request: {
    statesFilter: array(string).since(4),
    typesFilter: array(string).since(5),
  },
  response: {
    throttleTimeMs: int32.since(1).default(0).ignorable(),
    errorCode: int16,
    groups: array({
      groupId: string,
      protocolType: string,
      groupState: string.since(4).ignorable(),
      groupType: string.since(5).ignorable(),
    }),
  },
  refuse: (_request, errorCode) => ({ errorCode, groups: [] }),
});

import { api } from '../api';
import { array, int16, int32, sentence, string } from '../schema';

/** Deletes groups (KIP-229). */
export const DeleteGroups = api({
  key: 42,
  name: 'DeleteGroups',
  versions: [0, 3],
  flexible: 2,
  served: [0, 3],
  listeners: ['broker'],
  request: {
    groupsNames: array(string),
  },
  response: {
    throttleTimeMs: int32.default(0),
    results: array({
      groupId: string,
      errorCode: int16,
      errorMessage: sentence.nullable().since(3).default(null).ignorable(),
    }),
  },
  refuse: ({ groupsNames }, errorCode, _version, message) => ({
    results: groupsNames.map((groupId) => ({ groupId, errorCode, errorMessage: message })),
  }),
});

import { api } from '../api';
import { array, int8, int16, int32, sentence, string } from '../schema';

/** Removes access control entries that match filters (KIP-140). */
export const DeleteAcls = api({
  key: 31,
  name: 'DeleteAcls',
  versions: [0, 3],
  flexible: 2,
  served: [1, 3],
  listeners: ['broker', 'controller'],
  isForwardable: true,
  request: {
    filters: array({
      resourceTypeFilter: int8,
      resourceNameFilter: string.nullable(),
      patternTypeFilter: int8.since(1).default(3),
      principalFilter: string.nullable(),
      hostFilter: string.nullable(),
      operation: int8,
      permissionType: int8,
    }),
  },
  response: {
    throttleTimeMs: int32.default(0),
    filterResults: array({
      errorCode: int16,
      errorMessage: sentence.nullable(),
      matchingAcls: array({
        errorCode: int16,
        errorMessage: sentence.nullable(),
        resourceType: int8,
        resourceName: string,
        patternType: int8.since(1).default(3),
        principal: string,
        host: string,
        operation: int8,
        permissionType: int8,
      }),
    }),
  },
  refuse: ({ filters }, errorCode, _version, message) => ({
    filterResults: filters.map(() => ({ errorCode, errorMessage: message, matchingAcls: [] })),
  }),
});

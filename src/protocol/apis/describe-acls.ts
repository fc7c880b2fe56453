import { api } from '../api';
import { array, int8, int16, int32, sentence, string } from '../schema';

/** Lists access control entries that match a filter (KIP-140). */
export const DescribeAcls = api({
  key: 29,
  name: 'DescribeAcls',
  versions: [0, 3],
  flexible: 2,
  served: [1, 3],
  listeners: ['broker', 'controller'],
  request: {
    resourceTypeFilter: int8,
    resourceNameFilter: string.nullable(),
    /** 1: any; 2: all that match the name; 3: literal; 4: prefixed. */
    patternTypeFilter: int8.since(1).default(3),
    principalFilter: string.nullable(),
    hostFilter: string.nullable(),
    operation: int8,
    permissionType: int8,
  },
  response: {
    throttleTimeMs: int32.default(0),
    errorCode: int16,
    errorMessage: sentence.nullable(),
    resources: array({
      resourceType: int8,
      resourceName: string,
      patternType: int8.since(1).default(3),
      acls: array({
        principal: string,
        host: string,
        operation: int8,
        permissionType: int8,
      }),
    }),
  },
  refuse: (_request, errorCode, _version, message) => ({
    errorCode,
    errorMessage: message,
    resources: [],
  }),
});

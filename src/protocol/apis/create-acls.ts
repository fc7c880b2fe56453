import { api } from '../api';
import { array, int8, int16, int32, sentence, string } from '../schema';

/** Adds access control entries (KIP-140). */
export const CreateAcls = api({
  key: 30,
  name: 'CreateAcls',
  versions: [0, 3],
  flexible: 2,
  served: [1, 3],
  listeners: ['broker', 'controller'],
  isForwardable: true,
  request: {
    creations: array({
      resourceType: int8,
      resourceName: string,
      resourcePatternType: int8.since(1).default(3),
      principal: string,
      host: string,
      operation: int8,
      permissionType: int8,
    }),
  },
  response: {
    throttleTimeMs: int32.default(0),
    results: array({
      errorCode: int16,
      errorMessage: sentence.nullable(),
    }),
  },
  refuse: ({ creations }, errorCode, _version, message) => ({
    results: creations.map(() => ({ errorCode, errorMessage: message })),
  }),
});

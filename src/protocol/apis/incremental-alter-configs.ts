import { api } from '../api';
import { array, bool, int8, int16, int32, sentence, string } from '../schema';

/** Changes single settings of resources (KIP-339). */
export const IncrementalAlterConfigs = api({
  key: 44,
  name: 'IncrementalAlterConfigs',
  versions: [0, 1],
  flexible: 1,
  served: [0, 1],
  listeners: ['broker', 'controller'],
  isForwardable: true,
  request: {
    resources: array({
      resourceType: int8,
      resourceName: string,
      configs: array({
        name: string,
        /** 0: set; 1: delete; 2: append to a list; 3: subtract from a list. */
        configOperation: int8,
        value: string.nullable(),
      }),
    }),
    validateOnly: bool,
  },
  response: {
    throttleTimeMs: int32.default(0),
    responses: array({
      errorCode: int16,
      errorMessage: sentence.nullable(),
      resourceType: int8,
      resourceName: string,
    }),
  },
  refuse: ({ resources }, errorCode, _version, message) => ({
    responses: resources.map(({ resourceType, resourceName }) => ({
      errorCode,
      errorMessage: message,
      resourceType,
      resourceName,
    })),
  }),
});

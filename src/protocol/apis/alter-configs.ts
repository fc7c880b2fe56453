import { api } from '../api';
import { array, bool, int8, int16, int32, sentence, string } from '../schema';

/** Replaces all settings of resources (KIP-133); superseded by IncrementalAlterConfigs. */
export const AlterConfigs = api({
  key: 33,
  name: 'AlterConfigs',
  versions: [0, 2],
  flexible: 2,
  served: [0, 2],
  listeners: ['broker', 'controller'],
  isForwardable: true,
  request: {
    resources: array({
      resourceType: int8,
      resourceName: string,
      configs: array({
        name: string,
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

import { api } from '../api';
import { array, int8, int16, int32, string } from '../schema';

/** Lists resources that have settings of their own (KIP-1142). */
export const ListConfigResources = api({
  key: 74,
  name: 'ListConfigResources',
  versions: [0, 1],
  flexible: 0,
  served: [0, 1],
  listeners: ['broker'],
  request: {
    resourceTypes: array(int8).since(1),
  },
  response: {
    throttleTimeMs: int32.default(0),
    errorCode: int16,
    configResources: array({
      resourceName: string,
      resourceType: int8.since(1).default(16).ignorable(),
    }),
  },
  refuse: (_request, errorCode) => ({ errorCode, configResources: [] }),
});

import { api } from '../api';
import { int16, int32, sentence } from '../schema';

/** Removes a broker's registration (KIP-631). */
export const UnregisterBroker = api({
  key: 64,
  name: 'UnregisterBroker',
  versions: [0, 0],
  flexible: 0,
  served: [0, 0],
  listeners: ['broker', 'controller'],
  isForwardable: true,
  request: {
    brokerId: int32,
  },
  response: {
    throttleTimeMs: int32.default(0),
    errorCode: int16,
    errorMessage: sentence.nullable(),
  },
  refuse: (_request, errorCode, _version, message) => ({ errorCode, errorMessage: message }),
});

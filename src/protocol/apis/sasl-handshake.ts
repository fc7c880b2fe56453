import { api } from '../api';
import { array, int16, string } from '../schema';

/** Chooses a SASL mechanism. */
export const SaslHandshake = api({
  key: 17,
  name: 'SaslHandshake',
  versions: [0, 1],
  flexible: 'never',
  served: [0, 1],
  listeners: ['broker', 'controller'],
  request: {
    mechanism: string,
  },
  response: {
    errorCode: int16,
    mechanisms: array(string),
  },
  refuse: (_request, errorCode) => ({ errorCode, mechanisms: [] }),
});

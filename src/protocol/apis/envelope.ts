import { api } from '../api';
import { bytes, int16 } from '../schema';

/** A broker hands a client's request to the controller, with the client's principal (KIP-590). */
export const Envelope = api({
  key: 58,
  name: 'Envelope',
  versions: [0, 0],
  flexible: 0,
  served: [0, 0],
  listeners: ['controller'],
  isClusterAction: true,
  request: {
    requestData: bytes,
    requestPrincipal: bytes.nullable(),
    clientHostAddress: bytes,
  },
  response: {
    responseData: bytes.nullable().default(null),
    errorCode: int16,
  },
  refuse: (_request, errorCode) => ({ errorCode }),
});

import { api } from '../api';
import { bytes, int16, int64, NO_BYTES, sentence } from '../schema';

/** Carries the bytes of a SASL exchange (KIP-152, KIP-368). */
export const SaslAuthenticate = api({
  key: 36,
  name: 'SaslAuthenticate',
  versions: [0, 2],
  flexible: 2,
  served: [0, 2],
  listeners: ['broker', 'controller'],
  request: {
    authBytes: bytes,
  },
  response: {
    errorCode: int16,
    errorMessage: sentence.nullable(),
    authBytes: bytes,
    sessionLifetimeMs: int64.since(1).default(0).ignorable(),
  },
  refuse: (_request, errorCode, _version, message) => ({
    errorCode,
    errorMessage: message,
    authBytes: NO_BYTES,
  }),
});

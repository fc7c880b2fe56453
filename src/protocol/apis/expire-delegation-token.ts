import { api } from '../api';
import { bigint64, bytes, int16, int32 } from '../schema';

/** Ends a delegation token (KIP-48). */
export const ExpireDelegationToken = api({
  key: 40,
  name: 'ExpireDelegationToken',
  versions: [0, 2],
  flexible: 2,
  served: [1, 2],
  listeners: ['broker', 'controller'],
  isForwardable: true,
  request: {
    hmac: bytes,
    expiryTimePeriodMs: bigint64,
  },
  response: {
    errorCode: int16,
    expiryTimestampMs: bigint64,
    throttleTimeMs: int32.default(0),
  },
  refuse: (_request, errorCode) => ({ errorCode, expiryTimestampMs: -1n }),
});

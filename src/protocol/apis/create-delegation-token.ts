import { api } from '../api';
import { array, bigint64, bytes, int16, int32, NO_BYTES, string } from '../schema';

/** Creates a delegation token (KIP-48). */
export const CreateDelegationToken = api({
  key: 38,
  name: 'CreateDelegationToken',
  versions: [0, 3],
  flexible: 2,
  served: [1, 3],
  listeners: ['broker', 'controller'],
  isForwardable: true,
  request: {
    ownerPrincipalType: string.nullable().since(3),
    ownerPrincipalName: string.nullable().since(3),
    renewers: array({
      principalType: string,
      principalName: string,
    }),
    maxLifetimeMs: bigint64,
  },
  response: {
    errorCode: int16,
    principalType: string,
    principalName: string,
    tokenRequesterPrincipalType: string.since(3),
    tokenRequesterPrincipalName: string.since(3),
    issueTimestampMs: bigint64,
    expiryTimestampMs: bigint64,
    maxTimestampMs: bigint64,
    tokenId: string,
    hmac: bytes,
    throttleTimeMs: int32.default(0),
  },
  refuse: (_request, errorCode, version) => ({
    errorCode,
    principalType: 'User',
    principalName: 'ANONYMOUS',
    ...(version >= 3 && {
      tokenRequesterPrincipalType: 'User',
      tokenRequesterPrincipalName: 'ANONYMOUS',
    }),
    issueTimestampMs: -1n,
    expiryTimestampMs: -1n,
    maxTimestampMs: -1n,
    tokenId: '',
    hmac: NO_BYTES,
  }),
});

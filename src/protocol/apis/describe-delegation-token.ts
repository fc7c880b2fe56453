import { api } from '../api';
import { array, bigint64, bytes, int16, int32, string } from '../schema';

/** Describes delegation tokens (KIP-48). */
export const DescribeDelegationToken = api({
  key: 41,
  name: 'DescribeDelegationToken',
  versions: [0, 3],
  flexible: 2,
  served: [1, 3],
  listeners: ['broker', 'controller'],
  request: {
    owners: array({
      principalType: string,
      principalName: string,
    }).nullable(),
  },
  response: {
    errorCode: int16,
    tokens: array({
      principalType: string,
      principalName: string,
      tokenRequesterPrincipalType: string.since(3),
      tokenRequesterPrincipalName: string.since(3),
      issueTimestamp: bigint64,
      expiryTimestamp: bigint64,
      maxTimestamp: bigint64,
      tokenId: string,
      hmac: bytes,
      renewers: array({
        principalType: string,
        principalName: string,
      }),
    }),
    throttleTimeMs: int32.default(0),
  },
  refuse: (_request, errorCode) => ({ errorCode, tokens: [] }),
});

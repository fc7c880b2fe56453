import { api } from '../api';
import { array, bytes, int8, int16, int32, sentence, string } from '../schema';

/** Changes SCRAM credentials (KIP-554). */
export const AlterUserScramCredentials = api({
  key: 51,
  name: 'AlterUserScramCredentials',
  versions: [0, 0],
  flexible: 0,
  served: [0, 0],
  listeners: ['broker', 'controller'],
  isForwardable: true,
  request: {
    deletions: array({
      name: string,
      mechanism: int8,
    }),
    upsertions: array({
      name: string,
      mechanism: int8,
      iterations: int32,
      salt: bytes,
      saltedPassword: bytes,
    }),
  },
  response: {
    throttleTimeMs: int32.default(0),
    results: array({
      user: string,
      errorCode: int16,
      errorMessage: sentence.nullable(),
    }),
  },
  refuse: ({ deletions, upsertions }, errorCode, _version, message) => ({
    results: [...new Set([...deletions, ...upsertions].map(({ name }) => name))].map((user) => ({
      user,
      errorCode,
      errorMessage: message,
    })),
  }),
});

import { api } from '../api';
import { array, int8, int16, int32, sentence, string } from '../schema';

/** Describes SCRAM credentials, without their secrets (KIP-554). */
export const DescribeUserScramCredentials = api({
  key: 50,
  name: 'DescribeUserScramCredentials',
  versions: [0, 0],
  flexible: 0,
  served: [0, 0],
  listeners: ['broker', 'controller'],
  request: {
    users: array({
      name: string,
    }).nullable(),
  },
  response: {
    throttleTimeMs: int32.default(0),
    errorCode: int16,
    errorMessage: sentence.nullable(),
    results: array({
      user: string,
      errorCode: int16,
      errorMessage: sentence.nullable(),
      credentialInfos: array({
        mechanism: int8,
        iterations: int32,
      }),
    }),
  },
  refuse: ({ users }, errorCode, _version, message) => ({
    errorCode,
    errorMessage: message,
    results: (users ?? []).map(({ name }) => ({
      user: name,
      errorCode,
      errorMessage: message,
      credentialInfos: [],
    })),
  }),
});

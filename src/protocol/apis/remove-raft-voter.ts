import { api } from '../api';
import { int16, int32, sentence, string, uuid } from '../schema';

/** Removes a voter from the quorum (KIP-853). */
export const RemoveRaftVoter = api({
  key: 81,
  name: 'RemoveRaftVoter',
  versions: [0, 0],
  flexible: 0,
  served: [0, 0],
  listeners: ['broker', 'controller'],
  isForwardable: true,
  request: {
    clusterId: string.nullable(),
    voterId: int32,
    voterDirectoryId: uuid,
  },
  response: {
    throttleTimeMs: int32.default(0),
    errorCode: int16,
    errorMessage: sentence.nullable().ignorable(),
  },
  refuse: (_request, errorCode, _version, message) => ({ errorCode, errorMessage: message }),
});

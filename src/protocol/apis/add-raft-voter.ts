import { api } from '../api';
import { array, bool, int16, int32, sentence, string, uint16, uuid } from '../schema';

/** Adds a voter to the quorum (KIP-853). */
export const AddRaftVoter = api({
  key: 80,
  name: 'AddRaftVoter',
  versions: [0, 1],
  flexible: 0,
  served: [0, 1],
  listeners: ['broker', 'controller'],
  isForwardable: true,
  request: {
    clusterId: string.nullable(),
    timeoutMs: int32,
    voterId: int32,
    voterDirectoryId: uuid,
    listeners: array({
      name: string,
      host: string,
      port: uint16,
    }),
    ackWhenCommitted: bool.since(1).default(true),
  },
  response: {
    throttleTimeMs: int32.default(0),
    errorCode: int16,
    errorMessage: sentence.nullable().ignorable(),
  },
  refuse: (_request, errorCode, _version, message) => ({ errorCode, errorMessage: message }),
});

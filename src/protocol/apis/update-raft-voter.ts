import { api } from '../api';
import { array, int16, int32, string, struct, uint16, uuid } from '../schema';

/** A voter tells the quorum leader its endpoints and versions (KIP-853). */
export const UpdateRaftVoter = api({
  key: 82,
  name: 'UpdateRaftVoter',
  versions: [0, 0],
  flexible: 0,
  served: [0, 0],
  listeners: ['controller'],
  request: {
    clusterId: string.nullable(),
    currentLeaderEpoch: int32,
    voterId: int32,
    voterDirectoryId: uuid,
    listeners: array({
      name: string,
      host: string,
      port: uint16,
    }),
    kRaftVersionFeature: struct({
      minSupportedVersion: int16,
      maxSupportedVersion: int16,
    }),
  },
  response: {
    throttleTimeMs: int32.default(0),
    errorCode: int16,
    currentLeader: struct({
      leaderId: int32.default(-1),
      leaderEpoch: int32.default(-1),
      host: string,
      port: int32,
    }).tag(0),
  },
  refuse: (_request, errorCode) => ({ errorCode }),
});

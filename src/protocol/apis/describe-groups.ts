import { api } from '../api';
import { array, bool, bytes, int16, int32, sentence, string } from '../schema';

/** Describes groups in terms of the classic protocol. */
export const DescribeGroups = api({
  key: 15,
  name: 'DescribeGroups',
  versions: [0, 6],
  flexible: 5,
  served: [0, 6],
  listeners: ['broker'],
  request: {
    groups: array(string),
    includeAuthorizedOperations: bool.since(3),
  },
  response: {
    throttleTimeMs: int32.since(1).default(0).ignorable(),
    groups: array({
      errorCode: int16,
      errorMessage: sentence.nullable().since(6).default(null),
      groupId: string,
      groupState: string,
      protocolType: string,
      protocolData: string,
      members: array({
        memberId: string,
        groupInstanceId: string.nullable().since(4).default(null).ignorable(),
        clientId: string,
        clientHost: string,
        memberMetadata: bytes,
        memberAssignment: bytes,
      }),
      authorizedOperations: int32.since(3).default(-0x80000000),
    }),
  },
  refuse: ({ groups }, errorCode, version, message) => ({
    groups: groups.map((groupId) => ({
      errorCode,
      errorMessage: version >= 6 ? message : null,
      groupId,
      groupState: '',
      protocolType: '',
      protocolData: '',
      members: [],
    })),
  }),
});

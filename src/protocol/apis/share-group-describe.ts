import { api } from '../api';
import { array, bool, int16, int32, sentence, string, struct, uuid } from '../schema';

const TopicPartitions = {
  topicId: uuid,
  topicName: string,
  partitions: array(int32),
};
const Assignment = {
  topicPartitions: array(TopicPartitions),
};

/** Describes share groups (KIP-932). */
export const ShareGroupDescribe = api({
  key: 77,
  name: 'ShareGroupDescribe',
  versions: [0, 1],
  flexible: 0,
  served: [1, 1],
  listeners: ['broker'],
  request: {
    groupIds: array(string),
    includeAuthorizedOperations: bool,
  },
  response: {
    throttleTimeMs: int32.default(0),
    groups: array({
      errorCode: int16,
      errorMessage: sentence.nullable().default(null),
      groupId: string,
      groupState: string,
      groupEpoch: int32,
      assignmentEpoch: int32,
      assignorName: string,
      members: array({
        memberId: string,
        rackId: string.nullable().default(null),
        memberEpoch: int32,
        clientId: string,
        clientHost: string,
        subscribedTopicNames: array(string),
        assignment: struct(Assignment),
      }),
      authorizedOperations: int32.default(-0x80000000),
    }),
  },
  refuse: ({ groupIds }, errorCode, _version, message) => ({
    groups: groupIds.map((groupId) => ({
      errorCode,
      errorMessage: message,
      groupId,
      groupState: '',
      groupEpoch: 0,
      assignmentEpoch: 0,
      assignorName: '',
      members: [],
    })),
  }),
});

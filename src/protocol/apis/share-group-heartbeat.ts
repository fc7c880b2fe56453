import { api } from '../api';
import { array, int16, int32, sentence, string, struct, uuid } from '../schema';

const TopicPartitions = {
  topicId: uuid,
  partitions: array(int32),
};

/** Keeps a member of a share group alive and carries its assignment (KIP-932). */
export const ShareGroupHeartbeat = api({
  key: 76,
  name: 'ShareGroupHeartbeat',
  versions: [0, 1],
  flexible: 0,
  served: [1, 1],
  listeners: ['broker'],
  request: {
    groupId: string,
    memberId: string,
    memberEpoch: int32,
    rackId: string.nullable().default(null),
    subscribedTopicNames: array(string).nullable().default(null),
  },
  response: {
    throttleTimeMs: int32.default(0),
    errorCode: int16,
    errorMessage: sentence.nullable().default(null),
    memberId: string.nullable().default(null),
    memberEpoch: int32,
    heartbeatIntervalMs: int32,
    assignment: struct({
      topicPartitions: array(TopicPartitions),
    })
      .nullable()
      .default(null),
  },
  refuse: (_request, errorCode, _version, message) => ({
    errorCode,
    errorMessage: message,
    memberEpoch: 0,
    heartbeatIntervalMs: 0,
  }),
});

import { api } from '../api';
import { array, int16, int32, sentence, string, struct, uuid } from '../schema';

const TopicPartitions = {
  topicId: uuid,
  partitions: array(int32),
};

/** Keeps a member of a consumer group alive and carries its assignment (KIP-848). */
export const ConsumerGroupHeartbeat = api({
  key: 68,
  name: 'ConsumerGroupHeartbeat',
  versions: [0, 1],
  flexible: 0,
  served: [0, 1],
  listeners: ['broker'],
  request: {
    groupId: string,
    memberId: string,
    /** 0 to join, -1 to leave, -2 to leave for a while (static members). */
    memberEpoch: int32,
    instanceId: string.nullable().default(null),
    rackId: string.nullable().default(null),
    rebalanceTimeoutMs: int32.default(-1),
    /** Null here and below: unchanged since the last heartbeat. */
    subscribedTopicNames: array(string).nullable().default(null),
    subscribedTopicRegex: string.nullable().since(1).default(null),
    serverAssignor: string.nullable().default(null),
    topicPartitions: array({
      topicId: uuid,
      partitions: array(int32),
    })
      .nullable()
      .default(null),
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

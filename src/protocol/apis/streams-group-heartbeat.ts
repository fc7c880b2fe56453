import { api } from '../api';
import {
  array,
  bigint64,
  bool,
  int8,
  int16,
  int32,
  int64,
  sentence,
  string,
  struct,
  uint16,
} from '../schema';

const KeyValue = {
  key: string,
  value: string,
};
const TopicInfo = {
  name: string,
  partitions: int32,
  replicationFactor: int16,
  topicConfigs: array(KeyValue),
};
const TaskIds = {
  subtopologyId: string,
  partitions: array(int32),
};
const Endpoint = {
  host: string,
  port: uint16,
};
const TaskOffset = {
  subtopologyId: string,
  partition: int32,
  offset: bigint64,
};
const Status = {
  statusCode: int8,
  statusDetail: string,
};
const TopicPartition = {
  topic: string,
  partitions: array(int32),
};

/** Keeps a member of a streams group alive and carries its tasks (KIP-1071). */
export const StreamsGroupHeartbeat = api({
  key: 88,
  name: 'StreamsGroupHeartbeat',
  versions: [0, 1],
  flexible: 0,
  served: [0, 1],
  listeners: ['broker'],
  request: {
    groupId: string,
    memberId: string,
    memberEpoch: int32,
    endpointInformationEpoch: int32,
    instanceId: string.nullable().default(null),
    rackId: string.nullable().default(null),
    rebalanceTimeoutMs: int32.default(-1),
    topology: struct({
      epoch: int32,
      subtopologies: array({
        subtopologyId: string,
        sourceTopics: array(string),
        sourceTopicRegex: array(string),
        stateChangelogTopics: array(TopicInfo),
        repartitionSinkTopics: array(string),
        repartitionSourceTopics: array(TopicInfo),
        copartitionGroups: array({
          sourceTopics: array(int16),
          sourceTopicRegex: array(int16),
          repartitionSourceTopics: array(int16),
        }),
      }),
    })
      .nullable()
      .default(null),
    activeTasks: array(TaskIds).nullable().default(null),
    standbyTasks: array(TaskIds).nullable().default(null),
    warmupTasks: array(TaskIds).nullable().default(null),
    processId: string.nullable().default(null),
    userEndpoint: struct(Endpoint).nullable().default(null),
    clientTags: array(KeyValue).nullable().default(null),
    taskOffsets: array(TaskOffset).nullable().default(null),
    taskEndOffsets: array(TaskOffset).nullable().default(null),
    shutdownApplication: bool.default(false),
  },
  response: {
    throttleTimeMs: int32.default(0),
    errorCode: int16,
    errorMessage: sentence.nullable().default(null),
    memberId: string,
    memberEpoch: int32,
    heartbeatIntervalMs: int32,
    acceptableRecoveryLagLegacy: int32.until(0),
    taskOffsetIntervalMs: int32,
    acceptableRecoveryLag: int64.since(1).default(-1).ignorable(),
    status: array(Status).nullable(),
    activeTasks: array(TaskIds).nullable().default(null),
    standbyTasks: array(TaskIds).nullable().default(null),
    warmupTasks: array(TaskIds).nullable().default(null),
    topologyDescriptionRequired: bool.since(1).default(false),
    endpointInformationEpoch: int32,
    partitionsByUserEndpoint: array({
      userEndpoint: struct(Endpoint),
      activePartitions: array(TopicPartition),
      standbyPartitions: array(TopicPartition),
    })
      .nullable()
      .default(null),
  },
  refuse: (_request, errorCode, _version, message) => ({
    errorCode,
    errorMessage: message,
    memberId: '',
    memberEpoch: 0,
    heartbeatIntervalMs: 0,
    taskOffsetIntervalMs: 0,
    status: [],
    endpointInformationEpoch: 0,
  }),
});

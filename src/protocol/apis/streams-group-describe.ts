import { api } from '../api';
import {
  array,
  bigint64,
  bool,
  int8,
  int16,
  int32,
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
const Endpoint = {
  host: string,
  port: uint16,
};
const TaskOffset = {
  subtopologyId: string,
  partition: int32,
  offset: bigint64,
};
const TaskIds = {
  subtopologyId: string,
  partitions: array(int32),
};
const Assignment = {
  activeTasks: array(TaskIds),
  standbyTasks: array(TaskIds),
  warmupTasks: array(TaskIds),
};
const TopologyDescriptionNode = {
  name: string,
  nodeType: int8,
  sourceTopics: array(string),
  sinkTopic: string.nullable().default(null),
  stores: array(string),
  successors: array(string),
};
const TopologyDescriptionSubtopology = {
  subtopologyId: string,
  nodes: array(TopologyDescriptionNode),
};
const TopologyDescriptionGlobalStore = {
  source: struct(TopologyDescriptionNode),
  processor: struct(TopologyDescriptionNode),
};
const TopologyDescription = {
  subtopologies: array(TopologyDescriptionSubtopology),
  globalStores: array(TopologyDescriptionGlobalStore),
};

/** Describes streams groups (KIP-1071). */
export const StreamsGroupDescribe = api({
  key: 89,
  name: 'StreamsGroupDescribe',
  versions: [0, 1],
  flexible: 0,
  served: [0, 1],
  listeners: ['broker'],
  request: {
    groupIds: array(string),
    includeAuthorizedOperations: bool,
    includeTopologyDescription: bool.since(1).default(false),
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
      topology: struct({
        epoch: int32,
        subtopologies: array({
          subtopologyId: string,
          sourceTopics: array(string),
          repartitionSinkTopics: array(string),
          stateChangelogTopics: array(TopicInfo),
          repartitionSourceTopics: array(TopicInfo),
        })
          .nullable()
          .default(null),
      })
        .nullable()
        .default(null),
      members: array({
        memberId: string,
        memberEpoch: int32,
        instanceId: string.nullable().default(null),
        rackId: string.nullable().default(null),
        clientId: string,
        clientHost: string,
        topologyEpoch: int32,
        processId: string,
        userEndpoint: struct(Endpoint).nullable().default(null),
        clientTags: array(KeyValue),
        taskOffsets: array(TaskOffset),
        taskEndOffsets: array(TaskOffset),
        assignment: struct(Assignment),
        targetAssignment: struct(Assignment),
        isClassic: bool,
      }),
      authorizedOperations: int32.default(-0x80000000),
      topologyDescription: struct(TopologyDescription).nullable().since(1).default(null),
      topologyDescriptionStatus: int8.since(1).default(0),
      assignorName: string.nullable().since(1).default(null).ignorable(),
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
      members: [],
    })),
  }),
});

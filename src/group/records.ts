/** The records of `__consumer_offsets`. */
import { message } from '../protocol/api';
import {
  array,
  bigint64,
  bytes,
  int8,
  int16,
  int32,
  int64,
  string,
  struct,
  uint16,
  uuid,
} from '../protocol/schema';

/** Which offset, in the form of the earliest releases. */
export const LegacyOffsetCommitKey = message({
  name: 'LegacyOffsetCommitKey',
  versions: [0, 0],
  flexible: 'never',
  fields: {
    group: string,
    topic: string,
    partition: int32,
  },
});

/** A committed offset of the earliest releases. */
export const LegacyOffsetCommitValue = message({
  name: 'LegacyOffsetCommitValue',
  versions: [0, 0],
  flexible: 'never',
  fields: {
    offset: bigint64,
    metadata: string,
    commitTimestamp: int64,
  },
});

/** Which offset. */
export const OffsetCommitKey = message({
  name: 'OffsetCommitKey',
  versions: [0, 0],
  flexible: 'never',
  fields: {
    group: string,
    topic: string,
    partition: int32,
  },
});

/**
 * A committed offset. Version 1 alone says when it expires; newer ones leave it to the settings.
 */
export const OffsetCommitValue = message({
  name: 'OffsetCommitValue',
  versions: [0, 4],
  flexible: 4,
  fields: {
    offset: bigint64,
    leaderEpoch: int32.since(3).default(-1).ignorable(),
    metadata: string,
    commitTimestamp: int64,
    expireTimestamp: bigint64.since(1).until(1).default(-1n).ignorable(),
    topicId: uuid.since(4).tag(0).ignorable(),
  },
});

/** Which classic group. */
export const GroupMetadataKey = message({
  name: 'GroupMetadataKey',
  versions: [0, 0],
  flexible: 'never',
  fields: {
    group: string,
  },
});

const MemberMetadata = {
  memberId: string,
  groupInstanceId: string.nullable().since(3).default(null).ignorable(),
  clientId: string,
  clientHost: string,
  rebalanceTimeout: int32.since(1).default(-1).ignorable(),
  sessionTimeout: int32,
  subscription: bytes,
  assignment: bytes,
};
/** A classic group with its members; a group without members has none and null fields. */
export const GroupMetadataValue = message({
  name: 'GroupMetadataValue',
  versions: [0, 4],
  flexible: 4,
  fields: {
    protocolType: string,
    generation: int32,
    protocol: string.nullable(),
    leader: string.nullable(),
    currentStateTimestamp: int64.since(2).default(-1).ignorable(),
    members: array(MemberMetadata),
  },
});

/** Which consumer group. */
export const ConsumerGroupMetadataKey = message({
  name: 'ConsumerGroupMetadataKey',
  versions: [0, 0],
  flexible: 'never',
  fields: {
    groupId: string,
  },
});

/** The epoch of a consumer group. */
export const ConsumerGroupMetadataValue = message({
  name: 'ConsumerGroupMetadataValue',
  versions: [0, 0],
  flexible: 0,
  fields: {
    epoch: int32,
    metadataHash: bigint64.tag(0).default(0n),
  },
});

/** Which consumer group. */
export const ConsumerGroupPartitionMetadataKey = message({
  name: 'ConsumerGroupPartitionMetadataKey',
  versions: [0, 0],
  flexible: 'never',
  fields: {
    groupId: string,
  },
});

/** What a consumer group knew of its topics; only removed nowadays. */
export const ConsumerGroupPartitionMetadataValue = message({
  name: 'ConsumerGroupPartitionMetadataValue',
  versions: [0, 0],
  flexible: 0,
  fields: {
    topics: array({
      topicId: uuid,
      topicName: string,
      numPartitions: int32,
      partitionMetadata: array({
        partition: int32,
        racks: array(string),
      }),
    }),
  },
});

/** Which member. */
export const ConsumerGroupMemberMetadataKey = message({
  name: 'ConsumerGroupMemberMetadataKey',
  versions: [0, 0],
  flexible: 'never',
  fields: {
    groupId: string,
    memberId: string,
  },
});

/** What a member of a consumer group said of itself. */
export const ConsumerGroupMemberMetadataValue = message({
  name: 'ConsumerGroupMemberMetadataValue',
  versions: [0, 0],
  flexible: 0,
  fields: {
    instanceId: string.nullable(),
    rackId: string.nullable(),
    clientId: string,
    clientHost: string,
    subscribedTopicNames: array(string),
    subscribedTopicRegex: string.nullable(),
    rebalanceTimeoutMs: int32.default(-1),
    serverAssignor: string.nullable(),
    classicMemberMetadata: struct({
      sessionTimeoutMs: int32,
      supportedProtocols: array({
        name: string,
        metadata: bytes,
      }),
    })
      .nullable()
      .tag(0)
      .default(null),
  },
});

/** Which consumer group. */
export const ConsumerGroupTargetAssignmentMetadataKey = message({
  name: 'ConsumerGroupTargetAssignmentMetadataKey',
  versions: [0, 0],
  flexible: 'never',
  fields: {
    groupId: string,
  },
});

/** The epoch of its target assignment. */
export const ConsumerGroupTargetAssignmentMetadataValue = message({
  name: 'ConsumerGroupTargetAssignmentMetadataValue',
  versions: [0, 0],
  flexible: 0,
  fields: {
    assignmentEpoch: int32,
    assignmentTimestamp: int64.tag(0).default(0).ignorable(),
  },
});

/** Which member. */
export const ConsumerGroupTargetAssignmentMemberKey = message({
  name: 'ConsumerGroupTargetAssignmentMemberKey',
  versions: [0, 0],
  flexible: 'never',
  fields: {
    groupId: string,
    memberId: string,
  },
});

/** What a member is to have. */
export const ConsumerGroupTargetAssignmentMemberValue = message({
  name: 'ConsumerGroupTargetAssignmentMemberValue',
  versions: [0, 0],
  flexible: 0,
  fields: {
    topicPartitions: array({
      topicId: uuid,
      partitions: array(int32),
    }),
  },
});

/** Which member. */
export const ConsumerGroupCurrentMemberAssignmentKey = message({
  name: 'ConsumerGroupCurrentMemberAssignmentKey',
  versions: [0, 0],
  flexible: 'never',
  fields: {
    groupId: string,
    memberId: string,
  },
});

const TopicPartitions = {
  topicId: uuid,
  partitions: array(int32),
  assignmentEpochs: array(int32).nullable().tag(0).default(null),
};
/** What a member has. */
export const ConsumerGroupCurrentMemberAssignmentValue = message({
  name: 'ConsumerGroupCurrentMemberAssignmentValue',
  versions: [0, 0],
  flexible: 0,
  fields: {
    memberEpoch: int32,
    previousMemberEpoch: int32,
    state: int8,
    assignedPartitions: array(TopicPartitions),
    partitionsPendingRevocation: array(TopicPartitions),
  },
});

/** Which member. */
export const ShareGroupMemberMetadataKey = message({
  name: 'ShareGroupMemberMetadataKey',
  versions: [0, 0],
  flexible: 'never',
  fields: {
    groupId: string,
    memberId: string,
  },
});

/** What a member of a share group said of itself. */
export const ShareGroupMemberMetadataValue = message({
  name: 'ShareGroupMemberMetadataValue',
  versions: [0, 0],
  flexible: 0,
  fields: {
    rackId: string.nullable(),
    clientId: string,
    clientHost: string,
    subscribedTopicNames: array(string),
  },
});

/** Which share group. */
export const ShareGroupMetadataKey = message({
  name: 'ShareGroupMetadataKey',
  versions: [0, 0],
  flexible: 'never',
  fields: {
    groupId: string,
  },
});

/** The epoch of a share group. */
export const ShareGroupMetadataValue = message({
  name: 'ShareGroupMetadataValue',
  versions: [0, 0],
  flexible: 0,
  fields: {
    epoch: int32,
    metadataHash: bigint64,
  },
});

/** Which share group. */
export const ShareGroupTargetAssignmentMetadataKey = message({
  name: 'ShareGroupTargetAssignmentMetadataKey',
  versions: [0, 0],
  flexible: 'never',
  fields: {
    groupId: string,
  },
});

/** The epoch of its target assignment. */
export const ShareGroupTargetAssignmentMetadataValue = message({
  name: 'ShareGroupTargetAssignmentMetadataValue',
  versions: [0, 0],
  flexible: 0,
  fields: {
    assignmentEpoch: int32,
    assignmentTimestamp: int64.tag(0).default(0).ignorable(),
  },
});

/** Which member. */
export const ShareGroupTargetAssignmentMemberKey = message({
  name: 'ShareGroupTargetAssignmentMemberKey',
  versions: [0, 0],
  flexible: 'never',
  fields: {
    groupId: string,
    memberId: string,
  },
});

/** What a member is to have. */
export const ShareGroupTargetAssignmentMemberValue = message({
  name: 'ShareGroupTargetAssignmentMemberValue',
  versions: [0, 0],
  flexible: 0,
  fields: {
    topicPartitions: array({
      topicId: uuid,
      partitions: array(int32),
    }),
  },
});

/** Which member. */
export const ShareGroupCurrentMemberAssignmentKey = message({
  name: 'ShareGroupCurrentMemberAssignmentKey',
  versions: [0, 0],
  flexible: 'never',
  fields: {
    groupId: string,
    memberId: string,
  },
});

const ShareGroupCurrentMemberAssignmentTopicPartitions = {
  topicId: uuid,
  partitions: array(int32),
};
/** What a member has. */
export const ShareGroupCurrentMemberAssignmentValue = message({
  name: 'ShareGroupCurrentMemberAssignmentValue',
  versions: [0, 0],
  flexible: 0,
  fields: {
    memberEpoch: int32,
    previousMemberEpoch: int32,
    state: int8,
    assignedPartitions: array(ShareGroupCurrentMemberAssignmentTopicPartitions),
  },
});

/** Which share group. */
export const ShareGroupStatePartitionMetadataKey = message({
  name: 'ShareGroupStatePartitionMetadataKey',
  versions: [0, 0],
  flexible: 'never',
  fields: {
    groupId: string,
  },
});

const TopicPartitionsInfo = {
  topicId: uuid,
  topicName: string,
  partitions: array(int32),
};
const TopicInfo = {
  topicId: uuid,
  topicName: string,
};
/** Which share partitions have a persistent state. */
export const ShareGroupStatePartitionMetadataValue = message({
  name: 'ShareGroupStatePartitionMetadataValue',
  versions: [0, 0],
  flexible: 0,
  fields: {
    initializingTopics: array(TopicPartitionsInfo),
    initializedTopics: array(TopicPartitionsInfo),
    deletingTopics: array(TopicInfo),
  },
});

/** Which expression of which group. */
export const ConsumerGroupRegularExpressionKey = message({
  name: 'ConsumerGroupRegularExpressionKey',
  versions: [0, 0],
  flexible: 'never',
  fields: {
    groupId: string,
    regularExpression: string,
  },
});

/** The topics that a regular expression matched. */
export const ConsumerGroupRegularExpressionValue = message({
  name: 'ConsumerGroupRegularExpressionValue',
  versions: [0, 0],
  flexible: 0,
  fields: {
    topics: array(string),
    version: int64,
    timestamp: int64,
  },
});

/** Which streams group. */
export const StreamsGroupMetadataKey = message({
  name: 'StreamsGroupMetadataKey',
  versions: [0, 0],
  flexible: 'never',
  fields: {
    groupId: string,
  },
});

const LastAssignmentConfig = {
  key: string,
  value: string,
};
/** The epoch of a streams group. */
export const StreamsGroupMetadataValue = message({
  name: 'StreamsGroupMetadataValue',
  versions: [0, 0],
  flexible: 0,
  fields: {
    epoch: int32,
    metadataHash: bigint64,
    validatedTopologyEpoch: int32.tag(0).default(-1),
    lastAssignmentConfigs: array(LastAssignmentConfig).nullable().tag(1).default(null),
    storedDescriptionTopologyEpoch: int32.tag(2).default(-1),
    failedDescriptionTopologyEpoch: int32.tag(3).default(-1),
  },
});

/** Which member. */
export const StreamsGroupMemberMetadataKey = message({
  name: 'StreamsGroupMemberMetadataKey',
  versions: [0, 0],
  flexible: 'never',
  fields: {
    groupId: string,
    memberId: string,
  },
});

const Endpoint = {
  host: string,
  port: uint16,
};
const KeyValue = {
  key: string,
  value: string,
};
/** What a member of a streams group said of itself. */
export const StreamsGroupMemberMetadataValue = message({
  name: 'StreamsGroupMemberMetadataValue',
  versions: [0, 0],
  flexible: 0,
  fields: {
    instanceId: string.nullable(),
    rackId: string.nullable(),
    clientId: string,
    clientHost: string,
    rebalanceTimeoutMs: int32.default(-1),
    topologyEpoch: int32,
    processId: string,
    userEndpoint: struct(Endpoint).nullable().default(null),
    clientTags: array(KeyValue),
  },
});

/** Which streams group. */
export const StreamsGroupTargetAssignmentMetadataKey = message({
  name: 'StreamsGroupTargetAssignmentMetadataKey',
  versions: [0, 0],
  flexible: 'never',
  fields: {
    groupId: string,
  },
});

/** The epoch of its target assignment. */
export const StreamsGroupTargetAssignmentMetadataValue = message({
  name: 'StreamsGroupTargetAssignmentMetadataValue',
  versions: [0, 0],
  flexible: 0,
  fields: {
    assignmentEpoch: int32,
    assignmentTimestamp: int64.tag(0).default(0).ignorable(),
  },
});

/** Which member. */
export const StreamsGroupTargetAssignmentMemberKey = message({
  name: 'StreamsGroupTargetAssignmentMemberKey',
  versions: [0, 0],
  flexible: 'never',
  fields: {
    groupId: string,
    memberId: string,
  },
});

const TaskIds = {
  subtopologyId: string,
  partitions: array(int32),
};
/** What a member is to have. */
export const StreamsGroupTargetAssignmentMemberValue = message({
  name: 'StreamsGroupTargetAssignmentMemberValue',
  versions: [0, 0],
  flexible: 0,
  fields: {
    activeTasks: array(TaskIds),
    standbyTasks: array(TaskIds),
    warmupTasks: array(TaskIds),
  },
});

/** Which member. */
export const StreamsGroupCurrentMemberAssignmentKey = message({
  name: 'StreamsGroupCurrentMemberAssignmentKey',
  versions: [0, 0],
  flexible: 'never',
  fields: {
    groupId: string,
    memberId: string,
  },
});

const StreamsGroupCurrentMemberAssignmentTaskIds = {
  subtopologyId: string,
  partitions: array(int32),
  assignmentEpochs: array(int32).nullable().tag(0).default(null),
};
/** What a member has. */
export const StreamsGroupCurrentMemberAssignmentValue = message({
  name: 'StreamsGroupCurrentMemberAssignmentValue',
  versions: [0, 0],
  flexible: 0,
  fields: {
    memberEpoch: int32,
    previousMemberEpoch: int32,
    state: int8,
    activeTasks: array(StreamsGroupCurrentMemberAssignmentTaskIds),
    standbyTasks: array(StreamsGroupCurrentMemberAssignmentTaskIds),
    warmupTasks: array(StreamsGroupCurrentMemberAssignmentTaskIds),
    activeTasksPendingRevocation: array(StreamsGroupCurrentMemberAssignmentTaskIds),
    standbyTasksPendingRevocation: array(StreamsGroupCurrentMemberAssignmentTaskIds),
    warmupTasksPendingRevocation: array(StreamsGroupCurrentMemberAssignmentTaskIds),
  },
});

/** Which streams group. */
export const StreamsGroupTopologyKey = message({
  name: 'StreamsGroupTopologyKey',
  versions: [0, 0],
  flexible: 'never',
  fields: {
    groupId: string,
  },
});

const TopicConfig = {
  key: string,
  value: string,
};
const StreamsGroupTopologyTopicInfo = {
  name: string,
  partitions: int32,
  replicationFactor: int16,
  topicConfigs: array(TopicConfig),
};
/** The topology of a streams group. */
export const StreamsGroupTopologyValue = message({
  name: 'StreamsGroupTopologyValue',
  versions: [0, 0],
  flexible: 0,
  fields: {
    epoch: int32,
    subtopologies: array({
      subtopologyId: string,
      sourceTopics: array(string),
      sourceTopicRegex: array(string),
      stateChangelogTopics: array(StreamsGroupTopologyTopicInfo),
      repartitionSinkTopics: array(string),
      repartitionSourceTopics: array(StreamsGroupTopologyTopicInfo),
      copartitionGroups: array({
        sourceTopics: array(int16),
        sourceTopicRegex: array(int16),
        repartitionSourceTopics: array(int16),
      }),
    }),
  },
});

/** Which share group, in the form of the 3.9 preview; belongs to no table. */
export const ShareGroupPartitionMetadataKey = message({
  name: 'ShareGroupPartitionMetadataKey',
  versions: [9, 9],
  flexible: 'never',
  fields: {
    groupId: string,
  },
});

/** Which share partitions had a state, in the form of the 3.9 preview. */
export const ShareGroupPartitionMetadataValue = message({
  name: 'ShareGroupPartitionMetadataValue',
  versions: [0, 0],
  flexible: 0,
  fields: {
    initializedTopics: array(TopicPartitionsInfo),
    deletingTopics: array(TopicInfo),
  },
});

/** The records of `__consumer_offsets` by name: number, key, value, and the version written. */
export const GROUP_RECORDS = {
  LegacyOffsetCommit: {
    id: 0,
    key: LegacyOffsetCommitKey,
    value: LegacyOffsetCommitValue,
    version: 0,
  },
  OffsetCommit: { id: 1, key: OffsetCommitKey, value: OffsetCommitValue, version: 4 },
  GroupMetadata: { id: 2, key: GroupMetadataKey, value: GroupMetadataValue, version: 3 },
  ConsumerGroupMetadata: {
    id: 3,
    key: ConsumerGroupMetadataKey,
    value: ConsumerGroupMetadataValue,
    version: 0,
  },
  ConsumerGroupPartitionMetadata: {
    id: 4,
    key: ConsumerGroupPartitionMetadataKey,
    value: ConsumerGroupPartitionMetadataValue,
    version: 0,
  },
  ConsumerGroupMemberMetadata: {
    id: 5,
    key: ConsumerGroupMemberMetadataKey,
    value: ConsumerGroupMemberMetadataValue,
    version: 0,
  },
  ConsumerGroupTargetAssignmentMetadata: {
    id: 6,
    key: ConsumerGroupTargetAssignmentMetadataKey,
    value: ConsumerGroupTargetAssignmentMetadataValue,
    version: 0,
  },
  ConsumerGroupTargetAssignmentMember: {
    id: 7,
    key: ConsumerGroupTargetAssignmentMemberKey,
    value: ConsumerGroupTargetAssignmentMemberValue,
    version: 0,
  },
  ConsumerGroupCurrentMemberAssignment: {
    id: 8,
    key: ConsumerGroupCurrentMemberAssignmentKey,
    value: ConsumerGroupCurrentMemberAssignmentValue,
    version: 0,
  },
  ShareGroupMemberMetadata: {
    id: 10,
    key: ShareGroupMemberMetadataKey,
    value: ShareGroupMemberMetadataValue,
    version: 0,
  },
  ShareGroupMetadata: {
    id: 11,
    key: ShareGroupMetadataKey,
    value: ShareGroupMetadataValue,
    version: 0,
  },
  ShareGroupTargetAssignmentMetadata: {
    id: 12,
    key: ShareGroupTargetAssignmentMetadataKey,
    value: ShareGroupTargetAssignmentMetadataValue,
    version: 0,
  },
  ShareGroupTargetAssignmentMember: {
    id: 13,
    key: ShareGroupTargetAssignmentMemberKey,
    value: ShareGroupTargetAssignmentMemberValue,
    version: 0,
  },
  ShareGroupCurrentMemberAssignment: {
    id: 14,
    key: ShareGroupCurrentMemberAssignmentKey,
    value: ShareGroupCurrentMemberAssignmentValue,
    version: 0,
  },
  ShareGroupStatePartitionMetadata: {
    id: 15,
    key: ShareGroupStatePartitionMetadataKey,
    value: ShareGroupStatePartitionMetadataValue,
    version: 0,
  },
  ConsumerGroupRegularExpression: {
    id: 16,
    key: ConsumerGroupRegularExpressionKey,
    value: ConsumerGroupRegularExpressionValue,
    version: 0,
  },
  StreamsGroupMetadata: {
    id: 17,
    key: StreamsGroupMetadataKey,
    value: StreamsGroupMetadataValue,
    version: 0,
  },
  StreamsGroupMemberMetadata: {
    id: 19,
    key: StreamsGroupMemberMetadataKey,
    value: StreamsGroupMemberMetadataValue,
    version: 0,
  },
  StreamsGroupTargetAssignmentMetadata: {
    id: 20,
    key: StreamsGroupTargetAssignmentMetadataKey,
    value: StreamsGroupTargetAssignmentMetadataValue,
    version: 0,
  },
  StreamsGroupTargetAssignmentMember: {
    id: 21,
    key: StreamsGroupTargetAssignmentMemberKey,
    value: StreamsGroupTargetAssignmentMemberValue,
    version: 0,
  },
  StreamsGroupCurrentMemberAssignment: {
    id: 22,
    key: StreamsGroupCurrentMemberAssignmentKey,
    value: StreamsGroupCurrentMemberAssignmentValue,
    version: 0,
  },
  StreamsGroupTopology: {
    id: 23,
    key: StreamsGroupTopologyKey,
    value: StreamsGroupTopologyValue,
    version: 0,
  },
} as const;

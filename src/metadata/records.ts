/** The records of the metadata log, and their form there: three varints, then the message. */
import { message } from '../protocol/api';
import {
  array,
  bigint64,
  bool,
  bytes,
  float64,
  int8,
  int16,
  int32,
  int64,
  string,
  uint16,
  uuid,
} from '../protocol/schema';

/** A broker is in the cluster; replaces an earlier registration. */
export const RegisterBrokerRecord = message({
  name: 'RegisterBrokerRecord',
  versions: [0, 4],
  flexible: 0,
  fields: {
    brokerId: int32,
    isMigratingZkBroker: bool.since(2).default(false),
    incarnationId: uuid,
    brokerEpoch: int64,
    endPoints: array({
      name: string,
      host: string,
      port: uint16,
      securityProtocol: int16,
    }),
    features: array({
      name: string,
      minSupportedVersion: int16,
      maxSupportedVersion: int16,
    }),
    rack: string.nullable(),
    fenced: bool.default(true),
    inControlledShutdown: bool.since(1).default(false),
    logDirs: array(uuid).since(3).tag(0),
    cordonedLogDirs: array(uuid).nullable().since(4).tag(1).default(null),
  },
});

/** A broker is no longer in the cluster. */
export const UnregisterBrokerRecord = message({
  name: 'UnregisterBrokerRecord',
  versions: [0, 0],
  flexible: 0,
  fields: {
    brokerId: int32,
    brokerEpoch: int64,
  },
});

/** A topic exists. */
export const TopicRecord = message({
  name: 'TopicRecord',
  versions: [0, 0],
  flexible: 0,
  fields: {
    name: string,
    topicId: uuid,
  },
});

/** A partition exists, with all that is said about it. */
export const PartitionRecord = message({
  name: 'PartitionRecord',
  versions: [0, 2],
  flexible: 0,
  fields: {
    partitionId: int32.default(-1),
    topicId: uuid,
    replicas: array(int32),
    isr: array(int32),
    removingReplicas: array(int32),
    addingReplicas: array(int32),
    leader: int32.default(-1),
    leaderRecoveryState: int8.tag(0).default(0),
    leaderEpoch: int32.default(-1),
    partitionEpoch: int32.default(-1),
    directories: array(uuid).since(1),
    eligibleLeaderReplicas: array(int32).nullable().since(2).tag(1).default(null),
    lastKnownElr: array(int32).nullable().since(2).tag(2).default(null),
  },
});

/** A resource has a setting; null takes it back. */
export const ConfigRecord = message({
  name: 'ConfigRecord',
  versions: [0, 0],
  flexible: 0,
  fields: {
    resourceType: int8,
    resourceName: string,
    name: string,
    value: string.nullable(),
  },
});

/** What of a partition changed; fields left at null (leader: -2) stay as they are. */
export const PartitionChangeRecord = message({
  name: 'PartitionChangeRecord',
  versions: [0, 2],
  flexible: 0,
  fields: {
    partitionId: int32.default(-1),
    topicId: uuid,
    isr: array(int32).nullable().tag(0).default(null),
    leader: int32.tag(1).default(-2),
    replicas: array(int32).nullable().tag(2).default(null),
    removingReplicas: array(int32).nullable().tag(3).default(null),
    addingReplicas: array(int32).nullable().tag(4).default(null),
    leaderRecoveryState: int8.tag(5).default(-1),
    directories: array(uuid).nullable().since(1).tag(8).default(null),
    eligibleLeaderReplicas: array(int32).nullable().since(2).tag(6).default(null),
    lastKnownElr: array(int32).nullable().since(2).tag(7).default(null),
  },
});

/** A broker is fenced; written by the oldest releases only. */
export const FenceBrokerRecord = message({
  name: 'FenceBrokerRecord',
  versions: [0, 0],
  flexible: 0,
  fields: {
    id: int32,
    epoch: int64,
  },
});

/** A broker is no longer fenced; written by the oldest releases only. */
export const UnfenceBrokerRecord = message({
  name: 'UnfenceBrokerRecord',
  versions: [0, 0],
  flexible: 0,
  fields: {
    id: int32,
    epoch: int64,
  },
});

/** A topic is gone, and its settings with it. */
export const RemoveTopicRecord = message({
  name: 'RemoveTopicRecord',
  versions: [0, 0],
  flexible: 0,
  fields: {
    topicId: uuid,
  },
});

/** A delegation token exists. */
export const DelegationTokenRecord = message({
  name: 'DelegationTokenRecord',
  versions: [0, 0],
  flexible: 0,
  fields: {
    owner: string,
    requester: string,
    renewers: array(string),
    issueTimestamp: bigint64,
    maxTimestamp: bigint64,
    expirationTimestamp: bigint64,
    tokenId: string,
  },
});

/** A user has a SCRAM credential. */
export const UserScramCredentialRecord = message({
  name: 'UserScramCredentialRecord',
  versions: [0, 0],
  flexible: 0,
  fields: {
    name: string,
    mechanism: int8,
    salt: bytes,
    storedKey: bytes,
    serverKey: bytes,
    iterations: int32,
  },
});

/** A feature has a finalized level. */
export const FeatureLevelRecord = message({
  name: 'FeatureLevelRecord',
  versions: [0, 0],
  flexible: 0,
  fields: {
    name: string,
    featureLevel: int16,
  },
});

/** An entity has a quota, or no longer has it. */
export const ClientQuotaRecord = message({
  name: 'ClientQuotaRecord',
  versions: [0, 0],
  flexible: 0,
  fields: {
    entity: array({
      entityType: string,
      entityName: string.nullable(),
    }),
    key: string,
    value: float64,
    remove: bool,
  },
});

/** A block of producer ids was given out; `nextProducerId` is the first beyond it. */
export const ProducerIdsRecord = message({
  name: 'ProducerIdsRecord',
  versions: [0, 0],
  flexible: 0,
  fields: {
    brokerId: int32,
    brokerEpoch: int64.default(-1),
    nextProducerId: int64,
  },
});

/** What of a broker changed: -1 or 1 turns a flag off or on, 0 leaves it. */
export const BrokerRegistrationChangeRecord = message({
  name: 'BrokerRegistrationChangeRecord',
  versions: [0, 3],
  flexible: 0,
  fields: {
    brokerId: int32,
    brokerEpoch: int64,
    fenced: int8.tag(0),
    inControlledShutdown: int8.since(1).tag(1),
    logDirs: array(uuid).since(2).tag(2),
    cordonedLogDirs: array(uuid).nullable().since(3).tag(3).default(null),
  },
});

/** An access control entry exists. */
export const AccessControlEntryRecord = message({
  name: 'AccessControlEntryRecord',
  versions: [0, 0],
  flexible: 0,
  fields: {
    id: uuid,
    resourceType: int8,
    resourceName: string,
    patternType: int8,
    principal: string,
    host: string,
    operation: int8,
    permissionType: int8,
  },
});

/** An access control entry is gone. */
export const RemoveAccessControlEntryRecord = message({
  name: 'RemoveAccessControlEntryRecord',
  versions: [0, 0],
  flexible: 0,
  fields: {
    id: uuid,
  },
});

/** Nothing; moves the log on. */
export const NoOpRecord = message({
  name: 'NoOpRecord',
  versions: [0, 0],
  flexible: 0,
  fields: {},
});

/** How far a migration from ZooKeeper is; 0 = there never was one. */
export const ZkMigrationStateRecord = message({
  name: 'ZkMigrationStateRecord',
  versions: [0, 0],
  flexible: 0,
  fields: {
    zkMigrationState: int8,
  },
});

/** A user lost a SCRAM credential. */
export const RemoveUserScramCredentialRecord = message({
  name: 'RemoveUserScramCredentialRecord',
  versions: [0, 0],
  flexible: 0,
  fields: {
    name: string,
    mechanism: int8,
  },
});

/** What follows counts only once the transaction ends. */
export const BeginTransactionRecord = message({
  name: 'BeginTransactionRecord',
  versions: [0, 0],
  flexible: 0,
  fields: {
    name: string.nullable().tag(0).default(null),
  },
});

/** What the transaction wrote counts. */
export const EndTransactionRecord = message({
  name: 'EndTransactionRecord',
  versions: [0, 0],
  flexible: 0,
  fields: {},
});

/** What the transaction wrote never was. */
export const AbortTransactionRecord = message({
  name: 'AbortTransactionRecord',
  versions: [0, 0],
  flexible: 0,
  fields: {
    reason: string.nullable().tag(0).default(null),
  },
});

/** A delegation token is gone. */
export const RemoveDelegationTokenRecord = message({
  name: 'RemoveDelegationTokenRecord',
  versions: [0, 0],
  flexible: 0,
  fields: {
    tokenId: string,
  },
});

/** A controller is in the cluster. */
export const RegisterControllerRecord = message({
  name: 'RegisterControllerRecord',
  versions: [0, 0],
  flexible: 0,
  fields: {
    controllerId: int32,
    incarnationId: uuid,
    zkMigrationReady: bool,
    endPoints: array({
      name: string,
      host: string,
      port: uint16,
      securityProtocol: int16,
    }),
    features: array({
      name: string,
      minSupportedVersion: int16,
      maxSupportedVersion: int16,
    }),
  },
});

/** Eligible leader replicas of a topic (empty name: of all) are cleared. */
export const ClearElrRecord = message({
  name: 'ClearElrRecord',
  versions: [0, 0],
  flexible: 0,
  fields: {
    topicName: string,
  },
});

/** A controller is no longer in the cluster. */
export const UnregisterControllerRecord = message({
  name: 'UnregisterControllerRecord',
  versions: [0, 0],
  flexible: 0,
  fields: {
    controllerId: int32,
  },
});

/** The records of `__cluster_metadata` by name, each with its number there. */
export const METADATA_RECORDS = {
  RegisterBrokerRecord: { id: 0, message: RegisterBrokerRecord },
  UnregisterBrokerRecord: { id: 1, message: UnregisterBrokerRecord },
  TopicRecord: { id: 2, message: TopicRecord },
  PartitionRecord: { id: 3, message: PartitionRecord },
  ConfigRecord: { id: 4, message: ConfigRecord },
  PartitionChangeRecord: { id: 5, message: PartitionChangeRecord },
  FenceBrokerRecord: { id: 7, message: FenceBrokerRecord },
  UnfenceBrokerRecord: { id: 8, message: UnfenceBrokerRecord },
  RemoveTopicRecord: { id: 9, message: RemoveTopicRecord },
  DelegationTokenRecord: { id: 10, message: DelegationTokenRecord },
  UserScramCredentialRecord: { id: 11, message: UserScramCredentialRecord },
  FeatureLevelRecord: { id: 12, message: FeatureLevelRecord },
  ClientQuotaRecord: { id: 14, message: ClientQuotaRecord },
  ProducerIdsRecord: { id: 15, message: ProducerIdsRecord },
  BrokerRegistrationChangeRecord: { id: 17, message: BrokerRegistrationChangeRecord },
  AccessControlEntryRecord: { id: 18, message: AccessControlEntryRecord },
  RemoveAccessControlEntryRecord: { id: 19, message: RemoveAccessControlEntryRecord },
  NoOpRecord: { id: 20, message: NoOpRecord },
  ZkMigrationStateRecord: { id: 21, message: ZkMigrationStateRecord },
  RemoveUserScramCredentialRecord: { id: 22, message: RemoveUserScramCredentialRecord },
  BeginTransactionRecord: { id: 23, message: BeginTransactionRecord },
  EndTransactionRecord: { id: 24, message: EndTransactionRecord },
  AbortTransactionRecord: { id: 25, message: AbortTransactionRecord },
  RemoveDelegationTokenRecord: { id: 26, message: RemoveDelegationTokenRecord },
  RegisterControllerRecord: { id: 27, message: RegisterControllerRecord },
  ClearElrRecord: { id: 28, message: ClearElrRecord },
  UnregisterControllerRecord: { id: 29, message: UnregisterControllerRecord },
} as const;

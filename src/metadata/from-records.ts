/** The shapes of the picture made from the records that carry them whole. */
import { invariant } from '../base/invariant';
import type { UnknownTag } from '../protocol/schema';
import type { Acl, DelegationToken, ScramCredential } from './access';
import {
  type Broker,
  type Controller,
  type Endpoint,
  type FeatureRange,
  SECURITY_PROTOCOLS,
} from './brokers';
import type { RecordValue } from './metadata-record';
import { DIRECTORY_MIGRATING, type Partition } from './topics';

export function brokerOf(record: RecordValue<'RegisterBrokerRecord'>): Broker {
  return {
    id: record.brokerId,
    epoch: record.brokerEpoch,
    incarnationId: record.incarnationId,
    endpoints: record.endPoints.map(endpointOf),
    features: featuresOf(record.features),
    rack: record.rack,
    isFenced: record.fenced,
    isInControlledShutdown: record.inControlledShutdown,
    isMigratingFromZooKeeper: record.isMigratingZkBroker,
    directories: record.logDirs,
    cordonedDirectories: record.cordonedLogDirs,
    ...kept(record),
  };
}

export function controllerOf(record: RecordValue<'RegisterControllerRecord'>): Controller {
  return {
    id: record.controllerId,
    incarnationId: record.incarnationId,
    isZooKeeperMigrationReady: record.zkMigrationReady,
    endpoints: record.endPoints.map(endpointOf),
    features: featuresOf(record.features),
    ...kept(record),
  };
}

export function partitionOf(record: RecordValue<'PartitionRecord'>): Partition {
  const { replicas, directories } = record;
  invariant(
    directories.length === 0 || directories.length === replicas.length,
    `partition ${record.topicId}:${record.partitionId} names ${replicas.length} replicas ` +
      `but ${directories.length} folders`,
  );
  return {
    replicas,
    directories: directories.length === 0 ? replicas.map(() => DIRECTORY_MIGRATING) : directories,
    isr: record.isr,
    removingReplicas: record.removingReplicas,
    addingReplicas: record.addingReplicas,
    elr: record.eligibleLeaderReplicas ?? [],
    lastKnownElr: record.lastKnownElr ?? [],
    leader: record.leader,
    isRecovering: isRecovering(record.leaderRecoveryState),
    leaderEpoch: record.leaderEpoch,
    partitionEpoch: record.partitionEpoch,
    ...kept(record),
  };
}

/** The registration after a change; every change raises the partition epoch. */
export function changedPartition(
  partition: Partition,
  record: RecordValue<'PartitionChangeRecord'>,
): Partition {
  const namesLeader = record.leader !== NO_LEADER_CHANGE;
  const replicas = record.replicas ?? partition.replicas;
  return {
    ...partition,
    replicas,
    directories: directoriesFor(replicas.length, record.directories ?? partition.directories),
    isr: record.isr ?? partition.isr,
    removingReplicas: record.removingReplicas ?? partition.removingReplicas,
    addingReplicas: record.addingReplicas ?? partition.addingReplicas,
    elr: record.eligibleLeaderReplicas ?? partition.elr,
    lastKnownElr: record.lastKnownElr ?? partition.lastKnownElr,
    leader: namesLeader ? record.leader : partition.leader,
    isRecovering:
      record.leaderRecoveryState === NO_RECOVERY_CHANGE
        ? partition.isRecovering
        : isRecovering(record.leaderRecoveryState),
    leaderEpoch: partition.leaderEpoch + (namesLeader ? 1 : 0),
    partitionEpoch: partition.partitionEpoch + 1,
  };
}

export function aclOf(record: RecordValue<'AccessControlEntryRecord'>): Acl {
  return {
    id: record.id,
    resourceType: record.resourceType,
    resourceName: record.resourceName,
    patternType: record.patternType,
    principal: record.principal,
    host: record.host,
    operation: record.operation,
    permissionType: record.permissionType,
    ...kept(record),
  };
}

export function scramOf(record: RecordValue<'UserScramCredentialRecord'>): ScramCredential {
  return {
    user: record.name,
    mechanism: record.mechanism,
    salt: record.salt,
    storedKey: record.storedKey,
    serverKey: record.serverKey,
    iterations: record.iterations,
    ...kept(record),
  };
}

export function tokenOf(record: RecordValue<'DelegationTokenRecord'>): DelegationToken {
  return {
    tokenId: record.tokenId,
    owner: record.owner,
    requester: record.requester,
    renewers: record.renewers,
    issueTimestampMs: record.issueTimestamp,
    maxTimestampMs: record.maxTimestamp,
    expirationTimestampMs: record.expirationTimestamp,
    ...kept(record),
  };
}

/** The leader of a PartitionChange record that names none. */
const NO_LEADER_CHANGE = -2;
const NO_RECOVERY_CHANGE = -1;

function kept(record: { readonly unknownTags?: readonly UnknownTag[] }): {
  readonly unknownTags?: readonly UnknownTag[];
} {
  const { unknownTags } = record;
  return unknownTags === undefined || unknownTags.length === 0 ? {} : { unknownTags };
}

function endpointOf(endpoint: RecordValue<'RegisterBrokerRecord'>['endPoints'][number]): Endpoint {
  const securityProtocol = SECURITY_PROTOCOLS[endpoint.securityProtocol];
  invariant(
    securityProtocol !== undefined,
    `listener ${endpoint.name} has the unknown security protocol ${endpoint.securityProtocol}`,
  );
  const { name, host, port } = endpoint;
  return { name, host, port, securityProtocol };
}

function featuresOf(
  features: RecordValue<'RegisterBrokerRecord'>['features'],
): ReadonlyMap<string, FeatureRange> {
  return new Map(
    features.map((feature) => [
      feature.name,
      { min: feature.minSupportedVersion, max: feature.maxSupportedVersion },
    ]),
  );
}

function directoriesFor(replicas: number, directories: readonly string[]): readonly string[] {
  if (directories.some((directory) => directory !== DIRECTORY_MIGRATING)) {
    invariant(
      directories.length === replicas,
      `a partition of ${replicas} replicas is given ${directories.length} folders`,
    );
    return directories;
  }
  return Array.from({ length: replicas }, () => DIRECTORY_MIGRATING);
}

function isRecovering(state: number): boolean {
  invariant(state === 0 || state === 1, `there is no leader recovery state ${state}`);
  return state === 1;
}

/** The shapes of the picture as records that carry them whole, at the versions allowed. */
import type { Uuid } from '../base/ids';
import type { UnknownTag } from '../protocol/schema';
import type { Acl, DelegationToken, ScramCredential } from './access';
import { type Broker, type Controller, type FeatureRange, SECURITY_PROTOCOLS } from './brokers';
import { allows, recordVersion } from './features';
import { metadataRecord, type RecordOf } from './metadata-record';
import type { Partition } from './topics';

type Endpoints = readonly {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly securityProtocol: number;
}[];

type Features = readonly {
  readonly name: string;
  readonly minSupportedVersion: number;
  readonly maxSupportedVersion: number;
}[];

/** `level` is the metadata.version; what it has no field for is left out. */
export function brokerRecord(broker: Broker, level: number): RecordOf<'RegisterBrokerRecord'> {
  return metadataRecord('RegisterBrokerRecord', recordVersion.registerBroker(level), {
    brokerId: broker.id,
    incarnationId: broker.incarnationId,
    brokerEpoch: broker.epoch,
    endPoints: endpointsOf(broker),
    features: featuresOf(broker.features),
    rack: broker.rack,
    fenced: broker.isFenced,
    inControlledShutdown: broker.isInControlledShutdown,
    isMigratingZkBroker: allows.zooKeeperMigration(level) && broker.isMigratingFromZooKeeper,
    logDirs: allows.directories(level) ? broker.directories : [],
    cordonedLogDirs: allows.cordonedDirectories(level) ? broker.cordonedDirectories : null,
    ...kept(broker),
  });
}

export function controllerRecord(controller: Controller): RecordOf<'RegisterControllerRecord'> {
  return metadataRecord('RegisterControllerRecord', 0, {
    controllerId: controller.id,
    incarnationId: controller.incarnationId,
    zkMigrationReady: controller.isZooKeeperMigrationReady,
    endPoints: endpointsOf(controller),
    features: featuresOf(controller.features),
    ...kept(controller),
  });
}

export function partitionRecord(
  topicId: Uuid,
  partitionId: number,
  partition: Partition,
  level: number,
): RecordOf<'PartitionRecord'> {
  const hasElr = allows.eligibleLeaderReplicas(level);
  return metadataRecord('PartitionRecord', recordVersion.partition(level), {
    partitionId,
    topicId,
    replicas: partition.replicas,
    isr: partition.isr,
    removingReplicas: partition.removingReplicas,
    addingReplicas: partition.addingReplicas,
    leader: partition.leader,
    leaderRecoveryState: partition.isRecovering ? 1 : 0,
    leaderEpoch: partition.leaderEpoch,
    partitionEpoch: partition.partitionEpoch,
    directories: allows.directories(level) ? partition.directories : [],
    eligibleLeaderReplicas: hasElr && partition.elr.length > 0 ? partition.elr : null,
    lastKnownElr: hasElr && partition.lastKnownElr.length > 0 ? partition.lastKnownElr : null,
    ...kept(partition),
  });
}

export function aclRecord(acl: Acl): RecordOf<'AccessControlEntryRecord'> {
  return metadataRecord('AccessControlEntryRecord', 0, { ...acl });
}

export function scramRecord(credential: ScramCredential): RecordOf<'UserScramCredentialRecord'> {
  const { user: name, ...rest } = credential;
  return metadataRecord('UserScramCredentialRecord', 0, { name, ...rest });
}

export function tokenRecord(token: DelegationToken): RecordOf<'DelegationTokenRecord'> {
  return metadataRecord('DelegationTokenRecord', 0, {
    tokenId: token.tokenId,
    owner: token.owner,
    requester: token.requester,
    renewers: token.renewers,
    issueTimestamp: token.issueTimestampMs,
    maxTimestamp: token.maxTimestampMs,
    expirationTimestamp: token.expirationTimestampMs,
    ...kept(token),
  });
}

function kept(entity: { readonly unknownTags?: readonly UnknownTag[] }): {
  readonly unknownTags?: readonly UnknownTag[];
} {
  return entity.unknownTags === undefined ? {} : { unknownTags: entity.unknownTags };
}

function endpointsOf(node: Broker | Controller): Endpoints {
  return node.endpoints.map(({ name, host, port, securityProtocol }) => ({
    name,
    host,
    port,
    securityProtocol: SECURITY_PROTOCOLS.indexOf(securityProtocol),
  }));
}

function featuresOf(features: ReadonlyMap<string, FeatureRange>): Features {
  return [...features].map(([name, { min, max }]) => ({
    name,
    minSupportedVersion: min,
    maxSupportedVersion: max,
  }));
}

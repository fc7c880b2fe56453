/** Every API there is, by name and by number. */
import type { AnyApi } from '../api';
import { AddOffsetsToTxn } from './add-offsets-to-txn';
import { AddPartitionsToTxn } from './add-partitions-to-txn';
import { AddRaftVoter } from './add-raft-voter';
import { AllocateProducerIds } from './allocate-producer-ids';
import { AlterClientQuotas } from './alter-client-quotas';
import { AlterConfigs } from './alter-configs';
import { AlterPartition } from './alter-partition';
import { AlterPartitionReassignments } from './alter-partition-reassignments';
import { AlterReplicaLogDirs } from './alter-replica-log-dirs';
import { AlterShareGroupOffsets } from './alter-share-group-offsets';
import { AlterUserScramCredentials } from './alter-user-scram-credentials';
import { ApiVersions } from './api-versions';
import { AssignReplicasToDirs } from './assign-replicas-to-dirs';
import { BeginQuorumEpoch } from './begin-quorum-epoch';
import { BrokerHeartbeat } from './broker-heartbeat';
import { BrokerRegistration } from './broker-registration';
import { ConsumerGroupDescribe } from './consumer-group-describe';
import { ConsumerGroupHeartbeat } from './consumer-group-heartbeat';
import { ControllerRegistration } from './controller-registration';
import { CreateAcls } from './create-acls';
import { CreateDelegationToken } from './create-delegation-token';
import { CreatePartitions } from './create-partitions';
import { CreateTopics } from './create-topics';
import { DeleteAcls } from './delete-acls';
import { DeleteGroups } from './delete-groups';
import { DeleteRecords } from './delete-records';
import { DeleteShareGroupOffsets } from './delete-share-group-offsets';
import { DeleteShareGroupState } from './delete-share-group-state';
import { DeleteTopics } from './delete-topics';
import { DescribeAcls } from './describe-acls';
import { DescribeClientQuotas } from './describe-client-quotas';
import { DescribeCluster } from './describe-cluster';
import { DescribeConfigs } from './describe-configs';
import { DescribeDelegationToken } from './describe-delegation-token';
import { DescribeGroups } from './describe-groups';
import { DescribeLogDirs } from './describe-log-dirs';
import { DescribeProducers } from './describe-producers';
import { DescribeQuorum } from './describe-quorum';
import { DescribeShareGroupOffsets } from './describe-share-group-offsets';
import { DescribeTopicPartitions } from './describe-topic-partitions';
import { DescribeTransactions } from './describe-transactions';
import { DescribeUserScramCredentials } from './describe-user-scram-credentials';
import { ElectLeaders } from './elect-leaders';
import { EndQuorumEpoch } from './end-quorum-epoch';
import { EndTxn } from './end-txn';
import { Envelope } from './envelope';
import { ExpireDelegationToken } from './expire-delegation-token';
import { Fetch } from './fetch';
import { FetchSnapshot } from './fetch-snapshot';
import { FindCoordinator } from './find-coordinator';
import { GetTelemetrySubscriptions } from './get-telemetry-subscriptions';
import { Heartbeat } from './heartbeat';
import { IncrementalAlterConfigs } from './incremental-alter-configs';
import { InitProducerId } from './init-producer-id';
import { InitializeShareGroupState } from './initialize-share-group-state';
import { JoinGroup } from './join-group';
import { LeaveGroup } from './leave-group';
import { ListConfigResources } from './list-config-resources';
import { ListGroups } from './list-groups';
import { ListOffsets } from './list-offsets';
import { ListPartitionReassignments } from './list-partition-reassignments';
import { ListTransactions } from './list-transactions';
import { Metadata } from './metadata';
import { OffsetCommit } from './offset-commit';
import { OffsetDelete } from './offset-delete';
import { OffsetFetch } from './offset-fetch';
import { OffsetForLeaderEpoch } from './offset-for-leader-epoch';
import { Produce } from './produce';
import { PushTelemetry } from './push-telemetry';
import { ReadShareGroupState } from './read-share-group-state';
import { ReadShareGroupStateSummary } from './read-share-group-state-summary';
import { RemoveRaftVoter } from './remove-raft-voter';
import { RenewDelegationToken } from './renew-delegation-token';
import { SaslAuthenticate } from './sasl-authenticate';
import { SaslHandshake } from './sasl-handshake';
import { ShareAcknowledge } from './share-acknowledge';
import { ShareFetch } from './share-fetch';
import { ShareGroupDescribe } from './share-group-describe';
import { ShareGroupHeartbeat } from './share-group-heartbeat';
import { StreamsGroupDescribe } from './streams-group-describe';
import { StreamsGroupHeartbeat } from './streams-group-heartbeat';
import { StreamsGroupTopologyDescriptionUpdate } from './streams-group-topology-description-update';
import { SyncGroup } from './sync-group';
import { TxnOffsetCommit } from './txn-offset-commit';
import { UnregisterBroker } from './unregister-broker';
import { UnregisterController } from './unregister-controller';
import { UpdateFeatures } from './update-features';
import { UpdateRaftVoter } from './update-raft-voter';
import { Vote } from './vote';
import { WriteShareGroupState } from './write-share-group-state';
import { WriteTxnMarkers } from './write-txn-markers';

export {
  AddOffsetsToTxn,
  AddPartitionsToTxn,
  AddRaftVoter,
  AllocateProducerIds,
  AlterClientQuotas,
  AlterConfigs,
  AlterPartition,
  AlterPartitionReassignments,
  AlterReplicaLogDirs,
  AlterShareGroupOffsets,
  AlterUserScramCredentials,
  ApiVersions,
  AssignReplicasToDirs,
  BeginQuorumEpoch,
  BrokerHeartbeat,
  BrokerRegistration,
  ConsumerGroupDescribe,
  ConsumerGroupHeartbeat,
  ControllerRegistration,
  CreateAcls,
  CreateDelegationToken,
  CreatePartitions,
  CreateTopics,
  DeleteAcls,
  DeleteGroups,
  DeleteRecords,
  DeleteShareGroupOffsets,
  DeleteShareGroupState,
  DeleteTopics,
  DescribeAcls,
  DescribeClientQuotas,
  DescribeCluster,
  DescribeConfigs,
  DescribeDelegationToken,
  DescribeGroups,
  DescribeLogDirs,
  DescribeProducers,
  DescribeQuorum,
  DescribeShareGroupOffsets,
  DescribeTopicPartitions,
  DescribeTransactions,
  DescribeUserScramCredentials,
  ElectLeaders,
  EndQuorumEpoch,
  EndTxn,
  Envelope,
  ExpireDelegationToken,
  Fetch,
  FetchSnapshot,
  FindCoordinator,
  GetTelemetrySubscriptions,
  Heartbeat,
  IncrementalAlterConfigs,
  InitializeShareGroupState,
  InitProducerId,
  JoinGroup,
  LeaveGroup,
  ListConfigResources,
  ListGroups,
  ListOffsets,
  ListPartitionReassignments,
  ListTransactions,
  Metadata,
  OffsetCommit,
  OffsetDelete,
  OffsetFetch,
  OffsetForLeaderEpoch,
  Produce,
  PushTelemetry,
  ReadShareGroupState,
  ReadShareGroupStateSummary,
  RemoveRaftVoter,
  RenewDelegationToken,
  SaslAuthenticate,
  SaslHandshake,
  ShareAcknowledge,
  ShareFetch,
  ShareGroupDescribe,
  ShareGroupHeartbeat,
  StreamsGroupDescribe,
  StreamsGroupHeartbeat,
  StreamsGroupTopologyDescriptionUpdate,
  SyncGroup,
  TxnOffsetCommit,
  UnregisterBroker,
  UnregisterController,
  UpdateFeatures,
  UpdateRaftVoter,
  Vote,
  WriteShareGroupState,
  WriteTxnMarkers,
};

/** In the order of their keys. */
export const APIS: readonly AnyApi[] = [
  Produce,
  Fetch,
  ListOffsets,
  Metadata,
  OffsetCommit,
  OffsetFetch,
  FindCoordinator,
  JoinGroup,
  Heartbeat,
  LeaveGroup,
  SyncGroup,
  DescribeGroups,
  ListGroups,
  SaslHandshake,
  ApiVersions,
  CreateTopics,
  DeleteTopics,
  DeleteRecords,
  InitProducerId,
  OffsetForLeaderEpoch,
  AddPartitionsToTxn,
  AddOffsetsToTxn,
  EndTxn,
  WriteTxnMarkers,
  TxnOffsetCommit,
  DescribeAcls,
  CreateAcls,
  DeleteAcls,
  DescribeConfigs,
  AlterConfigs,
  AlterReplicaLogDirs,
  DescribeLogDirs,
  SaslAuthenticate,
  CreatePartitions,
  CreateDelegationToken,
  RenewDelegationToken,
  ExpireDelegationToken,
  DescribeDelegationToken,
  DeleteGroups,
  ElectLeaders,
  IncrementalAlterConfigs,
  AlterPartitionReassignments,
  ListPartitionReassignments,
  OffsetDelete,
  DescribeClientQuotas,
  AlterClientQuotas,
  DescribeUserScramCredentials,
  AlterUserScramCredentials,
  Vote,
  BeginQuorumEpoch,
  EndQuorumEpoch,
  DescribeQuorum,
  AlterPartition,
  UpdateFeatures,
  Envelope,
  FetchSnapshot,
  DescribeCluster,
  DescribeProducers,
  BrokerRegistration,
  BrokerHeartbeat,
  UnregisterBroker,
  DescribeTransactions,
  ListTransactions,
  AllocateProducerIds,
  ConsumerGroupHeartbeat,
  ConsumerGroupDescribe,
  ControllerRegistration,
  GetTelemetrySubscriptions,
  PushTelemetry,
  AssignReplicasToDirs,
  ListConfigResources,
  DescribeTopicPartitions,
  ShareGroupHeartbeat,
  ShareGroupDescribe,
  ShareFetch,
  ShareAcknowledge,
  AddRaftVoter,
  RemoveRaftVoter,
  UpdateRaftVoter,
  InitializeShareGroupState,
  ReadShareGroupState,
  WriteShareGroupState,
  DeleteShareGroupState,
  ReadShareGroupStateSummary,
  StreamsGroupHeartbeat,
  StreamsGroupDescribe,
  DescribeShareGroupOffsets,
  AlterShareGroupOffsets,
  DeleteShareGroupOffsets,
  StreamsGroupTopologyDescriptionUpdate,
  UnregisterController,
];

/** The API of a key; `undefined` if no release of Kafka that ottla knows has it. */
export const apiByKey = (key: number): AnyApi | undefined => BY_KEY.get(key);

const BY_KEY: ReadonlyMap<number, AnyApi> = new Map(APIS.map((api) => [api.key, api]));

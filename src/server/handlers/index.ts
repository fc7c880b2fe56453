/** Every served API. What ApiVersions says is derived from this list. */
import type { AnyHandler } from '../handler';
import { addOffsetsToTxn } from './add-offsets-to-txn';
import { addPartitionsToTxn } from './add-partitions-to-txn';
import { addRaftVoter } from './add-raft-voter';
import { allocateProducerIds } from './allocate-producer-ids';
import { alterConfigs } from './alter-configs';
import { alterPartition } from './alter-partition';
import { alterPartitionReassignments } from './alter-partition-reassignments';
import { apiVersions } from './api-versions';
import { assignReplicasToDirs } from './assign-replicas-to-dirs';
import { beginQuorumEpoch } from './begin-quorum-epoch';
import { brokerHeartbeat } from './broker-heartbeat';
import { brokerRegistration } from './broker-registration';
import { controllerRegistration } from './controller-registration';
import { createPartitions } from './create-partitions';
import { createTopics } from './create-topics';
import { deleteGroups } from './delete-groups';
import { deleteRecords } from './delete-records';
import { deleteTopics } from './delete-topics';
import { describeCluster } from './describe-cluster';
import { describeConfigs } from './describe-configs';
import { describeGroups } from './describe-groups';
import { describeLogDirs } from './describe-log-dirs';
import { describeProducers } from './describe-producers';
import { describeQuorum } from './describe-quorum';
import { describeTopicPartitions } from './describe-topic-partitions';
import { describeTransactions } from './describe-transactions';
import { electLeaders } from './elect-leaders';
import { endQuorumEpoch } from './end-quorum-epoch';
import { endTxn } from './end-txn';
import { envelope } from './envelope';
import { fetch } from './fetch';
import { fetchSnapshot } from './fetch-snapshot';
import { findCoordinator } from './find-coordinator';
import { heartbeat } from './heartbeat';
import { incrementalAlterConfigs } from './incremental-alter-configs';
import { initProducerId } from './init-producer-id';
import { joinGroup } from './join-group';
import { leaveGroup } from './leave-group';
import { listConfigResources } from './list-config-resources';
import { listGroups } from './list-groups';
import { listOffsets } from './list-offsets';
import { listPartitionReassignments } from './list-partition-reassignments';
import { listTransactions } from './list-transactions';
import { metadata } from './metadata';
import { offsetCommit } from './offset-commit';
import { offsetDelete } from './offset-delete';
import { offsetFetch } from './offset-fetch';
import { offsetForLeaderEpoch } from './offset-for-leader-epoch';
import { produce } from './produce';
import { quorumFetch } from './quorum-fetch';
import { removeRaftVoter } from './remove-raft-voter';
import { syncGroup } from './sync-group';
import { txnOffsetCommit } from './txn-offset-commit';
import { unregisterBroker } from './unregister-broker';
import { unregisterController } from './unregister-controller';
import { updateFeatures } from './update-features';
import { updateRaftVoter } from './update-raft-voter';
import { vote } from './vote';
import { writeTxnMarkers } from './write-txn-markers';

export const handlers: readonly AnyHandler[] = [
  produce,
  fetch,
  listOffsets,
  apiVersions,
  deleteRecords,
  offsetForLeaderEpoch,
  describeLogDirs,
  describeProducers,
  offsetCommit,
  offsetFetch,
  findCoordinator,
  joinGroup,
  heartbeat,
  leaveGroup,
  syncGroup,
  describeGroups,
  listGroups,
  deleteGroups,
  offsetDelete,
  vote,
  beginQuorumEpoch,
  endQuorumEpoch,
  describeQuorum,
  quorumFetch,
  fetchSnapshot,
  addRaftVoter,
  removeRaftVoter,
  updateRaftVoter,
  metadata,
  createTopics,
  deleteTopics,
  createPartitions,
  initProducerId,
  addPartitionsToTxn,
  addOffsetsToTxn,
  endTxn,
  txnOffsetCommit,
  writeTxnMarkers,
  describeTransactions,
  listTransactions,
  describeConfigs,
  listConfigResources,
  alterConfigs,
  incrementalAlterConfigs,
  describeCluster,
  describeTopicPartitions,
  electLeaders,
  alterPartitionReassignments,
  listPartitionReassignments,
  updateFeatures,
  unregisterBroker,
  unregisterController,
  brokerRegistration,
  brokerHeartbeat,
  controllerRegistration,
  alterPartition,
  assignReplicasToDirs,
  allocateProducerIds,
  envelope,
];

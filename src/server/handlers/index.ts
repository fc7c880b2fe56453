/** Every served API. What ApiVersions says is derived from this list. */
import type { AnyHandler } from '../handler';
import { addRaftVoter } from './add-raft-voter';
import { apiVersions } from './api-versions';
import { beginQuorumEpoch } from './begin-quorum-epoch';
import { deleteGroups } from './delete-groups';
import { deleteRecords } from './delete-records';
import { describeGroups } from './describe-groups';
import { describeQuorum } from './describe-quorum';
import { endQuorumEpoch } from './end-quorum-epoch';
import { fetch } from './fetch';
import { fetchSnapshot } from './fetch-snapshot';
import { findCoordinator } from './find-coordinator';
import { heartbeat } from './heartbeat';
import { joinGroup } from './join-group';
import { leaveGroup } from './leave-group';
import { listGroups } from './list-groups';
import { listOffsets } from './list-offsets';
import { offsetCommit } from './offset-commit';
import { offsetDelete } from './offset-delete';
import { offsetFetch } from './offset-fetch';
import { offsetForLeaderEpoch } from './offset-for-leader-epoch';
import { produce } from './produce';
import { quorumFetch } from './quorum-fetch';
import { removeRaftVoter } from './remove-raft-voter';
import { syncGroup } from './sync-group';
import { updateRaftVoter } from './update-raft-voter';
import { vote } from './vote';

export const handlers: readonly AnyHandler[] = [
  produce,
  fetch,
  listOffsets,
  apiVersions,
  deleteRecords,
  offsetForLeaderEpoch,
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
];

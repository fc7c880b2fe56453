/** Every served API. What ApiVersions says is derived from this list. */
import type { AnyHandler } from '../handler';
import { apiVersions } from './api-versions';
import { deleteGroups } from './delete-groups';
import { deleteRecords } from './delete-records';
import { describeGroups } from './describe-groups';
import { fetch } from './fetch';
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
import { syncGroup } from './sync-group';

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
];

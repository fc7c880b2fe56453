/** Every served API. What ApiVersions says is derived from this list. */
import type { AnyHandler } from '../handler';
import { apiVersions } from './api-versions';
import { deleteRecords } from './delete-records';
import { fetch } from './fetch';
import { listOffsets } from './list-offsets';
import { offsetForLeaderEpoch } from './offset-for-leader-epoch';
import { produce } from './produce';

export const handlers: readonly AnyHandler[] = [
  produce,
  fetch,
  listOffsets,
  apiVersions,
  deleteRecords,
  offsetForLeaderEpoch,
];

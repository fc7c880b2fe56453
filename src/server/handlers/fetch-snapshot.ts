/** FetchSnapshot 0–1: a checkpoint of the metadata log, part by part (KIP-630, KIP-853). */
import { FetchSnapshot } from '../../protocol/apis/fetch-snapshot';
import { Errors } from '../../protocol/errors';
import { fetchSnapshotRequest } from '../../raft/incoming-requests';
import { fetchSnapshotResponse } from '../../raft/outgoing-responses';
import { serve } from '../handler';

export const fetchSnapshot = serve({
  api: FetchSnapshot,
  async handle(request, context, services) {
    const asked = fetchSnapshotRequest(request);
    if (asked === undefined) return { errorCode: Errors.INVALID_REQUEST, topics: [] };
    return fetchSnapshotResponse(await services.quorum.request(asked), context);
  },
});

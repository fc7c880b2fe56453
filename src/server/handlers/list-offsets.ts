/**
 * ListOffsets 1–11: an offset by timestamp, or by a special one (latest −1, earliest −2, greatest
 * timestamp −3, earliest local −4, latest tiered −5, earliest pending upload −6). Left out: tiered
 * storage, so −5 and −6 find nothing, as on a Kafka without it.
 */
import type { RequestOf } from '../../protocol/api';
import { ListOffsets } from '../../protocol/apis/list-offsets';
import { Errors } from '../../protocol/errors';
import { toTimestamp64 } from '../../protocol/records/batch';
import {
  EARLIEST_LOCAL_TIMESTAMP,
  EARLIEST_PENDING_UPLOAD_TIMESTAMP,
  EARLIEST_TIMESTAMP,
  LATEST_TIERED_TIMESTAMP,
  LATEST_TIMESTAMP,
  MAX_TIMESTAMP,
} from '../../storage/log';
import type { Context } from '../context';
import { serve } from '../handler';
import type { Services } from '../services';

type Request = RequestOf<typeof ListOffsets>;
type Partition = Request['topics'][number]['partitions'][number];

/** The first version that knows each special timestamp. */
const SINCE: ReadonlyMap<number, number> = new Map([
  [LATEST_TIMESTAMP, 1],
  [EARLIEST_TIMESTAMP, 1],
  [MAX_TIMESTAMP, 7],
  [EARLIEST_LOCAL_TIMESTAMP, 8],
  [LATEST_TIERED_TIMESTAMP, 9],
  [EARLIEST_PENDING_UPLOAD_TIMESTAMP, 11],
]);

const CONSUMER = -1;
const DEBUGGING_CONSUMER = -2;

export const listOffsets = serve({
  api: ListOffsets,
  handle(request, context, services) {
    const duplicates = duplicatesIn(request);
    return {
      topics: request.topics.map(({ name, partitions }) => ({
        name,
        partitions: partitions.map((partition) =>
          duplicates.has(`${name}:${partition.partitionIndex}`)
            ? none(partition, Errors.INVALID_REQUEST)
            : find(name, partition, request, context, services),
        ),
      })),
    };
  },
});

function find(
  topic: string,
  asked: Partition,
  request: Request,
  { apiVersion }: Context,
  { replicas }: Services,
) {
  const timestamp = Number(asked.timestamp);
  if (timestamp < 0 && !((SINCE.get(timestamp) ?? Infinity) <= apiVersion)) {
    return none(asked, Errors.UNSUPPORTED_VERSION);
  }
  const partition = replicas.get(topic, asked.partitionIndex);
  if (partition === undefined) return none(asked, replicas.absent(topic, asked.partitionIndex));
  const isolation = request.isolationLevel === 1 ? 'last-stable' : 'high-watermark';
  const found = partition.offsetForTimestamp(
    timestamp,
    request.replicaId === CONSUMER ? isolation : undefined,
    {
      leaderEpoch: asked.currentLeaderEpoch,
      isLeaderRequired: request.replicaId !== DEBUGGING_CONSUMER,
    },
  );
  if (found.kind === 'refused') {
    // Clients before version 5 do not know OFFSET_NOT_AVAILABLE.
    const isUnknown = found.errorCode === Errors.OFFSET_NOT_AVAILABLE && apiVersion < 5;
    return none(asked, isUnknown ? Errors.LEADER_NOT_AVAILABLE : found.errorCode);
  }
  if (found.value === undefined) return none(asked, Errors.NONE);
  return {
    partitionIndex: asked.partitionIndex,
    errorCode: Errors.NONE,
    timestamp: toTimestamp64(found.value.timestamp),
    offset: found.value.offset,
    leaderEpoch: apiVersion >= 4 ? found.value.leaderEpoch : -1,
  };
}

const none = ({ partitionIndex }: Partition, errorCode: number) => ({
  partitionIndex,
  errorCode,
  timestamp: -1n,
  offset: -1,
});

/** Partitions that the request names more than once, as `topic:partition`. */
function duplicatesIn(request: Request): ReadonlySet<string> {
  const seen = new Set<string>();
  const duplicates = new Set<string>();
  for (const { name, partitions } of request.topics) {
    for (const { partitionIndex } of partitions) {
      const key = `${name}:${partitionIndex}`;
      if (seen.has(key)) duplicates.add(key);
      seen.add(key);
    }
  }
  return duplicates;
}

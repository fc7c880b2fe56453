/** Reading of one partition, batch after batch, by Fetch without sessions. */
import type { Channel } from '../../../src/client/channel';
import { Fetch, ListOffsets } from '../../../src/protocol/apis';
import { hasValidCrc } from '../../../src/protocol/records/batch';
import { batchPositions } from '../../../src/protocol/records/batches';
import { recordsOf } from '../../../src/protocol/records/record';
import { type ReadRecord, shortValue, Violation } from '../world/history';
import { type ClusterView, expectNone } from './cluster-view';

/** The last in which only a leader answers (KIP-392): one that lags knows nothing of an offset. */
const FETCH_VERSION = 10;
const LIST_OFFSETS_VERSION = 5;
const LATEST = -1n;

export interface ReadOptions {
  readonly maxWaitMs: number;
  readonly maxBytes: number;
}

/** The records from `offset` on that one Fetch of the leader brings. */
export async function readFrom(
  cluster: ClusterView,
  topic: string,
  partition: number,
  offset: number,
  options: ReadOptions,
): Promise<readonly ReadRecord[]> {
  const channel = await cluster.leader(topic, partition);
  const currentLeaderEpoch = cluster.leaderEpoch(topic, partition);
  const wanted = { partition, currentLeaderEpoch, fetchOffset: BigInt(offset) };
  const answer = await channel.request(Fetch, FETCH_VERSION, {
    maxWaitMs: options.maxWaitMs,
    minBytes: 1,
    maxBytes: options.maxBytes,
    isolationLevel: 0,
    topics: [{ topic, partitions: [{ ...wanted, partitionMaxBytes: options.maxBytes }] }],
    forgottenTopicsData: [],
  });
  expectNone(answer.errorCode, 'Fetch');
  const result = answer.responses[0]?.partitions[0];
  if (result === undefined) return [];
  expectNone(result.errorCode, `Fetch of ${topic}-${partition} from ${offset}`);
  return recordsIn(result.records, offset);
}

/** The offset behind the last record that consumers may see. */
export async function endOffset(
  channel: Channel,
  topic: string,
  partition: number,
): Promise<number> {
  const answer = await channel.request(ListOffsets, LIST_OFFSETS_VERSION, {
    replicaId: -1,
    isolationLevel: 0,
    topics: [{ name: topic, partitions: [{ partitionIndex: partition, timestamp: LATEST }] }],
  });
  const result = answer.topics[0]?.partitions[0];
  if (result === undefined) throw new Error('ListOffsets was answered without the partition');
  expectNone(result.errorCode, 'ListOffsets');
  return result.offset;
}

/** Whole batches of a record set; records before `offset` are left out, as clients do. */
function recordsIn(records: Buffer | null, offset: number): ReadRecord[] {
  if (records === null) return [];
  const found: ReadRecord[] = [];
  for (const position of batchPositions(records)) {
    if (!hasValidCrc(records, position))
      throw new Violation('Fetch brought a batch that is corrupt');
    for (const record of recordsOf(records, position)) {
      if (record.offset < offset) continue;
      found.push({ offset: record.offset, value: shortValue(record.value?.toString() ?? '') });
    }
  }
  return found;
}

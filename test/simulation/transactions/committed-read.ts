/** Reading one partition as transactional consumers do, and as whoever believes its markers. */
import type { Channel } from '../../../src/client/channel';
import { Fetch, ListOffsets } from '../../../src/protocol/apis';
import * as batch from '../../../src/protocol/records/batch';
import { batchPositions } from '../../../src/protocol/records/batches';
import { transactionMarkerOf } from '../../../src/protocol/records/control';
import { recordsOf } from '../../../src/protocol/records/record';
import { expectNone } from '../clients/cluster-view';
import { type ReadRecord, shortValue, Violation } from '../world/history';

/** The last in which only a leader answers (KIP-392): one that lags knows nothing of an offset. */
const FETCH_VERSION = 10;
const LIST_OFFSETS_VERSION = 5;
const LATEST = -1n;
const READ_COMMITTED = 1;

export interface CommittedRead {
  /** What committed transactions, and producers without any, wrote. */
  readonly records: readonly ReadRecord[];
  /** From where to read on. */
  readonly nextOffset: number;
  readonly lastStableOffset: number;
  readonly highWatermark: number;
}

export interface CommittedPlace {
  readonly topic: string;
  readonly partition: number;
  /** Of the leader that is asked; another one refuses. */
  readonly leaderEpoch: number;
}

export interface FetchSizes {
  readonly maxWaitMs: number;
  readonly maxBytes: number;
}

/** One Fetch at read_committed, its aborted transactions left out as Kafka's clients do. */
export async function fetchCommitted(
  channel: Channel,
  place: CommittedPlace,
  offset: number,
  sizes: FetchSizes,
): Promise<CommittedRead> {
  const result = await fetch(channel, place, offset, sizes, READ_COMMITTED);
  const { lastStableOffset, highWatermark } = result;
  const bytes = result.records ?? Buffer.alloc(0);
  const aborted = [...(result.abortedTransactions ?? [])].sort(
    (one, other) => one.firstOffset - other.firstOffset,
  );
  const producers = new Set<number>();
  const records: ReadRecord[] = [];
  let nextOffset = offset;
  for (const at of batchPositions(bytes)) {
    const last = batch.lastOffset(bytes, at);
    if (last >= lastStableOffset) {
      throw new Violation(`${place.topic} showed offset ${last}, stable to ${lastStableOffset}`);
    }
    while ((aborted[0]?.firstOffset ?? Number.POSITIVE_INFINITY) <= last) {
      producers.add(aborted.shift()?.producerId as number);
    }
    nextOffset = last + 1;
    const producerId = batch.producerId(bytes, at);
    if (batch.isControl(bytes, at)) {
      if (transactionMarkerOf(bytes, at)?.type === 'abort') producers.delete(producerId);
    } else if (!(batch.isTransactional(bytes, at) && producers.has(producerId))) {
      records.push(...valuesOf(bytes, at).filter((record) => record.offset >= offset));
    }
  }
  return { records, nextOffset, lastStableOffset, highWatermark };
}

export interface DecidedRecord extends ReadRecord {
  readonly outcome: 'commit' | 'abort' | 'open';
}

/** The whole partition; what became of a record, its producer's next marker says. */
export async function readMarkers(
  channel: Channel,
  place: CommittedPlace,
): Promise<readonly DecidedRecord[]> {
  const decided: { offset: number; value: string; outcome: DecidedRecord['outcome'] }[] = [];
  const open = new Map<number, (typeof decided)[number][]>();
  let offset = 0;
  for (;;) {
    const sizes = { maxWaitMs: 0, maxBytes: 1_000_000 };
    const { records, highWatermark } = await fetch(channel, place, offset, sizes, 0);
    const bytes = records ?? Buffer.alloc(0);
    for (const at of batchPositions(bytes)) {
      offset = batch.lastOffset(bytes, at) + 1;
      const producerId = batch.producerId(bytes, at);
      const type = transactionMarkerOf(bytes, at)?.type;
      if (type !== undefined) {
        for (const one of open.get(producerId) ?? []) one.outcome = type;
        open.delete(producerId);
        continue;
      }
      const isTransactional = batch.isTransactional(bytes, at);
      const outcome = isTransactional ? ('open' as const) : ('commit' as const);
      const written = valuesOf(bytes, at).map((record) => ({ ...record, outcome }));
      decided.push(...written);
      if (isTransactional) {
        open.set(producerId, [...(open.get(producerId) ?? []), ...written]);
      }
    }
    if (offset >= highWatermark) return decided;
  }
}

/** Where a partition ends for readers of that isolation. */
export async function endFor(
  channel: Channel,
  { topic, partition }: Pick<CommittedPlace, 'topic' | 'partition'>,
  isolation: 'uncommitted' | 'committed',
): Promise<number> {
  const answer = await channel.request(ListOffsets, LIST_OFFSETS_VERSION, {
    replicaId: -1,
    isolationLevel: isolation === 'committed' ? READ_COMMITTED : 0,
    topics: [{ name: topic, partitions: [{ partitionIndex: partition, timestamp: LATEST }] }],
  });
  const result = answer.topics[0]?.partitions[0];
  if (result === undefined) throw new Error('ListOffsets was answered without the partition');
  expectNone(result.errorCode, 'ListOffsets');
  return result.offset;
}

async function fetch(
  channel: Channel,
  { topic, partition, leaderEpoch }: CommittedPlace,
  offset: number,
  { maxWaitMs, maxBytes }: FetchSizes,
  isolationLevel: number,
) {
  const wanted = { partition, fetchOffset: BigInt(offset), partitionMaxBytes: maxBytes };
  const answer = await channel.request(Fetch, FETCH_VERSION, {
    maxWaitMs,
    minBytes: 1,
    maxBytes,
    isolationLevel,
    topics: [{ topic, partitions: [{ ...wanted, currentLeaderEpoch: leaderEpoch }] }],
    forgottenTopicsData: [],
  });
  expectNone(answer.errorCode, 'Fetch');
  const result = answer.responses[0]?.partitions[0];
  if (result === undefined) throw new Error('Fetch was answered without the partition');
  expectNone(result.errorCode, `Fetch of ${topic}-${partition} from ${offset}`);
  return result;
}

/** What transactors write is short, and kept as it is. */
function valuesOf(bytes: Buffer, at: number): ReadRecord[] {
  if (!batch.hasValidCrc(bytes, at)) throw new Violation('Fetch brought a batch that is corrupt');
  return recordsOf(bytes, at).map(({ offset, value }) => {
    const text = value?.toString() ?? '';
    return { offset, value: text.includes('/') ? text : shortValue(text) };
  });
}

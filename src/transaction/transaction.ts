/** One transactional id as its newest record tells it: a value, and what it may become. */
import type { ProducerEpoch, ProducerId, TopicPartition } from '../base/ids';
import type { WallMs } from '../base/times';

/**
 * Kafka's names, as tools show them; the index is the number in records. `Dead` and
 * `PrepareEpochFence` are never stored: in Kafka they say what is about to happen.
 */
export const STATUSES = [
  'Empty',
  'Ongoing',
  'PrepareCommit',
  'PrepareAbort',
  'CompleteCommit',
  'CompleteAbort',
  'Dead',
  'PrepareEpochFence',
] as const;

export type TransactionStatus = (typeof STATUSES)[number];

/** Indexes of partitions by topic. */
export type PartitionsByTopic = ReadonlyMap<string, ReadonlySet<number>>;

export interface Transaction {
  readonly transactionalId: string;
  readonly status: TransactionStatus;
  readonly producerId: ProducerId;
  /** The producer id before the newest change, mostly the same; -1 = none. */
  readonly previousProducerId: ProducerId;
  /** The producer id that follows once a transaction has ended that used up all epochs; or -1. */
  readonly nextProducerId: ProducerId;
  /** -1 = none yet. */
  readonly producerEpoch: ProducerEpoch;
  readonly timeoutMs: number;
  /** What is part of the transaction; nothing unless it is open or being ended. */
  readonly partitions: PartitionsByTopic;
  /** When the transaction began; -1 = there was none yet. */
  readonly startedAtMs: WallMs | -1;
  readonly updatedAtMs: WallMs | -1;
  /** The `transaction.version` that the client knew when it changed this last. */
  readonly clientVersion: number;
}

export const NO_PRODUCER_ID: ProducerId = -1;
export const NO_PRODUCER_EPOCH: ProducerEpoch = -1;
const GREATEST_EPOCH: ProducerEpoch = 32_767;
/** Clients never get the greatest epoch, so that whoever has one can be fenced. */
export const LAST_CLIENT_EPOCH: ProducerEpoch = GREATEST_EPOCH - 1;
/** The timeout of a transaction under two-phase commit (KIP-939): it has none. */
export const NO_TIMEOUT_MS = 2_147_483_647;
/** From this `transaction.version` on every end of a transaction raises the epoch (KIP-890). */
export const EPOCH_BUMP_VERSION = 2;

/** No further epoch can be given to a client: it needs a new producer id. */
export const isExhausted = (epoch: ProducerEpoch): boolean => epoch >= LAST_CLIENT_EPOCH;

/** The epoch after that one; the greatest has none, and stays. */
export const nextEpoch = (epoch: ProducerEpoch): ProducerEpoch =>
  Math.min(epoch + 1, GREATEST_EPOCH);

/** It was decided how the transaction ends, and its partitions are being told. */
export const isEnding = ({ status }: Transaction): boolean =>
  status === 'PrepareCommit' || status === 'PrepareAbort';

/** A transactional id nobody has used yet. */
export function newTransaction(transactionalId: string, producerId: ProducerId): Transaction {
  return {
    transactionalId,
    status: 'Empty',
    producerId,
    previousProducerId: NO_PRODUCER_ID,
    nextProducerId: NO_PRODUCER_ID,
    producerEpoch: NO_PRODUCER_EPOCH,
    timeoutMs: 0,
    partitions: NO_PARTITIONS,
    startedAtMs: -1,
    updatedAtMs: -1,
    clientVersion: 0,
  };
}

export const NO_PARTITIONS: PartitionsByTopic = new Map();

/** `partitions` and those of `added`; the same map if it has them all. */
export function withPartitions(
  partitions: PartitionsByTopic,
  added: readonly TopicPartition[],
): PartitionsByTopic {
  const missing = added.filter(({ topic, partition }) => !partitions.get(topic)?.has(partition));
  if (missing.length === 0) return partitions;
  const all = new Map(partitions);
  for (const { topic, partition } of missing) {
    all.set(topic, new Set(all.get(topic)).add(partition));
  }
  return all;
}

export function hasPartition(
  { partitions }: Transaction,
  { topic, partition }: TopicPartition,
): boolean {
  return partitions.get(topic)?.has(partition) ?? false;
}

export function* partitionsOf({ partitions }: Transaction): Generator<TopicPartition> {
  for (const [topic, indexes] of partitions) {
    for (const partition of indexes) yield { topic, partition };
  }
}

/** DescribeTransactions and ListTransactions (KIP-664, KIP-994). */
import type { WallMs } from '../base/times';
import type { ResponseDraft } from '../protocol/api';
import type { DescribeTransactions } from '../protocol/apis/describe-transactions';
import type { ListTransactions } from '../protocol/apis/list-transactions';
import { type ErrorCode, Errors } from '../protocol/errors';
import type { Element } from '../protocol/schema';
import type { LiveTransactions } from './state';
import { isEnding, type Transaction } from './transaction';

export type DescribedTransaction = Element<
  ResponseDraft<typeof DescribeTransactions>['transactionStates']
>;
export type ListedTransaction = Element<
  ResponseDraft<typeof ListTransactions>['transactionStates']
>;

/** What is listed; an empty set and undefined leave everything in. */
export interface ListFilter {
  readonly statuses: ReadonlySet<string>;
  readonly producerIds: ReadonlySet<bigint>;
  /** Only transactions that began longer ago; negative = all. */
  readonly durationMs: bigint;
  readonly matches: ((transactionalId: string) => boolean) | undefined;
}

/** A transactional id as tools see it; of one that is being ended, what still lacks its marker. */
export function describe(transaction: Transaction, live: LiveTransactions): DescribedTransaction {
  const { transactionalId, status, timeoutMs, startedAtMs, producerId, producerEpoch } =
    transaction;
  return {
    errorCode: Errors.NONE,
    transactionalId,
    transactionState: status,
    transactionTimeoutMs: timeoutMs,
    transactionStartTimeMs: startedAtMs,
    producerId,
    producerEpoch,
    topics: topicsOf(transaction, live),
  };
}

/** As Kafka fills a description that carries nothing but an error. */
export const undescribed = (
  transactionalId: string,
  errorCode: ErrorCode,
): DescribedTransaction => ({
  errorCode,
  transactionalId,
  transactionState: '',
  transactionTimeoutMs: 0,
  transactionStartTimeMs: 0,
  producerId: 0,
  producerEpoch: 0,
  topics: [],
});

export function isListed(transaction: Transaction, filter: ListFilter, wallMs: WallMs): boolean {
  const { statuses, producerIds, durationMs, matches } = filter;
  if (producerIds.size > 0 && !producerIds.has(BigInt(transaction.producerId))) return false;
  if (statuses.size > 0 && !statuses.has(transaction.status)) return false;
  const runningMs = BigInt(wallMs - transaction.startedAtMs);
  if (durationMs >= 0n && runningMs <= durationMs) return false;
  return matches?.(transaction.transactionalId) ?? true;
}

export const list = ({ transactionalId, producerId, status }: Transaction): ListedTransaction => ({
  transactionalId,
  producerId,
  transactionState: status,
});

function topicsOf(
  transaction: Transaction,
  live: LiveTransactions,
): DescribedTransaction['topics'] {
  const round = isEnding(transaction) ? live.markersOf(transaction.transactionalId) : undefined;
  if (round === undefined) {
    return [...transaction.partitions].map(([topic, indexes]) => ({
      topic,
      partitions: [...indexes],
    }));
  }
  const byTopic = new Map<string, number[]>();
  for (const { topic, partition } of [...round.sent.values(), ...round.failed.values()]) {
    const known = byTopic.get(topic);
    if (known === undefined) byTopic.set(topic, [partition]);
    else known.push(partition);
  }
  return [...byTopic].map(([topic, partitions]) => ({ topic, partitions }));
}

/**
 * From "it shall end like this" to "it has ended": once the decision is committed, the leader of
 * every partition of the transaction is sent a marker, again and again until all have it.
 */
import type { TopicPartition } from '../base/ids';
import type { Marker, SendResult } from '../machine/machine';
import { Errors, errorName } from '../protocol/errors';
import { nameOf } from './state';
import {
  EPOCH_BUMP_VERSION,
  isEnding,
  NO_PARTITIONS,
  NO_PRODUCER_ID,
  partitionsOf,
  type Transaction,
} from './transaction';
import type { TransactionTurn } from './turn';
import { markerReply, markersWake } from './wake-names';

/** What came of the marker for one partition: the response to a send. */
export type MarkerOutcome =
  | { readonly kind: 'answered'; readonly errorCode: number }
  /** The partition is gone, and its part of the transaction with it. */
  | { readonly kind: 'deleted' };

const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 1_000;

/** Brings a transaction that is being ended to its end: all markers, or none left to send. */
export function sendAllMarkers(turn: TransactionTurn, transaction: Transaction): void {
  const partitions = [...partitionsOf(transaction)];
  if (partitions.length === 0) complete(turn, transaction);
  else send(turn, transaction, partitions);
}

/** What it will be once it has ended; with all epochs used up, a new producer takes over. */
export function completed(transaction: Transaction): Transaction {
  const { status, producerId, nextProducerId, clientVersion } = transaction;
  const hasNext = clientVersion >= EPOCH_BUMP_VERSION && nextProducerId !== NO_PRODUCER_ID;
  return {
    ...transaction,
    status: status === 'PrepareCommit' ? 'CompleteCommit' : 'CompleteAbort',
    previousProducerId: producerId,
    nextProducerId: NO_PRODUCER_ID,
    ...(hasNext ? { producerId: nextProducerId, producerEpoch: 0 } : {}),
    partitions: NO_PARTITIONS,
  };
}

/** A marker came back. */
export function markerReplied(
  turn: TransactionTurn,
  transaction: Transaction,
  partition: TopicPartition,
  result: SendResult,
): void {
  const { transactionalId } = transaction;
  const round = turn.world.live.markersOf(transactionalId);
  const at = nameOf(partition);
  if (!isEnding(transaction) || round === undefined || !round.sent.has(at)) return;
  const failure = failureOf(result);
  if (failure.isFinal) {
    if (failure.reason !== undefined)
      tell(turn, 'info', 'needs no marker', at, transaction, failure);
    turn.soft({ kind: 'marker-written', transactionalId, at });
    if (round.sent.size === 1 && round.failed.size === 0) complete(turn, transaction);
    return;
  }
  const level = round.retries === 0 ? 'info' : 'debug';
  tell(turn, level, 'has no marker yet', at, transaction, failure);
  turn.soft({ kind: 'marker-failed', transactionalId, at });
  if (round.failed.size > 0) return;
  turn.wake(markersWake(transactionalId), retryDelayMs(round.retries));
}

/** Markers that failed are sent again, to whoever leads the partitions by now. */
export function resendMarkers(turn: TransactionTurn, transaction: Transaction): void {
  const round = turn.world.live.markersOf(transaction.transactionalId);
  if (!isEnding(transaction) || round === undefined) return;
  send(turn, transaction, [...round.failed.values()]);
}

function send(
  turn: TransactionTurn,
  transaction: Transaction,
  partitions: readonly TopicPartition[],
): void {
  const { transactionalId, producerId, producerEpoch } = transaction;
  const marker: Marker = {
    producerId,
    producerEpoch,
    outcome: transaction.status === 'PrepareCommit' ? 'commit' : 'abort',
    coordinatorEpoch: turn.world.leadership.leaderEpoch,
    transactionVersion: transaction.clientVersion,
  };
  turn.soft({ kind: 'markers-sent', transactionalId, partitions });
  for (const partition of partitions) {
    const to = { kind: 'partition-leader', ...partition } as const;
    const reply = markerReply(transactionalId, partition);
    turn.effect({ kind: 'send', to, request: marker, reply });
  }
}

function complete(turn: TransactionTurn, transaction: Transaction): void {
  const { transactionalId } = transaction;
  turn.soft({ kind: 'markers-done', transactionalId });
  const ended = { ...completed(transaction), updatedAtMs: turn.now.wallMs };
  turn.enter(transaction, ended, 'every partition has its marker');
}

interface Failure {
  /** Nothing more is to be sent to the partition. */
  readonly isFinal: boolean;
  /** Undefined: the marker was written. */
  readonly reason: string | undefined;
}

function failureOf(result: SendResult): Failure {
  if (result.kind === 'failed') return { isFinal: false, reason: result.reason };
  const outcome = result.response as MarkerOutcome;
  if (outcome.kind === 'deleted') return { isFinal: true, reason: 'the partition is deleted' };
  if (outcome.errorCode === Errors.NONE) return { isFinal: true, reason: undefined };
  return { isFinal: FINAL.has(outcome.errorCode), reason: errorName(outcome.errorCode) };
}

/**
 * A newer epoch of the producer has written there, so nothing of this transaction waits; or the
 * partition keeps records in a format without transactions. (Kafka stops over the first, and the
 * transactional id then hangs until the coordinator moves.)
 */
const FINAL: ReadonlySet<number> = new Set([
  Errors.INVALID_PRODUCER_EPOCH,
  Errors.UNSUPPORTED_FOR_MESSAGE_FORMAT,
  Errors.UNSUPPORTED_VERSION,
]);

const retryDelayMs = (retries: number): number =>
  Math.min(FIRST_RETRY_MS * 2 ** Math.min(retries, 16), LAST_RETRY_MS);

function tell(
  turn: TransactionTurn,
  level: 'info' | 'debug',
  event: string,
  at: string,
  { transactionalId, producerId, producerEpoch, status }: Transaction,
  { reason }: Failure,
): void {
  const fields = { transactionalId, producerId, producerEpoch, status, partition: at, reason };
  turn.log(level, `a partition of a transaction ${event}`, fields);
}

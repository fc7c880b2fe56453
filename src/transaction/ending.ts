/**
 * EndTxn: a client commits or aborts (KIP-98); from version 5 on each end raises the epoch, so that
 * nothing late can be taken for a part of the next transaction (KIP-890). And fencing: the
 * coordinator itself aborts, in an epoch of its own.
 */
import type { ProducerEpoch, ProducerId } from '../base/ids';
import type { Outcome } from '../machine/machine';
import { type ErrorCode, Errors } from '../protocol/errors';
import { completed, sendAllMarkers } from './markers';
import {
  EPOCH_BUMP_VERSION,
  isEnding,
  isExhausted,
  LAST_CLIENT_EPOCH,
  NO_PRODUCER_EPOCH,
  NO_PRODUCER_ID,
  nextEpoch,
  type Transaction,
} from './transaction';
import type { TransactionTurn } from './turn';

export interface EndRequest {
  readonly transactionalId: string;
  readonly producerId: bigint;
  readonly producerEpoch: ProducerEpoch;
  readonly outcome: Outcome;
  /** The `transaction.version` that the client shows it knows: 2 from EndTxn 5 on, else 0. */
  readonly clientVersion: number;
}

/** -1 where the client goes on with what it has. */
export interface EndResponse {
  readonly errorCode: ErrorCode;
  readonly producerId: ProducerId;
  readonly producerEpoch: ProducerEpoch;
}

/** Decides an EndTxn about a known id; retries are told from new requests by their epoch. */
export function end(
  turn: TransactionTurn,
  transaction: Transaction,
  request: EndRequest,
): EndResponse {
  return request.clientVersion >= EPOCH_BUMP_VERSION
    ? endWithNewEpoch(turn, transaction, request)
    : endInSameEpoch(turn, transaction, request);
}

/**
 * Aborts an open transaction in an epoch that no client has: whoever still writes in its name is
 * turned away from then on.
 */
export function fence(turn: TransactionTurn, transaction: Transaction, reason: string): ErrorCode {
  if (turn.now.transactionVersion >= EPOCH_BUMP_VERSION) {
    return prepareInNewEpoch(turn, transaction, 'abort', reason, 'info').errorCode;
  }
  const { transactionalId, producerId, producerEpoch } = transaction;
  const next: Transaction = {
    ...transaction,
    status: 'PrepareAbort',
    previousProducerId: producerId,
    nextProducerId: NO_PRODUCER_ID,
    producerEpoch: nextEpoch(producerEpoch),
    updatedAtMs: turn.now.wallMs,
    clientVersion: 0,
  };
  turn.soft({ kind: 'last-epoch', transactionalId, epoch: NO_PRODUCER_EPOCH });
  turn.enter(transaction, next, reason, 'info');
  sendAllMarkers(turn, next);
  return Errors.NONE;
}

/** Before KIP-890: the same epoch serves many transactions, so a retry cannot be told by it. */
function endInSameEpoch(
  turn: TransactionTurn,
  transaction: Transaction,
  { producerId, producerEpoch, outcome }: EndRequest,
): EndResponse {
  if (BigInt(transaction.producerId) !== producerId) {
    return refused(Errors.INVALID_PRODUCER_ID_MAPPING);
  }
  if (transaction.producerEpoch !== producerEpoch) return refused(Errors.PRODUCER_FENCED);
  if (isEnding(transaction)) return refused(Errors.CONCURRENT_TRANSACTIONS);
  if (transaction.status === ended(outcome)) return refused(Errors.NONE);
  if (transaction.status !== 'Ongoing') return refused(Errors.INVALID_TXN_STATE);
  const next: Transaction = {
    ...transaction,
    status: prepared(outcome),
    previousProducerId: transaction.producerId,
    nextProducerId: NO_PRODUCER_ID,
    updatedAtMs: turn.now.wallMs,
    clientVersion: 0,
  };
  turn.enter(transaction, next, `its producer asked to ${outcome}`);
  sendAllMarkers(turn, next);
  return refused(Errors.NONE);
}

/**
 * Epoch by epoch: the current one ends what is open now, the one before is a retry of the end that
 * raised it. A client that is not sure whether anything is open may abort; it may not commit.
 */
function endWithNewEpoch(
  turn: TransactionTurn,
  transaction: Transaction,
  { producerId, producerEpoch, outcome }: EndRequest,
): EndResponse {
  // First, since the client may have been told of a new id already that is not in force yet.
  if (isEnding(transaction)) return refused(Errors.CONCURRENT_TRANSACTIONS);
  const isOverflowRetry =
    BigInt(transaction.previousProducerId) === producerId &&
    producerEpoch === LAST_CLIENT_EPOCH &&
    transaction.producerEpoch === 0;
  if (BigInt(transaction.producerId) !== producerId && !isOverflowRetry) {
    return refused(Errors.INVALID_PRODUCER_ID_MAPPING);
  }
  const isOver = transaction.status === 'CompleteCommit' || transaction.status === 'CompleteAbort';
  // An end by a client of version 1 raised nothing: the epoch before is that of who was replaced.
  const hasRaised = transaction.clientVersion >= EPOCH_BUMP_VERSION;
  const isRetry = isOverflowRetry || (hasRaised && transaction.producerEpoch === producerEpoch + 1);
  if (producerEpoch !== transaction.producerEpoch && !(isOver && isRetry)) {
    return refused(Errors.PRODUCER_FENCED);
  }
  if (isOver && isRetry) {
    return transaction.status === ended(outcome)
      ? inForce(transaction)
      : refused(Errors.INVALID_TXN_STATE);
  }
  if (transaction.status !== 'Ongoing' && outcome === 'commit') {
    return refused(Errors.INVALID_TXN_STATE);
  }
  return prepareInNewEpoch(turn, transaction, outcome, `its producer asked to ${outcome}`, 'debug');
}

function prepareInNewEpoch(
  turn: TransactionTurn,
  transaction: Transaction,
  outcome: Outcome,
  reason: string,
  level: 'debug' | 'info',
): EndResponse {
  const { transactionalId, producerId, producerEpoch } = transaction;
  const { now } = turn;
  const nextProducerId = isExhausted(producerEpoch) ? now.takeProducerId() : NO_PRODUCER_ID;
  if (nextProducerId === undefined) return refused(Errors.COORDINATOR_LOAD_IN_PROGRESS);
  const next: Transaction = {
    ...transaction,
    status: prepared(outcome),
    previousProducerId: producerId,
    nextProducerId,
    producerEpoch: nextEpoch(producerEpoch),
    startedAtMs: transaction.status === 'Ongoing' ? transaction.startedAtMs : now.wallMs,
    updatedAtMs: now.wallMs,
    clientVersion: EPOCH_BUMP_VERSION,
  };
  turn.soft({ kind: 'last-epoch', transactionalId, epoch: producerEpoch });
  turn.enter(transaction, next, reason, level);
  sendAllMarkers(turn, next);
  return inForce(completed(next));
}

const prepared = (outcome: Outcome) => (outcome === 'commit' ? 'PrepareCommit' : 'PrepareAbort');
const ended = (outcome: Outcome) => (outcome === 'commit' ? 'CompleteCommit' : 'CompleteAbort');

/** An answer that names no producer; NONE too, before the epoch was raised. */
const refused = (errorCode: ErrorCode): EndResponse => ({
  errorCode,
  producerId: NO_PRODUCER_ID,
  producerEpoch: NO_PRODUCER_EPOCH,
});

const inForce = ({ producerId, producerEpoch }: Transaction): EndResponse => ({
  errorCode: Errors.NONE,
  producerId,
  producerEpoch,
});

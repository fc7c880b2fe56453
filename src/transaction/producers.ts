/**
 * InitProducerId: a client takes a transactional id over, or goes on with it after an error
 * (KIP-98, KIP-360). Whoever had it before is fenced by the epoch.
 */
import type { ProducerEpoch, ProducerId } from '../base/ids';
import { type ErrorCode, Errors } from '../protocol/errors';
import { fence } from './ending';
import type { TransactionSettings } from './settings';
import {
  isEnding,
  isExhausted,
  NO_PARTITIONS,
  NO_PRODUCER_EPOCH,
  NO_PRODUCER_ID,
  NO_TIMEOUT_MS,
  newTransaction,
  type Transaction,
} from './transaction';
import type { TransactionTurn } from './turn';

export interface InitRequest {
  readonly transactionalId: string;
  readonly timeoutMs: number;
  /** Who the client takes itself for; undefined when it begins. */
  readonly expected:
    | { readonly producerId: bigint; readonly producerEpoch: ProducerEpoch }
    | undefined;
  /** KIP-939: the transaction is to have no timeout. */
  readonly isTwoPhaseCommit: boolean;
  /** KIP-939: an open transaction is to be kept. */
  readonly keepsPrepared: boolean;
}

export interface InitResponse {
  readonly errorCode: ErrorCode;
  readonly producerId: ProducerId;
  readonly producerEpoch: ProducerEpoch;
}

/** The request's own mistakes, in Kafka's order. */
export function checkInit(request: InitRequest, settings: TransactionSettings): ErrorCode {
  const { transactionalId, timeoutMs, isTwoPhaseCommit, keepsPrepared } = request;
  if (transactionalId === '') return Errors.INVALID_REQUEST;
  if (isTwoPhaseCommit && !settings.isTwoPhaseCommitEnabled) {
    return Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED;
  }
  if (keepsPrepared) return Errors.UNSUPPORTED_VERSION;
  const isTimeoutValid = timeoutMs > 0 && timeoutMs <= settings.maxTimeoutMs;
  return isTwoPhaseCommit || isTimeoutValid ? Errors.NONE : Errors.INVALID_TRANSACTION_TIMEOUT;
}

/** Decides a request that `checkInit` found in order; `known` undefined = the id is new. */
export function initProducer(
  turn: TransactionTurn,
  known: Transaction | undefined,
  request: InitRequest,
): InitResponse {
  const transaction = known ?? begun(turn, request);
  if (transaction === undefined) return failed(Errors.COORDINATOR_LOAD_IN_PROGRESS);
  if (isEnding(transaction)) return failed(Errors.CONCURRENT_TRANSACTIONS);
  if (isReplaced(transaction, request)) return failed(Errors.PRODUCER_FENCED);
  if (transaction.status === 'Ongoing') return failed(abortOpen(turn, transaction, request));
  const { expected } = request;
  const isCurrent = expected === undefined || expected.producerEpoch === transaction.producerEpoch;
  if (isExhausted(transaction.producerEpoch) && isCurrent) {
    return withNewProducerId(turn, transaction, request);
  }
  return withNextEpoch(turn, transaction, request);
}

function begun(turn: TransactionTurn, request: InitRequest): Transaction | undefined {
  const producerId = turn.now.takeProducerId();
  return producerId === undefined ? undefined : newTransaction(request.transactionalId, producerId);
}

/**
 * Whether the client names a producer id that is not in force any more. It may name the one before
 * whose epochs it used up: its request for a new one may have been answered into the void.
 */
function isReplaced(transaction: Transaction, { expected }: InitRequest): boolean {
  if (expected === undefined || transaction.producerEpoch === NO_PRODUCER_EPOCH) return false;
  if (expected.producerId === BigInt(transaction.producerId)) return false;
  const isPrevious = expected.producerId === BigInt(transaction.previousProducerId);
  return !(isPrevious && isExhausted(expected.producerEpoch));
}

/**
 * The open transaction is aborted first; the client asks again. Only whoever has the epoch in which
 * it is open, or begins anew, may do that. (Kafka lets older epochs do it too, to no avail: they
 * are turned away when they ask again.)
 */
function abortOpen(
  turn: TransactionTurn,
  transaction: Transaction,
  { expected }: InitRequest,
): ErrorCode {
  if (expected !== undefined && expected.producerEpoch < transaction.producerEpoch) {
    return Errors.PRODUCER_FENCED;
  }
  const errorCode = fence(turn, transaction, 'a producer began anew while it was open');
  return errorCode === Errors.NONE ? Errors.CONCURRENT_TRANSACTIONS : errorCode;
}

function withNewProducerId(
  turn: TransactionTurn,
  transaction: Transaction,
  request: InitRequest,
): InitResponse {
  const producerId = turn.now.takeProducerId();
  if (producerId === undefined) return failed(Errors.COORDINATOR_LOAD_IN_PROGRESS);
  const isKnown = request.expected !== undefined;
  const lastEpoch = isKnown ? transaction.producerEpoch : NO_PRODUCER_EPOCH;
  const next = { ...transaction, producerId, producerEpoch: 0 };
  return take(turn, transaction, next, lastEpoch, request);
}

function withNextEpoch(
  turn: TransactionTurn,
  transaction: Transaction,
  request: InitRequest,
): InitResponse {
  const { transactionalId, producerEpoch } = transaction;
  const { expected } = request;
  const next = { ...transaction, producerEpoch: producerEpoch + 1 };
  if (expected === undefined) return take(turn, transaction, next, NO_PRODUCER_EPOCH, request);
  const isNew = producerEpoch === NO_PRODUCER_EPOCH;
  if (isNew || expected.producerEpoch === producerEpoch) {
    return take(turn, transaction, next, producerEpoch, request);
  }
  const lastEpoch = turn.world.live.lastEpochOf(transactionalId);
  if (expected.producerEpoch === lastEpoch) {
    // It asked before and was not heard: the same answer again fences nobody.
    return take(turn, transaction, transaction, lastEpoch, request);
  }
  return failed(Errors.PRODUCER_FENCED);
}

function take(
  turn: TransactionTurn,
  before: Transaction,
  { producerId, producerEpoch }: Transaction,
  lastEpoch: ProducerEpoch,
  { transactionalId, timeoutMs, isTwoPhaseCommit, expected }: InitRequest,
): InitResponse {
  const next: Transaction = {
    ...before,
    status: 'Empty',
    producerId,
    previousProducerId: before.producerId,
    producerEpoch,
    timeoutMs: isTwoPhaseCommit ? NO_TIMEOUT_MS : timeoutMs,
    partitions: NO_PARTITIONS,
    startedAtMs: -1,
    updatedAtMs: turn.now.wallMs,
  };
  turn.soft({ kind: 'last-epoch', transactionalId, epoch: lastEpoch });
  const reason = expected === undefined ? 'a producer began' : 'its producer goes on';
  turn.enter(before, next, reason, 'info');
  return { errorCode: Errors.NONE, producerId, producerEpoch };
}

const failed = (errorCode: ErrorCode): InitResponse => ({
  errorCode,
  producerId: NO_PRODUCER_ID,
  producerEpoch: NO_PRODUCER_EPOCH,
});

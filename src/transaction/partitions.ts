/** AddPartitionsToTxn and AddOffsetsToTxn: what belongs to a transaction, and whether it does. */
import type { ProducerEpoch, TopicPartition } from '../base/ids';
import { type ErrorCode, Errors } from '../protocol/errors';
import { hasPartition, isEnding, type Transaction, withPartitions } from './transaction';
import type { TransactionTurn } from './turn';

export interface PartitionsRequest {
  readonly transactionalId: string;
  readonly producerId: bigint;
  readonly producerEpoch: ProducerEpoch;
  readonly partitions: readonly TopicPartition[];
}

/** Adds partitions to the open transaction, or begins one with them. */
export function addPartitions(
  turn: TransactionTurn,
  transaction: Transaction,
  request: PartitionsRequest,
  /** 2 when brokers add them for clients that do not ask themselves (KIP-890), else 0. */
  clientVersion: number,
): ErrorCode {
  // First, since the client may have been told of a new id already that is not in force yet.
  if (isEnding(transaction)) return Errors.CONCURRENT_TRANSACTIONS;
  const failure = checkProducer(transaction, request);
  if (failure !== Errors.NONE) return failure;
  const isOpen = transaction.status === 'Ongoing';
  const partitions = withPartitions(transaction.partitions, request.partitions);
  if (isOpen && partitions === transaction.partitions) return Errors.NONE;
  const { wallMs } = turn.now;
  const next: Transaction = {
    ...transaction,
    status: 'Ongoing',
    previousProducerId: transaction.producerId,
    partitions,
    startedAtMs: isOpen ? transaction.startedAtMs : wallMs,
    updatedAtMs: wallMs,
    clientVersion,
  };
  turn.enter(transaction, next, 'its producer added partitions');
  return Errors.NONE;
}

/** A code for each partition of the request, in its order: NONE where it belongs. */
export function verifyPartitions(
  transaction: Transaction,
  request: PartitionsRequest,
): readonly ErrorCode[] {
  const failure = checkProducer(transaction, request);
  if (failure !== Errors.NONE) return request.partitions.map(() => failure);
  if (isEnding(transaction)) {
    return request.partitions.map(() => Errors.CONCURRENT_TRANSACTIONS);
  }
  return request.partitions.map((partition) =>
    hasPartition(transaction, partition) ? Errors.NONE : Errors.TRANSACTION_ABORTABLE,
  );
}

function checkProducer(
  transaction: Transaction,
  { producerId, producerEpoch }: PartitionsRequest,
): ErrorCode {
  if (BigInt(transaction.producerId) !== producerId) return Errors.INVALID_PRODUCER_ID_MAPPING;
  return transaction.producerEpoch === producerEpoch ? Errors.NONE : Errors.PRODUCER_FENCED;
}

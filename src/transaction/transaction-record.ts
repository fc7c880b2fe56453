/** The records of `__transaction_state` as values, and those that transactions write. */
import { invariant } from '../base/invariant';
import { wallMs } from '../base/times';
import type { RecordOf } from '../machine/record-codec';
import type { TRANSACTION_RECORDS } from './records';
import {
  EPOCH_BUMP_VERSION,
  type PartitionsByTopic,
  STATUSES,
  type Transaction,
} from './transaction';

/** A record; a value of null is a tombstone. */
export type TransactionRecord = RecordOf<typeof TRANSACTION_RECORDS>;
type Value = NonNullable<TransactionRecord['value']>;

/**
 * The record of a transactional id. Version 0 is written while `transaction.version` is 0, for old
 * releases to read; it has no room for what clients of version 2 need, so theirs is of version 1.
 */
export function transactionRecord(
  transaction: Transaction,
  transactionVersion: number,
): TransactionRecord {
  const { transactionalId, clientVersion } = transaction;
  const hasRoom = transactionVersion >= 1 || clientVersion >= EPOCH_BUMP_VERSION;
  const value: Value = {
    producerId: transaction.producerId,
    previousProducerId: hasRoom ? transaction.previousProducerId : -1,
    nextProducerId: hasRoom ? transaction.nextProducerId : -1,
    producerEpoch: transaction.producerEpoch,
    nextProducerEpoch: -1,
    transactionTimeoutMs: transaction.timeoutMs,
    transactionStatus: STATUSES.indexOf(transaction.status),
    transactionPartitions: transaction.status === 'Empty' ? null : listed(transaction.partitions),
    transactionLastUpdateTimestampMs: transaction.updatedAtMs,
    transactionStartTimestampMs: transaction.startedAtMs,
    clientTransactionVersion: hasRoom ? clientVersion : 0,
  };
  return { type: 'TransactionLog', key: { transactionalId }, value, version: hasRoom ? 1 : 0 };
}

export const transactionTombstone = (transactionalId: string): TransactionRecord => ({
  type: 'TransactionLog',
  key: { transactionalId },
  value: null,
});

/** What a record says about its transactional id. */
export function transactionOf(transactionalId: string, value: Value): Transaction {
  const status = STATUSES[value.transactionStatus];
  invariant(status !== undefined, `transactions have no status ${value.transactionStatus}`);
  const { transactionStartTimestampMs: started, transactionLastUpdateTimestampMs: updated } = value;
  return {
    transactionalId,
    status,
    producerId: value.producerId,
    previousProducerId: value.previousProducerId,
    nextProducerId: value.nextProducerId,
    producerEpoch: value.producerEpoch,
    timeoutMs: value.transactionTimeoutMs,
    partitions: new Map(
      (value.transactionPartitions ?? []).map((one) => [one.topic, new Set(one.partitionIds)]),
    ),
    startedAtMs: started < 0 ? -1 : wallMs(started),
    updatedAtMs: updated < 0 ? -1 : wallMs(updated),
    clientVersion: value.clientTransactionVersion,
  };
}

const listed = (partitions: PartitionsByTopic) =>
  [...partitions].map(([topic, indexes]) => ({ topic, partitionIds: [...indexes] }));

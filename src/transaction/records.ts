/** The records of `__transaction_state`. */
import { message } from '../protocol/api';
import { array, int8, int16, int32, int64, string } from '../protocol/schema';

/** Which transactional id. */
export const TransactionLogKey = message({
  name: 'TransactionLogKey',
  versions: [0, 0],
  flexible: 'never',
  fields: {
    transactionalId: string,
  },
});

/** Where a transaction stands. */
export const TransactionLogValue = message({
  name: 'TransactionLogValue',
  versions: [0, 1],
  flexible: 1,
  fields: {
    producerId: int64,
    previousProducerId: int64.since(1).tag(0).default(-1),
    nextProducerId: int64.since(1).tag(1).default(-1),
    producerEpoch: int16,
    nextProducerEpoch: int16.since(1).tag(3).default(-1),
    transactionTimeoutMs: int32,
    transactionStatus: int8,
    transactionPartitions: array({
      topic: string,
      partitionIds: array(int32),
    }).nullable(),
    transactionLastUpdateTimestampMs: int64,
    transactionStartTimestampMs: int64,
    clientTransactionVersion: int16.since(1).tag(2).default(0),
  },
});

/** The records of `__transaction_state` by name: number, key, value, and the version written. */
export const TRANSACTION_RECORDS = {
  TransactionLog: { id: 0, key: TransactionLogKey, value: TransactionLogValue, version: 1 },
} as const;

import { api } from '../api';
import { bigint64, bool, int16, int32, int64, string } from '../schema';

/** Gives out a producer id and epoch; recovers a transactional id (KIP-98, KIP-360). */
export const InitProducerId = api({
  key: 22,
  name: 'InitProducerId',
  versions: [0, 6],
  flexible: 2,
  served: [0, 5],
  listeners: ['broker'],
  request: {
    /** Null for a producer that is merely idempotent. */
    transactionalId: string.nullable(),
    transactionTimeoutMs: int32,
    producerId: bigint64.since(3).default(-1n),
    producerEpoch: int16.since(3).default(-1),
    enable2Pc: bool.since(6).default(false),
    keepPreparedTxn: bool.since(6).default(false),
  },
  response: {
    throttleTimeMs: int32.default(0).ignorable(),
    errorCode: int16,
    producerId: int64.default(-1),
    producerEpoch: int16,
    ongoingTxnProducerId: int64.since(6).default(-1),
    ongoingTxnProducerEpoch: int16.since(6).default(-1),
  },
  refuse: (_request, errorCode) => ({ errorCode, producerEpoch: -1 }),
});

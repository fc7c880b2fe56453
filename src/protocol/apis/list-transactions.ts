import { api } from '../api';
import { array, bigint64, int16, int32, int64, string } from '../schema';

/** Lists transactions (KIP-664, KIP-994). */
export const ListTransactions = api({
  key: 66,
  name: 'ListTransactions',
  versions: [0, 2],
  flexible: 0,
  served: [0, 2],
  listeners: ['broker'],
  request: {
    stateFilters: array(string),
    producerIdFilters: array(bigint64),
    durationFilter: bigint64.since(1).default(-1n),
    transactionalIdPattern: string.nullable().since(2).default(null),
  },
  response: {
    throttleTimeMs: int32.default(0),
    errorCode: int16,
    unknownStateFilters: array(string),
    transactionStates: array({
      transactionalId: string,
      producerId: int64,
      transactionState: string,
    }),
  },
  refuse: (_request, errorCode) => ({ errorCode, unknownStateFilters: [], transactionStates: [] }),
});

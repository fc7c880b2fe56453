import { api } from '../api';
import { bigint64, bool, int16, int32, int64, string } from '../schema';

/** Commits or aborts a transaction (KIP-98, KIP-890). */
export const EndTxn = api({
  key: 26,
  name: 'EndTxn',
  versions: [0, 5],
  flexible: 3,
  served: [0, 5],
  listeners: ['broker'],
  request: {
    transactionalId: string,
    producerId: bigint64,
    producerEpoch: int16,
    committed: bool,
  },
  response: {
    throttleTimeMs: int32.default(0),
    errorCode: int16,
    producerId: int64.since(5).default(-1).ignorable(),
    producerEpoch: int16.since(5).default(-1).ignorable(),
  },
  refuse: (_request, errorCode) => ({ errorCode }),
});

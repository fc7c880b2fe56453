import { api } from '../api';
import { bigint64, int16, int32, string } from '../schema';

/** Adds a group's offsets to a transaction (KIP-98). */
export const AddOffsetsToTxn = api({
  key: 25,
  name: 'AddOffsetsToTxn',
  versions: [0, 4],
  flexible: 3,
  served: [0, 4],
  listeners: ['broker'],
  request: {
    transactionalId: string,
    producerId: bigint64,
    producerEpoch: int16,
    groupId: string,
  },
  response: {
    throttleTimeMs: int32.default(0),
    errorCode: int16,
  },
  refuse: (_request, errorCode) => ({ errorCode }),
});

import { api } from '../api';
import { array, int16, int32, int64, string } from '../schema';

/** Describes transactions (KIP-664). */
export const DescribeTransactions = api({
  key: 65,
  name: 'DescribeTransactions',
  versions: [0, 0],
  flexible: 0,
  served: [0, 0],
  listeners: ['broker'],
  request: {
    transactionalIds: array(string),
  },
  response: {
    throttleTimeMs: int32.default(0),
    transactionStates: array({
      errorCode: int16,
      transactionalId: string,
      transactionState: string,
      transactionTimeoutMs: int32,
      transactionStartTimeMs: int64,
      producerId: int64,
      producerEpoch: int16,
      topics: array({
        topic: string,
        partitions: array(int32),
      }),
    }),
  },
  refuse: ({ transactionalIds }, errorCode) => ({
    transactionStates: transactionalIds.map((transactionalId) => ({
      errorCode,
      transactionalId,
      transactionState: '',
      transactionTimeoutMs: 0,
      transactionStartTimeMs: 0,
      producerId: 0,
      producerEpoch: 0,
      topics: [],
    })),
  }),
});

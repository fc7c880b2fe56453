import { api } from '../api';
import { array, int8, int16, int32, int64, string, uuid } from '../schema';

/** A leader proposes a change of a partition's in-sync replicas (KIP-497, KIP-841, KIP-903). */
export const AlterPartition = api({
  key: 56,
  name: 'AlterPartition',
  versions: [0, 3],
  flexible: 0,
  served: [2, 3],
  listeners: ['controller'],
  isClusterAction: true,
  request: {
    brokerId: int32,
    brokerEpoch: int64.default(-1),
    topics: array({
      topicName: string.until(1).ignorable(),
      topicId: uuid.since(2).ignorable(),
      partitions: array({
        partitionIndex: int32,
        leaderEpoch: int32,
        newIsr: array(int32).until(2),
        newIsrWithEpochs: array({
          brokerId: int32,
          brokerEpoch: int64.default(-1),
        }).since(3),
        leaderRecoveryState: int8.since(1).default(0),
        partitionEpoch: int32,
      }),
    }),
  },
  response: {
    throttleTimeMs: int32.default(0),
    errorCode: int16,
    topics: array({
      topicName: string.until(1).ignorable(),
      topicId: uuid.since(2).ignorable(),
      partitions: array({
        partitionIndex: int32,
        errorCode: int16,
        leaderId: int32,
        leaderEpoch: int32,
        isr: array(int32),
        leaderRecoveryState: int8.since(1).default(0).ignorable(),
        partitionEpoch: int32,
      }),
    }),
  },
  refuse: (_request, errorCode) => ({ errorCode, topics: [] }),
});

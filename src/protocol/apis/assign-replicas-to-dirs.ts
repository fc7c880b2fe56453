import { api } from '../api';
import { array, int16, int32, int64, uuid } from '../schema';

/** A broker tells in which log folders its replicas lie (KIP-858). */
export const AssignReplicasToDirs = api({
  key: 73,
  name: 'AssignReplicasToDirs',
  versions: [0, 0],
  flexible: 0,
  served: [0, 0],
  listeners: ['controller'],
  request: {
    brokerId: int32,
    brokerEpoch: int64.default(-1),
    directories: array({
      id: uuid,
      topics: array({
        topicId: uuid,
        partitions: array({
          partitionIndex: int32,
        }),
      }),
    }),
  },
  response: {
    throttleTimeMs: int32.default(0),
    errorCode: int16,
    directories: array({
      id: uuid,
      topics: array({
        topicId: uuid,
        partitions: array({
          partitionIndex: int32,
          errorCode: int16,
        }),
      }),
    }),
  },
  refuse: (_request, errorCode) => ({ errorCode, directories: [] }),
});

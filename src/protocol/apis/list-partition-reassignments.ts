import { api } from '../api';
import { array, int16, int32, sentence, string } from '../schema';

/** Lists reassignments that are under way (KIP-455). */
export const ListPartitionReassignments = api({
  key: 46,
  name: 'ListPartitionReassignments',
  versions: [0, 0],
  flexible: 0,
  served: [0, 0],
  listeners: ['broker', 'controller'],
  isForwardable: true,
  request: {
    timeoutMs: int32.default(60000),
    topics: array({
      name: string,
      partitionIndexes: array(int32),
    })
      .nullable()
      .default(null),
  },
  response: {
    throttleTimeMs: int32.default(0),
    errorCode: int16,
    errorMessage: sentence.nullable(),
    topics: array({
      name: string,
      partitions: array({
        partitionIndex: int32,
        replicas: array(int32),
        addingReplicas: array(int32),
        removingReplicas: array(int32),
      }),
    }),
  },
  refuse: ({ topics }, errorCode, _version, message) => ({
    errorCode,
    errorMessage: message,
    topics: (topics ?? []).map(({ name, partitionIndexes }) => ({
      name,
      partitions: partitionIndexes.map((partitionIndex) => ({
        partitionIndex,
        replicas: [],
        addingReplicas: [],
        removingReplicas: [],
      })),
    })),
  }),
});

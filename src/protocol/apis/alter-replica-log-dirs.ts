import { api } from '../api';
import { array, int16, int32, string } from '../schema';

/** Moves replicas between log folders of one broker (KIP-113). */
export const AlterReplicaLogDirs = api({
  key: 34,
  name: 'AlterReplicaLogDirs',
  versions: [0, 2],
  flexible: 2,
  served: [1, 2],
  listeners: ['broker'],
  request: {
    dirs: array({
      path: string,
      topics: array({
        name: string,
        partitions: array(int32),
      }),
    }),
  },
  response: {
    throttleTimeMs: int32.default(0),
    results: array({
      topicName: string,
      partitions: array({
        partitionIndex: int32,
        errorCode: int16,
      }),
    }),
  },
  refuse: ({ dirs }, errorCode) => ({
    results: dirs
      .flatMap(({ topics }) => topics)
      .map(({ name, partitions }) => ({
        topicName: name,
        partitions: partitions.map((partitionIndex) => ({ partitionIndex, errorCode })),
      })),
  }),
});

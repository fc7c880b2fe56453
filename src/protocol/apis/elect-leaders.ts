import { api } from '../api';
import { array, int8, int16, int32, sentence, string } from '../schema';

/** Elects leaders of partitions: preferred (0) or unclean (1) (KIP-183, KIP-460). */
export const ElectLeaders = api({
  key: 43,
  name: 'ElectLeaders',
  versions: [0, 2],
  flexible: 2,
  served: [0, 2],
  listeners: ['broker', 'controller'],
  isForwardable: true,
  request: {
    electionType: int8.since(1),
    /** Null: all partitions. */
    topicPartitions: array({
      topic: string,
      partitions: array(int32),
    }).nullable(),
    timeoutMs: int32.default(60000),
  },
  response: {
    throttleTimeMs: int32.default(0),
    errorCode: int16.since(1),
    replicaElectionResults: array({
      topic: string,
      partitionResult: array({
        partitionId: int32,
        errorCode: int16,
        errorMessage: sentence.nullable(),
      }),
    }),
  },
  refuse: ({ topicPartitions }, errorCode, version, message) => ({
    errorCode: version >= 1 ? errorCode : 0,
    replicaElectionResults: (topicPartitions ?? []).map(({ topic, partitions }) => ({
      topic,
      partitionResult: partitions.map((partitionId) => ({
        partitionId,
        errorCode,
        errorMessage: message,
      })),
    })),
  }),
});

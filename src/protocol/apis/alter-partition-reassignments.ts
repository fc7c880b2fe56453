import { api } from '../api';
import { array, bool, int16, int32, sentence, string } from '../schema';

/** Starts, changes or cancels reassignments of partitions (KIP-455). */
export const AlterPartitionReassignments = api({
  key: 45,
  name: 'AlterPartitionReassignments',
  versions: [0, 1],
  flexible: 0,
  served: [0, 1],
  listeners: ['broker', 'controller'],
  isForwardable: true,
  request: {
    timeoutMs: int32.default(60000),
    allowReplicationFactorChange: bool.since(1).default(true),
    topics: array({
      name: string,
      partitions: array({
        partitionIndex: int32,
        replicas: array(int32).nullable().default(null),
      }),
    }),
  },
  response: {
    throttleTimeMs: int32.default(0),
    allowReplicationFactorChange: bool.since(1).default(true).ignorable(),
    errorCode: int16,
    errorMessage: sentence.nullable(),
    responses: array({
      name: string,
      partitions: array({
        partitionIndex: int32,
        errorCode: int16,
        errorMessage: sentence.nullable(),
      }),
    }),
  },
  refuse: ({ topics }, errorCode, _version, message) => ({
    errorCode,
    errorMessage: message,
    responses: topics.map(({ name, partitions }) => ({
      name,
      partitions: partitions.map(({ partitionIndex }) => ({
        partitionIndex,
        errorCode,
        errorMessage: message,
      })),
    })),
  }),
});

import { api } from '../api';
import { array, bool, int8, int16, int32, sentence, string } from '../schema';

/** Describes brokers or controllers of the cluster (KIP-700, KIP-919). */
export const DescribeCluster = api({
  key: 60,
  name: 'DescribeCluster',
  versions: [0, 2],
  flexible: 0,
  served: [0, 2],
  listeners: ['broker', 'controller'],
  request: {
    includeClusterAuthorizedOperations: bool,
    /** 1: brokers; 2: controllers. */
    endpointType: int8.since(1).default(1),
    includeFencedBrokers: bool.since(2),
  },
  response: {
    throttleTimeMs: int32.default(0),
    errorCode: int16,
    errorMessage: sentence.nullable().default(null),
    endpointType: int8.since(1).default(1),
    clusterId: string,
    controllerId: int32.default(-1),
    brokers: array({
      brokerId: int32,
      host: string,
      port: int32,
      rack: string.nullable().default(null),
      isFenced: bool.since(2),
    }),
    clusterAuthorizedOperations: int32.default(-0x80000000),
  },
  refuse: ({ endpointType }, errorCode, _version, message) => ({
    errorCode,
    errorMessage: message,
    endpointType,
    clusterId: '',
    brokers: [],
  }),
});

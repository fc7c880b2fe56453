import { api } from '../api';
import {
  array,
  bigint64,
  bool,
  int8,
  int16,
  int32,
  int64,
  records,
  sentence,
  string,
  struct,
  uuid,
} from '../schema';

/** Acquires records of share partitions, and acknowledges some (KIP-932). */
export const ShareFetch = api({
  key: 78,
  name: 'ShareFetch',
  versions: [0, 2],
  flexible: 0,
  served: [1, 2],
  listeners: ['broker'],
  request: {
    groupId: string.nullable().default(null),
    memberId: string.nullable(),
    shareSessionEpoch: int32,
    maxWaitMs: int32,
    minBytes: int32,
    maxBytes: int32.default(0x7fffffff),
    maxRecords: int32.since(1),
    batchSize: int32.since(1),
    shareAcquireMode: int8.since(2).default(0).ignorable(),
    isRenewAck: bool.since(2).default(false),
    topics: array({
      topicId: uuid,
      partitions: array({
        partitionIndex: int32,
        partitionMaxBytes: int32.until(0),
        acknowledgementBatches: array({
          firstOffset: bigint64,
          lastOffset: bigint64,
          acknowledgeTypes: array(int8),
        }),
      }),
    }),
    forgottenTopicsData: array({
      topicId: uuid,
      partitions: array(int32),
    }),
  },
  response: {
    throttleTimeMs: int32.default(0),
    errorCode: int16,
    errorMessage: sentence.nullable().default(null),
    acquisitionLockTimeoutMs: int32.since(1),
    responses: array({
      topicId: uuid,
      partitions: array({
        partitionIndex: int32,
        errorCode: int16,
        errorMessage: sentence.nullable().default(null),
        acknowledgeErrorCode: int16,
        acknowledgeErrorMessage: sentence.nullable().default(null),
        currentLeader: struct({
          leaderId: int32,
          leaderEpoch: int32,
        }),
        records: records.nullable(0, 0),
        acquiredRecords: array({
          firstOffset: int64,
          lastOffset: int64,
          deliveryCount: int16,
        }),
      }),
    }),
    nodeEndpoints: array({
      nodeId: int32,
      host: string,
      port: int32,
      rack: string.nullable().default(null),
    }),
  },
  refuse: (_request, errorCode, _version, message) => ({
    errorCode,
    errorMessage: message,
    responses: [],
    nodeEndpoints: [],
  }),
});

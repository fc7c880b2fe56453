import { api } from '../api';
import {
  array,
  bigint64,
  bool,
  int8,
  int16,
  int32,
  sentence,
  string,
  struct,
  uuid,
} from '../schema';

/** Acknowledges records of share partitions (KIP-932). */
export const ShareAcknowledge = api({
  key: 79,
  name: 'ShareAcknowledge',
  versions: [0, 2],
  flexible: 0,
  served: [1, 2],
  listeners: ['broker'],
  request: {
    groupId: string.nullable().default(null),
    memberId: string.nullable(),
    shareSessionEpoch: int32,
    isRenewAck: bool.since(2).default(false),
    topics: array({
      topicId: uuid,
      partitions: array({
        partitionIndex: int32,
        acknowledgementBatches: array({
          firstOffset: bigint64,
          lastOffset: bigint64,
          acknowledgeTypes: array(int8),
        }),
      }),
    }),
  },
  response: {
    throttleTimeMs: int32.default(0),
    errorCode: int16,
    errorMessage: sentence.nullable().default(null),
    acquisitionLockTimeoutMs: int32.since(2).ignorable(),
    responses: array({
      topicId: uuid,
      partitions: array({
        partitionIndex: int32,
        errorCode: int16,
        errorMessage: sentence.nullable().default(null),
        currentLeader: struct({
          leaderId: int32,
          leaderEpoch: int32,
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

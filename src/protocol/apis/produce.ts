import { api } from '../api';
import { array, int16, int32, int64, records, sentence, string, struct, uuid } from '../schema';

/** Appends records to partitions. Acks 0 gets no answer at all. */
export const Produce = api({
  key: 0,
  name: 'Produce',
  versions: [0, 13],
  flexible: 9,
  served: [3, 13],
  listeners: ['broker'],
  request: {
    transactionalId: string.nullable().since(3).default(null),
    /** 0: no answer; 1: once the leader has it; -1: once the in-sync replicas have it. */
    acks: int16,
    timeoutMs: int32,
    /** One batch a partition from version 3 on. */
    topicData: array({
      name: string.until(12).ignorable(),
      topicId: uuid.since(13).ignorable(),
      partitionData: array({
        index: int32,
        records: records.nullable(),
      }),
    }),
  },
  response: {
    responses: array({
      name: string.until(12).ignorable(),
      topicId: uuid.since(13).ignorable(),
      partitionResponses: array({
        index: int32,
        errorCode: int16,
        baseOffset: int64,
        /** -1 unless the broker sets the timestamps. */
        logAppendTimeMs: int64.since(2).default(-1).ignorable(),
        logStartOffset: int64.since(5).default(-1).ignorable(),
        recordErrors: array({
          batchIndex: int32,
          batchIndexErrorMessage: sentence.nullable().default(null),
        })
          .since(8)
          .ignorable(),
        errorMessage: sentence.nullable().since(8).default(null).ignorable(),
        currentLeader: struct({
          leaderId: int32.default(-1),
          leaderEpoch: int32.default(-1),
        })
          .since(10)
          .tag(0),
      }),
    }),
    throttleTimeMs: int32.since(1).default(0).ignorable(),
    nodeEndpoints: array({
      nodeId: int32,
      host: string,
      port: int32,
      rack: string.nullable().default(null),
    })
      .since(10)
      .tag(0),
  },
  refuse: ({ topicData }, errorCode, _version, message) => ({
    responses: topicData.map(({ name, topicId, partitionData }) => ({
      name,
      topicId,
      partitionResponses: partitionData.map(({ index }) => ({
        index,
        errorCode,
        baseOffset: -1,
        errorMessage: message,
      })),
    })),
  }),
});

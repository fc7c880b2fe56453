import { api } from '../api';
import {
  array,
  bigint64,
  int8,
  int16,
  int32,
  int64,
  NO_BYTES,
  records,
  string,
  struct,
  uuid,
} from '../schema';

/** Reads records, for consumers and followers (KIP-74, KIP-227, KIP-516, KIP-595). */
export const Fetch = api({
  key: 1,
  name: 'Fetch',
  versions: [0, 18],
  flexible: 12,
  served: [4, 18],
  listeners: ['broker', 'controller'],
  request: {
    /** Sent by followers of the metadata log. */
    clusterId: string.nullable().since(12).tag(0).default(null).ignorable(),
    /** -1 for consumers; `replicaState` says it from version 15 on. */
    replicaId: int32.until(14).default(-1),
    replicaState: struct({
      replicaId: int32.default(-1),
      replicaEpoch: int64.default(-1),
    })
      .since(15)
      .tag(1),
    maxWaitMs: int32,
    minBytes: int32,
    maxBytes: int32.since(3).default(0x7fffffff).ignorable(),
    /** 0: read_uncommitted; 1: read_committed. */
    isolationLevel: int8.since(4).default(0).ignorable(),
    sessionId: int32.since(7).default(0).ignorable(),
    /** -1: no session; 0: a new one; more: the next of an existing one (KIP-227). */
    sessionEpoch: int32.since(7).default(-1).ignorable(),
    topics: array({
      topic: string.until(12).ignorable(),
      topicId: uuid.since(13).ignorable(),
      partitions: array({
        partition: int32,
        currentLeaderEpoch: int32.since(9).default(-1).ignorable(),
        fetchOffset: bigint64,
        /** The epoch of the follower's last record; -1 if it does not say. */
        lastFetchedEpoch: int32.since(12).default(-1),
        logStartOffset: int64.since(5).default(-1).ignorable(),
        partitionMaxBytes: int32,
        replicaDirectoryId: uuid.since(17).tag(0).ignorable(),
        /** What the follower knows; the leader answers at once if it has moved (KIP-1166). */
        highWatermark: bigint64.since(18).tag(1).default(9223372036854775807n).ignorable(),
      }),
    }),
    forgottenTopicsData: array({
      topic: string.until(12).ignorable(),
      topicId: uuid.since(13).ignorable(),
      partitions: array(int32),
    }).since(7),
    rackId: string.since(11).default('').ignorable(),
  },
  response: {
    throttleTimeMs: int32.since(1).default(0).ignorable(),
    errorCode: int16.since(7).ignorable(),
    sessionId: int32.since(7).default(0),
    responses: array({
      topic: string.until(12).ignorable(),
      topicId: uuid.since(13).ignorable(),
      partitions: array({
        partitionIndex: int32,
        errorCode: int16,
        highWatermark: int64,
        lastStableOffset: int64.since(4).default(-1).ignorable(),
        logStartOffset: int64.since(5).default(-1).ignorable(),
        /** Where the follower's log parts from the leader's; it truncates there (KIP-595). */
        divergingEpoch: struct({
          epoch: int32.default(-1),
          endOffset: int64.default(-1),
        })
          .since(12)
          .tag(0),
        currentLeader: struct({
          leaderId: int32.default(-1),
          leaderEpoch: int32.default(-1),
        })
          .since(12)
          .tag(1),
        snapshotId: struct({
          endOffset: int64.default(-1),
          epoch: int32.default(-1),
        })
          .since(12)
          .tag(2),
        abortedTransactions: array({
          producerId: int64,
          firstOffset: int64,
        })
          .nullable()
          .since(4)
          .ignorable(),
        preferredReadReplica: int32.since(11).default(-1),
        records: records.nullable(),
      }),
    }),
    nodeEndpoints: array({
      nodeId: int32,
      host: string,
      port: int32,
      rack: string.nullable().default(null),
    })
      .since(16)
      .tag(0),
  },
  refuse: ({ sessionId, topics }, errorCode, version) => ({
    errorCode,
    sessionId,
    responses:
      // From version 13 on the error at the top says it all, as in Kafka.
      version >= 13
        ? []
        : topics.map(({ topic, partitions }) => ({
            topic,
            partitions: partitions.map(({ partition }) => ({
              partitionIndex: partition,
              errorCode,
              highWatermark: -1,
              records: NO_BYTES,
            })),
          })),
  }),
});

import { api } from '../api';
import { array, int16, int32, int64, records, string, struct, uint16, uuid } from '../schema';

/** Reads a piece of a snapshot of the metadata log (KIP-630). */
export const FetchSnapshot = api({
  key: 59,
  name: 'FetchSnapshot',
  versions: [0, 1],
  flexible: 0,
  served: [0, 1],
  listeners: ['controller'],
  request: {
    clusterId: string.nullable().tag(0).default(null),
    replicaId: int32.default(-1),
    maxBytes: int32.default(0x7fffffff),
    topics: array({
      name: string,
      partitions: array({
        partition: int32,
        currentLeaderEpoch: int32,
        snapshotId: struct({
          endOffset: int64,
          epoch: int32,
        }),
        position: int64,
        replicaDirectoryId: uuid.since(1).tag(0).ignorable(),
      }),
    }),
  },
  response: {
    throttleTimeMs: int32.default(0).ignorable(),
    errorCode: int16,
    topics: array({
      name: string,
      partitions: array({
        index: int32,
        errorCode: int16,
        snapshotId: struct({
          endOffset: int64,
          epoch: int32,
        }),
        currentLeader: struct({
          leaderId: int32,
          leaderEpoch: int32,
        }).tag(0),
        size: int64,
        position: int64,
        unalignedRecords: records,
      }),
    }),
    nodeEndpoints: array({
      nodeId: int32,
      host: string,
      port: uint16,
    })
      .since(1)
      .tag(0),
  },
  refuse: (_request, errorCode) => ({ errorCode, topics: [] }),
});

/** The records by which tiered storage of Apache Kafka describes remote segments. */
import { message } from './api';
import { array, bigint64, bool, bytes, int8, int32, int64, string, struct, uuid } from './schema';

/** A segment was copied, or begins to be. */
export const RemoteLogSegmentMetadataRecord = message({
  name: 'RemoteLogSegmentMetadataRecord',
  versions: [0, 0],
  flexible: 0,
  fields: {
    remoteLogSegmentId: struct({
      topicIdPartition: struct({
        name: string,
        id: uuid,
        partition: int32,
      }),
      id: uuid,
    }),
    startOffset: int64,
    endOffset: int64,
    brokerId: int32,
    maxTimestampMs: bigint64,
    eventTimestampMs: int64,
    segmentLeaderEpochs: array({
      leaderEpoch: int32,
      offset: int64,
    }),
    segmentSizeInBytes: int32,
    customMetadata: bytes.nullable().default(null),
    remoteLogSegmentState: int8,
    txnIndexEmpty: bool.tag(0),
  },
});

/** The state of a remote segment changed. */
export const RemoteLogSegmentMetadataUpdateRecord = message({
  name: 'RemoteLogSegmentMetadataUpdateRecord',
  versions: [0, 0],
  flexible: 0,
  fields: {
    remoteLogSegmentId: struct({
      topicIdPartition: struct({
        name: string,
        id: uuid,
        partition: int32,
      }),
      id: uuid,
    }),
    brokerId: int32,
    eventTimestampMs: int64,
    customMetadata: bytes.nullable().default(null),
    remoteLogSegmentState: int8,
  },
});

/** The state of the removal of a partition changed. */
export const RemotePartitionDeleteMetadataRecord = message({
  name: 'RemotePartitionDeleteMetadataRecord',
  versions: [0, 0],
  flexible: 0,
  fields: {
    topicIdPartition: struct({
      name: string,
      id: uuid,
      partition: int32,
    }),
    brokerId: int32,
    eventTimestampMs: int64,
    remotePartitionDeleteState: int8,
  },
});

/** A segment, as a snapshot file has it. */
export const RemoteLogSegmentMetadataSnapshotRecord = message({
  name: 'RemoteLogSegmentMetadataSnapshotRecord',
  versions: [0, 0],
  flexible: 0,
  fields: {
    segmentId: uuid,
    startOffset: int64,
    endOffset: int64,
    brokerId: int32,
    maxTimestampMs: bigint64,
    eventTimestampMs: int64,
    segmentLeaderEpochs: array({
      leaderEpoch: int32,
      offset: int64,
    }),
    segmentSizeInBytes: int32,
    customMetadata: bytes.nullable().default(null),
    remoteLogSegmentState: int8,
    txnIndexEmpty: bool.tag(0),
  },
});

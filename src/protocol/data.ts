/** Messages that are no request, response or record of a table: control records, files, and what
 * travels inside other messages. */
import { message } from './api';
import {
  array,
  bigint64,
  bool,
  bytes,
  int16,
  int32,
  int64,
  string,
  struct,
  uint16,
  uint32,
  uuid,
} from './schema';

/** An entry of an aborted-transaction index, after its 2-byte version. */
export const AbortedTxn = message({
  name: 'AbortedTxn',
  versions: [0, 0],
  flexible: 'never',
  fields: {
    producerId: int64,
    firstOffset: int64,
    lastOffset: int64,
    lastStableOffset: int64,
  },
});

/** What a consumer of the classic protocol is assigned, after the 2-byte version. */
export const ConsumerProtocolAssignment = message({
  name: 'ConsumerProtocolAssignment',
  versions: [0, 3],
  flexible: 'never',
  fields: {
    assignedPartitions: array({
      topic: string,
      partitions: array(int32),
    }),
    userData: bytes.nullable().default(null),
  },
});

/** What a consumer of the classic protocol wants, after the 2-byte version. */
export const ConsumerProtocolSubscription = message({
  name: 'ConsumerProtocolSubscription',
  versions: [0, 3],
  flexible: 'never',
  fields: {
    topics: array(string),
    userData: bytes.nullable().default(null),
    ownedPartitions: array({
      topic: string,
      partitions: array(int32),
    })
      .since(1)
      .ignorable(),
    generationId: int32.since(2).default(-1).ignorable(),
    rackId: string.nullable().since(3).default(null).ignorable(),
  },
});

/** The key of a control record, after its 2-byte version. */
export const ControlRecordTypeSchema = message({
  name: 'ControlRecordTypeSchema',
  versions: [0, 0],
  flexible: 'never',
  fields: {
    type: int16,
  },
});

/** A principal on its way to the controller, after the 2-byte version (KIP-590). */
export const DefaultPrincipalData = message({
  name: 'DefaultPrincipalData',
  versions: [0, 0],
  flexible: 0,
  fields: {
    type: string,
    name: string,
    tokenAuthenticated: bool,
  },
});

/** The value of a transaction marker, after its 2-byte version. */
export const EndTxnMarker = message({
  name: 'EndTxnMarker',
  versions: [0, 0],
  flexible: 'never',
  fields: {
    coordinatorEpoch: int32,
  },
});

/** The value of a KRAFT_VERSION control record. */
export const KRaftVersionRecord = message({
  name: 'KRaftVersionRecord',
  versions: [0, 0],
  flexible: 0,
  fields: {
    version: int16,
    kRaftVersion: int16,
  },
});

const Voter = {
  voterId: int32,
  voterDirectoryId: uuid.since(1),
};
/** The value of a LEADER_CHANGE control record. */
export const LeaderChangeMessage = message({
  name: 'LeaderChangeMessage',
  versions: [0, 1],
  flexible: 0,
  fields: {
    version: int16,
    leaderId: int32,
    voters: array(Voter),
    grantingVoters: array(Voter),
  },
});

/** A producer snapshot file, after its 2-byte version. The crc covers all that follows it. */
export const ProducerSnapshot = message({
  name: 'ProducerSnapshot',
  versions: [1, 1],
  flexible: 'never',
  fields: {
    crc: uint32,
    producerEntries: array({
      producerId: int64,
      epoch: int16,
      lastSequence: int32,
      lastOffset: int64,
      offsetDelta: int32,
      timestamp: bigint64,
      coordinatorEpoch: int32,
      currentTxnFirstOffset: int64,
    }),
  },
});

/** What a `quorum-state` file says; the file itself is JSON. */
export const QuorumStateData = message({
  name: 'QuorumStateData',
  versions: [0, 1],
  flexible: 0,
  fields: {
    clusterId: string.until(0),
    leaderId: int32.default(-1),
    leaderEpoch: int32.default(-1),
    votedId: int32.default(-1),
    votedDirectoryId: uuid.since(1),
    appliedOffset: int64.until(0),
    currentVoters: array({
      voterId: int32,
    })
      .nullable()
      .until(0),
  },
});

/** The value of a SNAPSHOT_FOOTER control record. */
export const SnapshotFooterRecord = message({
  name: 'SnapshotFooterRecord',
  versions: [0, 0],
  flexible: 0,
  fields: {
    version: int16,
  },
});

/** The value of a SNAPSHOT_HEADER control record. */
export const SnapshotHeaderRecord = message({
  name: 'SnapshotHeaderRecord',
  versions: [0, 0],
  flexible: 0,
  fields: {
    version: int16,
    lastContainedLogTimestamp: int64,
  },
});

/** The value of a KRAFT_VOTERS control record. */
export const VotersRecord = message({
  name: 'VotersRecord',
  versions: [0, 0],
  flexible: 0,
  fields: {
    version: int16,
    voters: array({
      voterId: int32,
      voterDirectoryId: uuid,
      endpoints: array({
        name: string,
        host: string,
        port: uint16,
      }),
      kRaftVersionFeature: struct({
        minSupportedVersion: int16,
        maxSupportedVersion: int16,
      }),
    }),
  },
});

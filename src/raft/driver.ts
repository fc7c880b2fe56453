/** The quorum log on this machine: the folder `__cluster_metadata-0`, its timer and its sends. */
import type { LeaderEpoch, NodeId, Offset, Uuid } from '../base/ids';
import type { Platform } from '../platform/platform';
import type { LeaderAndEpoch, QuorumListener, RecordSerde } from './quorum-log';

/** Kafka's `controller.quorum.*` and `metadata.log.*` settings, in milliseconds and bytes. */
export interface QuorumSettings {
  readonly electionTimeoutMs: number;
  readonly electionBackoffMaxMs: number;
  readonly fetchTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly retryBackoffMs: number;
  readonly appendLingerMs: number;
  readonly fetchMaxBytes: number;
  readonly fetchSnapshotMaxBytes: number;
  readonly autoJoinIsEnabled: boolean;
  readonly logSegmentBytes: number;
  readonly logSegmentMs: number;
  readonly maxRecordBytesBetweenSnapshots: number;
  readonly maxSnapshotIntervalMs: number;
  readonly maxRetentionBytes: number;
  readonly maxRetentionMs: number;
}

/** Kafka 4.4's defaults. */
export const DEFAULT_QUORUM_SETTINGS: QuorumSettings = {
  electionTimeoutMs: 1000,
  electionBackoffMaxMs: 1000,
  fetchTimeoutMs: 2000,
  requestTimeoutMs: 2000,
  retryBackoffMs: 20,
  appendLingerMs: 25,
  fetchMaxBytes: 1024 * 1024,
  fetchSnapshotMaxBytes: 1024 * 1024,
  autoJoinIsEnabled: false,
  logSegmentBytes: 1024 * 1024 * 1024,
  logSegmentMs: 7 * 24 * 3_600_000,
  maxRecordBytesBetweenSnapshots: 20 * 1024 * 1024,
  maxSnapshotIntervalMs: 3_600_000,
  maxRetentionBytes: 100 * 1024 * 1024,
  maxRetentionMs: 7 * 24 * 3_600_000,
};

/** A name of a listener and where it is reached. */
export interface QuorumEndpoint {
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

/** What a quorum driver is made from. */
export interface QuorumDriverOptions<R> {
  readonly platform: Pick<Platform, 'clock' | 'random' | 'disk'>;
  /** The absolute folder of the metadata log (`metadata.log.dir`), already formatted and locked. */
  readonly folder: string;
  readonly clusterId: string;
  readonly nodeId: NodeId;
  /** `directory.id` of that folder. */
  readonly directoryId: Uuid;
  /** `process.roles` has controller: it may vote and lead. Otherwise it only follows. */
  readonly isController: boolean;
  /** `controller.quorum.voters`; empty for a dynamic quorum. */
  readonly staticVoters: readonly (QuorumEndpoint & { readonly id: NodeId })[];
  /** `controller.quorum.bootstrap.servers`. */
  readonly bootstrapServers: readonly { readonly host: string; readonly port: number }[];
  /** This node's controller listeners as advertised; the first is the one the quorum talks on. */
  readonly endpoints: readonly QuorumEndpoint[];
  readonly settings: QuorumSettings;
  readonly serde: RecordSerde<R>;
  readonly listener: QuorumListener<R>;
}

export type { LeaderAndEpoch, LeaderEpoch, Offset };

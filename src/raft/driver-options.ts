/** What a quorum driver is made from. */
import type { NodeId } from '../base/ids';
import type { Platform } from '../platform/platform';
import type { LogFolder } from '../storage/log-folder';
import type { IncomingResponse, OutgoingRequest } from './messages';
import type { QuorumListener, RecordSerde } from './quorum-log';
import type { Destination, Endpoint } from './voters';

/** Kafka's `controller.quorum.*` and `metadata.*` settings, in milliseconds and bytes. */
export interface QuorumSettings {
  readonly electionTimeoutMs: number;
  readonly electionBackoffMaxMs: number;
  readonly fetchTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly retryBackoffMs: number;
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

/** Carries requests to other nodes of the quorum. Rejects if no answer comes. */
export interface QuorumTransport {
  send(to: Destination, request: OutgoingRequest): Promise<IncomingResponse>;
  close(): void;
}

export interface QuorumDriverOptions<R> {
  readonly platform: Pick<Platform, 'clock' | 'random' | 'disk' | 'log'>;
  /** The folder of the metadata log (`metadata.log.dir`), formatted and locked. */
  readonly folder: LogFolder;
  readonly clusterId: string;
  readonly nodeId: NodeId;
  /** `process.roles` has controller: it may vote and lead. Otherwise it only follows. */
  readonly isController: boolean;
  /** The first of `controller.listener.names`: where the quorum talks. */
  readonly listenerName: string;
  /** This node's controller listeners as advertised; none on a mere broker. */
  readonly endpoints: readonly Endpoint[];
  /** `controller.quorum.voters`; empty for a dynamic quorum. */
  readonly staticVoters: readonly Destination[];
  /** `controller.quorum.bootstrap.servers`; the static voters are asked where it is empty. */
  readonly bootstrapServers: readonly { readonly host: string; readonly port: number }[];
  readonly settings: QuorumSettings;
  readonly serde: RecordSerde<R>;
  readonly listener: QuorumListener<R>;
  /** Undefined where there is nobody to ask: a sole voter. */
  readonly transport: QuorumTransport | undefined;
  /** The owner says by `applied` how far it acts on what was delivered; false if absent. */
  readonly isToldWhatIsApplied?: boolean;
}

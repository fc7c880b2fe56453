/** The log folders of one broker and every log in them, but for `__cluster_metadata-0`. */
import type { BrokerEpoch, Offset, TopicPartition, Uuid } from '../base/ids';
import type { Clock, Disk, Logger, Random } from '../platform/platform';
import type { Log } from './log';
import type { LogFolder } from './log-folder';
import type { LogSettings } from './settings';

/** The part of the platform that storage needs. */
export interface StoragePlatform {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

export interface LogsOptions {
  /** `log.dirs`: absolute, formatted (meta.properties exists), locked by `Logs.open`. */
  readonly folders: readonly string[];
  /** The effective settings of a topic; asked at opening and creating. */
  readonly settingsOf: (topic: string) => LogSettings;
  /** `log.retention.check.interval.ms` (300,000). */
  readonly retentionCheckIntervalMs: number;
  /** `log.flush.offset.checkpoint.interval.ms` (60,000). */
  readonly recoveryPointCheckpointIntervalMs: number;
  /** `log.flush.start.offset.checkpoint.interval.ms` (60,000). */
  readonly startOffsetCheckpointIntervalMs: number;
  /** `replica.high.watermark.checkpoint.interval.ms` (5,000). */
  readonly highWatermarkCheckpointIntervalMs: number;
  /** `producer.id.expiration.ms` (86,400,000). */
  readonly producerIdExpirationMs: number;
  /** `producer.id.expiration.check.interval.ms` (600,000). */
  readonly producerIdExpirationCheckIntervalMs: number;
  /** A folder went offline; called once each, in a turn of its own. */
  readonly onFolderOffline?: (folder: LogFolder, error: Error) => void;
}

/** How far `Logs.open` is, for a progress line. */
export interface OpenProgress {
  readonly logsOpened: number;
  readonly logsTotal: number;
  /** Unflushed bytes read again after a crash. */
  readonly bytesScanned: number;
}

export interface Logs {
  /**
   * Locks the folders, reads and removes the clean-shutdown files, opens every log (recovering
   * those of a folder that was not stopped cleanly), starts the timers. Throws FolderLockedError,
   * and CorruptLogError for a folder that holds what is not Kafka's; a folder that cannot be read
   * only goes offline, unless it is the last.
   */
  open(progress?: (progress: OpenProgress) => void): Promise<void>;
  readonly folders: readonly LogFolder[];
  /** Of the last clean stop, if all folders agree (PreviousBrokerEpoch of the registration). */
  readonly previousBrokerEpoch: BrokerEpoch | undefined;
  /** All logs in service. */
  all(): Iterable<Log>;
  get(topic: string, partition: number): Log | undefined;
  /**
   * A new empty log with its partition.metadata, in the named folder or else in the online one with
   * the fewest logs. Throws StorageError if there is none, an invariant if the log exists.
   */
  create(partition: TopicPartition, topicId: Uuid, directoryId?: Uuid): Log;
  /** Renamed to `…-delete` at once, removed after `file.delete.delay.ms`. */
  delete(log: Log): void;
  /** A log that the picture does not know: renamed to `…-stray`, kept, not served. */
  setAside(log: Log): void;
  /** New settings of a topic, for all its logs. */
  applySettings(topic: string, settings: LogSettings): void;
  /** The checkpointed high watermark of a log, as found at start; 0 if none. */
  checkpointedHighWatermark(partition: TopicPartition): Offset;
  /** Flushes and closes all, writes the checkpoints and clean-shutdown files, unlocks. */
  close(
    brokerEpoch: BrokerEpoch,
    progress?: (closed: number, total: number) => void,
  ): Promise<void>;
}

/** A log folder in use by this process: its lock, its checkpoints, how the last life ended. */
import { type BrokerEpoch, METADATA_TOPIC, type TopicPartition } from '../base/ids';
import type { Disk, DiskLock } from '../platform/platform';
import {
  CLEAN_SHUTDOWN_FILE,
  decodeCleanShutdown,
  encodeCleanShutdown,
  HIGH_WATERMARK_FILE,
  RECOVERY_POINT_FILE,
  START_OFFSET_FILE,
} from './checkpoint';
import { FolderLockedError } from './errors';
import type { LogOptions } from './log';
import type { LogContext } from './log-context';
import { LogFolder } from './log-folder';
import { MetaPropertiesError, readMetaProperties } from './meta-properties';
import { type PartitionFolderName, parsePartitionFolder } from './names';
import { checkpointed, OffsetCheckpoints } from './offset-checkpoints';
import type { LogSettings } from './settings';

/** A partition's folder, as found. */
export interface FoundLog extends PartitionFolderName {
  readonly path: string;
}

export class HeldFolder {
  readonly folder: LogFolder;
  readonly checkpoints: OffsetCheckpoints;
  readonly #context: LogContext;
  readonly #lock: DiskLock;
  #wasClean = false;
  /** Of the last clean stop. */
  #brokerEpoch: BrokerEpoch | undefined;

  private constructor(context: LogContext, folder: LogFolder, lock: DiskLock) {
    this.folder = folder;
    this.checkpoints = new OffsetCheckpoints(context.disk, folder, context.log);
    this.#context = context;
    this.#lock = lock;
  }

  /** Locks a formatted folder. Throws FolderLockedError, MetaPropertiesError, the disk's errors. */
  static take(context: LogContext, path: string): HeldFolder {
    const lock = context.disk.lock(`${path}/.lock`);
    if (lock === undefined) {
      throw new FolderLockedError(
        `The log folder ${path} is in use by another process (its .lock is held). ` +
          'Stop that process or name another folder in log.dirs.',
      );
    }
    if (!lock.isEnforced) {
      context.log.warn('log folders cannot be locked here: see that no other process uses them', {
        path,
      });
    }
    try {
      return new HeldFolder(context, new LogFolder(path, directoryIdOf(context.disk, path)), lock);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  get brokerEpoch(): BrokerEpoch | undefined {
    return this.#brokerEpoch;
  }

  get wasClean(): boolean {
    return this.#wasClean;
  }

  /** Notes whether the last stop was clean; from now on a crash is a crash. */
  async begin(): Promise<void> {
    const { disk } = this.#context;
    const path = `${this.folder.path}/${CLEAN_SHUTDOWN_FILE}`;
    if (!disk.exists(path)) return;
    this.#brokerEpoch = decodeCleanShutdown(disk.readFile(path));
    this.#wasClean = true;
    disk.remove(path);
    await disk.syncFolder(this.folder.path);
  }

  /** The partitions' folders, but for the metadata log's. Others are named once in the log. */
  findLogs(): FoundLog[] {
    const found: FoundLog[] = [];
    for (const { name, isFolder } of this.#context.disk.list(this.folder.path)) {
      if (!isFolder) continue;
      const parsed = parsePartitionFolder(name);
      const path = `${this.folder.path}/${name}`;
      if (parsed === undefined) {
        this.#context.log.warn('a folder that is no partition is left alone', { path });
      } else if (parsed.topic !== METADATA_TOPIC) {
        found.push({ ...parsed, path });
      }
    }
    return found;
  }

  /** How to open each log, by what the checkpoints say. */
  optionsReader(settingsOf: (topic: string) => LogSettings): (found: FoundLog) => LogOptions {
    const recoveryPoints = this.checkpoints.read(RECOVERY_POINT_FILE);
    const startOffsets = this.checkpoints.read(START_OFFSET_FILE);
    const highWatermarks = this.checkpoints.read(HIGH_WATERMARK_FILE);
    return ({ topic, partition, path }) => {
      const key: TopicPartition = { topic, partition };
      return {
        ...key,
        path,
        settings: settingsOf(topic),
        recoveryPoint: checkpointed(recoveryPoints, key),
        startOffset: checkpointed(startOffsets, key),
        highWatermark: checkpointed(highWatermarks, key),
        isClean: this.#wasClean,
      };
    };
  }

  /** All logs in it are closed and durable. */
  async markClean(brokerEpoch: BrokerEpoch): Promise<void> {
    const path = `${this.folder.path}/${CLEAN_SHUTDOWN_FILE}`;
    await this.#context.disk.replace(path, encodeCleanShutdown(brokerEpoch));
  }

  release(): void {
    this.#lock.release();
  }
}

function directoryIdOf(disk: Disk, path: string): string {
  const properties = readMetaProperties(disk, path);
  if (properties === undefined) {
    throw new MetaPropertiesError(
      `The log folder ${path} is not formatted. Run: ottla storage format`,
    );
  }
  if (properties.directoryId === undefined) {
    throw new MetaPropertiesError(`${path}/meta.properties must name directory.id.`);
  }
  return properties.directoryId;
}

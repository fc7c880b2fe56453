/** The three offset checkpoints of one log folder, written when they have something new to say. */
import type { Offset, TopicPartition } from '../base/ids';
import type { Disk, Logger } from '../platform/platform';
import {
  type CheckpointEntry,
  CheckpointError,
  checkpointKey,
  decodeOffsets,
  encodeOffsets,
  type HIGH_WATERMARK_FILE,
  type OffsetCheckpoint,
  type RECOVERY_POINT_FILE,
  START_OFFSET_FILE,
} from './checkpoint';
import type { LogFolder } from './log-folder';

export type CheckpointFile =
  | typeof RECOVERY_POINT_FILE
  | typeof START_OFFSET_FILE
  | typeof HIGH_WATERMARK_FILE;

const NONE: OffsetCheckpoint = new Map();

export class OffsetCheckpoints {
  readonly #disk: Disk;
  readonly #folder: LogFolder;
  readonly #log: Logger;
  /** What each file holds, as written last. */
  readonly #written = new Map<CheckpointFile, Buffer>();

  constructor(disk: Disk, folder: LogFolder, log: Logger) {
    this.#disk = disk;
    this.#folder = folder;
    this.#log = log;
  }

  /**
   * What the file says. One that is missing or damaged says nothing: recovery then reads more than
   * it had to, and a start offset falls back to the first segment's (as in Kafka).
   */
  read(file: CheckpointFile): OffsetCheckpoint {
    const path = this.#pathOf(file);
    if (!this.#disk.exists(path)) return NONE;
    const bytes = this.#disk.readFile(path);
    try {
      const offsets = decodeOffsets(bytes);
      this.#written.set(file, bytes);
      return offsets;
    } catch (error) {
      if (!(error instanceof CheckpointError)) throw error;
      this.#log.warn('a checkpoint is damaged and taken as empty', { path, error });
      return NONE;
    }
  }

  /** Durable when it resolves. Nothing is written that already stands there. */
  async write(file: CheckpointFile, entries: readonly CheckpointEntry[]): Promise<void> {
    const bytes = encodeOffsets(entries);
    const written = this.#written.get(file);
    if (this.#folder.isOffline || written?.equals(bytes)) return;
    if (written === undefined && entries.length === 0) return;
    this.#written.set(file, bytes);
    try {
      await this.#disk.replace(this.#pathOf(file), bytes);
    } catch (error) {
      throw this.#folder.fail(`writing ${this.#pathOf(file)}`, error);
    }
  }

  /**
   * A partition was deleted. If its start offset stands in the checkpoint, a log made again under
   * its name would be cut at it after a crash: so it goes at once, before anything is appended.
   */
  forgetStartOffset(partition: TopicPartition): void {
    const written = this.#written.get(START_OFFSET_FILE);
    const key = checkpointKey(partition);
    if (written === undefined || !decodeOffsets(written).has(key)) return;
    const bytes = encodeOffsets(
      entriesOf(decodeOffsets(written)).filter((entry) => checkpointKey(entry) !== key),
    );
    const path = this.#pathOf(START_OFFSET_FILE);
    try {
      const file = this.#disk.open(`${path}.new`, 'create');
      try {
        file.write([bytes], 0);
        file.truncate(bytes.length);
      } finally {
        file.close();
      }
      this.#disk.rename(`${path}.new`, path);
    } catch (error) {
      throw this.#folder.fail(`writing ${path}`, error);
    }
    this.#written.set(START_OFFSET_FILE, bytes);
  }

  #pathOf(file: CheckpointFile): string {
    return `${this.#folder.path}/${file}`;
  }
}

function entriesOf(offsets: OffsetCheckpoint): CheckpointEntry[] {
  return Array.from(offsets, ([key, offset]): CheckpointEntry => {
    const [topic, partition] = key.split(' ') as [string, string];
    return { topic, partition: Number(partition), offset };
  });
}

/** What a checkpoint says of a partition; 0 if nothing. */
export const checkpointed = (offsets: OffsetCheckpoint, partition: TopicPartition): Offset =>
  offsets.get(checkpointKey(partition)) ?? 0;

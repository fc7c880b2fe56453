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
  type START_OFFSET_FILE,
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
  /** Files of which that is not durable yet. */
  readonly #unsynced = new Set<CheckpointFile>();

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
    if (this.#folder.isOffline || (written === undefined && entries.length === 0)) return;
    if (written?.equals(bytes) && !this.#unsynced.has(file)) return;
    this.#written.set(file, bytes);
    this.#unsynced.delete(file);
    try {
      await this.#disk.replace(this.#pathOf(file), bytes);
    } catch (error) {
      this.#unsynced.add(file);
      throw this.#folder.failureOf(`writing ${this.#pathOf(file)}`, error);
    }
  }

  /**
   * A log is about to be made under the name of one that is no more. What a checkpoint still says
   * of that goes at once: after a crash it would be believed of the new one. True if there was
   * anything: then `write` is due, which makes it durable.
   */
  forget(partition: TopicPartition): boolean {
    const key = checkpointKey(partition);
    for (const [file, written] of this.#written) {
      if (!written.includes(`\n${key} `)) continue;
      const kept = entriesOf(decodeOffsets(written)).filter(
        (entry) => checkpointKey(entry) !== key,
      );
      this.#overwrite(file, encodeOffsets(kept));
    }
    return this.#unsynced.size > 0;
  }

  #overwrite(file: CheckpointFile, bytes: Buffer): void {
    const path = this.#pathOf(file);
    try {
      const opened = this.#disk.open(`${path}.new`, 'create');
      try {
        opened.write([bytes], 0);
        opened.truncate(bytes.length);
      } finally {
        opened.close();
      }
      this.#disk.rename(`${path}.new`, path);
    } catch (error) {
      throw this.#folder.fail(`writing ${path}`, error);
    }
    this.#written.set(file, bytes);
    this.#unsynced.add(file);
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

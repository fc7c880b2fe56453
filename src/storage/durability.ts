/**
 * What of a log is durable, and how it becomes so: data, indexes, small files, names, in one sync.
 */
import type { Offset } from '../base/ids';
import type { Timer } from '../platform/platform';
import { raise, raiseInvariant } from '../platform/raise';
import { EPOCH_FILE, encodeEpochs } from './checkpoint';
import type { Epochs } from './epochs';
import { StorageError } from './errors';
import { Flusher, type FlushOwner } from './flusher';
import type { LogContext } from './log-context';
import type { LogFolder } from './log-folder';
import type { Segments } from './segments';

export interface DurabilityOptions {
  readonly context: LogContext;
  readonly folder: LogFolder;
  /** The partition's folder. */
  readonly path: string;
  readonly segments: Segments;
  readonly epochs: Epochs;
  readonly flushedEndOffset: Offset;
  /** `flushedEndOffset` rose; in a turn of its own. */
  readonly onFlushed: () => void;
}

export class Durability implements FlushOwner {
  readonly #options: DurabilityOptions;
  readonly #flusher: Flusher;
  #flushedEndOffset: Offset;
  /** Small files written and not synced: producer snapshots, partition.metadata. */
  #unsyncedFiles: string[] = [];
  #hasUnsyncedNames = false;
  #isFolderNew = false;
  #isGone = false;
  #timer: Timer | undefined;

  constructor(options: DurabilityOptions) {
    this.#options = options;
    this.#flusher = new Flusher(this);
    this.#flushedEndOffset = options.flushedEndOffset;
  }

  /** Everything below survives a power loss. */
  get flushedEndOffset(): Offset {
    return this.#flushedEndOffset;
  }

  /** A file was written that the next flush syncs. */
  fileWritten(path: string): void {
    this.#unsyncedFiles.push(path);
    this.#hasUnsyncedNames = true;
  }

  /** Files were made, renamed or removed. */
  namesChanged(): void {
    this.#hasUnsyncedNames = true;
  }

  /** The partition's folder itself was made. */
  folderMade(): void {
    this.#isFolderNew = true;
    this.#hasUnsyncedNames = true;
  }

  flush(upTo: Offset): Promise<void> {
    return upTo <= this.#flushedEndOffset ? Promise.resolve() : this.#flusher.flush(upTo);
  }

  /** As `flush`, whatever is durable already: index files and snapshots were written. */
  flushAnew(upTo: Offset): Promise<void> {
    return this.#flusher.flushAnew(upTo);
  }

  flushInBackground(upTo: Offset): void {
    if (upTo > this.#flushedEndOffset) this.#flusher.flushInBackground(upTo);
  }

  /** Flushes `delayMs` from now at the latest (`flush.ms`). */
  flushWithin(delayMs: number, endOffset: () => Offset): void {
    this.#timer ??= this.#options.context.clock.setTimer(delayMs, () => {
      this.#timer = undefined;
      this.flushInBackground(endOffset());
    });
  }

  /** The log was cut and now ends at `endOffset`. */
  truncated(endOffset: Offset): void {
    this.#flushedEndOffset = Math.min(this.#flushedEndOffset, endOffset);
    this.#flusher.truncated(endOffset);
  }

  /** A log without anything below `offset` cannot lose it. */
  startsAt(offset: Offset): void {
    this.#flushedEndOffset = Math.max(this.#flushedEndOffset, offset);
  }

  /** Closed or deleted: what fails from now on is nobody's failure. */
  stop(): void {
    this.#timer?.cancel();
    this.#isGone = true;
  }

  async sync(upTo: Offset): Promise<void> {
    const { context, folder, path, segments, epochs } = this.#options;
    if (folder.failure !== undefined) throw folder.failure;
    // A run that waited its turn: the files may be elsewhere, or another log's by now.
    if (this.#isGone) throw new StorageError(`${path} was closed`);
    const syncs: Promise<void>[] = [];
    for (const segment of segments.list) {
      const isWanted = segment.baseOffset < upTo || segment.size === 0;
      if (isWanted && segment.hasUnsyncedChanges) syncs.push(segment.sync());
    }
    for (const file of this.#unsyncedFiles.splice(0)) syncs.push(this.#syncFile(file));
    if (epochs.hasUnsavedChanges) {
      epochs.markSaved();
      syncs.push(context.disk.replace(`${path}/${EPOCH_FILE}`, encodeEpochs(epochs.entries)));
    }
    if (this.#hasUnsyncedNames) {
      this.#hasUnsyncedNames = false;
      syncs.push(context.disk.syncFolder(path));
    }
    if (this.#isFolderNew) {
      this.#isFolderNew = false;
      syncs.push(context.disk.syncFolder(folder.path), folder.forgotten());
    }
    await Promise.all(syncs);
  }

  flushed(upTo: Offset): void {
    if (upTo <= this.#flushedEndOffset) return;
    this.#flushedEndOffset = upTo;
    try {
      this.#options.onFlushed();
    } catch (error) {
      // Nobody else would hear of it.
      raise(this.#options.context.clock, error);
    }
  }

  flushFailed(cause: unknown): Error {
    const { context, folder, path } = this.#options;
    raiseInvariant(context.clock, cause);
    if (this.#isGone) return new StorageError(`${path} was closed`, { cause });
    return folder.fail(`fsync of ${path}`, cause);
  }

  /** A snapshot that was removed meanwhile needs no sync. */
  async #syncFile(path: string): Promise<void> {
    const { disk } = this.#options.context;
    if (!disk.exists(path)) return;
    const file = disk.open(path, 'write');
    try {
      await file.sync();
    } finally {
      file.close();
    }
  }
}

/**
 * The offset and time index of one segment. Those of a segment that is appended to live in memory
 * (Node has no mmap); those of a closed one in their files and, while used, in the cache.
 */
import type { Disk } from '../platform/platform';
import { type Entries, MemoryEntries } from './entries';
import type { IndexCache } from './index-cache';
import { addOffsetEntry, OFFSET_ENTRY_BYTES, truncateOffsetEntries } from './offset-index';
import type { LogSettings } from './settings';
import { addTimeEntry, TIME_ENTRY_BYTES, truncateTimeEntries } from './time-index';

export class SegmentIndexes {
  readonly #disk: Disk;
  readonly #cache: IndexCache;
  /** Path without suffix. */
  #stem: string;
  #loaded: { readonly offsets: MemoryEntries; readonly times: MemoryEntries } | undefined;
  #hasUnsyncedFiles = false;

  constructor(disk: Disk, cache: IndexCache, stem: string) {
    this.#disk = disk;
    this.#cache = cache;
    this.#stem = stem;
  }

  get offsets(): Entries {
    return this.#loaded?.offsets ?? this.#cache.entries(this.#offsetPath, OFFSET_ENTRY_BYTES);
  }

  get times(): Entries {
    return this.#loaded?.times ?? this.#cache.entries(this.#timePath, TIME_ENTRY_BYTES);
  }

  get areInMemory(): boolean {
    return this.#loaded !== undefined;
  }

  /** Begins anew, in memory; the files are replaced by the next `write`. */
  clear(): void {
    this.#loaded = {
      offsets: new MemoryEntries(OFFSET_ENTRY_BYTES),
      times: new MemoryEntries(TIME_ENTRY_BYTES),
    };
  }

  /** Into memory, to be added to. */
  load(): void {
    this.#loaded ??= {
      offsets: this.#read(this.#offsetPath, OFFSET_ENTRY_BYTES),
      times: this.#read(this.#timePath, TIME_ENTRY_BYTES),
    };
  }

  /** Out of memory; `write` was called since the last change. */
  unload(): void {
    this.#loaded = undefined;
  }

  /** Kafka keeps one place in the time index free for the last entry. */
  areFull(settings: LogSettings): boolean {
    const loaded = this.#loaded;
    if (loaded === undefined) return false;
    const { segmentIndexBytes } = settings;
    return (
      loaded.offsets.count >= Math.floor(segmentIndexBytes / OFFSET_ENTRY_BYTES) ||
      loaded.times.count >= Math.floor(segmentIndexBytes / TIME_ENTRY_BYTES) - 1
    );
  }

  /** To the loaded indexes; offsets relative to the segment's base. A full index takes no more. */
  add(
    relativeOffset: number,
    position: number,
    maxTimestamp: number,
    relativeOffsetOfMaxTimestamp: number,
    settings: LogSettings,
  ): void {
    if (this.#loaded === undefined || this.areFull(settings)) return;
    addOffsetEntry(this.#loaded.offsets, relativeOffset, position);
    addTimeEntry(this.#loaded.times, maxTimestamp, relativeOffsetOfMaxTimestamp);
  }

  /** Keeps the entries below the offset, in the loaded indexes. */
  truncate(relativeOffset: number): void {
    if (this.#loaded === undefined) return;
    truncateOffsetEntries(this.#loaded.offsets, relativeOffset);
    truncateTimeEntries(this.#loaded.times, relativeOffset);
  }

  /** To the files, with the last time entry that Kafka forces. Nothing if not in memory. */
  write(maxTimestamp: number, relativeOffsetOfMaxTimestamp: number): void {
    if (this.#loaded === undefined) return;
    addTimeEntry(this.#loaded.times, maxTimestamp, relativeOffsetOfMaxTimestamp);
    this.#writeFile(this.#offsetPath, this.#loaded.offsets.bytes());
    this.#writeFile(this.#timePath, this.#loaded.times.bytes());
    this.#hasUnsyncedFiles = true;
  }

  get hasUnsyncedFiles(): boolean {
    return this.#hasUnsyncedFiles;
  }

  async sync(): Promise<void> {
    if (!this.#hasUnsyncedFiles) return;
    this.#hasUnsyncedFiles = false;
    await Promise.all([this.#syncFile(this.#offsetPath), this.#syncFile(this.#timePath)]);
  }

  moved(stem: string): void {
    this.forget();
    this.#stem = stem;
  }

  /** Drops what the cache holds of the files. */
  forget(): void {
    this.#cache.forget(this.#offsetPath);
    this.#cache.forget(this.#timePath);
  }

  get #offsetPath(): string {
    return `${this.#stem}.index`;
  }

  get #timePath(): string {
    return `${this.#stem}.timeindex`;
  }

  #read(path: string, entryBytes: number): MemoryEntries {
    this.#cache.forget(path);
    return new MemoryEntries(entryBytes, this.#disk.readFile(path));
  }

  #writeFile(path: string, bytes: Buffer): void {
    this.#cache.forget(path);
    const file = this.#disk.open(path, 'create');
    try {
      if (bytes.length > 0) file.write([bytes], 0);
      file.truncate(bytes.length);
    } finally {
      file.close();
    }
  }

  async #syncFile(path: string): Promise<void> {
    const file = this.#disk.open(path, 'write');
    try {
      await file.sync();
    } finally {
      file.close();
    }
  }
}

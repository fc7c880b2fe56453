/**
 * The `.txnindex` of a segment: the transactions whose abort marker lies in it. i16 version 0 · i64
 * producer id · i64 first offset · i64 last offset · i64 last stable offset, by rising last offset.
 * There is no file while there is no entry, as in most logs.
 */
import type { Offset } from '../base/ids';
import type { Disk } from '../platform/platform';
import { type Entries, lastWhere, MemoryEntries } from './entries';
import type { IndexCache } from './index-cache';
import type { AbortedTransaction } from './open-transactions';

const ABORTED_ENTRY_BYTES = 34;

const PRODUCER_ID_AT = 2;
const FIRST_OFFSET_AT = 10;
const LAST_OFFSET_AT = 18;
const LAST_STABLE_OFFSET_AT = 26;

export class AbortedIndex {
  readonly #disk: Disk;
  readonly #cache: IndexCache;
  #path: string;
  /** In memory once changed: the file is then behind. */
  #changed: MemoryEntries | undefined;
  /** Undefined: not looked yet. */
  #hasFile: boolean | undefined;
  #isUnsynced = false;

  constructor(disk: Disk, cache: IndexCache, path: string) {
    this.#disk = disk;
    this.#cache = cache;
    this.#path = path;
  }

  /** Into memory, to be added to. */
  load(): void {
    this.#change();
  }

  /** Markers come in order. */
  add(aborted: AbortedTransaction): void {
    const entries = this.#change();
    const at = entries.add();
    entries.setInt16(at, 0);
    entries.setInt64(at + PRODUCER_ID_AT, aborted.producerId);
    entries.setInt64(at + FIRST_OFFSET_AT, aborted.firstOffset);
    entries.setInt64(at + LAST_OFFSET_AT, aborted.lastOffset);
    entries.setInt64(at + LAST_STABLE_OFFSET_AT, aborted.lastStableOffset);
  }

  /**
   * Adds to `found` what has records in [from, until). True once no later segment can have more:
   * everything below `until` was decided.
   */
  collect(from: Offset, until: Offset, found: AbortedTransaction[]): boolean {
    const entries = this.#entries;
    if (entries === undefined) return false;
    const isBefore = (entry: number): boolean => entries.int64(entry, LAST_OFFSET_AT) < from;
    for (let entry = lastWhere(entries.count, isBefore) + 1; entry < entries.count; entry++) {
      const aborted = abortedAt(entries, entry);
      if (aborted.firstOffset < until) found.push(aborted);
      if (aborted.lastStableOffset >= until) return true;
    }
    return false;
  }

  /** Whether the file holds entries of a segment with offsets in [baseOffset, endOffset). */
  isSound(baseOffset: Offset, endOffset: Offset): boolean {
    const bytes = this.#disk.readFile(this.#path);
    if (bytes.length % ABORTED_ENTRY_BYTES !== 0) return false;
    const entries = new MemoryEntries(ABORTED_ENTRY_BYTES, bytes);
    let least = baseOffset;
    for (let entry = 0; entry < entries.count; entry++) {
      const { firstOffset, lastOffset } = abortedAt(entries, entry);
      if (bytes.readInt16BE(entry * ABORTED_ENTRY_BYTES) !== 0) return false;
      if (lastOffset < least || lastOffset >= endOffset || firstOffset > lastOffset) return false;
      least = lastOffset + 1;
    }
    return true;
  }

  /** Keeps the transactions that ended below `offset`. */
  truncate(offset: Offset): void {
    const entries = this.#entries;
    if (entries === undefined) return;
    const isKept = (entry: number): boolean => entries.int64(entry, LAST_OFFSET_AT) < offset;
    const kept = lastWhere(entries.count, isKept) + 1;
    if (kept < entries.count) this.#change().truncate(kept);
  }

  /** Begins anew; the caller adds every aborted transaction again. */
  clear(): void {
    this.#changed = new MemoryEntries(ABORTED_ENTRY_BYTES);
  }

  /** Changes go to the file. True if that made one: its name is not durable. */
  write(): boolean {
    const entries = this.#changed;
    if (entries === undefined) return false;
    const isNew = !this.#lookForFile();
    if (isNew && entries.count === 0) {
      this.#changed = undefined;
      return false;
    }
    this.#cache.forget(this.#path);
    const file = this.#disk.open(this.#path, 'create');
    try {
      const bytes = entries.bytes();
      if (bytes.length > 0) file.write([bytes], 0);
      file.truncate(bytes.length);
    } finally {
      file.close();
    }
    // Not before: without a descriptor this is all that knows of them.
    this.#changed = undefined;
    this.#hasFile = true;
    this.#isUnsynced = true;
    return isNew;
  }

  get hasUnsyncedFile(): boolean {
    return this.#isUnsynced;
  }

  async sync(): Promise<void> {
    if (!this.#isUnsynced) return;
    this.#isUnsynced = false;
    const file = this.#disk.open(this.#path, 'write');
    try {
      await file.sync();
    } finally {
      file.close();
    }
  }

  moved(path: string): void {
    this.forget();
    this.#path = path;
  }

  /** Drops what the cache holds of the file. */
  forget(): void {
    if (this.#hasFile === true) this.#cache.forget(this.#path);
  }

  get #entries(): Entries | undefined {
    if (this.#changed !== undefined) return this.#changed;
    return this.#lookForFile() ? this.#cache.entries(this.#path, ABORTED_ENTRY_BYTES) : undefined;
  }

  #change(): MemoryEntries {
    this.#changed ??= new MemoryEntries(
      ABORTED_ENTRY_BYTES,
      this.#lookForFile() ? this.#disk.readFile(this.#path) : undefined,
    );
    return this.#changed;
  }

  #lookForFile(): boolean {
    this.#hasFile ??= this.#disk.exists(this.#path);
    return this.#hasFile;
  }
}

function abortedAt(entries: Entries, entry: number): AbortedTransaction {
  return {
    producerId: entries.int64(entry, PRODUCER_ID_AT),
    firstOffset: entries.int64(entry, FIRST_OFFSET_AT),
    lastOffset: entries.int64(entry, LAST_OFFSET_AT),
    lastStableOffset: entries.int64(entry, LAST_STABLE_OFFSET_AT),
  };
}

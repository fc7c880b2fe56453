/** The indexes of closed segments, read on demand and kept while there is room. */
import type { Disk } from '../platform/platform';
import { type Entries, FileEntries, MemoryEntries } from './entries';

interface Cached {
  readonly entries: Entries;
  readonly bytes: number;
  readonly close: () => void;
}

/** A large index is not loaded but searched in its file; this stands for its open handle. */
const HANDLE_BYTES = 1024;

/**
 * Least recently used indexes go first. An index larger than an eighth of the cache would push out
 * too many others: about 18 positioned reads of 1 µs each serve a look-up in it instead.
 */
export class IndexCache {
  readonly #disk: Disk;
  readonly #limitBytes: number;
  readonly #cached = new Map<string, Cached>();
  #bytes = 0;

  constructor(disk: Disk, limitBytes: number) {
    this.#disk = disk;
    this.#limitBytes = limitBytes;
  }

  /** Entries of the index file at `path`; use them before the next call. */
  entries(path: string, entryBytes: number): Entries {
    const cached = this.#cached.get(path) ?? this.#load(path, entryBytes);
    this.#cached.delete(path);
    this.#cached.set(path, cached);
    this.#evict(path);
    return cached.entries;
  }

  /** The file changed, moved or went. */
  forget(path: string): void {
    const cached = this.#cached.get(path);
    if (cached === undefined) return;
    this.#cached.delete(path);
    this.#bytes -= cached.bytes;
    cached.close();
  }

  clear(): void {
    for (const path of [...this.#cached.keys()]) this.forget(path);
  }

  #load(path: string, entryBytes: number): Cached {
    const file = this.#disk.open(path, 'read');
    const length = file.length();
    let cached: Cached;
    if (length > this.#limitBytes / 8) {
      const entries = new FileEntries(file, entryBytes);
      cached = { entries, bytes: HANDLE_BYTES, close: () => file.close() };
    } else {
      const bytes = Buffer.allocUnsafeSlow(length);
      const read = file.read(bytes, 0, length, 0);
      file.close();
      const entries = new MemoryEntries(entryBytes, bytes.subarray(0, read));
      cached = { entries, bytes: length + HANDLE_BYTES, close: () => undefined };
    }
    this.#bytes += cached.bytes;
    return cached;
  }

  #evict(keep: string): void {
    if (this.#bytes <= this.#limitBytes) return;
    for (const path of this.#cached.keys()) {
      if (this.#bytes <= this.#limitBytes) return;
      if (path !== keep) this.forget(path);
    }
  }
}

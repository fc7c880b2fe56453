/** Index entries of a fixed size, in Kafka's byte order: in memory, or read from the file. */
import type { DiskFile } from '../platform/platform';

/** Reads fields of entries; what both indexes search. */
export interface Entries {
  readonly count: number;
  int32(entry: number, at: number): number;
  int64(entry: number, at: number): number;
}

const FIRST_CAPACITY = 32;
const EMPTY = Buffer.alloc(0);

/** The greatest entry for which `isBelow` holds, -1 if for none; it holds for a prefix only. */
export function lastWhere(count: number, isBelow: (entry: number) => boolean): number {
  let low = 0;
  let high = count - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    if (isBelow(middle)) low = middle + 1;
    else high = middle - 1;
  }
  return high;
}

/** A growing array of entries, laid out as in the file so that writing it is one write. */
export class MemoryEntries implements Entries {
  readonly #entryBytes: number;
  #bytes: Buffer;
  #count: number;

  constructor(entryBytes: number, bytes: Buffer = EMPTY) {
    this.#entryBytes = entryBytes;
    this.#bytes = bytes;
    this.#count = Math.floor(bytes.length / entryBytes);
  }

  get count(): number {
    return this.#count;
  }

  int32(entry: number, at: number): number {
    return this.#bytes.readInt32BE(entry * this.#entryBytes + at);
  }

  int64(entry: number, at: number): number {
    return readInt64(this.#bytes, entry * this.#entryBytes + at);
  }

  /** Adds an entry and returns where its bytes begin in `bytes`. */
  add(): number {
    const at = this.#count * this.#entryBytes;
    if (at + this.#entryBytes > this.#bytes.length) this.#grow();
    this.#count++;
    return at;
  }

  setInt16(at: number, value: number): void {
    this.#bytes.writeInt16BE(value, at);
  }

  setInt32(at: number, value: number): void {
    this.#bytes.writeInt32BE(value, at);
  }

  setInt64(at: number, value: number): void {
    // Timestamps beyond the safe range are kept to the nearest number, and within int64.
    const high = Math.min(Math.floor(value / 0x100000000), 0x7fffffff);
    this.#bytes.writeInt32BE(high, at);
    this.#bytes.writeUInt32BE(value >>> 0, at + 4);
  }

  truncate(count: number): void {
    this.#count = Math.min(count, this.#count);
  }

  /** The entries as they stand in the file; valid until the next change. */
  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#count * this.#entryBytes);
  }

  #grow(): void {
    const capacity = Math.max(FIRST_CAPACITY * this.#entryBytes, this.#bytes.length * 2);
    const grown = Buffer.allocUnsafeSlow(capacity);
    this.#bytes.copy(grown);
    this.#bytes = grown;
  }
}

/** Entries of a closed segment too large to keep in memory: one positioned read per entry. */
export class FileEntries implements Entries {
  readonly count: number;
  readonly #file: DiskFile;
  readonly #entryBytes: number;
  readonly #entry: Buffer;

  constructor(file: DiskFile, entryBytes: number) {
    this.#file = file;
    this.#entryBytes = entryBytes;
    this.#entry = Buffer.alloc(entryBytes);
    this.count = Math.floor(file.length() / entryBytes);
  }

  int32(entry: number, at: number): number {
    this.#load(entry);
    return this.#entry.readInt32BE(at);
  }

  int64(entry: number, at: number): number {
    this.#load(entry);
    return readInt64(this.#entry, at);
  }

  #load(entry: number): void {
    this.#file.read(this.#entry, 0, this.#entryBytes, entry * this.#entryBytes);
  }
}

function readInt64(bytes: Buffer, at: number): number {
  return bytes.readInt32BE(at) * 0x100000000 + bytes.readUInt32BE(at + 4);
}

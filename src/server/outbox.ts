/**
 * What leaves a connection: bytes and file slices in order. File bytes are read into pooled slabs
 * at most 1 MiB ahead of the socket; neighbours are joined, since every write costs 5 µs.
 */
import type { Link } from '../platform/platform';
import type { Part } from '../protocol/schema';
import type { SlabPool } from '../protocol/slabs';
import type { FileSlice } from '../storage/log';

/** File bytes under way at once per connection. */
const CHUNK_BYTES = 1024 * 1024;
/** Small neighbours up to here are copied together rather than written apart. */
const JOIN_BYTES = 64 * 1024;

/** What would queue more than this in the socket is told of when it has left. */
const UNNOTICED_BYTES = 8 * 1024;

/** A file was cut while its bytes were on their way: the connection cannot go on. */
class SliceLostError extends Error {
  override readonly name = 'SliceLostError';
}

export class Outbox {
  /** Parts that wait; the first may be partly sent (`#sent` bytes of it). */
  #parts: Part[] = [];
  #first = 0;
  #sent = 0;
  #waitingBytes = 0;
  #isReading = false;
  #isClosed = false;

  constructor(
    private readonly link: Link,
    private readonly slabs: SlabPool,
    /** Called when bytes have left, and with the error that ends the connection. */
    private readonly left: (error?: Error) => void,
  ) {}

  /** Bytes that have not been handed to the system. */
  get queuedBytes(): number {
    return this.#waitingBytes + this.link.queuedBytes;
  }

  /** Everything has been handed to the socket. */
  get isEmpty(): boolean {
    return this.#waitingBytes === 0 && !this.#isReading;
  }

  /** Queues parts; file slices are released once sent or dropped. Returns how many bytes. */
  add(parts: readonly Part[]): number {
    let bytes = 0;
    for (const part of parts) {
      if (this.#isClosed) release(part);
      else this.#parts.push(part);
      bytes += part.length;
    }
    this.#waitingBytes += bytes;
    return bytes;
  }

  /** Sends what can be sent now. */
  flush(): void {
    while (!this.#isReading && !this.#isClosed && this.#first < this.#parts.length) {
      const part = this.#parts[this.#first];
      if (part instanceof Uint8Array && this.#sent === 0 && !this.#joinsNext(part)) {
        this.#advance(part.length);
        // Only who may be waiting for room needs to hear of it: the callback costs 1 µs.
        const isSmall = this.link.queuedBytes + part.length <= UNNOTICED_BYTES;
        if (isSmall) this.link.write(part);
        else this.link.write(part, (error) => this.#noticed(error));
      } else {
        this.#writeSlab();
      }
    }
  }

  /** Nothing more leaves. */
  close(): void {
    this.#isClosed = true;
    for (let index = this.#first; index < this.#parts.length; index += 1) {
      release(this.#parts[index]);
    }
    this.#parts = [];
    this.#first = 0;
    this.#waitingBytes = 0;
  }

  #joinsNext(part: Uint8Array): boolean {
    return part.length <= JOIN_BYTES && this.#first + 1 < this.#parts.length;
  }

  /** Fills one slab with what comes next and writes it; the next follows once it has left. */
  #writeSlab(): void {
    const slab = this.slabs.lease(Math.min(this.#waitingBytes, CHUNK_BYTES));
    const limit = Math.min(slab.length, CHUNK_BYTES);
    let filled = 0;
    let hasFileBytes = false;
    while (filled < limit && this.#first < this.#parts.length) {
      const part = this.#parts[this.#first] as Part;
      const length = Math.min(part.length - this.#sent, limit - filled);
      if (part instanceof Uint8Array) {
        slab.set(part.subarray(this.#sent, this.#sent + length), filled);
      } else {
        hasFileBytes = true;
        if (!this.#readSlice(part as FileSlice, slab, filled, length)) {
          this.slabs.release(slab);
          return;
        }
      }
      filled += length;
      this.#advance(length);
    }
    // Without file bytes nothing has to be paced: the bytes were in memory before.
    this.#isReading = hasFileBytes;
    this.link.write(slab.subarray(0, filled), (error) => this.#written(slab, error));
  }

  #readSlice(slice: FileSlice, slab: Buffer, at: number, length: number): boolean {
    try {
      const read = slice.file.read(slab, at, length, slice.position + this.#sent);
      if (read === length) return true;
      this.left(new SliceLostError('a log was cut while its bytes were being sent'));
    } catch (error) {
      this.left(error instanceof Error ? error : new Error(String(error)));
    }
    return false;
  }

  #noticed(error: Error | undefined): void {
    if (error === undefined && !this.#isClosed) this.left();
  }

  #written(slab: Buffer, error: Error | undefined): void {
    this.slabs.release(slab);
    this.#isReading = false;
    if (error !== undefined || this.#isClosed) return;
    this.flush();
    this.left();
  }

  /** `length` more bytes of the first part are taken. */
  #advance(length: number): void {
    const part = this.#parts[this.#first] as Part;
    this.#sent += length;
    this.#waitingBytes -= length;
    if (this.#sent < part.length) return;
    release(part);
    this.#sent = 0;
    this.#first += 1;
    if (this.#first === this.#parts.length) {
      this.#parts = [];
      this.#first = 0;
    }
  }
}

function release(part: Part | undefined): void {
  if (part !== undefined && 'release' in part) (part as FileSlice).release();
}

/** Bytes of a file kept in memory: chunks that are added and grown as they are needed. */

const CHUNK_BYTES = 256 * 1024;
const SMALLEST_CHUNK_BYTES = 512;

/** A growable row of bytes; what was never written reads as zeros. */
export class Chunks {
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  read(into: Uint8Array, offset: number, length: number, position: number): number {
    const end = Math.min(position + length, this.#length);
    let at = position;
    while (at < end) {
      const start = at % CHUNK_BYTES;
      const count = Math.min(CHUNK_BYTES - start, end - at);
      const target = into.subarray(offset + at - position, offset + at - position + count);
      const chunk = this.#chunks[Math.floor(at / CHUNK_BYTES)]?.subarray(start, start + count);
      if (chunk !== undefined) target.set(chunk);
      target.fill(0, chunk?.byteLength ?? 0);
      at += count;
    }
    return Math.max(end - position, 0);
  }

  write(bytes: Uint8Array, position: number): void {
    let done = 0;
    while (done < bytes.byteLength) {
      const start = (position + done) % CHUNK_BYTES;
      const count = Math.min(CHUNK_BYTES - start, bytes.byteLength - done);
      const chunk = this.#chunk(Math.floor((position + done) / CHUNK_BYTES), start + count);
      chunk.set(bytes.subarray(done, done + count), start);
      done += count;
    }
    this.#length = Math.max(this.#length, position + bytes.byteLength);
  }

  /** Cuts the bytes off behind `length`, or adds zeros up to it. */
  truncate(length: number): void {
    if (length < this.#length) {
      this.#chunks.length = Math.min(this.#chunks.length, Math.ceil(length / CHUNK_BYTES));
      this.#chunks[Math.floor(length / CHUNK_BYTES)]?.fill(0, length % CHUNK_BYTES);
    }
    this.#length = length;
  }

  #chunk(index: number, neededBytes: number): Uint8Array {
    const chunk = this.#chunks[index];
    if (chunk !== undefined && chunk.byteLength >= neededBytes) return chunk;
    let size = Math.max(chunk?.byteLength ?? 0, SMALLEST_CHUNK_BYTES);
    while (size < neededBytes) size *= 2;
    // Behind the first chunk growing step by step would only copy.
    const grown = new Uint8Array(index > 0 ? CHUNK_BYTES : size);
    if (chunk !== undefined) grown.set(chunk);
    while (this.#chunks.length < index) this.#chunks.push(new Uint8Array(0));
    this.#chunks[index] = grown;
    return grown;
  }
}

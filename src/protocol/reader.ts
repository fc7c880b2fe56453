/**
 * Reads the wire's primitive types from a range of a buffer. Anything beyond the range or the
 * limits is a MalformedFrameError. One reader is used for many messages (`reset`).
 */
import type { Uuid } from '../base/ids';
import { MalformedFrameError } from './errors';
import { readUuid, UUID_BYTES } from './ids';
import type { UnknownTag } from './schema';

/** How many elements all arrays of one message may have together. */
const MAX_ELEMENTS = 1_000_000;
/** How many tagged fields a struct may have. */
const MAX_TAGGED_FIELDS = 10_000;
/** How many bytes a string may have. */
export const MAX_STRING_BYTES = 0x7fff;

/** Up to here, making a string by character (20 ns) beats a call into C++ (50 ns). */
const SHORT_STRING_BYTES = 6;
/** Whatever so many bytes decode to is no longer than a string may be. */
const SURELY_FITTING_BYTES = Math.floor(MAX_STRING_BYTES / 3);
const NOTHING = Buffer.alloc(0);

export class Reader {
  /** The next byte to be read. */
  position = 0;
  /** The first byte that must not be read. */
  end = 0;
  #buffer: Buffer = NOTHING;
  #view: DataView = new DataView(NOTHING.buffer, NOTHING.byteOffset, 0);
  #elementsLeft = MAX_ELEMENTS;

  constructor(buffer?: Uint8Array) {
    if (buffer !== undefined) this.reset(buffer, 0, buffer.length);
  }

  /** Starts anew on bytes `start` to `end` - 1 of a buffer. */
  reset(buffer: Uint8Array, start: number, end: number): this {
    if (buffer !== this.#buffer) {
      this.#buffer = asBuffer(buffer);
      this.#view = viewOf(this.#buffer);
    }
    this.position = start;
    this.end = end;
    this.#elementsLeft = MAX_ELEMENTS;
    return this;
  }

  get remaining(): number {
    return this.end - this.position;
  }

  bool(): boolean {
    return this.int8() !== 0;
  }

  int8(): number {
    return this.#view.getInt8(this.take(1));
  }

  int16(): number {
    return this.#view.getInt16(this.take(2));
  }

  uint16(): number {
    return this.#view.getUint16(this.take(2));
  }

  int32(): number {
    return this.#view.getInt32(this.take(4));
  }

  uint32(): number {
    return this.#view.getUint32(this.take(4));
  }

  int64(): number {
    const at = this.take(8);
    const high = this.#view.getInt32(at);
    const value = high * 0x1_0000_0000 + this.#view.getUint32(at + 4);
    if (high > 0x1f_ffff || value < -Number.MAX_SAFE_INTEGER) fail('a number beyond 2^53');
    return value;
  }

  bigint64(): bigint {
    return this.#view.getBigInt64(this.take(8));
  }

  float64(): number {
    return this.#view.getFloat64(this.take(8));
  }

  uuid(): Uuid {
    return readUuid(this.#buffer, this.take(UUID_BYTES));
  }

  /** An unsigned varint of at most 32 bits. */
  uvarint(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.#buffer[this.take(1)] as number;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) {
        if (value > 0xffff_ffff) break;
        return value;
      }
    }
    return fail('a varint of more than 32 bits');
  }

  string(): string {
    return this.utf8(this.int16()) ?? fail('null in place of a string');
  }

  nullableString(): string | null {
    return this.utf8(this.int16());
  }

  compactString(): string {
    return this.utf8(this.uvarint() - 1) ?? fail('null in place of a string');
  }

  compactNullableString(): string | null {
    return this.utf8(this.uvarint() - 1);
  }

  bytes(): Buffer {
    return this.copy(this.int32()) ?? fail('null in place of bytes');
  }

  nullableBytes(): Buffer | null {
    return this.copy(this.int32());
  }

  compactBytes(): Buffer {
    return this.copy(this.uvarint() - 1) ?? fail('null in place of bytes');
  }

  compactNullableBytes(): Buffer | null {
    return this.copy(this.uvarint() - 1);
  }

  records(): Buffer {
    return this.slice(this.int32()) ?? fail('null in place of records');
  }

  nullableRecords(): Buffer | null {
    return this.slice(this.int32());
  }

  compactRecords(): Buffer {
    return this.slice(this.uvarint() - 1) ?? fail('null in place of records');
  }

  compactNullableRecords(): Buffer | null {
    return this.slice(this.uvarint() - 1);
  }

  /** The number of elements of an array, each of which takes at least `elementBytes`. */
  count(elementBytes: number): number {
    return this.bounded(this.int32(), elementBytes);
  }

  /** The same; -1 stands for null. */
  nullableCount(elementBytes: number): number {
    const count = this.int32();
    return count === -1 ? -1 : this.bounded(count, elementBytes);
  }

  compactCount(elementBytes: number): number {
    return this.bounded(this.uvarint() - 1, elementBytes);
  }

  /** The same; -1 stands for null. */
  compactNullableCount(elementBytes: number): number {
    const count = this.uvarint() - 1;
    return count === -1 ? -1 : this.bounded(count, elementBytes);
  }

  /** The number of tagged fields of a struct. */
  tagCount(): number {
    const count = this.uvarint();
    if (count > MAX_TAGGED_FIELDS || count * 2 > this.remaining) fail('too many tagged fields');
    return count;
  }

  /** Narrows the range to the next `length` bytes; returns the end to be given to `leave`. */
  enter(length: number): number {
    const outerEnd = this.end;
    if (length > this.remaining) fail('a length beyond the frame');
    this.end = this.position + length;
    return outerEnd;
  }

  /** Ends what `enter` began; all of it must have been read. */
  leave(outerEnd: number): void {
    if (this.position !== this.end) fail('a tagged field with bytes left over');
    this.end = outerEnd;
  }

  skip(length: number): void {
    this.take(length);
  }

  /** A tagged field as it stands, copied. */
  unknownTag(tag: number, length: number): UnknownTag {
    return { tag, bytes: this.copy(length) ?? fail('a tagged field without a length') };
  }

  /** A view on the next `length` bytes, lent with the buffer. */
  view(length: number): Buffer {
    const start = this.take(length);
    return this.#buffer.subarray(start, start + length);
  }

  private take(length: number): number {
    const start = this.position;
    const next = start + length;
    if (next > this.end) fail('a length beyond the frame');
    this.position = next;
    return start;
  }

  private utf8(length: number): string | null {
    if (length === -1) return null;
    if (length < 0 || length > MAX_STRING_BYTES) fail('a string of impossible length');
    const start = this.take(length);
    if (length <= SHORT_STRING_BYTES) return this.short(start, start + length);
    const text = this.#buffer.toString('utf8', start, start + length);
    // Each wrong byte became three: what no longer fits could neither be answered nor written down.
    if (length > SURELY_FITTING_BYTES && Buffer.byteLength(text) > MAX_STRING_BYTES) {
      fail('a long string that is not UTF-8');
    }
    return text;
  }

  private short(start: number, end: number): string {
    let text = '';
    for (let i = start; i < end; i++) {
      const byte = this.#buffer[i] as number;
      if (byte >= 0x80) return this.#buffer.toString('utf8', start, end);
      text += String.fromCharCode(byte);
    }
    return text;
  }

  private copy(length: number): Buffer | null {
    if (length === -1) return null;
    if (length < 0) fail('bytes of impossible length');
    const start = this.take(length);
    // Not from Node's pool: a small piece kept for long would hold 8 KiB.
    const copy = Buffer.allocUnsafeSlow(length);
    this.#buffer.copy(copy, 0, start, start + length);
    return copy;
  }

  private slice(length: number): Buffer | null {
    if (length === -1) return null;
    if (length < 0) fail('records of impossible length');
    return this.view(length);
  }

  private bounded(count: number, elementBytes: number): number {
    if (count < 0) fail('null or less in place of an array');
    if (count * elementBytes > this.remaining) fail('more elements than bytes');
    this.#elementsLeft -= count;
    if (this.#elementsLeft < 0) fail('too many elements');
    return count;
  }
}

function fail(what: string): never {
  throw new MalformedFrameError(what);
}

const viewOf = (buffer: Uint8Array): DataView =>
  new DataView(buffer.buffer, buffer.byteOffset, buffer.length);

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);

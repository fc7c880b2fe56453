/**
 * Writes the wire's primitive types one after another. What is written is taken as a list of
 * parts: small pieces joined in one buffer, large record sets and foreign bytes as they are.
 *
 * Names with `put` leave the check for room to their caller (`ensure`).
 */
import type { Uuid } from '../base/ids';
import { invariant } from '../base/invariant';
import { UUID_BYTES, writeUuid } from './ids';
import { isList, joinParts, lengthOf, recordsLength } from './parts';
import { MAX_STRING_BYTES } from './reader';
import type { Part, RecordsIn, UnknownTag } from './schema';

/** Bytes of record sets up to here are copied beside their neighbours; larger ones stay apart. */
export const LARGEST_COPIED_PART = 16 * 1024;

const CHUNK_BYTES = 16 * 1024;
/** Up to here, writing a string by character (40 ns) beats a call into C++ (70 ns). */
const SHORT_STRING_LENGTH = 16;

export class Writer {
  /** Where the next byte goes in the present chunk. */
  #position = 0;
  /** The first byte of the chunk that is in no part yet. */
  #start = 0;
  #chunk: Buffer;
  #view: DataView;
  #parts: Part[] = [];
  /** Bytes in `#parts`. */
  #partBytes = 0;
  /** How everything stood when the frame began. */
  #frame: FrameMark | undefined;
  /** Where the frame's length goes; moves along when the chunk grows. */
  #lengthView: DataView;
  #lengthPosition = 0;

  /** `chunkBytes`: the size of the buffers in which small pieces are joined. */
  constructor(private readonly chunkBytes = CHUNK_BYTES) {
    this.#chunk = Buffer.allocUnsafeSlow(chunkBytes);
    this.#view = viewOf(this.#chunk);
    this.#lengthView = this.#view;
  }

  /** Bytes written and not taken yet. */
  get length(): number {
    return this.#partBytes + this.#position - this.#start;
  }

  /** All that was written since the last time, in order; what comes next starts anew. */
  take(): readonly Part[] {
    invariant(this.#frame === undefined, 'a frame that was begun is not ended');
    this.seal();
    const parts = this.#parts;
    this.#parts = [];
    this.#partBytes = 0;
    return parts;
  }

  /** The same as one buffer of exactly its size. There must be no foreign bytes in it. */
  takeBytes(): Buffer {
    if (this.#parts.length > 0) return joinParts(this.take());
    const bytes = Buffer.allocUnsafeSlow(this.length);
    this.#chunk.copy(bytes, 0, this.#start, this.#position);
    this.#position = this.#start;
    return bytes;
  }

  /** Drops all that was written since `take`. */
  drop(): void {
    this.#parts = [];
    this.#partBytes = 0;
    this.#position = this.#start;
    this.#frame = undefined;
  }

  /** Begins a frame: four bytes for the length of what follows until `endFrame`. */
  beginFrame(): void {
    invariant(this.#frame === undefined, 'frames do not nest');
    this.ensure(4);
    this.#frame = {
      chunk: this.#chunk,
      view: this.#view,
      start: this.#start,
      position: this.#position,
      parts: this.#parts.length,
      partBytes: this.#partBytes,
    };
    this.#lengthView = this.#view;
    this.#lengthPosition = this.#position;
    this.#position += 4;
  }

  endFrame(): void {
    const frame = this.#frame;
    invariant(frame !== undefined, 'there is no frame to end');
    const lengthBefore = frame.partBytes + frame.position - frame.start;
    this.#lengthView.setInt32(this.#lengthPosition, this.length - lengthBefore - 4);
    this.#frame = undefined;
  }

  /** Drops what was written since `beginFrame`; the frames before it stay. */
  abandonFrame(): void {
    const frame = this.#frame;
    invariant(frame !== undefined, 'there is no frame to abandon');
    this.#chunk = frame.chunk;
    this.#view = frame.view;
    this.#start = frame.start;
    this.#position = frame.position;
    this.#parts.length = frame.parts;
    this.#partBytes = frame.partBytes;
    this.#frame = undefined;
  }

  /** Makes sure that `length` more bytes fit. */
  ensure(length: number): void {
    if (this.#position + length > this.#chunk.length) this.grow(length);
  }

  putBool(value: boolean): void {
    if (typeof value !== 'boolean') refuse('bool', value);
    this.#chunk[this.#position++] = value ? 1 : 0;
  }

  putInt8(value: number): void {
    if ((value << 24) >> 24 !== value) refuse('int8', value);
    this.#chunk[this.#position++] = value;
  }

  putInt16(value: number): void {
    if ((value << 16) >> 16 !== value) refuse('int16', value);
    this.#view.setInt16(this.#position, value);
    this.#position += 2;
  }

  putUint16(value: number): void {
    if ((value & 0xffff) !== value) refuse('uint16', value);
    this.#view.setUint16(this.#position, value);
    this.#position += 2;
  }

  putInt32(value: number): void {
    if ((value | 0) !== value) refuse('int32', value);
    this.#view.setInt32(this.#position, value);
    this.#position += 4;
  }

  putUint32(value: number): void {
    if (value >>> 0 !== value) refuse('uint32', value);
    this.#view.setUint32(this.#position, value);
    this.#position += 4;
  }

  putInt64(value: number): void {
    if (!Number.isSafeInteger(value)) refuse('int64', value);
    this.#view.setInt32(this.#position, Math.floor(value / 0x1_0000_0000));
    this.#view.setUint32(this.#position + 4, value >>> 0);
    this.#position += 8;
  }

  putBigint64(value: bigint): void {
    if (typeof value !== 'bigint' || BigInt.asIntN(64, value) !== value) refuse('bigint64', value);
    this.#view.setBigInt64(this.#position, value);
    this.#position += 8;
  }

  putFloat64(value: number): void {
    if (typeof value !== 'number') refuse('float64', value);
    this.#view.setFloat64(this.#position, value);
    this.#position += 8;
  }

  putUuid(value: Uuid): void {
    writeUuid(value, this.#chunk, this.#position);
    this.#position += UUID_BYTES;
  }

  /** An unsigned varint of at most 32 bits; at most five bytes. */
  putUvarint(value: number): void {
    let rest = value;
    while (rest > 0x7f) {
      this.#chunk[this.#position++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#chunk[this.#position++] = rest;
  }

  uvarint(value: number): void {
    this.ensure(5);
    this.putUvarint(value);
  }

  int32(value: number): void {
    this.ensure(4);
    this.putInt32(value);
  }

  string(value: string): void {
    if (typeof value !== 'string') refuse('string', value);
    this.ensure(2 + 3 * value.length);
    const at = this.#position;
    this.#view.setInt16(at, this.utf8(value, at + 2));
  }

  nullableString(value: string | null): void {
    if (value === null) {
      this.ensure(2);
      this.putInt16(-1);
    } else this.string(value);
  }

  compactString(value: string): void {
    if (typeof value !== 'string') refuse('string', value);
    this.ensure(3 + 3 * value.length);
    const at = this.#position;
    const prefix = uvarintBytes(value.length + 1);
    const length = this.utf8(value, at + prefix);
    const actual = uvarintBytes(length + 1);
    // The room left for the length was a guess: right for ASCII, and most other strings.
    if (actual !== prefix) this.#chunk.copyWithin(at + actual, at + prefix, at + prefix + length);
    this.#position = at;
    this.putUvarint(length + 1);
    this.#position += length;
  }

  compactNullableString(value: string | null): void {
    if (value === null) this.uvarint(0);
    else this.compactString(value);
  }

  bytes(value: Uint8Array): void {
    this.int32(lengthOf(value));
    this.raw(value);
  }

  nullableBytes(value: Uint8Array | null): void {
    if (value === null) this.int32(-1);
    else this.bytes(value);
  }

  compactBytes(value: Uint8Array): void {
    this.uvarint(lengthOf(value) + 1);
    this.raw(value);
  }

  compactNullableBytes(value: Uint8Array | null): void {
    if (value === null) this.uvarint(0);
    else this.compactBytes(value);
  }

  records(value: RecordsIn): void {
    this.int32(recordsLength(value));
    this.pieces(value);
  }

  nullableRecords(value: RecordsIn | null): void {
    if (value === null) this.int32(-1);
    else this.records(value);
  }

  compactRecords(value: RecordsIn): void {
    this.uvarint(recordsLength(value) + 1);
    this.pieces(value);
  }

  compactNullableRecords(value: RecordsIn | null): void {
    if (value === null) this.uvarint(0);
    else this.compactRecords(value);
  }

  /** Bytes as they are. */
  raw(value: Uint8Array): void {
    this.ensure(value.length);
    this.#chunk.set(value, this.#position);
    this.#position += value.length;
  }

  /** Begins a tagged field; returns what `endTag` is to be given. */
  beginTag(tag: number): number {
    this.uvarint(tag);
    this.ensure(1);
    this.#position++;
    return this.#position - this.#start;
  }

  /** Ends a tagged field: puts its length before it. */
  endTag(mark: number): void {
    const from = this.#start + mark;
    const length = this.#position - from;
    const extra = uvarintBytes(length) - 1;
    if (extra > 0) {
      this.ensure(extra);
      const start = this.#start + mark;
      this.#chunk.copyWithin(start + extra, start, start + length);
    }
    this.#position = this.#start + mark - 1;
    this.putUvarint(length);
    this.#position += length;
  }

  /** Those of the tagged fields whose tag lies from `first` to before `limit`. */
  unknownTags(tags: readonly UnknownTag[], first: number, limit: number): void {
    for (const { tag, bytes } of tags) {
      if (tag < first || tag >= limit) continue;
      this.uvarint(tag);
      this.uvarint(bytes.length);
      this.raw(bytes);
    }
  }

  private pieces(value: RecordsIn): void {
    if (isList(value)) for (const part of value) this.piece(part);
    else this.piece(value);
  }

  private piece(part: Part): void {
    if (part.length === 0) return;
    if (part instanceof Uint8Array && part.length <= LARGEST_COPIED_PART) {
      this.raw(part);
      return;
    }
    this.seal();
    this.#parts.push(part);
    this.#partBytes += part.length;
  }

  /** Makes a part of what the chunk holds. */
  private seal(): void {
    if (this.#position === this.#start) return;
    this.#parts.push(this.#chunk.subarray(this.#start, this.#position));
    this.#partBytes += this.#position - this.#start;
    this.#start = this.#position;
  }

  private utf8(value: string, at: number): number {
    const length = this.ascii(value, at) ?? this.#chunk.write(value, at, 'utf8');
    invariant(length <= MAX_STRING_BYTES, `a string of ${length} bytes cannot be sent`);
    this.#position = at + length;
    return length;
  }

  private ascii(value: string, at: number): number | undefined {
    if (value.length > SHORT_STRING_LENGTH) return undefined;
    for (let i = 0; i < value.length; i++) {
      const code = value.charCodeAt(i);
      if (code >= 0x80) return undefined;
      this.#chunk[at + i] = code;
    }
    return value.length;
  }

  /** Goes on in a larger or fresh chunk; only what is in no part yet moves there. */
  private grow(length: number): void {
    const held = this.#position - this.#start;
    const wanted = held + length;
    // Twice what is held, so that a long message is copied at most once in all.
    const chunk = Buffer.allocUnsafeSlow(Math.max(this.chunkBytes, held * 2, wanted));
    this.#chunk.copy(chunk, 0, this.#start, this.#position);
    const view = viewOf(chunk);
    if (this.#lengthView === this.#view && this.#lengthPosition >= this.#start) {
      this.#lengthView = view;
      this.#lengthPosition -= this.#start;
    }
    this.#chunk = chunk;
    this.#view = view;
    this.#start = 0;
    this.#position = held;
  }
}

interface FrameMark {
  readonly chunk: Buffer;
  readonly view: DataView;
  readonly start: number;
  readonly position: number;
  readonly parts: number;
  readonly partBytes: number;
}

const viewOf = (chunk: Buffer): DataView =>
  new DataView(chunk.buffer, chunk.byteOffset, chunk.length);

function uvarintBytes(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  if (value < 0x20_0000) return 3;
  return value < 0x1000_0000 ? 4 : 5;
}

function refuse(type: string, value: unknown): never {
  invariant(false, `${type} cannot hold ${String(value)}`);
}

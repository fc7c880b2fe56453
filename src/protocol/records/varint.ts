/**
 * Zig-zag variable-length integers inside records (as Protocol Buffers' sint32 and sint64). Reading
 * moves a cursor of this module instead of returning a pair, so that no object is made; read
 * `cursor()` right after. Like Kafka, an over-long encoding is accepted up to 5 (int32) or 10
 * (int64) bytes; bits beyond the width are dropped. Bytes behind the buffer's end read as zero:
 * callers compare the cursor with the end they know.
 */
import { CorruptRecordError } from './corrupt-record-error';

let next = 0;

/** Where the last read value ended. */
export const cursor = (): number => next;

/** An int32. Throws `CorruptRecordError` when it does not end within five bytes. */
export function readVarint(buffer: Uint8Array, position: number): number {
  const raw = readUnsignedVarint(buffer, position);
  return (raw >>> 1) ^ -(raw & 1);
}

/** The 32 bits as they stand, before zig-zag; signed. */
function readUnsignedVarint(buffer: Uint8Array, position: number): number {
  let byte = buffer[position] as number;
  let raw = byte & 0x7f;
  let at = position + 1;
  for (let shift = 7; byte >= 0x80; shift += 7) {
    if (shift > 28) throw new CorruptRecordError('a varint does not end within five bytes');
    byte = buffer[at++] as number;
    raw |= (byte & 0x7f) << shift;
  }
  next = at;
  return raw;
}

/** An int64, exact. Throws `CorruptRecordError` when it does not end within ten bytes. */
export function readVarlong(buffer: Uint8Array, position: number): bigint {
  let raw = 0n;
  let at = position;
  for (let shift = 0n; ; shift += 7n) {
    if (shift > 63n) throw new CorruptRecordError('a varlong does not end within ten bytes');
    const byte = buffer[at++] as number;
    raw |= BigInt(byte & 0x7f) << shift;
    if (!(byte >= 0x80)) break;
  }
  next = at;
  raw = BigInt.asUintN(64, raw);
  return BigInt.asIntN(64, (raw >> 1n) ^ -(raw & 1n));
}

/** Bytes that `writeVarint` takes for an int32. */
export function sizeOfVarint(value: number): number {
  const raw = ((value << 1) ^ (value >> 31)) >>> 0;
  return raw < 0x80 ? 1 : raw < 0x4000 ? 2 : raw < 0x200000 ? 3 : raw < 0x10000000 ? 4 : 5;
}

/** Bytes that `writeVarlong` takes for an int64. */
export function sizeOfVarlong(value: bigint): number {
  let size = 1;
  for (let raw = zigZag64(value) >> 7n; raw !== 0n; raw >>= 7n) size++;
  return size;
}

/** Writes an int32; returns the position behind it. */
export function writeVarint(buffer: Uint8Array, position: number, value: number): number {
  let raw = ((value << 1) ^ (value >> 31)) >>> 0;
  let at = position;
  while (raw >= 0x80) {
    buffer[at++] = (raw & 0x7f) | 0x80;
    raw >>>= 7;
  }
  buffer[at++] = raw;
  return at;
}

/** Writes an int64; returns the position behind it. */
export function writeVarlong(buffer: Uint8Array, position: number, value: bigint): number {
  if (value >= -0x40000000n && value < 0x40000000n) {
    return writeVarint(buffer, position, Number(value));
  }
  let raw = zigZag64(value);
  let at = position;
  while (raw >= 0x80n) {
    buffer[at++] = Number(raw & 0x7fn) | 0x80;
    raw >>= 7n;
  }
  buffer[at++] = Number(raw);
  return at;
}

const zigZag64 = (value: bigint): bigint => BigInt.asUintN(64, (value << 1n) ^ (value >> 63n));

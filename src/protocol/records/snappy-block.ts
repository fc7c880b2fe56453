/**
 * Raw Snappy blocks in JavaScript, where no native module loads: a varint with the decompressed
 * size, then literals and copies.
 */
import { CorruptRecordError } from './corrupt-record-error';

/** A copy of three bytes makes at most 64: no block grows by more than this. */
const GREATEST_RATIO = 22;

let contentAt = 0;

/** The size the block claims; refused if no block of its length can grow that far. */
export function snappyBlockSize(block: Uint8Array): number {
  let size = 0;
  for (let at = 0, scale = 1; at < 5 && at < block.length; at++, scale *= 128) {
    const byte = block[at] as number;
    size += (byte & 0x7f) * scale;
    if (byte >= 0x80) continue;
    if (size > block.length * GREATEST_RATIO) break;
    contentAt = at + 1;
    return size;
  }
  throw new CorruptRecordError('a snappy block has no possible size');
}

/** Decompresses one block. Throws unless it makes exactly the bytes it claims. */
export function decompressSnappyBlock(block: Uint8Array): Buffer {
  const into = Buffer.allocUnsafe(snappyBlockSize(block));
  let at = contentAt;
  let out = 0;
  while (at < block.length) {
    const tag = block[at++] as number;
    if ((tag & 3) === 0) {
      let length = tag >> 2;
      if (length >= 60) {
        const width = length - 59;
        length = littleEndian(block, at, width);
        at += width;
      }
      length += 1;
      if (!(at + length <= block.length && out + length <= into.length)) throw malformed();
      into.set(block.subarray(at, at + length), out);
      at += length;
      out += length;
      continue;
    }
    const isShort = (tag & 3) === 1;
    const length = isShort ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1;
    const width = isShort ? 1 : (tag & 3) === 2 ? 2 : 4;
    const offset = littleEndian(block, at, width) + (isShort ? (tag >> 5) * 256 : 0);
    at += width;
    if (!(offset > 0 && offset <= out && out + length <= into.length)) throw malformed();
    for (const end = out + length; out < end; out++) into[out] = into[out - offset] as number;
  }
  if (at !== block.length || out !== into.length) throw malformed();
  return into;
}

const malformed = (): Error => new CorruptRecordError('a snappy block is malformed');

/** Unsigned; not a number where bytes are missing. */
function littleEndian(bytes: Uint8Array, at: number, width: number): number {
  let value = 0;
  for (let index = width - 1; index >= 0; index--) {
    value = value * 256 + (bytes[at + index] as number);
  }
  return value;
}

/** xxHash32 (https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md), for LZ4 frames. */

const PRIME_1 = 0x9e3779b1;
const PRIME_2 = 0x85ebca77;
const PRIME_3 = 0xc2b2ae3d;
const PRIME_4 = 0x27d4eb2f;
const PRIME_5 = 0x165667b1;

/** The hash, unsigned, of the bytes in [start, end), with seed 0. */
export function xxhash32(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  let hash = PRIME_5;
  if (end - start >= 16) {
    let a = (PRIME_1 + PRIME_2) | 0;
    let b = PRIME_2 | 0;
    let c = 0;
    let d = -PRIME_1 | 0;
    for (const last = end - 16; at <= last; at += 16) {
      a = round(a, readInt32(bytes, at));
      b = round(b, readInt32(bytes, at + 4));
      c = round(c, readInt32(bytes, at + 8));
      d = round(d, readInt32(bytes, at + 12));
    }
    hash = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
  }
  hash = (hash + end - start) | 0;
  for (; at + 4 <= end; at += 4) {
    hash = (hash + Math.imul(readInt32(bytes, at), PRIME_3)) | 0;
    hash = Math.imul(rotate(hash, 17), PRIME_4);
  }
  for (; at < end; at++) {
    hash = (hash + Math.imul(bytes[at] as number, PRIME_5)) | 0;
    hash = Math.imul(rotate(hash, 11), PRIME_1);
  }
  hash = Math.imul(hash ^ (hash >>> 15), PRIME_2);
  hash = Math.imul(hash ^ (hash >>> 13), PRIME_3);
  return (hash ^ (hash >>> 16)) >>> 0;
}

const round = (lane: number, input: number): number =>
  Math.imul(rotate((lane + Math.imul(input, PRIME_2)) | 0, 13), PRIME_1);

const rotate = (value: number, bits: number): number => (value << bits) | (value >>> (32 - bits));

/** Little-endian. */
const readInt32 = (bytes: Uint8Array, at: number): number =>
  (bytes[at] as number) |
  ((bytes[at + 1] as number) << 8) |
  ((bytes[at + 2] as number) << 16) |
  ((bytes[at + 3] as number) << 24);

/**
 * LZ4 blocks in JavaScript (https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md): the size
 * a block decompresses to, decompression where no native module loads, and compression, fast or
 * thorough. A block is a run of sequences: token, literals, offset, match.
 */
import { CorruptRecordError } from './corrupt-record-error';

const LEAST_MATCH = 4;
/** The format demands that the last five bytes are literals … */
const LAST_LITERALS = 5;
/** … and that no match begins in the last twelve. */
const MATCH_LIMIT = 12;
const FARTHEST = 65535;
const HASH_BITS = 14;

/**
 * How many bytes the block in [start, end) decompresses to. Costs a tenth of decompressing, and
 * lets memory be reckoned before any is taken.
 */
export function lz4BlockSize(block: Uint8Array, start: number, end: number): number {
  let at = start;
  let size = 0;
  while (at < end) {
    const token = block[at++] as number;
    let literals = token >>> 4;
    if (literals === 15) {
      let more: number;
      do {
        more = block[at++] as number;
        literals += more;
      } while (more === 255 && at < end);
    }
    at += literals;
    size += literals;
    if (at === end) return size;
    at += 2;
    let match = token & 15;
    if (match === 15) {
      let more: number;
      do {
        more = block[at++] as number;
        match += more;
      } while (more === 255 && at < end);
    }
    size += match + LEAST_MATCH;
  }
  throw new CorruptRecordError('an lz4 block does not end with literals');
}

/** Decompresses a block of known size into `into` at `position`: about 0.9 GB/s. */
export function decompressLz4Block(
  block: Uint8Array,
  start: number,
  end: number,
  into: Uint8Array,
  position: number,
  size: number,
): void {
  let at = start;
  let out = position;
  const outEnd = position + size;
  while (at < end) {
    const token = block[at++] as number;
    let literals = token >>> 4;
    if (literals === 15) {
      let more: number;
      do {
        more = block[at++] as number;
        literals += more;
      } while (more === 255 && at < end);
    }
    if (!(at + literals <= end && out + literals <= outEnd)) break;
    copyLiterals(block, at, into, out, literals);
    at += literals;
    out += literals;
    if (at === end) {
      if (out === outEnd) return;
      break;
    }
    const offset = (block[at] as number) | ((block[at + 1] as number) << 8);
    at += 2;
    let match = token & 15;
    if (match === 15) {
      let more: number;
      do {
        more = block[at++] as number;
        match += more;
      } while (more === 255 && at < end);
    }
    match += LEAST_MATCH;
    if (!(at < end && out + match <= outEnd && offset > 0 && offset <= out - position)) break;
    copyMatch(into, out, offset, match);
    out += match;
  }
  throw new CorruptRecordError('an lz4 block is malformed');
}

/** Below this, a loop beats the call of a copying method. */
const SHORT_COPY = 32;

function copyLiterals(
  from: Uint8Array,
  at: number,
  into: Uint8Array,
  out: number,
  length: number,
): void {
  if (length > SHORT_COPY) into.set(from.subarray(at, at + length), out);
  else for (let index = 0; index < length; index++) into[out + index] = from[at + index] as number;
}

/** A match may overlap what it makes, and then repeats. */
function copyMatch(into: Uint8Array, out: number, offset: number, length: number): void {
  if (length > SHORT_COPY && offset >= length) {
    into.copyWithin(out, out - offset, out - offset + length);
    return;
  }
  for (let index = out; index < out + length; index++) {
    into[index] = into[index - offset] as number;
  }
}

/** The most that a block of `size` bytes may grow to. */
export const lz4BlockBound = (size: number): number => size + Math.floor(size / 255) + 16;

/**
 * Compresses the bytes in [start, end), at most 64 KiB, into `into`, which has `lz4BlockBound`
 * bytes; returns how many it took. At each place up to `attempts` earlier places with the same next
 * four bytes are compared.
 */
export function compressLz4Block(
  bytes: Uint8Array,
  start: number,
  end: number,
  into: Uint8Array,
  attempts: number,
): number {
  const heads = new Int32Array(1 << HASH_BITS).fill(-1);
  const earlier = new Int32Array(end - start);
  let anchor = start;
  let out = 0;
  let at = start;
  while (at < end - MATCH_LIMIT) {
    const slot = hash(bytes, at);
    const candidate = heads[slot] as number;
    earlier[at - start] = candidate;
    heads[slot] = at;
    longest = 0;
    findMatch(bytes, at, end - LAST_LITERALS, candidate, earlier, start, attempts);
    if (longest < LEAST_MATCH) {
      // Strides grow in bytes that do not compress, but only where speed was asked for.
      at += attempts === 1 ? 1 + ((at - anchor) >> 6) : 1;
      continue;
    }
    out = writeSequence(bytes, anchor, at, into, out, at - longestAt, longest);
    const matchEnd = at + longest;
    if (attempts > 1)
      remember(bytes, at + 1, Math.min(matchEnd, end - MATCH_LIMIT), heads, earlier, start);
    at = matchEnd;
    anchor = at;
  }
  return writeLastLiterals(bytes, anchor, end, into, out);
}

/** The result of `findMatch`, kept here so that no object is made. */
let longest = 0;
let longestAt = 0;

function findMatch(
  bytes: Uint8Array,
  at: number,
  limit: number,
  firstCandidate: number,
  earlier: Int32Array,
  start: number,
  attempts: number,
): void {
  let candidate = firstCandidate;
  for (let left = attempts; left > 0 && candidate >= 0 && at - candidate <= FARTHEST; left--) {
    let length = 0;
    while (at + length < limit && bytes[candidate + length] === bytes[at + length]) length++;
    if (length > longest) {
      longest = length;
      longestAt = candidate;
    }
    candidate = earlier[candidate - start] as number;
  }
}

/** Enters the places a match covers, so that later ones find them. */
function remember(
  bytes: Uint8Array,
  from: number,
  to: number,
  heads: Int32Array,
  earlier: Int32Array,
  start: number,
): void {
  for (let at = from; at < to; at++) {
    const slot = hash(bytes, at);
    earlier[at - start] = heads[slot] as number;
    heads[slot] = at;
  }
}

function hash(bytes: Uint8Array, at: number): number {
  const four =
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24);
  return Math.imul(four, 0x9e3779b1) >>> (32 - HASH_BITS);
}

function writeSequence(
  bytes: Uint8Array,
  anchor: number,
  at: number,
  into: Uint8Array,
  position: number,
  offset: number,
  match: number,
): number {
  const literals = at - anchor;
  const beyond = match - LEAST_MATCH;
  let out = position;
  into[out++] = (Math.min(literals, 15) << 4) | Math.min(beyond, 15);
  if (literals >= 15) out = writeLength(into, out, literals - 15);
  copyLiterals(bytes, anchor, into, out, literals);
  out += literals;
  into[out++] = offset;
  into[out++] = offset >> 8;
  return beyond >= 15 ? writeLength(into, out, beyond - 15) : out;
}

function writeLastLiterals(
  bytes: Uint8Array,
  anchor: number,
  end: number,
  into: Uint8Array,
  position: number,
): number {
  const literals = end - anchor;
  let out = position;
  into[out++] = Math.min(literals, 15) << 4;
  if (literals >= 15) out = writeLength(into, out, literals - 15);
  copyLiterals(bytes, anchor, into, out, literals);
  return out + literals;
}

function writeLength(into: Uint8Array, position: number, length: number): number {
  let out = position;
  let rest = length;
  for (; rest >= 255; rest -= 255) into[out++] = 255;
  into[out++] = rest;
  return out;
}

/**
 * Snappy: raw blocks (https://github.com/google/snappy/blob/main/format_description.txt), and the
 * framing of snappy-java ("xerial") that Java clients write and read: an 8-byte magic, two versions
 * (i32), then blocks, each an i32 length and a raw block. Both are read; the framing is written.
 */
import { asBuffer } from './bytes';
import { CorruptRecordError, DecompressionLimitError } from './corrupt-record-error';
import { decompressSnappyBlock, snappyBlockSize } from './snappy-block';

/** Compresses and decompresses one raw block. */
export interface SnappyProvider {
  compress(bytes: Uint8Array): Uint8Array;
  /** Throws `CorruptRecordError` unless the block makes the bytes it claims. */
  decompress(block: Uint8Array): Uint8Array;
}

const MAGIC = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
const HEADER_BYTES = 16;
const VERSION = 1;
/** snappy-java's default. */
const BLOCK_BYTES = 32 * 1024;
/** The first four magic bytes, found where a length should be: another framed stream begins. */
const MAGIC_AS_LENGTH = MAGIC.readInt32BE(0);

export function compressSnappy(bytes: Uint8Array, provider = chosenProvider()): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.set(MAGIC);
  header.writeInt32BE(VERSION, 8);
  header.writeInt32BE(VERSION, 12);
  const parts: Uint8Array[] = [header];
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
    const block = provider.compress(bytes.subarray(at, at + BLOCK_BYTES));
    const length = Buffer.allocUnsafe(4);
    length.writeInt32BE(block.length, 0);
    parts.push(length, block);
  }
  return Buffer.concat(parts);
}

/** Sizes are added up before anything is decompressed. */
export function decompressSnappy(
  bytes: Uint8Array,
  limitBytes: number,
  provider = chosenProvider(),
): Buffer {
  const blocks = readBlocks(asBuffer(bytes));
  let total = 0;
  for (const block of blocks) total += snappyBlockSize(block);
  if (total > limitBytes) throw new DecompressionLimitError(limitBytes);
  const contents = blocks.map((block) => provider.decompress(block));
  return contents.length === 1
    ? asBuffer(contents[0] as Uint8Array)
    : Buffer.concat(contents, total);
}

/** The module's provider, or `undefined` where it does not load. */
export function loadSnappyProvider(name: 'snappy' | 'javascript'): SnappyProvider | undefined {
  if (name === 'javascript') return javaScriptProvider();
  try {
    return nativeProvider(require('snappy') as typeof import('snappy'));
  } catch {
    // No build for this machine: the caller takes the next provider.
    return undefined;
  }
}

let chosen: SnappyProvider | undefined;

function chosenProvider(): SnappyProvider {
  chosen ??= loadSnappyProvider('snappy') ?? javaScriptProvider();
  return chosen;
}

function javaScriptProvider(): SnappyProvider {
  const snappyjs = require('snappyjs') as { compress(bytes: Uint8Array): Uint8Array };
  return { compress: (bytes) => snappyjs.compress(bytes), decompress: decompressSnappyBlock };
}

/**
 * The output is copied into memory of V8's: handing over native memory costs six times as much once
 * its collection is counted (16 KiB: 7 µs against 42 µs).
 */
function nativeProvider(native: typeof import('snappy')): SnappyProvider {
  return {
    compress: (bytes) => native.compressSync(bytes, { copyOutputData: true }),
    decompress(block) {
      try {
        return native.uncompressSync(block, { asBuffer: true, copyOutputData: true }) as Buffer;
      } catch (error) {
        throw new CorruptRecordError(`snappy: ${(error as Error).message}`);
      }
    },
  };
}

/** The raw blocks of a framed stream, or the bytes as the one raw block they are. */
function readBlocks(bytes: Buffer): Buffer[] {
  if (bytes.length === 0) throw new CorruptRecordError('there is nothing to decompress');
  if (bytes.length < HEADER_BYTES || bytes.compare(MAGIC, 0, 8, 0, 8) !== 0) return [bytes];
  const blocks: Buffer[] = [];
  let at = HEADER_BYTES;
  // One to three last bytes are no length; snappy-java ignores them too.
  while (at + 4 <= bytes.length) {
    const length = bytes.readInt32BE(at);
    if (length === MAGIC_AS_LENGTH) {
      at += HEADER_BYTES;
      continue;
    }
    const end = at + 4 + length;
    if (length < 0 || end > bytes.length)
      throw new CorruptRecordError('a snappy block is cut short');
    blocks.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return blocks;
}

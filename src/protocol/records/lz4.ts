/**
 * LZ4 frames (https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md) as Kafka reads and
 * writes them for magic 2: independent blocks, header checksum right, block checksums verified,
 * content checksum skipped, bytes behind the end mark ignored. The frame is ours, the blocks are
 * those of lz4-napi (five times as fast as ours), whose own frame code knows no limit.
 */
import { asBuffer } from './bytes';
import { CorruptRecordError, DecompressionLimitError } from './corrupt-record-error';
import { compressLz4Block, decompressLz4Block, lz4BlockBound, lz4BlockSize } from './lz4-block';
import { xxhash32 } from './xxhash32';

/** Compresses and decompresses one block. */
export interface Lz4Provider {
  /** Of at most 64 KiB. */
  compress(bytes: Uint8Array): Uint8Array;
  /** `size` was reckoned from the block; throws if the block is malformed after all. */
  decompress(frame: Uint8Array, start: number, end: number, size: number): Uint8Array;
}

const MAGIC = 0x184d2204;
const VERSION_MASK = 0xc0;
const VERSION = 0x40;
const INDEPENDENT_FLAG = 0x20;
const BLOCK_CHECKSUM_FLAG = 0x10;
const CONTENT_SIZE_FLAG = 0x08;
const RESERVED_FLAGS = 0x03;
const STORED = 0x80000000;
/** 64 KiB blocks, the kind Kafka writes. */
const WRITTEN_BLOCK_KIND = 4;
const WRITTEN_BLOCK_BYTES = 64 * 1024;
/** Kafka's default level stands for the fast compressor, the others for the thorough one. */
const FAST_LEVEL = 9;
const GREATEST_ATTEMPTS = 256;

/** `level` 1 to 17; 9, the default, is fast, all others thorough, more so the higher. */
export function compressLz4(
  bytes: Uint8Array,
  level = FAST_LEVEL,
  provider = chosenProvider(),
): Buffer {
  const header = Buffer.alloc(7);
  header.writeUInt32LE(MAGIC, 0);
  header[4] = VERSION | INDEPENDENT_FLAG;
  header[5] = WRITTEN_BLOCK_KIND << 4;
  header[6] = xxhash32(header, 4, 6) >>> 8;
  const parts: Uint8Array[] = [header];
  for (let at = 0; at < bytes.length; at += WRITTEN_BLOCK_BYTES) {
    const raw = bytes.subarray(at, at + WRITTEN_BLOCK_BYTES);
    const block =
      level === FAST_LEVEL
        ? provider.compress(raw)
        : compressInJavaScript(raw, Math.min(1 << (level - 1), GREATEST_ATTEMPTS));
    const isStored = block.length >= raw.length;
    const length = Buffer.allocUnsafe(4);
    length.writeUInt32LE(isStored ? (raw.length | STORED) >>> 0 : block.length, 0);
    parts.push(length, isStored ? raw : block);
  }
  parts.push(Buffer.alloc(4));
  return Buffer.concat(parts);
}

/** Sizes are reckoned before anything is decompressed. */
export function decompressLz4(
  bytes: Uint8Array,
  limitBytes: number,
  provider = chosenProvider(),
): Buffer {
  const blocks = readBlocks(bytes);
  let total = 0;
  for (const block of blocks) total += block.size;
  if (total > limitBytes) throw new DecompressionLimitError(limitBytes);
  const contents = blocks.map(({ start, end, size, isStored }) =>
    isStored ? bytes.subarray(start, end) : provider.decompress(bytes, start, end, size),
  );
  return contents.length === 1
    ? asBuffer(contents[0] as Uint8Array)
    : Buffer.concat(contents, total);
}

/** The module's provider, or `undefined` where it does not load. */
export function loadLz4Provider(name: 'lz4-napi' | 'javascript'): Lz4Provider | undefined {
  if (name === 'javascript') return JAVASCRIPT;
  try {
    return nativeProvider(require('lz4-napi') as typeof import('lz4-napi'));
  } catch {
    // No build for this machine: the caller takes the next provider.
    return undefined;
  }
}

let chosen: Lz4Provider | undefined;

function chosenProvider(): Lz4Provider {
  chosen ??= loadLz4Provider('lz4-napi') ?? JAVASCRIPT;
  return chosen;
}

const JAVASCRIPT: Lz4Provider = {
  compress: (bytes) => compressInJavaScript(bytes, 1),
  decompress(frame, start, end, size) {
    const into = Buffer.allocUnsafe(size);
    decompressLz4Block(frame, start, end, into, 0, size);
    return into;
  },
};

/** lz4-napi puts the decompressed size (u32, little-endian) before a block, and wants it there. */
function nativeProvider(native: typeof import('lz4-napi')): Lz4Provider {
  return {
    compress: (bytes) => native.compressSync(asBuffer(bytes)).subarray(4),
    decompress(frame, start, end, size) {
      const prefixed = Buffer.allocUnsafe(4 + end - start);
      prefixed.writeUInt32LE(size, 0);
      prefixed.set(frame.subarray(start, end), 4);
      let content: Buffer;
      try {
        content = native.uncompressSync(prefixed);
      } catch (error) {
        throw new CorruptRecordError(`lz4: ${(error as Error).message}`);
      }
      if (content.length !== size) throw new CorruptRecordError('an lz4 block is malformed');
      return content;
    },
  };
}

function compressInJavaScript(bytes: Uint8Array, attempts: number): Uint8Array {
  const into = Buffer.allocUnsafe(lz4BlockBound(bytes.length));
  return into.subarray(0, compressLz4Block(bytes, 0, bytes.length, into, attempts));
}

interface Block {
  readonly start: number;
  readonly end: number;
  /** Decompressed. */
  readonly size: number;
  readonly isStored: boolean;
}

interface FrameHeader {
  readonly end: number;
  readonly hasBlockChecksums: boolean;
  readonly greatestBlockBytes: number;
}

function readHeader(bytes: Uint8Array): FrameHeader {
  const frame = asBuffer(bytes);
  if (frame.length < 7) throw new CorruptRecordError('an lz4 frame is cut short');
  if (frame.readUInt32LE(0) !== MAGIC) throw new CorruptRecordError('these bytes are no lz4 frame');
  const flags = frame.readUInt8(4);
  const descriptor = frame.readUInt8(5);
  if ((flags & VERSION_MASK) !== VERSION || (flags & RESERVED_FLAGS) !== 0) {
    throw new CorruptRecordError('this lz4 frame is of an unknown kind');
  }
  if ((flags & INDEPENDENT_FLAG) === 0) {
    throw new CorruptRecordError('lz4 blocks that depend on one another are not supported');
  }
  const kind = descriptor >> 4;
  if (kind < 4 || kind > 7 || (descriptor & 0x0f) !== 0) {
    throw new CorruptRecordError('this lz4 frame has no legal block size');
  }
  const checksumAt = (flags & CONTENT_SIZE_FLAG) === 0 ? 6 : 14;
  if (frame[checksumAt] !== ((xxhash32(frame, 4, checksumAt) >>> 8) & 0xff)) {
    throw new CorruptRecordError('the header of an lz4 frame is corrupt');
  }
  return {
    end: checksumAt + 1,
    hasBlockChecksums: (flags & BLOCK_CHECKSUM_FLAG) !== 0,
    greatestBlockBytes: 1 << (2 * kind + 8),
  };
}

/** The blocks up to the end mark. */
function readBlocks(bytes: Uint8Array): Block[] {
  const frame = asBuffer(bytes);
  const header = readHeader(bytes);
  const blocks: Block[] = [];
  let at = header.end;
  for (;;) {
    if (at + 4 > frame.length) throw new CorruptRecordError('an lz4 frame is cut short');
    const field = frame.readUInt32LE(at);
    const length = field & 0x7fffffff;
    if (length === 0) return blocks;
    const start = at + 4;
    const end = start + length;
    if (length > header.greatestBlockBytes || end > frame.length) {
      throw new CorruptRecordError('an lz4 block is cut short or too large');
    }
    const isStored = field !== length;
    const size = isStored ? length : lz4BlockSize(frame, start, end);
    if (size > header.greatestBlockBytes) throw new CorruptRecordError('an lz4 block is too large');
    blocks.push({ start, end, size, isStored });
    at = header.hasBlockChecksums ? checkedEnd(frame, start, end) : end;
  }
}

function checkedEnd(frame: Buffer, start: number, end: number): number {
  if (end + 4 > frame.length) throw new CorruptRecordError('an lz4 frame is cut short');
  if (frame.readUInt32LE(end) !== xxhash32(frame, start, end)) {
    throw new CorruptRecordError('the checksum of an lz4 block is wrong');
  }
  return end + 4;
}

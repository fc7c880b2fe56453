/**
 * The outlines of Zstandard frames (RFC 8878 §3.1), read without decompressing, so that the size of
 * the content is bounded before any decoder runs.
 */
import { CorruptRecordError } from './corrupt-record-error';

export interface ZstdFrame {
  readonly start: number;
  readonly end: number;
  /** What the content has at least and at most, in bytes. */
  readonly atLeast: number;
  readonly atMost: number;
  /** As the header claims; `undefined` if it does not. Never a promise. */
  readonly claimedSize: number | undefined;
}

const MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;
/** No block makes more. */
const GREATEST_BLOCK_BYTES = 128 * 1024;
/** Window descriptor of 128 MiB, beyond which decoders (and so consumers) refuse by default. */
const GREATEST_WINDOW = (27 - 10) << 3;
const DICTIONARY_ID_BYTES = [0, 1, 2, 4] as const;
const RAW = 0;
const RUN = 1;
const COMPRESSED = 2;

/** All frames but skippable ones. Throws `CorruptRecordError` if the bytes are not whole frames. */
export function readZstdFrames(bytes: Buffer): ZstdFrame[] {
  const frames: ZstdFrame[] = [];
  let at = 0;
  while (at < bytes.length) {
    const magic = readUInt32(bytes, at);
    if ((magic & 0xfffffff0) >>> 0 === SKIPPABLE_MAGIC) {
      at += 8 + readUInt32(bytes, at + 4);
      if (at > bytes.length) throw new CorruptRecordError('a zstd frame is cut short');
      continue;
    }
    if (magic !== MAGIC) throw new CorruptRecordError('these bytes are no zstd frame');
    const frame = readFrame(bytes, at);
    frames.push(frame);
    at = frame.end;
  }
  return frames;
}

function readFrame(bytes: Buffer, start: number): ZstdFrame {
  const descriptor = readByte(bytes, start + 4);
  const isSingleSegment = (descriptor & 0x20) !== 0;
  if (!isSingleSegment && readByte(bytes, start + 5) > GREATEST_WINDOW) {
    throw new CorruptRecordError('a zstd frame needs too large a window');
  }
  const hasChecksum = (descriptor & 0x04) !== 0;
  const sizeFlag = descriptor >> 6;
  const sizeBytes = sizeFlag === 0 ? (isSingleSegment ? 1 : 0) : 1 << sizeFlag;
  const sizeAt =
    start + 5 + (isSingleSegment ? 0 : 1) + (DICTIONARY_ID_BYTES[descriptor & 3] as number);
  let at = sizeAt + sizeBytes;
  let atLeast = 0;
  let atMost = 0;
  for (let isLast = false; !isLast; ) {
    const header =
      readByte(bytes, at) | (readByte(bytes, at + 1) << 8) | (readByte(bytes, at + 2) << 16);
    const kind = (header >> 1) & 3;
    const size = header >> 3;
    if (size > GREATEST_BLOCK_BYTES) throw new CorruptRecordError('a zstd block is too large');
    if (kind !== RAW && kind !== RUN && kind !== COMPRESSED) {
      throw new CorruptRecordError('a zstd block is of an unknown kind');
    }
    at += 3 + (kind === RUN ? 1 : size);
    atLeast += kind === COMPRESSED ? 0 : size;
    atMost += kind === COMPRESSED ? GREATEST_BLOCK_BYTES : size;
    isLast = (header & 1) !== 0;
  }
  const end = hasChecksum ? at + 4 : at;
  if (end > bytes.length) throw new CorruptRecordError('a zstd frame is cut short');
  return { start, end, atLeast, atMost, claimedSize: readSize(bytes, sizeAt, sizeBytes) };
}

function readSize(bytes: Buffer, at: number, width: number): number | undefined {
  switch (width) {
    case 0:
      return undefined;
    case 1:
      return bytes.readUInt8(at);
    case 2:
      return bytes.readUInt16LE(at) + 256;
    case 4:
      return bytes.readUInt32LE(at);
    default:
      return Number(bytes.readBigUInt64LE(at));
  }
}

function readByte(bytes: Buffer, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw new CorruptRecordError('a zstd frame is cut short');
  return byte;
}

function readUInt32(bytes: Buffer, at: number): number {
  if (at + 4 > bytes.length) throw new CorruptRecordError('a zstd frame is cut short');
  return bytes.readUInt32LE(at);
}

/**
 * Zstandard (RFC 8878): by Node's own zlib from 22.15 on, before that by a native module, and by
 * WebAssembly where neither is. The native decoder knows no limit, so the outlines of the frames
 * bound the size first.
 */
import * as zlib from 'node:zlib';
import { asBuffer } from './bytes';
import { CorruptRecordError, DecompressionLimitError } from './corrupt-record-error';
import { readZstdFrames, type ZstdFrame } from './zstd-frame';

export interface ZstdProvider {
  readonly name: ZstdProviderName;
  /** Whether it stops at the limit it is given. */
  readonly isBounded: boolean;
  compress(bytes: Buffer, level: number): Uint8Array;
  /** Whole frames, making at most `limitBytes`. */
  decompress(bytes: Buffer, frames: readonly ZstdFrame[], limitBytes: number): Uint8Array;
}

export type ZstdProviderName = 'node' | '@toondepauw/node-zstd' | '@bokuweb/zstd-wasm';

/** No provider of zstd runs on this machine (or `prepareZstd` was not awaited). */
export class ZstdUnavailableError extends Error {
  override readonly name = 'ZstdUnavailableError';
}

const DEFAULT_LEVEL = 3;

/** `level` -131072 to 22; 3, the default, is zstd's and Kafka's. */
export function compressZstd(
  bytes: Uint8Array,
  level = DEFAULT_LEVEL,
  provider = chosenProvider(),
): Buffer {
  return asBuffer(provider.compress(asBuffer(bytes), level));
}

/** Several frames one after another are read as one. */
export function decompressZstd(
  bytes: Uint8Array,
  limitBytes: number,
  provider = chosenProvider(),
): Buffer {
  const frames = readZstdFrames(asBuffer(bytes));
  if (frames.length === 0) throw new CorruptRecordError('there is nothing to decompress');
  let atLeast = 0;
  let atMost = 0;
  for (const frame of frames) {
    atLeast += Math.max(frame.atLeast, frame.claimedSize ?? 0);
    atMost += frame.atMost;
  }
  if (atLeast > limitBytes) throw new DecompressionLimitError(limitBytes);
  const taken = provider.isBounded || atMost <= limitBytes ? provider : boundedProvider(limitBytes);
  return asBuffer(taken.decompress(asBuffer(bytes), frames, limitBytes));
}

/** The provider, or `undefined` where it does not run. WebAssembly has to be prepared first. */
export function loadZstdProvider(name: ZstdProviderName): ZstdProvider | undefined {
  try {
    if (name === 'node') return nodeProvider();
    if (name === '@bokuweb/zstd-wasm') return wasm;
    return nativeProvider(
      require('@toondepauw/node-zstd') as typeof import('@toondepauw/node-zstd'),
    );
  } catch {
    // No build for this machine: the caller takes the next provider.
    return undefined;
  }
}

/**
 * Loads WebAssembly if no other provider runs; await it before the first batch, on each thread.
 * Cheap where Node has zstd; otherwise it loads the native module (about 3 ms). False if zstd does
 * not run here at all: then batches with it are refused.
 */
export async function prepareZstd(): Promise<boolean> {
  if ((loadZstdProvider('node') ?? loadZstdProvider('@toondepauw/node-zstd')) !== undefined) {
    return true;
  }
  try {
    await prepareZstdWasm();
  } catch {
    return false;
  }
  return true;
}

/** Loads WebAssembly in any case (about 10 ms, once). */
export async function prepareZstdWasm(): Promise<void> {
  if (wasm !== undefined) return;
  const module = require('@bokuweb/zstd-wasm') as typeof import('@bokuweb/zstd-wasm');
  await module.init();
  wasm = wasmProvider(module);
}

let wasm: ZstdProvider | undefined;
let chosen: ZstdProvider | undefined;

function chosenProvider(): ZstdProvider {
  chosen ??= loadZstdProvider('node') ?? loadZstdProvider('@toondepauw/node-zstd') ?? wasm;
  if (chosen === undefined) throw new ZstdUnavailableError('zstd does not run on this machine');
  return chosen;
}

/**
 * For frames whose outlines may exceed the limit: more than `limitBytes` / 128 KiB blocks. Only
 * WebAssembly can try those in bounded memory; without it they are taken to be too large.
 */
function boundedProvider(limitBytes: number): ZstdProvider {
  if (wasm === undefined) throw new DecompressionLimitError(limitBytes);
  return wasm;
}

interface ZlibWithZstd {
  readonly zstdCompressSync?: (bytes: Uint8Array, options: { params: object }) => Buffer;
  readonly zstdDecompressSync?: (bytes: Uint8Array, options: object) => Buffer;
  readonly constants: { readonly ZSTD_c_compressionLevel?: number };
}

function nodeProvider(): ZstdProvider | undefined {
  const { zstdCompressSync, zstdDecompressSync, constants } = zlib as unknown as ZlibWithZstd;
  if (zstdCompressSync === undefined || zstdDecompressSync === undefined) return undefined;
  const levelName = constants.ZSTD_c_compressionLevel as number;
  return {
    name: 'node',
    isBounded: true,
    compress: (bytes, level) => zstdCompressSync(bytes, { params: { [levelName]: level } }),
    // Node 22 stops after the first frame, so each is decompressed by itself.
    decompress: (bytes, frames, limitBytes) =>
      frameByFrame(frames, limitBytes, (frame, left) => {
        const chunkSize = Math.min(Math.max(frame.claimedSize ?? 0, LEAST_CHUNK), GREATEST_CHUNK);
        const options = { maxOutputLength: Math.max(left, 1), chunkSize };
        return zstdDecompressSync(bytes.subarray(frame.start, frame.end), options);
      }),
  };
}

const LEAST_CHUNK = 16 * 1024;
const GREATEST_CHUNK = 1024 * 1024;

function nativeProvider(native: typeof import('@toondepauw/node-zstd')): ZstdProvider {
  const encoders = new Map<number, InstanceType<typeof native.Encoder>>();
  const decoder = new native.Decoder();
  return {
    name: '@toondepauw/node-zstd',
    isBounded: false,
    compress(bytes, level) {
      const encoder = encoders.get(level) ?? new native.Encoder(level);
      encoders.set(level, encoder);
      return encoder.encodeSync(bytes);
    },
    decompress: (bytes, frames, limitBytes) =>
      frameByFrame(frames, limitBytes, (frame) =>
        decoder.decodeSync(bytes.subarray(frame.start, frame.end)),
      ),
  };
}

function wasmProvider(module: typeof import('@bokuweb/zstd-wasm')): ZstdProvider {
  return {
    name: '@bokuweb/zstd-wasm',
    isBounded: true,
    compress: (bytes, level) => module.compress(bytes, level),
    decompress: (bytes, frames, limitBytes) =>
      frameByFrame(frames, limitBytes, (frame, left) => {
        // Memory is taken for the claimed size, or else for this one, before decompressing.
        const defaultHeapSize = Math.max(Math.min(frame.atMost, left), 1);
        return module.decompress(bytes.subarray(frame.start, frame.end), { defaultHeapSize });
      }),
  };
}

function frameByFrame(
  frames: readonly ZstdFrame[],
  limitBytes: number,
  decompressFrame: (frame: ZstdFrame, leftBytes: number) => Uint8Array,
): Uint8Array {
  const contents: Uint8Array[] = [];
  let left = limitBytes;
  for (const frame of frames) {
    const content = orCorrupt(() => {
      try {
        return decompressFrame(frame, left);
      } catch (error) {
        if (frame.atMost > left && isTooLarge(error)) throw new DecompressionLimitError(limitBytes);
        throw error;
      }
    });
    // Decoders may return less than the header claims without an error.
    if (frame.claimedSize !== undefined && frame.claimedSize !== content.length) {
      throw new CorruptRecordError('a zstd frame does not have the size it claims');
    }
    left -= content.length;
    if (left < 0) throw new DecompressionLimitError(limitBytes);
    contents.push(content);
  }
  return contents.length === 1 ? (contents[0] as Uint8Array) : Buffer.concat(contents);
}

/** What Node throws beyond `maxOutputLength`, and WebAssembly's ZSTD_error_dstSize_tooSmall. */
const isTooLarge = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ||
  String((error as Error).message).endsWith(' -70');

function orCorrupt(decompress: () => Uint8Array): Uint8Array {
  try {
    return decompress();
  } catch (error) {
    if (error instanceof CorruptRecordError) throw error;
    throw new CorruptRecordError(`zstd: ${(error as Error).message}`);
  }
}

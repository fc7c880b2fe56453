/** gzip (RFC 1952), by Node's own zlib. */
import { constants, gunzipSync, gzipSync } from 'node:zlib';
import { CorruptRecordError, DecompressionLimitError } from './corrupt-record-error';

/** Deflate never shrinks bytes by more than this. */
const GREATEST_RATIO = 1032;
const LEAST_CHUNK = 16 * 1024;
const GREATEST_CHUNK = 1024 * 1024;

/** Levels 1 to 9, or -1 for zlib's default, which is Kafka's. */
export function compressGzip(bytes: Uint8Array, level = constants.Z_DEFAULT_COMPRESSION): Buffer {
  return gzipSync(bytes, { level });
}

/** Several members one after another are read as one; what follows them is ignored, as in Java. */
export function decompressGzip(bytes: Uint8Array, limitBytes: number): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: limitBytes, chunkSize: chunkSize(bytes) });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ERR_BUFFER_TOO_LARGE') throw new DecompressionLimitError(limitBytes);
    throw new CorruptRecordError(`gzip: ${(error as Error).message}`);
  }
}

/**
 * The size the trailer claims, so that one chunk takes it all; what cannot be true is not believed.
 */
function chunkSize(bytes: Uint8Array): number {
  const end = bytes.length;
  const claimed =
    (bytes[end - 1] ?? 0) * 0x1000000 +
    (((bytes[end - 2] ?? 0) << 16) | ((bytes[end - 3] ?? 0) << 8) | (bytes[end - 4] ?? 0));
  const believed = claimed > end * GREATEST_RATIO ? 0 : claimed;
  return Math.min(Math.max(believed, LEAST_CHUNK), GREATEST_CHUNK);
}

/** The four compressions of record batches, each behind one pair of functions. */
import type { CompressionType } from './batch';
import { compressGzip, decompressGzip } from './gzip';
import { compressLz4, decompressLz4 } from './lz4';
import { compressSnappy, decompressSnappy } from './snappy';
import { compressZstd, decompressZstd } from './zstd';

/** What one batch may grow to where no setting says otherwise. Kafka has no such limit. */
export const DEFAULT_DECOMPRESSED_LIMIT_BYTES = 128 * 1024 * 1024;

/**
 * The decompressed bytes. Throws `DecompressionLimitError` if there would be more than
 * `limitBytes`, before more is allocated, and `CorruptRecordError` if the bytes cannot be read.
 */
export function decompress(
  compression: Exclude<CompressionType, 'none'>,
  bytes: Uint8Array,
  limitBytes: number,
): Buffer {
  switch (compression) {
    case 'gzip':
      return decompressGzip(bytes, limitBytes);
    case 'snappy':
      return decompressSnappy(bytes, limitBytes);
    case 'lz4':
      return decompressLz4(bytes, limitBytes);
    case 'zstd':
      return decompressZstd(bytes, limitBytes);
  }
}

/** `level` as in Kafka's `compression.*.level`; without one, Kafka's default. Snappy has none. */
export function compress(
  compression: Exclude<CompressionType, 'none'>,
  bytes: Uint8Array,
  level?: number,
): Buffer {
  switch (compression) {
    case 'gzip':
      return compressGzip(bytes, level);
    case 'snappy':
      return compressSnappy(bytes);
    case 'lz4':
      return compressLz4(bytes, level);
    case 'zstd':
      return compressZstd(bytes, level);
  }
}

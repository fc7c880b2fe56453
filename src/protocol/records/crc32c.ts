/**
 * CRC-32C (Castagnoli, RFC 3720 appendix B.4), as record batches and snapshots carry it.
 *
 * Short runs are computed here by slicing-by-8; longer ones by a native module: `@node-rs/crc32`,
 * loaded on first use, or `aws-crt` once `preferFastestCrc32c` found it. Without either the
 * slicing code serves every length.
 */

export type Crc32cProvider = 'aws-crt' | '@node-rs/crc32' | 'javascript';

/** Checksum of `bytes`, unsigned. */
export type Crc32cFunction = (bytes: Uint8Array) => number;

/** The user's own choice, never a dependency of ours: it has an install script. */
const AWS_CRT_CHECKSUMS: string = 'aws-crt/dist/native/checksums';
/** Below this many bytes the call into a native module costs more than it saves. */
const NATIVE_FROM_BYTES = 200;

let longRuns: Crc32cFunction | undefined;
let chosen: Crc32cProvider | undefined;

/** The checksum, unsigned, of the bytes in [start, end). */
export function crc32c(buffer: Uint8Array, start = 0, end = buffer.length): number {
  if (end - start < NATIVE_FROM_BYTES) return crc32cInJavaScript(buffer, start, end);
  longRuns ??= chooseInstalled();
  return longRuns(buffer.subarray(start, end));
}

/** Which provider computes long runs now. */
export function crc32cProvider(): Crc32cProvider {
  longRuns ??= chooseInstalled();
  return chosen as Crc32cProvider;
}

/**
 * Switches to `aws-crt` (four times as fast on long runs) if the user installed it. Loading it
 * costs about 75 ms and 8 MB, so this is called after the broker listens, never while it starts.
 */
export function preferFastestCrc32c(): Crc32cProvider {
  const fastest = loadCrc32cProvider('aws-crt');
  if (fastest !== undefined) {
    longRuns = fastest;
    chosen = 'aws-crt';
  }
  return crc32cProvider();
}

/** The provider's function, or `undefined` where it is not installed or does not load. */
export function loadCrc32cProvider(provider: Crc32cProvider): Crc32cFunction | undefined {
  if (provider === 'javascript') return (bytes) => crc32cInJavaScript(bytes, 0, bytes.length);
  try {
    if (provider === '@node-rs/crc32') {
      const nodeRs = require('@node-rs/crc32') as typeof import('@node-rs/crc32');
      return (bytes) => nodeRs.crc32c(bytes);
    }
    const checksums = require(AWS_CRT_CHECKSUMS) as {
      crc32c(bytes: Uint8Array): number;
    };
    return (bytes) => checksums.crc32c(bytes) >>> 0;
  } catch {
    // Not installed, or no build for this machine: the caller takes the next provider.
    return undefined;
  }
}

/** Slicing-by-8: about 1 GB/s, and faster than any native call below 200 bytes. */
export function crc32cInJavaScript(buffer: Uint8Array, start: number, end: number): number {
  const table = TABLE;
  let crc = -1;
  let at = start;
  for (const last = end - 8; at <= last; at += 8) {
    crc ^=
      (buffer[at] as number) |
      ((buffer[at + 1] as number) << 8) |
      ((buffer[at + 2] as number) << 16) |
      ((buffer[at + 3] as number) << 24);
    crc =
      (table[1792 + (crc & 0xff)] as number) ^
      (table[1536 + ((crc >>> 8) & 0xff)] as number) ^
      (table[1280 + ((crc >>> 16) & 0xff)] as number) ^
      (table[1024 + (crc >>> 24)] as number) ^
      (table[768 + (buffer[at + 4] as number)] as number) ^
      (table[512 + (buffer[at + 5] as number)] as number) ^
      (table[256 + (buffer[at + 6] as number)] as number) ^
      (table[buffer[at + 7] as number] as number);
  }
  for (; at < end; at++) {
    crc = (table[(crc ^ (buffer[at] as number)) & 0xff] as number) ^ (crc >>> 8);
  }
  return ~crc >>> 0;
}

/** Eight tables of 256: entry k·256 + b is the effect of byte b followed by k zero bytes. */
const TABLE = makeTable();

function makeTable(): Int32Array {
  const reversedPolynomial = 0x82f63b78;
  const table = new Int32Array(8 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ reversedPolynomial : crc >>> 1;
    table[byte] = crc;
  }
  for (let at = 256; at < table.length; at++) {
    const before = table[at - 256] as number;
    table[at] = (table[before & 0xff] as number) ^ (before >>> 8);
  }
  return table;
}

function chooseInstalled(): Crc32cFunction {
  const native = loadCrc32cProvider('@node-rs/crc32');
  chosen = native === undefined ? 'javascript' : '@node-rs/crc32';
  return native ?? ((bytes) => crc32cInJavaScript(bytes, 0, bytes.length));
}

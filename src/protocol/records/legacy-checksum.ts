/** The checksum of batches of magic 0 and 1, which old segments still hold: CRC-32, not CRC-32C. */
import { crc32 } from 'node:zlib';

const CRC = 12;
const CHECKED = 16;

/** Whether the checksum of the whole batch at `position` is that of its bytes. */
export function isSoundLegacyBatch(buffer: Buffer, position: number, size: number): boolean {
  const stored = buffer.readUInt32BE(position + CRC);
  return stored === crc32(buffer.subarray(position + CHECKED, position + size));
}

/** Ids for log folders and clusters (KIP-858): never reserved ones, never mistaken for a flag. */
import type { Uuid } from '../base/ids';
import type { Random } from '../platform/platform';
import { uuidOf } from '../protocol/ids';

/** Ids up to here stand for "unassigned", "lost" and what may come. */
const RESERVED_BELOW = 100n;

export function randomUuid(random: Random): Uuid {
  for (;;) {
    const bytes = random.bytes(16);
    // Version 4 of RFC 9562, as Java's.
    bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
    const id = uuidOf(bytes);
    if (!id.startsWith('-') && !isReserved(bytes)) return id;
  }
}

const isReserved = (bytes: Buffer): boolean =>
  bytes.readBigUInt64BE(0) === 0n && bytes.readBigUInt64BE(8) < RESERVED_BELOW;

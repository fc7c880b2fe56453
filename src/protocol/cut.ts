/** Text that is cut where it is longer than a string may be on the wire. */
import { MAX_STRING_BYTES } from './reader';

const ELLIPSIS = '…';
const ELLIPSIS_BYTES = Buffer.byteLength(ELLIPSIS);
const MAX_BYTES_PER_UNIT = 3;

/** `name` and `suffix` joined by a hyphen, the name cut if they are too long together. */
export const suffixed = (name: string, suffix: string): string =>
  `${beginning(name, MAX_STRING_BYTES - Buffer.byteLength(suffix) - 1)}-${suffix}`;

/** The same text, or its beginning and an ellipsis. Null stays null. */
export function cutToFit(text: string | null): string | null {
  if (text === null || text.length * MAX_BYTES_PER_UNIT <= MAX_STRING_BYTES) return text;
  if (Buffer.byteLength(text) <= MAX_STRING_BYTES) return text;
  return `${beginning(text, MAX_STRING_BYTES - ELLIPSIS_BYTES)}${ELLIPSIS}`;
}

/** As much of a text as `maxBytes` bytes hold, whole characters only. */
function beginning(text: string, maxBytes: number): string {
  if (text.length * MAX_BYTES_PER_UNIT <= maxBytes) return text;
  const room = Buffer.alloc(maxBytes);
  return room.toString('utf8', 0, room.write(text, 'utf8'));
}

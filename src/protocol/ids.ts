/** The text form of Kafka's uuids: 16 bytes as 22 characters of unpadded base64url. */
import { type Uuid, ZERO_UUID } from '../base/ids';
import { invariant } from '../base/invariant';

export const UUID_BYTES = 16;

/** The text of the 16 bytes at `position`. */
export function readUuid(buffer: Buffer, position: number): Uuid {
  return isZero(buffer, position)
    ? ZERO_UUID
    : buffer.toString('base64url', position, position + UUID_BYTES);
}

/** Writes a uuid's 16 bytes at `position`; text that is no uuid is our own mistake. */
export function writeUuid(uuid: Uuid, buffer: Buffer, position: number): void {
  invariant(uuid?.length === 22, `${String(uuid)} is no uuid`);
  const written = buffer.write(uuid, position, UUID_BYTES, 'base64url');
  invariant(written === UUID_BYTES, `${uuid} is no uuid`);
}

/** A uuid of 16 given bytes, such as chance made. */
export function uuidOf(bytes: Buffer): Uuid {
  invariant(bytes.length === UUID_BYTES, 'a uuid has 16 bytes');
  return readUuid(bytes, 0);
}

/** Whether a text from outside (a setting, a flag, a file) is a uuid in its only valid form. */
export function isUuid(text: string): boolean {
  if (text.length !== 22) return false;
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length === UUID_BYTES && bytes.toString('base64url') === text;
}

function isZero(buffer: Buffer, position: number): boolean {
  for (let i = 0; i < UUID_BYTES; i++) if (buffer[position + i] !== 0) return false;
  return true;
}

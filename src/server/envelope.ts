/** What an Envelope (KIP-590) says of the client whose request is in it. */
import { message } from '../protocol/api';
import { encodeBytes, readMessage, writeMessage } from '../protocol/codec';
import { MalformedFrameError } from '../protocol/errors';
import { Reader } from '../protocol/reader';
import { bool, string } from '../protocol/schema';
import type { Principal } from './context';

/** As Kafka's default principals are serialised; a version (int16) stands before it. */
const PrincipalData = message({
  name: 'DefaultPrincipalData',
  versions: [0, 0],
  flexible: 0,
  dropsUnknownTags: true,
  fields: { type: string, name: string, tokenAuthenticated: bool },
});
const VERSION = 0;
const IPV4_BYTES = 4;
const IPV6_BYTES = 16;

export const principalBytes = ({ type, name }: Principal): Buffer =>
  encodeBytes((writer) => {
    writer.ensure(2);
    writer.putInt16(VERSION);
    writeMessage(PrincipalData, VERSION, writer, { type, name, tokenAuthenticated: false });
  });

/** Undefined if the bytes are no principal. */
export function principalOf(bytes: Uint8Array | null): Principal | undefined {
  if (bytes === null) return undefined;
  const reader = new Reader(bytes);
  try {
    if (reader.int16() !== VERSION) return undefined;
    const { type, name } = readMessage(PrincipalData, VERSION, reader);
    return { type, name };
  } catch (error) {
    if (error instanceof MalformedFrameError) return undefined;
    throw error;
  }
}

/** An address as the 4 or 16 bytes of it; what is none becomes the unspecified IPv4 address. */
export function addressBytes(host: string): Buffer {
  const text = host.replace(/%.*$/, '');
  if (!text.includes(':')) {
    const parts = text.split('.').map(Number);
    const isAddress = parts.length === IPV4_BYTES && parts.every((part) => part >= 0 && part < 256);
    return Buffer.from(isAddress ? parts : [0, 0, 0, 0]);
  }
  const mapped = /^(?:0*:)*ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(text);
  return mapped === null ? ipv6Bytes(text) : addressBytes(mapped[1] ?? '');
}

/** Undefined if the bytes are no address. */
export function addressOf(bytes: Uint8Array): string | undefined {
  if (bytes.length === IPV4_BYTES) return [...bytes].join('.');
  if (bytes.length !== IPV6_BYTES) return undefined;
  const { buffer, byteOffset } = bytes;
  const view = new DataView(buffer, byteOffset, IPV6_BYTES);
  return Array.from({ length: IPV6_BYTES / 2 }, (_, at) =>
    view.getUint16(at * 2).toString(16),
  ).join(':');
}

function ipv6Bytes(text: string): Buffer {
  const [head = '', tail] = text.split('::');
  const groupsOf = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const first = groupsOf(head);
  const last = tail === undefined ? [] : groupsOf(tail);
  const missing = Math.max(0, IPV6_BYTES / 2 - first.length - last.length);
  const bytes = Buffer.alloc(IPV6_BYTES);
  [...first, ...new Array<number>(missing).fill(0), ...last].slice(0, 8).forEach((group, at) => {
    bytes.writeUInt16BE(Number.isNaN(group) ? 0 : group & 0xffff, at * 2);
  });
  return bytes;
}

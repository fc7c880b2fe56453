/** Names other protocols by their first bytes, for the one log line that a lost client gets. */

const WORDS = ['GET ', 'POST', 'PUT ', 'HEAD', 'DELE', 'OPTI', 'CONN', 'TRAC', 'PATC', 'PRI '];
/** TLS handshake record, version 3.x (RFC 8446 §5.1). */
const HANDSHAKE = 0x16;
const MAJOR = 0x03;

/** What the bytes look like: `TLS`, `HTTP`, `SSH`; undefined if like none of these. */
export function foreignProtocol(bytes: Uint8Array): string | undefined {
  if (bytes[0] === HANDSHAKE && bytes[1] === MAJOR) return 'TLS';
  const word = Buffer.from(bytes.subarray(0, 4)).toString('latin1');
  if (WORDS.includes(word)) return 'HTTP';
  return word === 'SSH-' ? 'SSH' : undefined;
}

import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { AnyMessage } from '../../src/protocol/api';
import { decodeMessage, encodeMessage } from '../../src/protocol/codec';
import { valuesOf } from '../support/message-values';
import { ALL_MESSAGES, versionsOf } from '../support/messages';
import { slowDecode, slowEncode } from '../support/slow-codec';

/** Few for each message and version, since there are some 850 of them. */
const RUNS = { numRuns: 8, seed: 11 };

const rows = ALL_MESSAGES.map((message) => [message.name, message] as const);

test.each(rows)('%s survives encoding and decoding in every version', (_name, message) => {
  for (const version of versionsOf(message)) {
    fc.assert(
      fc.property(valuesOf(message, version, { withUnknownTags: true }), (value) => {
        expectRoundTrip(message, version, value);
      }),
      RUNS,
    );
  }
});

/** The compiled codec and the slow one agree, and what was encoded comes back. */
function expectRoundTrip(message: AnyMessage, version: number, value: unknown): void {
  const bytes = encodeMessage(message, version, value);
  const slowly = slowEncode(message, version, value);
  if (!bytes.equals(slowly)) expect(bytes.toString('hex')).toBe(slowly.toString('hex'));
  const decoded = decodeMessage(message, version, bytes);
  if (!isDeepStrictEqual(decoded, value)) expect(decoded).toEqual(value);
  const decodedSlowly = slowDecode(message, version, bytes);
  if (!isDeepStrictEqual(decodedSlowly, value)) expect(decodedSlowly).toEqual(value);
}

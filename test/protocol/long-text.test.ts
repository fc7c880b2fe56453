import { message } from '../../src/protocol/api';
import { decodeMessage, encodeMessage } from '../../src/protocol/codec';
import { cutToFit, suffixed } from '../../src/protocol/cut';
import { MalformedFrameError } from '../../src/protocol/errors';
import { sentence, string } from '../../src/protocol/schema';
import { ALL_MESSAGES } from '../support/messages';

const MAX_BYTES = 32_767;

const Text = message({
  name: 'Text',
  versions: [0, 1],
  flexible: 1,
  fields: { text: string.nullable() },
});

/** A message of one string of those bytes, as a hostile client may send it. */
function wire(version: number, bytes: Buffer): Buffer {
  const whole = encodeMessage(Text, version, { text: 'x'.repeat(bytes.length) });
  bytes.copy(whole, whole.indexOf('x'));
  return whole;
}

/** What is in the text that was decoded; undefined if it was refused. */
function decoded(version: number, bytes: Buffer): string | null | undefined {
  try {
    return decodeMessage(Text, version, wire(version, bytes)).text;
  } catch (error) {
    if (error instanceof MalformedFrameError) return undefined;
    throw error;
  }
}

const LENGTHS = [1, 6, 7, 10_922, 10_923, 20_000, MAX_BYTES - 1, MAX_BYTES];

describe.each([0, 1])('text that was decoded (encoding %d)', (version) => {
  test.each(LENGTHS)('of %d bytes can be sent back, or is malformed', (length) => {
    for (const bytes of [
      Buffer.alloc(length, 'x'),
      Buffer.alloc(length, 0xff),
      Buffer.alloc(length, 'é'),
      Buffer.alloc(length, '日'),
    ]) {
      const text = decoded(version, bytes);
      if (text === undefined) continue;
      expect(decodeMessage(Text, version, encodeMessage(Text, version, { text })).text).toBe(text);
    }
  });

  test('is what was sent wherever that was UTF-8, up to the greatest length', () => {
    for (const length of LENGTHS) {
      const text = 'x'.repeat(length);
      expect(decoded(version, Buffer.from(text)) === text).toBe(true);
    }
    const kanji = '日'.repeat(10_922);
    expect(decoded(version, Buffer.from(kanji)) === kanji).toBe(true);
  });

  test('is malformed if it would not fit any more: each wrong byte becomes three', () => {
    expect(decoded(version, Buffer.alloc(10_922, 0xff))).toBe('\uFFFD'.repeat(10_922));
    expect(decoded(version, Buffer.alloc(10_923, 0xff))).toBeUndefined();
    expect(decoded(version, Buffer.alloc(MAX_BYTES, 0xff))).toBeUndefined();
  });
});

describe('a sentence of ours', () => {
  test('that fits is left as it is, to the last byte', () => {
    for (const text of ['', 'é', 'x'.repeat(MAX_BYTES), '日'.repeat(10_922)]) {
      expect(cutToFit(text)).toBe(text);
    }
    expect(cutToFit(null)).toBeNull();
  });

  test.each(['x', 'é', '日', '🐙'])(
    'that is too long is cut between two characters (%s)',
    (one) => {
      for (const count of [MAX_BYTES + 1, 100_000]) {
        const cut = cutToFit(one.repeat(count)) ?? '';
        const bytes = Buffer.byteLength(cut);
        expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
        expect(bytes).toBeGreaterThan(MAX_BYTES - 4);
        expect(cut.endsWith(`${one}…`)).toBe(true);
        expect(cut).not.toContain('\uFFFD');
      }
    },
  );

  test('is sent, however long, wherever an answer has one', () => {
    const Refusal = message({
      name: 'Refusal',
      versions: [0, 1],
      flexible: 1,
      fields: { errorMessage: sentence.nullable() },
    });
    for (const version of [0, 1]) {
      const bytes = encodeMessage(Refusal, version, { errorMessage: 'no '.repeat(100_000) });
      expect(decodeMessage(Refusal, version, bytes).errorMessage).toMatch(/^no no .* no …$|…$/);
    }
    for (const { name, shape } of ALL_MESSAGES) {
      for (const [field, { spec }] of Object.entries(shape)) {
        if (/errorMessage$/i.test(field)) expect([name, field, spec.isCut]).toContain(true);
      }
    }
  });
});

test('an id made of a name and a suffix ends with the suffix, however long the name', () => {
  expect(suffixed('consumer', '17')).toBe('consumer-17');
  for (const name of ['x'.repeat(MAX_BYTES), '日'.repeat(10_922)]) {
    const id = suffixed(name, 'abcdef');
    expect(Buffer.byteLength(id)).toBeLessThanOrEqual(MAX_BYTES);
    expect(id.endsWith(`${name[0]}-abcdef`)).toBe(true);
  }
});

import fc from 'fast-check';
import type { AnyMessage } from '../../src/protocol/api';
import { encodeMessage, readMessage } from '../../src/protocol/codec';
import { MalformedFrameError } from '../../src/protocol/errors';
import { readRequestHeader } from '../../src/protocol/header';
import { Reader } from '../../src/protocol/reader';
import { valuesOf } from '../support/message-values';
import { ALL_MESSAGES, versionsOf } from '../support/messages';
import { seededNumbers } from '../support/seeded-numbers';

const reader = new Reader();

/** Decodes bytes in the middle of a larger buffer; anything but a value or the one error fails. */
function tryDecode(message: AnyMessage, version: number, bytes: Buffer): 'value' | 'malformed' {
  const around = Buffer.concat([Buffer.alloc(7, 0x7f), bytes, Buffer.alloc(9, 0x7f)]);
  try {
    readMessage(message, version, reader.reset(around, 7, 7 + bytes.length));
  } catch (error) {
    if (error instanceof MalformedFrameError) return 'malformed';
    throw error;
  }
  expect(reader.position).toBeLessThanOrEqual(7 + bytes.length);
  return 'value';
}

test.each(ALL_MESSAGES.map((message) => [message.name, message] as const))(
  '%s: mutated bytes give a value or the malformed-frame error',
  (_name, message) => {
    const below = seededNumbers(message.name);
    for (const version of versionsOf(message)) {
      const [value] = fc.sample(valuesOf(message, version), { numRuns: 1, seed: version });
      const whole = encodeMessage(message, version, value);
      expect(tryDecode(message, version, whole)).toBe('value');
      for (let i = 0; i < 20; i++) tryDecode(message, version, mutated(whole, below));
      for (let i = 0; i < 10; i++) {
        const noise = Buffer.from(Array.from({ length: below(40) }, () => below(256)));
        tryDecode(message, version, noise);
      }
      for (const byte of [0x00, 0x01, 0x7f, 0x80, 0xff]) {
        tryDecode(message, version, Buffer.alloc(64, byte));
      }
    }
  },
);

test('a message cut short anywhere is malformed, unless all that is missing was optional', () => {
  for (const message of ALL_MESSAGES) {
    const version = message.versions[1];
    const [value] = fc.sample(valuesOf(message, version), { numRuns: 1, seed: 5 });
    const whole = encodeMessage(message, version, value);
    for (let length = 0; length < Math.min(whole.length, 200); length++) {
      expect(tryDecode(message, version, whole.subarray(0, length))).toBe('malformed');
    }
  }
});

test('random bytes in place of a header give a header or the malformed-frame error', () => {
  const below = seededNumbers('header');
  for (let i = 0; i < 20_000; i++) {
    const noise = Buffer.from(Array.from({ length: below(30) }, () => below(256)));
    if (below(2) === 0 && noise.length > 1) noise.writeInt16BE(below(100), 0);
    try {
      readRequestHeader(reader.reset(noise, 0, noise.length));
    } catch (error) {
      expect(error).toBeInstanceOf(MalformedFrameError);
    }
  }
});

/** One to three changes: a byte replaced, a bit turned, bytes cut out, put in, or doubled. */
function mutated(whole: Buffer, below: (bound: number) => number): Buffer {
  let bytes = Buffer.from(whole);
  for (let changes = 1 + below(3); changes > 0 && bytes.length > 0; changes--) {
    const at = below(bytes.length);
    const [head, tail] = [bytes.subarray(0, at), bytes.subarray(at)];
    const count = below(6);
    switch (below(5)) {
      case 0:
        bytes[at] = [0, 1, 0x7f, 0x80, 0xff][below(5)] as number;
        break;
      case 1:
        bytes[at] = (bytes[at] as number) ^ (1 << below(8));
        break;
      case 2:
        bytes = Buffer.concat([head, tail.subarray(count)]);
        break;
      case 3:
        bytes = Buffer.concat([head, Buffer.alloc(count, below(256)), tail]);
        break;
      default:
        bytes = Buffer.concat([head, tail.subarray(0, count), tail]);
    }
  }
  return bytes;
}

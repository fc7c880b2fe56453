import { METADATA_TOPIC_ID, ZERO_UUID } from '../../src/base/ids';
import { isUuid, readUuid, uuidOf, writeUuid } from '../../src/protocol/ids';

test('a uuid is 16 bytes and 22 characters', () => {
  const bytes = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
  const text = uuidOf(bytes);
  expect(text).toBe('ABEiM0RVZneImaq7zN3u_w');
  const written = Buffer.alloc(20, 1);
  writeUuid(text, written, 2);
  expect(written.subarray(2, 18)).toEqual(bytes);
  expect(readUuid(written, 2)).toBe(text);
});

test('the uuids with a meaning of their own read as themselves', () => {
  expect(readUuid(Buffer.alloc(16), 0)).toBe(ZERO_UUID);
  expect(readUuid(Buffer.from(`${'00'.repeat(15)}01`, 'hex'), 0)).toBe(METADATA_TOPIC_ID);
});

test.each([
  ['ABEiM0RVZneImaq7zN3u_w', true],
  ['ABEiM0RVZneImaq7zN3u/w', false],
  ['ABEiM0RVZneImaq7zN3u_x', false],
  ['ABEiM0RVZneImaq7zN3u_', false],
  ['', false],
])('%p is a uuid in its only form: %p', (text, expected) => {
  expect(isUuid(text)).toBe(expected);
});

test('text that is no uuid is never sent', () => {
  expect(() => writeUuid('short', Buffer.alloc(16), 0)).toThrow('is no uuid');
  expect(() => writeUuid('!'.repeat(22), Buffer.alloc(16), 0)).toThrow('is no uuid');
});

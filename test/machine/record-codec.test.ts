import fc from 'fast-check';
import { GROUP_RECORDS } from '../../src/group/records';
import { SHARE_RECORDS } from '../../src/group/share/records';
import { type RecordOf, type RecordTable, recordCodec } from '../../src/machine/record-codec';
import type { AnyMessage } from '../../src/protocol/api';
import { MalformedFrameError } from '../../src/protocol/errors';
import { TRANSACTION_RECORDS } from '../../src/transaction/records';
import { valuesOf } from '../support/message-values';
import { versionsOf } from '../support/messages';

const codec = recordCodec(GROUP_RECORDS);
const COMMIT: RecordOf<typeof GROUP_RECORDS> = {
  type: 'OffsetCommit',
  key: { group: 'g', topic: 't', partition: 2 },
  value: {
    offset: 5n,
    leaderEpoch: 1,
    metadata: 'm',
    commitTimestamp: 10,
    expireTimestamp: -1n,
    topicId: 'AAAAAAAAAAAAAAAAAAAAAA',
  },
};
const KEY = '0001' + '000167' + '000174' + '00000002';

test('a record is a number and a key, a version and a value', () => {
  const { key, value } = codec.encode(COMMIT);
  expect(key.toString('hex')).toBe(KEY);
  const body = '0000000000000005' + '00000001';
  expect(value?.toString('hex')).toBe(`0004${body}026d000000000000000a00`);
  const older = codec.encode({ ...COMMIT, version: 3 });
  expect(older.value?.toString('hex')).toBe(`0003${body}00016d000000000000000a`);
});

test('a record without a value is a tombstone', () => {
  const tombstone = { ...COMMIT, value: null };
  expect(codec.encode(tombstone).value).toBeNull();
  expect(codec.decode(Buffer.from(KEY, 'hex'), null)).toEqual({
    kind: 'record',
    record: tombstone,
  });
});

test('a number that the table lacks is told, not refused', () => {
  const key = Buffer.from('007b' + 'ff', 'hex');
  expect(codec.decode(key, Buffer.from('0000', 'hex'))).toEqual({ kind: 'unknown', id: 123 });
});

test.each([
  ['there is no key', null, '0004'],
  ['the key is too short for its number', '00', '0004'],
  ['the key goes on', `${KEY}00`, '0004'],
  ['the value has an unknown version', KEY, '0005'],
  ['the value is cut short', KEY, '00040000'],
])('%s: the record is malformed', (_what, key, value) => {
  const bytes = key === null ? null : Buffer.from(key, 'hex');
  expect(() => codec.decode(bytes, Buffer.from(value, 'hex'))).toThrow(MalformedFrameError);
});

describe.each<[string, RecordTable]>([
  ['__consumer_offsets', GROUP_RECORDS],
  ['__transaction_state', TRANSACTION_RECORDS],
  ['__share_group_state', SHARE_RECORDS],
])('every record of %s', (_topic, table) => {
  const tableCodec = recordCodec(table);

  test.each(Object.keys(table))('%s comes back as it was written, in every version', (type) => {
    const { key, value } = table[type] as { key: AnyMessage; value: AnyMessage };
    for (const version of versionsOf(value)) {
      const values = valuesOf(value, version, { withUnknownTags: true });
      const pairs = fc.tuple(valuesOf(key, 0), values);
      for (const [sampleKey, sampleValue] of fc.sample(pairs, { numRuns: 5, seed: version })) {
        const record = { type, key: sampleKey, value: sampleValue, version };
        const encoded = tableCodec.encode(record);
        expect(tableCodec.decode(encoded.key, encoded.value)).toEqual({ kind: 'record', record });
      }
    }
  });
});

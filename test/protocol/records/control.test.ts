import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as batch from '../../../src/protocol/records/batch';
import { buildBatch } from '../../../src/protocol/records/builder';
import {
  buildControlBatch,
  buildTransactionMarker,
  type ControlRecordDraft,
  encodeControlRecord,
  parseControlRecord,
  transactionMarkerOf,
} from '../../../src/protocol/records/control';
import { CorruptRecordError } from '../../../src/protocol/records/corrupt-record-error';
import { recordsOf } from '../../../src/protocol/records/record';

const QUORUM: readonly ControlRecordDraft[] = [
  {
    type: 'leader-change',
    message: {
      version: 0,
      leaderId: 1,
      voters: [{ voterId: 1 }, { voterId: 2 }],
      grantingVoters: [{ voterId: 1 }],
    },
  },
  { type: 'snapshot-header', message: { version: 0, lastContainedLogTimestamp: 123456789 } },
  { type: 'snapshot-footer', message: { version: 0 } },
  { type: 'kraft-version', message: { version: 0, kRaftVersion: 1 } },
  {
    type: 'kraft-voters',
    message: {
      version: 0,
      voters: [
        {
          voterId: 1,
          voterDirectoryId: 'AAAAAAAAAAAAAAAAAAAAAQ',
          endpoints: [{ name: 'CONTROLLER', host: 'localhost', port: 9093 }],
          kRaftVersionFeature: { minSupportedVersion: 0, maxSupportedVersion: 1 },
        },
      ],
    },
  },
];

const JAVA = new Map(
  readFileSync(join(__dirname, 'fixtures', 'java-batches.txt'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(' ') as [string, string]),
);
const java = (name: string) => Buffer.from(JAVA.get(`control.${name}`) ?? '', 'base64');

describe('a transaction marker', () => {
  test.each(['commit', 'abort'] as const)('equals, byte for byte, Kafka’s (%s)', (type) => {
    const marker = buildTransactionMarker({
      type,
      producerId: 77,
      producerEpoch: 4,
      coordinatorEpoch: type === 'commit' ? 11 : 12,
      timestampMs: 1_700_000_000_000,
      baseOffset: 42,
      leaderEpoch: 3,
    });
    expect(marker.equals(java(type))).toBe(true);
  });

  test('is found in its batch, and nowhere else', () => {
    expect(transactionMarkerOf(java('commit'), 0)).toEqual({
      type: 'commit',
      coordinatorEpoch: 11,
    });
    expect(transactionMarkerOf(java('leader'), 0)).toBeUndefined();
    expect(transactionMarkerOf(buildBatch([{ timestamp: 0, key: 'k' }]), 0)).toBeUndefined();
  });

  test('is transactional, control, and has no sequence', () => {
    const header = batch.readBatchHeader(java('abort'), 0);
    expect(header).toMatchObject({ isControl: true, isTransactional: true, baseSequence: -1 });
  });
});

describe('a control record of the quorum', () => {
  test.each([
    ['leader', 5, QUORUM[0]],
    ['header', 0, QUORUM[1]],
    ['footer', 0, QUORUM[2]],
    ['version', 0, QUORUM[3]],
    ['voters', 0, QUORUM[4]],
  ] as const)('equals, byte for byte, Kafka’s (%s)', (name, baseOffset, control) => {
    const options = { baseOffset, leaderEpoch: 9 };
    const whole = buildControlBatch([control as ControlRecordDraft], 1_700_000_000_000, options);
    expect(whole.equals(java(name))).toBe(true);
  });

  test.each(QUORUM)('is read as it was written: $type', (control) => {
    expect(parseControlRecord(encodeControlRecord(control))).toMatchObject(control);
  });

  test('stands beside others in one batch', () => {
    const [first, ...others] = QUORUM as [ControlRecordDraft, ...ControlRecordDraft[]];
    const records = recordsOf(buildControlBatch([first, ...others], 5));
    expect(records.map((record) => parseControlRecord(record).type)).toEqual(
      QUORUM.map((control) => control.type),
    );
  });
});

describe('reading a control record', () => {
  const hex = (text: string) => Buffer.from(text, 'hex');

  test('passes over types of later releases, whatever their value', () => {
    expect(parseControlRecord({ key: hex('00000007'), value: null })).toEqual({
      type: 'unknown',
      typeId: 7,
    });
    expect(parseControlRecord({ key: hex('0000ffff'), value: null })).toEqual({
      type: 'unknown',
      typeId: -1,
    });
  });

  test('reads later versions of key and marker as the known one', () => {
    const later = parseControlRecord({ key: hex('0005000100'), value: hex('00090000000bffff') });
    expect(later).toEqual({ type: 'commit', coordinatorEpoch: 11 });
  });

  test.each([
    ['no key', null, '00000000000b'],
    ['a short key', '000000', '00000000000b'],
    ['a negative version', 'ffff0001', '00000000000b'],
    ['no value', '00000001', null],
    ['a short marker', '00000001', '000000000b'],
    ['a marker of negative version', '00000001', 'ffff0000000b'],
    ['a malformed message', '00000006', '0000ff'],
  ])('refuses %s', (_, key, value) => {
    const record = {
      key: key === null ? null : hex(key),
      value: value === null ? null : hex(value),
    };
    expect(() => parseControlRecord(record)).toThrow(CorruptRecordError);
  });
});

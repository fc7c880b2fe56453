import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { InvariantError } from '../../../src/base/invariant';
import * as batch from '../../../src/protocol/records/batch';
import { batchPositions } from '../../../src/protocol/records/batches';
import { buildBatch } from '../../../src/protocol/records/builder';
import { CorruptRecordError } from '../../../src/protocol/records/corrupt-record-error';
import { readRecords, recordsOf } from '../../../src/protocol/records/record';
import { anyCompression, anyProducer, anyRecords, contents, given, rewrite } from './support';

fc.configureGlobal({ seed: 26 });

describe('records that are built into a batch', () => {
  test('are read as they were given, whatever the compression', () => {
    fc.assert(
      fc.property(anyRecords, anyCompression, anyProducer, (records, compression, producer) => {
        const whole = buildBatch(records, { ...producer, compression, baseOffset: 77 });
        expect(batch.hasValidCrc(whole, 0)).toBe(true);
        expect(batchPositions(whole)).toEqual([0]);
        expect(batch.recordCount(whole, 0)).toBe(records.length);
        expect(contents(whole)).toEqual(given(records, 77));
      }),
      { numRuns: 150 },
    );
  });

  test('keep offsets with gaps, and the last offset beyond the last record', () => {
    const whole = buildBatch(
      [
        { offset: 12, timestamp: 1, value: 'a' },
        { offset: 17, timestamp: 1, value: 'b' },
      ],
      { baseOffset: 10, lastOffset: 20, producerId: 3, producerEpoch: 0, baseSequence: 5 },
    );
    const records = recordsOf(whole);
    expect(records.map((record) => record.offset)).toEqual([12, 17]);
    expect(records.map((record) => record.sequence)).toEqual([7, 12]);
    expect(batch.lastOffset(whole, 0)).toBe(20);
    expect(batch.lastSequence(whole, 0)).toBe(15);
  });

  test('keep their timestamps under a delete horizon', () => {
    const whole = buildBatch([{ timestamp: 500, value: 'x' }], { deleteHorizonMs: 9_000 });
    const header = batch.readBatchHeader(whole, 0);
    expect(header.deleteHorizonMs).toBe(9_000n);
    expect(header.maxTimestamp).toBe(500n);
    expect(recordsOf(whole)[0]?.timestamp).toBe(500);
  });

  test('all show the time at which the broker stamped them', () => {
    const records = [1, 2, 3].map((timestamp) => ({ timestamp, value: 'x' }));
    const whole = buildBatch(records, { logAppendTimeMs: 1234 });
    expect(batch.timestampType(whole, 0)).toBe('LogAppendTime');
    expect(recordsOf(whole).map((record) => record.timestamp)).toEqual([1234, 1234, 1234]);
  });

  test('take text as UTF-8 and leave out what is not given', () => {
    const whole = buildBatch([
      { timestamp: 0, key: 'schlüssel', headers: [{ key: 'ü', value: '' }] },
    ]);
    const [record] = recordsOf(whole);
    expect(record?.key?.toString()).toBe('schlüssel');
    expect(record?.value).toBeNull();
    expect(record?.headers).toEqual([{ key: 'ü', value: Buffer.alloc(0) }]);
  });

  test('are views on the batch, not copies', () => {
    const whole = buildBatch([{ timestamp: 0, value: 'view' }]);
    const value = recordsOf(whole)[0]?.value as Buffer;
    value[0] = 0x56;
    expect(recordsOf(whole)[0]?.value?.toString()).toBe('View');
  });

  test('must be in order and say whose they are', () => {
    const record = { timestamp: 0, value: 'x' };
    const build =
      (...args: Parameters<typeof buildBatch>) =>
      () =>
        buildBatch(...args);
    expect(
      build([
        { ...record, offset: 3 },
        { ...record, offset: 3 },
      ]),
    ).toThrow(InvariantError);
    expect(build([])).toThrow(InvariantError);
    expect(build([{ ...record, offset: 3 }], { lastOffset: 2 })).toThrow(InvariantError);
    expect(build([record], { isTransactional: true })).toThrow(InvariantError);
    expect(build([record], { producerId: 1, baseSequence: 0 })).toThrow(InvariantError);
    expect(build([record], { producerId: 1, producerEpoch: 0 })).toThrow(InvariantError);
  });
});

describe('reading records', () => {
  const records = [
    { timestamp: 1, key: 'k', value: 'v', headers: [{ key: 'h', value: 'x' }] },
    { timestamp: 2, key: null, value: null, headers: [] },
  ];
  const whole = buildBatch(records);

  test('yields those before a malformed one', () => {
    const broken = rewrite(whole, (payload) => payload.subarray(0, payload.length - 1));
    const reading = readRecords(broken);
    expect(reading.next().value?.key?.toString()).toBe('k');
    expect(() => reading.next()).toThrow(CorruptRecordError);
  });

  test('refuses bytes that are left over, and counts that are wrong', () => {
    const longer = rewrite(whole, (payload) => Buffer.concat([payload, Buffer.from([0])]));
    expect(() => recordsOf(longer)).toThrow(CorruptRecordError);
    expect(() => recordsOf(rewrite(whole, (same) => same, { recordCount: 1 }))).toThrow('left');
    expect(() => recordsOf(rewrite(whole, (same) => same, { recordCount: 3 }))).toThrow('short');
    expect(() => recordsOf(rewrite(whole, (same) => same, { recordCount: -1 }))).toThrow('-1');
  });

  test('gives records or the one error for any records, compressed or not', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 60 }),
        anyCompression,
        fc.nat({ max: 9 }),
        (bytes, compression, recordCount) => {
          const base = buildBatch(records, { compression });
          const other = rewrite(base, () => Buffer.from(bytes), { recordCount });
          try {
            for (const record of readRecords(other)) {
              expect(record.sizeInBytes).toBeLessThanOrEqual(bytes.length);
              expect(record.headers.length).toBeLessThanOrEqual(bytes.length);
            }
          } catch (error) {
            expect(error).toBeInstanceOf(CorruptRecordError);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test('depends on nothing outside the batch', () => {
    fc.assert(
      fc.property(anyRecords, fc.nat(), fc.nat({ max: 255 }), (given, at, byte) => {
        const inner = buildBatch(given);
        inner[61 + (at % (inner.length - 61))] = byte;
        const seen = [0x00, 0x7f, 0xff].map((around) => {
          const edge = Buffer.alloc(12, around);
          const framed = Buffer.concat([edge, inner, edge]);
          try {
            return contents(framed, edge.length);
          } catch (error) {
            return (error as Error).name;
          }
        });
        expect(seen[1]).toEqual(seen[0]);
        expect(seen[2]).toEqual(seen[0]);
      }),
      { numRuns: 200 },
    );
  });
});

describe('batches that Kafka 4.4’s own classes wrote', () => {
  const lines = readFileSync(join(__dirname, 'fixtures', 'java-batches.txt'), 'utf8')
    .trim()
    .split('\n');
  const batches = new Map(
    lines
      .map((line) => line.split(' ') as [string, string])
      .map(([name, text]) => [name, Buffer.from(text, 'base64')]),
  );

  test.each([...batches.keys()].filter((name) => !name.startsWith('control')))(
    'are read: %s',
    (name) => {
      const whole = batches.get(name) as Buffer;
      const isStamped = name.endsWith('stamped');
      expect(batch.hasValidCrc(whole, 0)).toBe(true);
      const header = batch.readBatchHeader(whole, 0);
      expect(header).toMatchObject({
        baseOffset: 100,
        leaderEpoch: 7,
        timestampType: isStamped ? 'LogAppendTime' : 'CreateTime',
        producerId: isStamped ? 9n : -1n,
        baseSequence: isStamped ? 2147483640 : -1,
        recordCount: isStamped ? 20 : 3,
      });
      expect(name.startsWith(header.compression as string)).toBe(true);
      recordsOf(whole).forEach((record, index) => {
        const created = 1_700_000_000_000 + ((index * 7919) % 1000) - 500;
        expect(record.offset).toBe(100 + index);
        expect(record.timestamp).toBe(isStamped ? 1_700_000_000_999 : created);
        expect(record.key?.toString()).toBe(index % 5 === 0 ? undefined : `key${index}`);
        expect(record.value?.length).toBe(index % 7 === 0 ? undefined : isStamped ? 100 : 10);
        const headers = [
          { key: `h${index}`, value: null },
          { key: '', value: Buffer.from(`v${index}`) },
          { key: 'ünï', value: Buffer.alloc(index % 200) },
        ];
        expect(record.headers).toEqual(index % 3 === 0 ? [] : headers);
      });
    },
  );

  test('equal, uncompressed, what the builder makes of the same records', () => {
    const whole = batches.get('none.stamped') as Buffer;
    const records = recordsOf(whole).map((record, index) => ({
      ...pick(record),
      timestamp: 1_700_000_000_000 + ((index * 7919) % 1000) - 500,
    }));
    const again = buildBatch(records, {
      baseOffset: 100,
      leaderEpoch: 7,
      logAppendTimeMs: 1_700_000_000_999,
      producerId: 9,
      producerEpoch: 3,
      baseSequence: 2147483640,
    });
    expect(again.equals(whole)).toBe(true);
  });
});

const pick = ({ key, value, headers }: ReturnType<typeof recordsOf>[number]) => ({
  key,
  value,
  headers,
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { wallMs } from '../../../src/base/times';
import { Errors } from '../../../src/protocol/errors';
import * as batch from '../../../src/protocol/records/batch';
import { buildBatch, type RecordIn } from '../../../src/protocol/records/builder';
import { compressGzip } from '../../../src/protocol/records/gzip';
import {
  type AcceptedBatch,
  type RefusedBatch,
  receiveOffloaded,
  type ValidationOutcome,
  type ValidationSettings,
  validateAppend,
  validateAppendTask,
} from '../../../src/protocol/records/validate';
import { walkRecords } from '../../../src/protocol/records/walk';
import { anyCompression, anyProducer, anyRecords, contents, given, rewrite } from './support';

fc.configureGlobal({ seed: 27 });

const NOW = wallMs(1_700_000_000_000);
const LONG_MAX = 2n ** 63n - 1n;

/** Kafka's defaults. */
const DEFAULTS: ValidationSettings = {
  produceVersion: 9,
  isCompacted: false,
  maxMessageBytes: 1_048_588,
  segmentBytes: 1 << 30,
  compressionType: 'producer',
  timestampType: 'CreateTime',
  timestampBeforeMaxMs: LONG_MAX,
  timestampAfterMaxMs: 3_600_000n,
  maxDecompressedBytes: 1 << 24,
};

/** Validates a copy, on this thread or as the task would on another. */
function validate(records: Buffer, settings: Partial<ValidationSettings> = {}): ValidationOutcome {
  const all = { ...DEFAULTS, ...settings };
  const outcome = validateAppend(Buffer.from(records), all, NOW);
  if (outcome.outcome !== 'offload') return outcome;
  const input = structuredClone({ records, settings: all, nowMs: NOW });
  return receiveOffloaded(structuredClone(validateAppendTask.work(input)));
}

function accepted(records: Buffer, settings: Partial<ValidationSettings> = {}): AcceptedBatch {
  const outcome = validate(records, settings);
  if (outcome.outcome !== 'accepted') throw new Error(`refused: ${outcome.message}`);
  return outcome;
}

function refused(records: Buffer, settings: Partial<ValidationSettings> = {}): RefusedBatch {
  const outcome = validate(records, settings);
  if (outcome.outcome !== 'refused') throw new Error('accepted');
  return outcome;
}

const codeOf = (records: Buffer, settings: Partial<ValidationSettings> = {}) =>
  refused(records, settings).errorCode;

const RECORDS: RecordIn[] = [
  { timestamp: NOW - 5, key: 'a', value: 'first' },
  { timestamp: NOW, key: 'b', value: 'the second', headers: [{ key: 'h', value: 'x' }] },
  { timestamp: NOW - 9, key: null, value: null },
];
const WHOLE = buildBatch(RECORDS);

/** The batch with its header changed and its CRC right. */
const withHeader = (fields: Partial<batch.BatchHeaderFields>, base = WHOLE) =>
  rewrite(base, (same) => same, fields);

describe('a batch as clients send it', () => {
  test('is accepted as it is: the same memory, the same bytes', () => {
    const records = Buffer.from(WHOLE);
    const outcome = validateAppend(records, DEFAULTS, NOW) as AcceptedBatch;
    expect(outcome).toMatchObject({
      outcome: 'accepted',
      isRebuilt: false,
      recordCount: 3,
      maxTimestamp: NOW,
      offsetDeltaOfMaxTimestamp: 1,
      logAppendTimeMs: -1,
    });
    expect(outcome.batch.buffer).toBe(records.buffer);
    expect(outcome.batch.equals(WHOLE)).toBe(true);
  });

  test('is accepted whatever the builder was told', () => {
    const anyTarget = fc.constantFrom(
      ...(['producer', 'uncompressed', 'gzip', 'snappy', 'lz4', 'zstd'] as const),
    );
    fc.assert(
      fc.property(
        anyRecords,
        anyCompression,
        anyProducer,
        anyTarget,
        (records, compression, options, target) => {
          const whole = buildBatch(records, { ...options, compression });
          const outcome = accepted(whole, {
            compressionType: target,
            timestampAfterMaxMs: LONG_MAX,
          });
          const expected =
            target === 'producer' ? compression : target === 'uncompressed' ? 'none' : target;
          expect(batch.compression(outcome.batch, 0)).toBe(expected);
          expect(outcome.isRebuilt).toBe(expected !== compression);
          expect(batch.hasValidCrc(outcome.batch, 0)).toBe(true);
          expect(contents(outcome.batch)).toEqual(given(records));
          expect(fieldsThatStay(outcome.batch)).toEqual(fieldsThatStay(whole));
          if (!outcome.isRebuilt) expect(outcome.batch.equals(whole)).toBe(true);
        },
      ),
      { numRuns: 150 },
    );
  });

  test('of kafkajs without idempotence keeps epoch 0 and sequence 0 beside no producer id', () => {
    const whole = buildBatch(RECORDS, { producerId: -1, producerEpoch: 0, baseSequence: 0 });
    for (const compressionType of ['producer', 'gzip'] as const) {
      const { batch: stored } = accepted(whole, { compressionType });
      expect(batch.producerId(stored, 0)).toBe(-1);
      expect(batch.producerEpoch(stored, 0)).toBe(0);
      expect(batch.baseSequence(stored, 0)).toBe(0);
    }
  });

  test('has its greatest timestamp put right', () => {
    const wrong = withHeader({ maxTimestamp: 17n });
    const { batch: stored, maxTimestamp } = accepted(wrong);
    expect(maxTimestamp).toBe(NOW);
    expect(batch.maxTimestamp(stored, 0)).toBe(NOW);
    expect(batch.hasValidCrc(stored, 0)).toBe(true);
  });

  test('has offsets put in order that clients got wrong', () => {
    // All deltas 0, as some clients send them.
    const inOrder = buildBatch(RECORDS.map((record) => ({ ...record, timestamp: 7 })));
    for (const compression of batch.COMPRESSION_TYPES) {
      const disordered = rewrite(
        buildBatch(
          RECORDS.map((record) => ({ ...record, timestamp: 7 })),
          { compression },
        ),
        (payload) => zeroOffsetDeltas(payload),
      );
      expect(contents(disordered).map((record) => record.offset)).toEqual([0, 0, 0]);
      const outcome = accepted(disordered);
      expect(outcome.isRebuilt).toBe(true);
      expect(batch.compression(outcome.batch, 0)).toBe(compression);
      expect(contents(outcome.batch)).toEqual(contents(inOrder));
    }
  });

  test('may be followed by the beginning of another, which is cut off', () => {
    for (const length of [1, 11, 16, 17, WHOLE.length - 1]) {
      const outcome = accepted(Buffer.concat([WHOLE, WHOLE.subarray(0, length)]));
      expect(outcome.batch.equals(WHOLE)).toBe(true);
    }
  });

  test('is stamped where the topic says so', () => {
    for (const compressionType of ['producer', 'zstd'] as const) {
      const outcome = accepted(WHOLE, { timestampType: 'LogAppendTime', compressionType });
      expect(outcome).toMatchObject({ logAppendTimeMs: NOW, maxTimestamp: NOW });
      expect(batch.timestampType(outcome.batch, 0)).toBe('LogAppendTime');
      expect(batch.hasValidCrc(outcome.batch, 0)).toBe(true);
      expect(contents(outcome.batch).map((record) => record.timestamp)).toEqual(
        RECORDS.map(() => BigInt(NOW)),
      );
    }
  });

  test('is stamped however old its records are', () => {
    const old = buildBatch([{ timestamp: 1, value: 'x' }]);
    const settings = { timestampType: 'LogAppendTime', timestampBeforeMaxMs: 0n } as const;
    expect(accepted(old, settings).maxTimestamp).toBe(NOW);
  });
});

describe('a batch that is refused', () => {
  test('as framing: nothing, a torn one, other bytes, magic 0 and 1', () => {
    expect(codeOf(Buffer.alloc(0))).toBe(Errors.INVALID_RECORD);
    expect(codeOf(WHOLE.subarray(0, WHOLE.length - 1))).toBe(Errors.INVALID_RECORD);
    expect(codeOf(Buffer.alloc(100))).toBe(Errors.CORRUPT_MESSAGE);
    const older = Buffer.from(WHOLE);
    older[16] = 1;
    expect(codeOf(older)).toBe(Errors.INVALID_RECORD);
    older[16] = 3;
    expect(codeOf(older)).toBe(Errors.CORRUPT_MESSAGE);
  });

  test('for a second one behind it', () => {
    expect(codeOf(Buffer.concat([WHOLE, WHOLE]))).toBe(Errors.INVALID_RECORD);
    expect(codeOf(Buffer.concat([WHOLE, Buffer.alloc(70)]))).toBe(Errors.CORRUPT_MESSAGE);
  });

  test('for any bit that the CRC covers', () => {
    for (let at = 21; at < WHOLE.length; at++) {
      const changed = Buffer.from(WHOLE);
      changed[at] = (changed[at] as number) ^ 0x10;
      expect(codeOf(changed)).toBe(Errors.CORRUPT_MESSAGE);
    }
    const changed = Buffer.from(WHOLE);
    changed[18] = (changed[18] as number) ^ 1;
    expect(codeOf(changed)).toBe(Errors.CORRUPT_MESSAGE);
  });

  test('for its size, as sent and as stored', () => {
    const small = buildBatch([{ timestamp: NOW, value: 'x'.repeat(500) }], { compression: 'gzip' });
    expect(codeOf(WHOLE, { maxMessageBytes: WHOLE.length - 1 })).toBe(Errors.MESSAGE_TOO_LARGE);
    accepted(WHOLE, { maxMessageBytes: WHOLE.length });
    const unpacked = { compressionType: 'uncompressed', maxMessageBytes: 400 } as const;
    expect(codeOf(small, unpacked)).toBe(Errors.MESSAGE_TOO_LARGE);
    expect(codeOf(WHOLE, { segmentBytes: WHOLE.length - 1 })).toBe(Errors.RECORD_LIST_TOO_LARGE);
    const cramped = { compressionType: 'uncompressed', segmentBytes: 400 } as const;
    expect(codeOf(small, cramped)).toBe(Errors.RECORD_LIST_TOO_LARGE);
  });

  test('for zstd before Produce 7', () => {
    const zstd = buildBatch(RECORDS, { compression: 'zstd' });
    expect(codeOf(zstd, { produceVersion: 6 })).toBe(Errors.UNSUPPORTED_COMPRESSION_TYPE);
    accepted(zstd, { produceVersion: 7 });
    // The topic may compress as it likes; only what consumers ask for later is checked then.
    accepted(WHOLE, { produceVersion: 3, compressionType: 'zstd' });
  });

  test('for a compression type that does not exist', () => {
    for (const id of [5, 6, 7]) {
      const whole = Buffer.from(WHOLE);
      whole[22] = id;
      batch.setCrc(whole, 0);
      expect(codeOf(whole)).toBe(Errors.UNKNOWN_SERVER_ERROR);
    }
  });

  test.each([
    ['a base offset', { baseOffset: 1 }],
    ['a negative base offset', { baseOffset: -1 }],
    ['a negative last offset delta', { lastOffsetDelta: -1 }],
    ['a smaller last offset delta', { lastOffsetDelta: 1 }],
    ['a greater last offset delta', { lastOffsetDelta: 3 }],
    ['no records', { recordCount: 0 }],
    ['a negative count', { recordCount: -1 }],
    ['no records and no offsets', { recordCount: 0, lastOffsetDelta: -1 }],
    ['more records than there are', { recordCount: 4, lastOffsetDelta: 3 }],
    ['fewer records than there are', { recordCount: 2, lastOffsetDelta: 1 }],
    ['the control bit', { attributes: batch.CONTROL_FLAG }],
    ['the delete horizon bit', { attributes: batch.DELETE_HORIZON_FLAG }],
    ['a transaction without a producer', { attributes: batch.TRANSACTIONAL_FLAG }],
    ['a producer without a sequence', { producerId: 4n, producerEpoch: 1, baseSequence: -1 }],
    ['a producer without an epoch', { producerId: 4n, producerEpoch: -1, baseSequence: 0 }],
    ['a producer id that cannot be', { producerId: 2n ** 53n, producerEpoch: 0, baseSequence: 0 }],
  ])('for %s', (_, fields) => {
    for (const compression of batch.COMPRESSION_TYPES) {
      const base = buildBatch(RECORDS, { compression });
      const outcome = refused(withHeader(fields, base));
      expect(outcome).toMatchObject({ errorCode: Errors.INVALID_RECORD, recordErrors: [] });
    }
  });

  test('for records without a key on a compacted topic, named one by one', () => {
    const records = ['a', null, 'b', '', null].map((key) => ({ timestamp: NOW, key, value: 'x' }));
    for (const compression of batch.COMPRESSION_TYPES) {
      const outcome = refused(buildBatch(records, { compression }), { isCompacted: true });
      expect(outcome.errorCode).toBe(Errors.INVALID_RECORD);
      expect(outcome.recordErrors.map((error) => error.batchIndex)).toEqual([1, 4]);
    }
  });

  test('for timestamps out of range, named one by one; none (-1) is always in range', () => {
    const hour = 3_600_000;
    const times = [NOW, NOW + hour, NOW + hour + 1, -1, NOW - 1000, NOW - 1001];
    const whole = buildBatch(times.map((timestamp) => ({ timestamp, value: 'x' })));
    const outcome = refused(whole, { timestampBeforeMaxMs: 1000n });
    expect(outcome.errorCode).toBe(Errors.INVALID_TIMESTAMP);
    expect(outcome.recordErrors.map((error) => error.batchIndex)).toEqual([2, 5]);
    const lenient = { timestampBeforeMaxMs: LONG_MAX, timestampAfterMaxMs: LONG_MAX };
    expect(accepted(whole, lenient).maxTimestamp).toBe(NOW + hour + 1);
  });

  test('with the timestamp’s code where keys are missing too, each record named once', () => {
    const records = [
      { timestamp: NOW, key: null },
      { timestamp: NOW + 9e9, key: 'k' },
      { timestamp: NOW + 9e9, key: null },
    ];
    const outcome = refused(buildBatch(records), { isCompacted: true });
    expect(outcome.errorCode).toBe(Errors.INVALID_TIMESTAMP);
    expect(outcome.recordErrors.map((error) => error.batchIndex)).toEqual([0, 1, 2]);
    expect(new Set(outcome.recordErrors.map((error) => error.message)).size).toBe(2);
  });

  test('naming the first thousand where more are at fault, those without a key or stamped too', () => {
    const first = Array.from({ length: 1000 }, (_, index) => index);
    const indexes = (whole: Buffer, settings: Partial<ValidationSettings>): number[] =>
      refused(whole, settings).recordErrors.map(({ batchIndex }) => batchIndex);
    const records = Array.from({ length: 1500 }, (_, index) => ({
      timestamp: NOW + 9e9,
      key: index % 3 === 0 ? null : 'k',
    }));
    expect(indexes(buildBatch(records), {})).toEqual(first);
    expect(indexes(buildBatch(records), { isCompacted: true })).toEqual(first);
    const stamped = buildBatch(records, { logAppendTimeMs: NOW });
    const stamping = { timestampType: 'LogAppendTime', isCompacted: true } as const;
    expect(indexes(stamped, stamping)).toEqual(first);
  });

  test('for claiming LogAppendTime on a topic that stamps', () => {
    const stamped = buildBatch(RECORDS, { logAppendTimeMs: NOW });
    const outcome = refused(stamped, { timestampType: 'LogAppendTime' });
    expect(outcome.errorCode).toBe(Errors.INVALID_TIMESTAMP);
    expect(outcome.recordErrors.map((error) => error.batchIndex)).toEqual([0, 1, 2]);
  });

  test('where the records do not decompress', () => {
    for (const compression of ['gzip', 'snappy', 'lz4', 'zstd'] as const) {
      const whole = buildBatch(RECORDS, { compression });
      whole.fill(0x99, batch.BATCH_OVERHEAD);
      batch.setCrc(whole, 0);
      expect(codeOf(whole)).toBe(Errors.UNKNOWN_SERVER_ERROR);
    }
  });

  test('where the records decompress to more than is allowed', () => {
    const zeros = buildBatch([{ timestamp: NOW, value: Buffer.alloc(3_000_000) }], {
      compression: 'zstd',
    });
    expect(zeros.length).toBeLessThan(1000);
    expect(codeOf(zeros, { maxDecompressedBytes: 2_999_999 })).toBe(Errors.MESSAGE_TOO_LARGE);
    accepted(zeros, { maxDecompressedBytes: 3_000_100 });
  });
});

describe('malformed records', () => {
  /** A record's body, its size put before it. */
  const record = (hex: string) => {
    const body = Buffer.from(hex.replaceAll(' ', ''), 'hex');
    return Buffer.concat([Buffer.from([body.length * 2]), body]);
  };
  // attributes, timestamp delta, offset delta, key, value, headers
  const sound = '00 00 00 02 6b 02 76 02 02 68 01';

  test.each([
    ['are refused: a size beyond the batch', Buffer.from('7e0000', 'hex')],
    ['are refused: a negative size', Buffer.from('010000', 'hex')],
    ['are refused: a size without an end', Buffer.alloc(20, 0xff)],
    ['are refused: a key beyond the record', record('00 00 00 7e 6b 02 76 00')],
    ['are refused: a value beyond the record', record('00 00 00 02 6b 7e 76 00')],
    ['are refused: a huge key', record('00 00 00 feffffff0f 6b 02 76 00')],
    ['are refused: a negative header count', record('00 00 00 02 6b 02 76 01')],
    ['are refused: more headers than bytes', record('00 00 00 02 6b 02 76 7e')],
    [
      'are refused: more headers than there are',
      record('00 00 00 02 6b 02 76 06 02 68 01 02 68 01'),
    ],
    [
      'are refused: fewer headers than there are',
      record('00 00 00 02 6b 02 76 02 02 68 01 02 68 01'),
    ],
    ['are refused: a header without a key', record('00 00 00 02 6b 02 76 02 01 01')],
    ['are refused: a header value beyond the record', record('00 00 00 02 6b 02 76 02 02 68 7e')],
    ['are refused: bytes behind the fields', record('00 00 00 02 6b 02 76 00 00')],
    [
      'are refused: a timestamp delta without an end',
      record('00 ffffffffffffffffffffff 00 00 00 00'),
    ],
    ['are refused: bytes behind the last record', Buffer.concat([record(sound), Buffer.from([0])])],
    ['are refused: nothing at all', Buffer.alloc(0)],
  ])('%s', (_, payload) => {
    for (const compression of batch.COMPRESSION_TYPES) {
      const base = buildBatch([{ timestamp: NOW, value: 'x' }], { compression });
      const outcome = refused(rewrite(base, () => payload));
      expect(outcome).toMatchObject({ errorCode: Errors.INVALID_RECORD, recordErrors: [] });
    }
    accepted(rewrite(buildBatch([{ timestamp: NOW, value: 'x' }]), () => record(sound)));
  });

  test('give an outcome whatever the bytes, and a sound batch if accepted', () => {
    const anyTarget = fc.constantFrom('producer' as const, 'lz4' as const, 'uncompressed' as const);
    fc.assert(
      fc.property(
        anyRecords,
        anyCompression,
        fc.nat(),
        fc.nat({ max: 255 }),
        anyTarget,
        (records, compression, at, byte, target) => {
          const changed = rewrite(buildBatch(records, { compression }), (payload) => {
            payload[at % payload.length] = byte;
            return payload;
          });
          const outcome = validate(changed, {
            compressionType: target,
            timestampAfterMaxMs: LONG_MAX,
          });
          if (outcome.outcome === 'refused') {
            expect(outcome.errorCode).toBe(Errors.INVALID_RECORD);
            return;
          }
          expect(batch.hasValidCrc(outcome.batch, 0)).toBe(true);
          expect(contents(outcome.batch).map((record) => record.offset)).toEqual(
            records.map((_, index) => index),
          );
        },
      ),
      { numRuns: 400 },
    );
  });

  test('give an outcome for any bytes behind a right CRC', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 40, maxLength: 120 }), (bytes) => {
        const whole = Buffer.concat([Buffer.alloc(21), bytes]);
        whole.writeInt32BE(whole.length - 12, 8);
        whole[16] = 2;
        batch.setCrc(whole, 0);
        expect(['accepted', 'refused']).toContain(validate(whole).outcome);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the walk over records', () => {
  const walkThrough = (whole: Buffer, size = whole.length) =>
    walkRecords(
      whole,
      { bytes: whole, start: batch.BATCH_OVERHEAD, end: size },
      {
        requiresKeys: true,
        timestampRange: { now: NOW, beforeMaxMs: 1000n, afterMaxMs: LONG_MAX },
      },
    );

  test('sees what reading the records one by one shows', () => {
    fc.assert(
      fc.property(anyRecords, (records) => {
        const whole = buildBatch(records);
        const walk = walkThrough(whole);
        const times = records.map((record) => BigInt(record.timestamp));
        let greatest = -1n;
        for (const time of times) if (time > greatest) greatest = time;
        expect(BigInt(walk.maxTimestamp)).toBe(greatest);
        expect(walk.indexOfMaxTimestamp).toBe(Math.max(times.indexOf(greatest), 0));
        expect(walk.hasConsecutiveOffsets).toBe(true);
        const bad = records.flatMap((record, index) => (record.key === null ? [index] : []));
        expect(walk.withoutKey).toEqual(bad);
        const tooOld = times.flatMap((time, index) => {
          const age = BigInt.asIntN(64, BigInt(NOW) - time);
          return time !== -1n && age > 1000n && !bad.includes(index) ? [index] : [];
        });
        expect(walk.outOfRange).toEqual(tooOld);
      }),
      { numRuns: 300 },
    );
  });

  test('depends on nothing outside the records', () => {
    fc.assert(
      fc.property(anyRecords, fc.nat(), fc.nat({ max: 255 }), (records, at, byte) => {
        const inner = buildBatch(records);
        inner[61 + (at % (inner.length - 61))] = byte;
        const seen = [0x00, 0x7f, 0xff].map((around) => {
          const framed = Buffer.concat([inner, Buffer.alloc(12, around)]);
          try {
            return walkThrough(framed, inner.length);
          } catch (error) {
            return (error as Error).name;
          }
        });
        expect(seen[1]).toEqual(seen[0]);
        expect(seen[2]).toEqual(seen[0]);
      }),
      { numRuns: 300 },
    );
  });
});

describe('work that is too long for the loop', () => {
  const settings = { ...DEFAULTS, maxDecompressedBytes: 1 << 23 };

  test('is left to another thread when records decompress to more than 1 MiB', () => {
    const whole = buildBatch([{ timestamp: NOW, value: Buffer.alloc(1 << 20) }], {
      compression: 'gzip',
    });
    expect(validateAppend(Buffer.from(whole), settings, NOW)).toEqual({ outcome: 'offload' });
    expect(accepted(whole, settings).batch.equals(whole)).toBe(true);
  });

  test('is left to another thread when much has to be compressed anew', () => {
    const whole = buildBatch([{ timestamp: NOW, value: Buffer.alloc(300_000) }]);
    const anew = { ...settings, compressionType: 'gzip' } as const;
    expect(validateAppend(Buffer.from(whole), anew, NOW)).toEqual({ outcome: 'offload' });
    const outcome = accepted(whole, anew);
    expect(Buffer.isBuffer(outcome.batch)).toBe(true);
    expect(outcome.batch.length).toBe(61 + compressGzip(whole.subarray(61)).length);
  });

  test('is left to another thread when the batch itself is large, and allowed', () => {
    const whole = buildBatch([{ timestamp: NOW, value: Buffer.alloc(1 << 21) }]);
    const large = { ...settings, maxMessageBytes: 1 << 22 };
    expect(validateAppend(Buffer.from(whole), large, NOW)).toEqual({ outcome: 'offload' });
    expect(accepted(whole, large).batch.equals(whole)).toBe(true);
    expect(validateAppend(Buffer.from(whole), settings, NOW).outcome).toBe('refused');
  });

  test('is not what an uncompressed batch of usual size is', () => {
    const whole = buildBatch([{ timestamp: NOW, value: Buffer.alloc(1 << 20) }]);
    const large = { ...settings, maxMessageBytes: 1 << 21 };
    expect(validateAppend(Buffer.from(whole), large, NOW).outcome).toBe('accepted');
  });
});

describe('Kafka 4.4’s own LogValidator', () => {
  // Each line: settings, what came, what Kafka made of it. Cases are random batches, mutated.
  const lines = readFileSync(join(__dirname, 'fixtures', 'kafka-verdicts.txt'), 'utf8')
    .trim()
    .split('\n');

  test('gave verdicts of every kind', () => {
    expect(lines.length).toBeGreaterThan(200);
    const kinds = new Set(lines.map((line) => line.split(' ').slice(9, 11).join(' ').slice(0, 11)));
    for (const kind of [
      'refused -1',
      'refused 2 ',
      'refused 10',
      'refused 18',
      'refused 32',
      'refused 76',
      'refused 87',
    ]) {
      expect([...kinds].some((one) => `${one} `.startsWith(kind))).toBe(true);
    }
  });

  test.each(lines.map((line, index) => [index, line] as const))('agrees on case %i', (_, line) => {
    const fields = line.split(' ');
    const field = (at: number) => fields[at] ?? '';
    const verdict = field(9);
    const outcome = validate(Buffer.from(field(8), 'base64'), {
      produceVersion: Number(field(0)),
      isCompacted: field(1) === 'compacted',
      maxMessageBytes: Number(field(2)),
      segmentBytes: Number(field(3)),
      compressionType: field(4) as ValidationSettings['compressionType'],
      timestampType: field(5) as batch.TimestampType,
      timestampBeforeMaxMs: BigInt(field(6)),
      timestampAfterMaxMs: BigInt(field(7)),
    });
    if (verdict === 'refused') {
      const expected = field(11) === '-' ? [] : field(11).split(',').map(Number);
      expect(outcome).toMatchObject({ outcome: 'refused', errorCode: Number(field(10)) });
      const found = (outcome as RefusedBatch).recordErrors.map((error) => error.batchIndex);
      expect(found).toEqual(expected);
      return;
    }
    const stored = Buffer.from(field(10), 'base64');
    if (outcome.outcome !== 'accepted') throw new Error(outcome.message);
    expect(outcome.isRebuilt).toBe(verdict === 'rebuilt');
    if (verdict === 'patched') {
      // Kafka has set offset and leader epoch 0 by then, which the log does here.
      expect(outcome.batch.subarray(16).equals(stored.subarray(16))).toBe(true);
    } else {
      expect(contents(outcome.batch)).toEqual(contents(stored));
      expect(fieldsThatStay(outcome.batch)).toEqual(fieldsThatStay(stored));
    }
  });
});

/** The header fields that do not depend on how records are compressed. */
function fieldsThatStay(whole: Buffer) {
  const header = batch.readBatchHeader(whole, 0);
  const { sizeInBytes, crc, compression, attributes, leaderEpoch, baseTimestamp, ...fields } =
    header;
  return { ...fields, flags: attributes & ~batch.COMPRESSION_MASK };
}

/** Sets the offset delta of each record to 0; they must be single bytes behind one-byte fields. */
function zeroOffsetDeltas(payload: Buffer): Buffer {
  for (let at = 0; at < payload.length; at += 1 + (payload[at] as number) / 2) payload[at + 3] = 0;
  return payload;
}

import fc from 'fast-check';
import * as batch from '../../../src/protocol/records/batch';
import { buildBatch } from '../../../src/protocol/records/builder';
import { anyCompression, anyProducer, anyRecords, contents, given } from './support';

fc.configureGlobal({ seed: 21 });

const ONE = [{ timestamp: 5, value: 'x' }];

describe('the header of a batch', () => {
  test('shows what the batch was built with', () => {
    const whole = buildBatch([...ONE, { timestamp: 9, key: 'k', value: null }], {
      baseOffset: 2 ** 40 + 7,
      leaderEpoch: 12,
      producerId: 2 ** 53 - 1,
      producerEpoch: 32767,
      baseSequence: batch.MAX_SEQUENCE,
      isTransactional: true,
      compression: 'gzip',
    });
    expect(batch.readBatchHeader(whole, 0)).toEqual({
      position: 0,
      baseOffset: 2 ** 40 + 7,
      lastOffset: 2 ** 40 + 8,
      lastOffsetDelta: 1,
      sizeInBytes: whole.length,
      leaderEpoch: 12,
      magic: 2,
      crc: batch.computeCrc(whole, 0),
      attributes: 0x11,
      compression: 'gzip',
      timestampType: 'CreateTime',
      isTransactional: true,
      isControl: false,
      deleteHorizonMs: undefined,
      baseTimestamp: 5n,
      maxTimestamp: 9n,
      producerId: 2n ** 53n - 1n,
      producerEpoch: 32767,
      baseSequence: batch.MAX_SEQUENCE,
      lastSequence: 0,
      recordCount: 2,
    });
    expect(batch.producerId(whole, 0)).toBe(2 ** 53 - 1);
    expect(batch.hasProducerId(whole, 0)).toBe(true);
  });

  test('is read wherever the batch stands', () => {
    const whole = buildBatch(ONE, { baseOffset: 3 });
    const shifted = Buffer.concat([Buffer.alloc(13, 0xee), whole, Buffer.alloc(9, 0xee)]);
    const { position, ...fields } = batch.readBatchHeader(shifted, 13);
    expect({ position: position - 13, ...fields }).toEqual(batch.readBatchHeader(whole, 0));
    expect(batch.hasValidCrc(shifted, 13)).toBe(true);
  });

  test('keeps every int64 exact where any is legal', () => {
    for (const value of [-(2n ** 63n), -1n, 0n, 2n ** 53n + 1n, 2n ** 63n - 1n]) {
      const whole = buildBatch([{ timestamp: value, value: 'x' }]);
      expect(batch.exactBaseTimestamp(whole, 0)).toBe(value);
      expect(batch.baseTimestamp(whole, 0)).toBe(Number(value));
    }
  });

  test('says none with -1', () => {
    const whole = buildBatch(ONE);
    expect(batch.producerId(whole, 0)).toBe(-1);
    expect(batch.hasProducerId(whole, 0)).toBe(false);
    expect(batch.producerEpoch(whole, 0)).toBe(-1);
    expect(batch.baseSequence(whole, 0)).toBe(-1);
    expect(batch.lastSequence(whole, 0)).toBe(-1);
    expect(batch.leaderEpoch(whole, 0)).toBe(-1);
    expect(batch.maxTimestamp(buildBatch([{ timestamp: -1 }]), 0)).toBe(-1);
  });

  test('of an empty batch keeps offsets and sequences of what was compacted away', () => {
    const whole = buildBatch([], {
      baseOffset: 10,
      lastOffset: 14,
      producerId: 1,
      producerEpoch: 0,
      baseSequence: 3,
    });
    expect(whole.length).toBe(batch.BATCH_OVERHEAD);
    expect(batch.lastOffset(whole, 0)).toBe(14);
    expect(batch.lastSequence(whole, 0)).toBe(7);
    expect(batch.recordCount(whole, 0)).toBe(0);
    expect(contents(whole)).toEqual([]);
  });

  test('knows no compression beyond zstd', () => {
    const whole = buildBatch(ONE);
    whole[22] = 5;
    expect(batch.compression(whole, 0)).toBeUndefined();
    expect(batch.compressionId(whole, 0)).toBe(5);
  });
});

describe('sequences', () => {
  test('begin at 0 again after 2^31 - 1', () => {
    expect(batch.incrementSequence(batch.MAX_SEQUENCE, 1)).toBe(0);
    expect(batch.incrementSequence(batch.MAX_SEQUENCE - 1, 3)).toBe(1);
    expect(batch.decrementSequence(0, 1)).toBe(batch.MAX_SEQUENCE);
  });

  test('go back as far as they went', () => {
    const sequence = fc.nat({ max: batch.MAX_SEQUENCE });
    fc.assert(
      fc.property(sequence, sequence, (from, by) => {
        const to = batch.incrementSequence(from, by);
        expect(to).toBeGreaterThanOrEqual(0);
        expect(to).toBeLessThanOrEqual(batch.MAX_SEQUENCE);
        expect(batch.decrementSequence(to, by)).toBe(from);
      }),
    );
  });
});

describe('patching in place', () => {
  test('of base offset and leader epoch leaves CRC and records alone', () => {
    fc.assert(
      fc.property(
        anyRecords,
        anyCompression,
        fc.maxSafeNat(),
        fc.nat(),
        (records, compression, offset, epoch) => {
          const baseOffset = Math.min(offset, Number.MAX_SAFE_INTEGER - records.length);
          const whole = buildBatch(records, { compression });
          const crc = batch.crc(whole, 0);
          batch.setBaseOffset(whole, 0, baseOffset);
          batch.setLeaderEpoch(whole, 0, epoch);
          expect(batch.baseOffset(whole, 0)).toBe(baseOffset);
          expect(batch.leaderEpoch(whole, 0)).toBe(epoch);
          expect(batch.crc(whole, 0)).toBe(crc);
          expect(batch.hasValidCrc(whole, 0)).toBe(true);
          expect(contents(whole)).toEqual(given(records, baseOffset));
        },
      ),
      { numRuns: 50 },
    );
  });

  test('of the greatest timestamp renews the CRC and keeps the flags', () => {
    fc.assert(
      fc.property(
        anyProducer,
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
        (producer, timestamp) => {
          const whole = buildBatch(ONE, { ...producer, compression: 'lz4' });
          batch.setMaxTimestamp(whole, 0, 'LogAppendTime', timestamp);
          expect(batch.exactMaxTimestamp(whole, 0)).toBe(timestamp);
          expect(batch.timestampType(whole, 0)).toBe('LogAppendTime');
          expect(batch.compression(whole, 0)).toBe('lz4');
          expect(batch.isTransactional(whole, 0)).toBe(producer.isTransactional ?? false);
          expect(batch.hasValidCrc(whole, 0)).toBe(true);
          expect(contents(whole)[0]?.timestamp).toBe(timestamp);
          batch.setMaxTimestamp(whole, 0, 'CreateTime', 5n);
          expect(whole.equals(buildBatch(ONE, { ...producer, compression: 'lz4' }))).toBe(true);
        },
      ),
    );
  });

  test('that changes nothing touches nothing, not even a wrong CRC', () => {
    const whole = buildBatch(ONE);
    whole[17] = (whole[17] as number) ^ 1;
    const before = Buffer.from(whole);
    batch.setMaxTimestamp(whole, 0, 'CreateTime', 5n);
    expect(whole.equals(before)).toBe(true);
  });
});

import fc from 'fast-check';
import {
  batchPositions,
  batchSizeAt,
  CORRUPT,
  TORN,
  walkBatches,
} from '../../../src/protocol/records/batches';
import { buildBatch } from '../../../src/protocol/records/builder';

fc.configureGlobal({ seed: 22 });

const FIRST = buildBatch([{ timestamp: 1, value: 'first' }], { baseOffset: 0 });
const SECOND = buildBatch([{ timestamp: 2, value: 'the second' }], { baseOffset: 1 });
const BOTH = Buffer.concat([FIRST, SECOND]);

describe('a walk over batches', () => {
  test('visits each whole batch in order', () => {
    const visited: number[][] = [];
    const walk = walkBatches(BOTH, 0, BOTH.length, (...where) => visited.push(where));
    expect(visited).toEqual([
      [0, FIRST.length],
      [FIRST.length, SECOND.length],
    ]);
    expect(walk).toEqual({ end: BOTH.length, batchCount: 2, rest: 'none' });
  });

  test('reports a torn last batch wherever it is cut', () => {
    for (let end = FIRST.length + 1; end < BOTH.length; end++) {
      const walk = walkBatches(BOTH, 0, end, () => {});
      expect(walk).toEqual({ end: FIRST.length, batchCount: 1, rest: 'torn' });
    }
    expect(batchPositions(BOTH, 0, BOTH.length - 1)).toEqual([0]);
  });

  test('reports bytes that are no batch', () => {
    const garbage = Buffer.concat([FIRST, Buffer.alloc(70)]);
    expect(walkBatches(garbage, 0, garbage.length, () => {}).rest).toBe('corrupt');
  });

  test('of nothing finds nothing', () => {
    expect(walkBatches(BOTH, 5, 5, () => {})).toEqual({ end: 5, batchCount: 0, rest: 'none' });
  });

  test('ends for all bytes, inside them, having visited only whole batches', () => {
    const some = fc.oneof(
      fc.uint8Array({ maxLength: 100 }),
      fc.constant(FIRST),
      fc.constant(SECOND),
    );
    fc.assert(
      fc.property(fc.array(some, { maxLength: 5 }), fc.nat(), fc.nat(), (parts, flipAt, bit) => {
        const bytes = Buffer.concat(parts);
        if (bytes.length > 0) {
          const at = flipAt % bytes.length;
          bytes[at] = (bytes[at] as number) ^ (1 << (bit % 8));
        }
        let expected = 0;
        const walk = walkBatches(bytes, 0, bytes.length, (position, size) => {
          expect(position).toBe(expected);
          expect(batchSizeAt(bytes, position, bytes.length)).toBe(size);
          expected += size;
        });
        expect(walk.end).toBe(expected);
        expect(walk.end).toBeLessThanOrEqual(bytes.length);
      }),
    );
  });
});

describe('the size at a position', () => {
  const changed = (change: (bytes: Buffer) => void) => {
    const bytes = Buffer.from(FIRST);
    change(bytes);
    return batchSizeAt(bytes, 0, bytes.length);
  };

  test('is corrupt for lengths and magics that no batch has', () => {
    expect(changed((bytes) => bytes.writeInt32BE(-1, 8))).toBe(CORRUPT);
    expect(changed((bytes) => bytes.writeInt32BE(13, 8))).toBe(CORRUPT);
    expect(changed((bytes) => bytes.writeInt32BE(48, 8))).toBe(CORRUPT);
    expect(changed((bytes) => bytes.writeInt8(3, 16))).toBe(CORRUPT);
    expect(changed((bytes) => bytes.writeInt8(-1, 16))).toBe(CORRUPT);
  });

  test('allows the smaller batches of magic 0 and 1', () => {
    expect(changed((bytes) => bytes.writeInt32BE(14, 8) && bytes.writeInt8(0, 16))).toBe(26);
    expect(changed((bytes) => bytes.writeInt32BE(22, 8) && bytes.writeInt8(1, 16))).toBe(34);
  });

  test('is torn for a length beyond the end, however large', () => {
    expect(changed((bytes) => bytes.writeInt32BE(0x7fffffff, 8))).toBe(TORN);
  });
});

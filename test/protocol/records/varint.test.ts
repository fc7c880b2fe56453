import fc from 'fast-check';
import { CorruptRecordError } from '../../../src/protocol/records/corrupt-record-error';
import {
  cursor,
  readVarint,
  readVarlong,
  sizeOfVarint,
  sizeOfVarlong,
  writeVarint,
  writeVarlong,
} from '../../../src/protocol/records/varint';

fc.configureGlobal({ seed: 23 });

const anyInt32 = fc.oneof(
  fc.integer(),
  fc.constantFrom(-(2 ** 31), 2 ** 31 - 1, 0, -1, 63, 64, -65),
);
const anyInt64 = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.bigInt({ min: -(2n ** 32n), max: 2n ** 32n }),
  fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, -(2n ** 30n), 2n ** 30n, 2n ** 30n - 1n),
);

test('an int32 is read as it was written, in the bytes that were reckoned', () => {
  fc.assert(
    fc.property(anyInt32, fc.nat({ max: 5 }), (value, position) => {
      const bytes = Buffer.alloc(12, 0xff);
      const end = writeVarint(bytes, position, value);
      expect(end - position).toBe(sizeOfVarint(value));
      expect(readVarint(bytes, position)).toBe(value);
      expect(cursor()).toBe(end);
    }),
  );
});

test('an int64 is read as it was written, in the bytes that were reckoned', () => {
  fc.assert(
    fc.property(anyInt64, fc.nat({ max: 5 }), (value, position) => {
      const bytes = Buffer.alloc(16, 0xff);
      const end = writeVarlong(bytes, position, value);
      expect(end - position).toBe(sizeOfVarlong(value));
      expect(readVarlong(bytes, position)).toBe(value);
      expect(cursor()).toBe(end);
    }),
  );
});

test('both encode small numbers alike', () => {
  fc.assert(
    fc.property(anyInt32, (value) => {
      const [short, long] = [Buffer.alloc(10), Buffer.alloc(10)];
      writeVarint(short, 0, value);
      writeVarlong(long, 0, BigInt(value));
      expect(short).toEqual(long);
    }),
  );
});

test('the encoding is zig-zag', () => {
  const bytes = Buffer.alloc(10);
  const written = (value: number) =>
    bytes.subarray(0, writeVarint(bytes, 0, value)).toString('hex');
  expect([0, -1, 1, -64, 64, 300].map(written)).toEqual(['00', '01', '02', '7f', '8001', 'd804']);
});

test('over-long encodings are read as Kafka reads them', () => {
  expect(readVarint(Buffer.from('8280808000', 'hex'), 0)).toBe(1);
  expect(readVarint(Buffer.from('828080807f', 'hex'), 0)).toBe(0x78000001);
  expect(readVarlong(Buffer.from('82808080808080808000', 'hex'), 0)).toBe(1n);
  expect(readVarlong(Buffer.from('8280808080808080807e', 'hex'), 0)).toBe(1n);
});

test('encodings without an end are corrupt', () => {
  expect(() => readVarint(Buffer.alloc(20, 0x80), 0)).toThrow(CorruptRecordError);
  expect(() => readVarlong(Buffer.alloc(20, 0x80), 0)).toThrow(CorruptRecordError);
});

test('bytes that are missing read as zero, and the cursor shows it', () => {
  expect(readVarint(Buffer.from([0x82]), 0)).toBe(1);
  expect(cursor()).toBe(2);
  expect(readVarint(Buffer.alloc(0), 0)).toBe(0);
  expect(cursor()).toBe(1);
});

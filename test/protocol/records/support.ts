/** Arbitrary batches, and changes to them, for the tests of records. */
import fc from 'fast-check';
import * as batch from '../../../src/protocol/records/batch';
import {
  type BatchOptions,
  type RecordIn,
  wrapRecords,
} from '../../../src/protocol/records/builder';
import { recordsBytes, recordsOf } from '../../../src/protocol/records/record';

const INT64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n };

/** Nulls, empty and long ones, compressible or not. */
const anyBytes: fc.Arbitrary<Buffer | null> = fc.oneof(
  fc.constant(null),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  fc
    .tuple(fc.nat({ max: 400 }), fc.string({ minLength: 1, maxLength: 5 }))
    .map(([times, text]) => Buffer.from(text.repeat(times))),
);

const anyTimestamp: fc.Arbitrary<bigint> = fc.oneof(
  { weight: 6, arbitrary: fc.bigInt({ min: 1_700_000_000_000n, max: 1_700_000_100_000n }) },
  { weight: 1, arbitrary: fc.constantFrom(-1n, 0n, INT64.min, INT64.max, 2n ** 53n + 1n) },
  { weight: 1, arbitrary: fc.bigInt(INT64) },
);

const anyRecord: fc.Arbitrary<RecordIn> = fc.record({
  timestamp: anyTimestamp,
  key: anyBytes,
  value: anyBytes,
  headers: fc.array(fc.record({ key: fc.string({ unit: 'grapheme' }), value: anyBytes }), {
    maxLength: 3,
  }),
});

export const anyRecords = fc.array(anyRecord, { minLength: 1, maxLength: 20 });

export const anyCompression = fc.constantFrom(...batch.COMPRESSION_TYPES);

/** What a client may send: without a producer, with one, in a transaction. */
export const anyProducer: fc.Arbitrary<BatchOptions> = fc.oneof(
  fc.constant({}),
  // kafkajs without idempotence.
  fc.constant({ producerId: -1, producerEpoch: 0, baseSequence: 0 }),
  fc.record({
    producerId: fc.maxSafeNat(),
    producerEpoch: fc.nat({ max: 32767 }),
    baseSequence: fc.nat({ max: batch.MAX_SEQUENCE }),
    isTransactional: fc.boolean(),
  }),
);

/** Everything a consumer sees of a batch's records. */
export const contents = (bytes: Uint8Array, position = 0) =>
  recordsOf(bytes, position).map((record) => ({
    offset: record.offset,
    timestamp: record.exactTimestamp,
    key: record.key,
    value: record.value,
    headers: record.headers,
  }));

/** The same, as it was given to the builder. */
export const given = (records: readonly RecordIn[], baseOffset = 0) =>
  records.map((record, index) => ({
    offset: baseOffset + index,
    timestamp: record.timestamp,
    key: record.key,
    value: record.value,
    headers: record.headers,
  }));

/** The batch with other (uncompressed) records and header fields, its CRC right. */
export function rewrite(
  whole: Buffer,
  change: (payload: Buffer) => Buffer,
  fields: Partial<batch.BatchHeaderFields> = {},
): Buffer {
  const header = batch.readBatchHeader(whole, 0);
  const { bytes, start, end } = recordsBytes(whole, 0, 1e8);
  const payload = change(Buffer.from(bytes.subarray(start, end)));
  return wrapRecords(payload, { ...header, ...fields }, header.compression ?? 'none');
}

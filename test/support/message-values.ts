/** Arbitrary values of messages, derived from their definitions. */
import fc from 'fast-check';
import type { AnyMessage } from '../../src/protocol/api';
import {
  defaultOf,
  type FieldSpec,
  type FieldType,
  isNullable,
  isPresent,
  type Shape,
} from '../../src/protocol/schema';

export interface ValueOptions {
  /** Every list has an element at least, and nothing is null. */
  readonly isFull?: boolean;
  /** Adds tagged fields that the definition does not know. */
  readonly withUnknownTags?: boolean;
}

/** Complete values that the version can hold: fields it lacks are at their defaults. */
export function valuesOf(
  message: AnyMessage,
  version: number,
  options: ValueOptions = {},
): fc.Arbitrary<unknown> {
  const isFlexible = version >= message.flexibleSince;
  const withUnknownTags =
    options.withUnknownTags === true && isFlexible && message.keepsUnknownTags;
  return structs(message.shape, version, { ...options, withUnknownTags });
}

function structs(shape: Shape, version: number, options: ValueOptions): fc.Arbitrary<unknown> {
  const fields: Record<string, fc.Arbitrary<unknown>> = {};
  for (const [name, { spec }] of Object.entries(shape)) {
    fields[name] = isPresent(spec, version)
      ? values(spec, version, options)
      : fc.constant(defaultOf(spec));
  }
  if (options.withUnknownTags !== true) return fc.record(fields);
  return fc
    .tuple(fc.record(fields), UNKNOWN_TAGS)
    .map(([value, unknownTags]) => (unknownTags.length === 0 ? value : { ...value, unknownTags }));
}

function values(spec: FieldSpec, version: number, options: ValueOptions): fc.Arbitrary<unknown> {
  const present = ofType(spec.type, version, options);
  if (options.isFull === true) return present;
  const choices = [{ arbitrary: present, weight: 5 }];
  if (isNullable(spec, version)) choices.push({ arbitrary: fc.constant(null), weight: 1 });
  // Defaults matter: tagged fields are left out then.
  const expected = defaultOf(spec);
  const fitsVersion = expected !== null || isNullable(spec, version);
  if (fitsVersion) choices.push({ arbitrary: fc.constant(expected), weight: 1 });
  return fc.oneof(...choices);
}

function ofType(type: FieldType, version: number, options: ValueOptions): fc.Arbitrary<unknown> {
  if (type.kind === 'struct') return structs(type.shape, version, options);
  if (type.kind !== 'array') return SCALARS[type.kind];
  return fc.array(ofType(type.element, version, options), {
    minLength: options.isFull === true ? 1 : 0,
    maxLength: 3,
  });
}

const bytes = (lengths: fc.Arbitrary<number>): fc.Arbitrary<Buffer> =>
  fc
    .tuple(lengths, fc.nat(255))
    .map(([length, first]) => Buffer.from(Array.from({ length }, (_, i) => (first + i) & 0xff)));

const SOME_BYTES = bytes(fc.oneof(fc.nat(5), fc.constantFrom(126, 127, 128, 300)));

const SCALARS = {
  bool: fc.boolean(),
  int8: fc.integer({ min: -0x80, max: 0x7f }),
  int16: fc.integer({ min: -0x8000, max: 0x7fff }),
  uint16: fc.integer({ min: 0, max: 0xffff }),
  int32: fc.integer({ min: -0x8000_0000, max: 0x7fff_ffff }),
  uint32: fc.integer({ min: 0, max: 0xffff_ffff }),
  int64: fc.maxSafeInteger(),
  bigint64: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  float64: fc.double({ noNaN: true }),
  uuid: bytes(fc.constant(16)).map((sixteen) => sixteen.toString('base64url')),
  string: fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.string({ unit: 'grapheme', maxLength: 6 }),
    fc.constantFrom(
      'a'.repeat(126),
      'a'.repeat(127),
      `é${'a'.repeat(125)}`,
      'é'.repeat(64),
      '日本'.repeat(60),
      '𝄞'.repeat(40),
      'x'.repeat(16_382),
    ),
  ),
  bytes: SOME_BYTES,
  records: SOME_BYTES,
} as const satisfies Record<string, fc.Arbitrary<unknown>>;

/** In ascending order, as they must be, and far from the known ones. */
const UNKNOWN_TAGS = fc
  .uniqueArray(fc.integer({ min: 100, max: 1_000_000 }), { maxLength: 2 })
  .chain((tags) =>
    fc.tuple(
      ...tags.sort((a, b) => a - b).map((tag) => SOME_BYTES.map((b) => ({ tag, bytes: b }))),
    ),
  );

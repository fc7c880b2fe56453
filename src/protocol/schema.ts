/**
 * The vocabulary in which every message is defined: nouns (`int32`, `string`, `array`, …) and
 * adverbs (`since`, `nullable`, `tag`, …). Static types are inferred from a definition; codec.ts
 * compiles it, one straight-line codec for each version.
 */
import type { Uuid } from '../base/ids';
import { invariant } from '../base/invariant';

/** Names of the types that are no composition. */
export type ScalarKind =
  | 'bool'
  | 'int8'
  | 'int16'
  | 'uint16'
  | 'int32'
  | 'uint32'
  | 'int64'
  | 'bigint64'
  | 'float64'
  | 'uuid'
  | 'string'
  | 'bytes'
  | 'records';

/** A type as the codec sees it. */
export type FieldType =
  | { readonly kind: ScalarKind }
  | { readonly kind: 'array'; readonly element: FieldType }
  | { readonly kind: 'struct'; readonly shape: Shape };

/** A closed range of versions; `last` may be Infinity. */
export interface VersionRange {
  readonly first: number;
  readonly last: number;
}

/** Everything that is said about one field. */
export interface FieldSpec {
  readonly type: FieldType;
  /** Versions that have the field (narrowed by those of the message). */
  readonly versions: VersionRange;
  /** Versions that allow null. */
  readonly nullable?: VersionRange;
  /** Its tag, and the first version in which it is tagged. */
  readonly tag?: { readonly number: number; readonly first: number };
  /** Said with `default`; otherwise zero, '', [], false, no bytes, null records. */
  readonly explicitDefault?: { readonly value: unknown };
  /** Whether a value is dropped silently by versions that lack the field (otherwise: an error). */
  readonly isIgnorable: boolean;
  /** Whether the field keeps its old encoding in flexible versions (the header's client id). */
  readonly isInflexible: boolean;
  /** Whether a string that is too long is cut rather than refused. */
  readonly isCut: boolean;
}

/** Whether a value must be given when a message is built. */
export type Presence = 'required' | 'optional';

/**
 * A field. `Out` is what decoding yields, `In` what encoding takes. Adverbs return a new field. A
 * field is optional to give once it has a default, or is missing in some version.
 */
export interface Field<Out, In, P extends Presence> {
  readonly spec: FieldSpec;
  /** Carries types only; never there at run time. */
  readonly types?: { readonly out: Out; readonly in: In; readonly presence: P };
  /** The first version that has it. */
  since(version: number): Field<Out, In, 'optional'>;
  /** The last version that has it. */
  until(version: number): Field<Out, In, 'optional'>;
  /** Null is allowed, from version `first` to version `last`. Says nothing about the default. */
  nullable(first?: number, last?: number): Field<Out | null, In | null, P>;
  /** Sent as a tagged field, only when it differs from its default. */
  tag(number: number, first?: number): Field<Out, In, 'optional'>;
  /** What it is taken to be where it is not given or not in the version. */
  default(value: In): Field<Out, In, 'optional'>;
  /** Dropped silently by versions that lack it. */
  ignorable(): Field<Out, In, 'optional'>;
  /** Never in the compact encoding. */
  inflexible(): Field<Out, In, P>;
}

export type AnyField = Field<unknown, unknown, Presence>;

/** The fields of a struct or message, in wire order. */
export interface Shape {
  readonly [name: string]: AnyField;
}

/** A tagged field this build does not know, kept for rewriting a record as it was. */
export interface UnknownTag {
  readonly tag: number;
  readonly bytes: Uint8Array;
}

interface KeepsUnknownTags {
  /** Only ever set on messages that keep them (records, not requests and responses). */
  readonly unknownTags?: readonly UnknownTag[];
}

/** Bytes that only the connection understands, such as a slice of a file. */
export interface ForeignBytes {
  readonly length: number;
}

/** A piece of an encoded message. */
export type Part = Uint8Array | ForeignBytes;

/** What a record set is encoded from: one piece or several that follow one another. */
export type RecordsIn = Part | readonly Part[];

type OutOf<F extends AnyField> = NonNullable<F['types']>['out'];
type InOf<F extends AnyField> = NonNullable<F['types']>['in'];
type OptionalKeys<S extends Shape> = {
  [K in keyof S]: NonNullable<S[K]['types']>['presence'] extends 'optional' ? K : never;
}[keyof S];

/** What decoding a struct yields: every field, whatever the version. */
export type StructOut<S extends Shape> = {
  readonly [K in keyof S]: OutOf<S[K]>;
} & KeepsUnknownTags;

/** What encoding a struct takes: fields with a default may be left out. */
export type StructIn<S extends Shape> = {
  readonly [K in Exclude<keyof S, OptionalKeys<S>>]: InOf<S[K]>;
} & { readonly [K in OptionalKeys<S>]?: InOf<S[K]> | undefined } & KeepsUnknownTags;

/** The element type of an array-typed property, null taken away. */
export type Element<T> = NonNullable<T> extends readonly (infer E)[] ? E : never;

// Above its users: the nouns are made while the module loads.
class SchemaField<Out, In, P extends Presence> implements Field<Out, In, P> {
  constructor(readonly spec: FieldSpec) {}

  since(version: number): Field<Out, In, 'optional'> {
    return this.with({ versions: { first: version, last: this.spec.versions.last } });
  }

  until(version: number): Field<Out, In, 'optional'> {
    return this.with({ versions: { first: this.spec.versions.first, last: version } });
  }

  nullable(first = 0, last = Number.POSITIVE_INFINITY): Field<Out | null, In | null, P> {
    return this.with({ nullable: { first, last } });
  }

  tag(number: number, first = 0): Field<Out, In, 'optional'> {
    return this.with({ tag: { number, first } });
  }

  default(value: In): Field<Out, In, 'optional'> {
    return this.with({ explicitDefault: { value } });
  }

  ignorable(): Field<Out, In, 'optional'> {
    return this.with({ isIgnorable: true });
  }

  inflexible(): Field<Out, In, P> {
    invariant(this.spec.type.kind === 'string', 'only strings have a field-level old encoding');
    return this.with({ isInflexible: true });
  }

  private with<O, I, Q extends Presence>(change: Partial<FieldSpec>): Field<O, I, Q> {
    return new SchemaField<O, I, Q>({ ...this.spec, ...change });
  }
}

const ALWAYS: VersionRange = { first: 0, last: Number.POSITIVE_INFINITY };

export const bool = scalar<boolean>('bool');
export const int8 = scalar<number>('int8');
export const int16 = scalar<number>('int16');
export const uint16 = scalar<number>('uint16');
export const int32 = scalar<number>('int32');
export const uint32 = scalar<number>('uint32');
/** 64 bits as a number; a value beyond ±(2^53 - 1) on the wire is a malformed frame. */
export const int64 = scalar<number>('int64');
/** The same 64 bits, for fields in which any value is legal or earns an error code. */
export const bigint64 = scalar<bigint>('bigint64');
export const float64 = scalar<number>('float64');
/** 16 bytes as 22 characters of base64url. */
export const uuid = scalar<Uuid>('uuid');
/** UTF-8, at most 32,767 bytes. */
export const string = scalar<string>('string');
/** A string for people's eyes, of any length: cut where it is longer than a string may be. */
export const sentence: Field<string, string, 'required'> = new SchemaField({
  ...string.spec,
  isCut: true,
});
/** Decoded as a copy that may be kept. */
export const bytes: Field<Buffer, Uint8Array, 'required'> = scalar<Buffer, Uint8Array>('bytes');
/** A record set. Decoded as a view on the frame, lent with it; encoded from one or more parts. */
export const records = scalar<Buffer | null, RecordsIn | null>('records');

/** A list of a scalar, or of structs of the given shape. */
export function array<Out, In, P extends Presence>(
  element: Field<Out, In, P>,
): Field<readonly Out[], readonly In[], 'required'>;
export function array<const S extends Shape>(
  element: S,
): Field<readonly StructOut<S>[], readonly StructIn<S>[], 'required'>;
export function array(element: AnyField | Shape): AnyField {
  const type: FieldType = isField(element)
    ? element.spec.type
    : { kind: 'struct', shape: element as Shape };
  return new SchemaField(specOf({ kind: 'array', element: type }));
}

/** One struct inside another. */
export function struct<const S extends Shape>(
  shape: S,
): Field<StructOut<S>, StructIn<S>, 'required'> {
  return new SchemaField(specOf({ kind: 'struct', shape }));
}

/** Whether a field is there in a version of its message. */
export const isPresent = (spec: FieldSpec, version: number): boolean =>
  version >= spec.versions.first && version <= spec.versions.last;

/** Whether a field may be null in a version of its message. */
export const isNullable = (spec: FieldSpec, version: number): boolean =>
  spec.nullable !== undefined && version >= spec.nullable.first && version <= spec.nullable.last;

/** Whether a field travels as a tagged one in a version of its message. */
export const isTagged = (spec: FieldSpec, version: number): boolean =>
  spec.tag !== undefined && version >= spec.tag.first;

/** A struct with every field that was left out at its default, as if it had been decoded. */
export function completeStruct(shape: Shape, draft: unknown): unknown {
  const given = draft as Readonly<Record<string, unknown>> & KeepsUnknownTags;
  const value: Record<string, unknown> = {};
  for (const [name, { spec }] of Object.entries(shape)) {
    const part = given[name];
    value[name] = part === undefined ? defaultOf(spec) : completeValue(spec.type, part);
  }
  return given.unknownTags === undefined ? value : { ...value, unknownTags: given.unknownTags };
}

/** What a field is where it is not given. */
export function defaultOf(spec: FieldSpec): unknown {
  if (spec.explicitDefault !== undefined) return spec.explicitDefault.value;
  switch (spec.type.kind) {
    case 'bool':
      return false;
    case 'bigint64':
      return 0n;
    case 'uuid':
      return 'AAAAAAAAAAAAAAAAAAAAAA';
    case 'string':
      return '';
    case 'bytes':
      return NO_BYTES;
    case 'records':
      return null;
    case 'array':
      return NO_ELEMENTS;
    case 'struct':
      return defaultStruct(spec.type.shape);
    default:
      return 0;
  }
}

export const NO_BYTES = Buffer.alloc(0);
const NO_ELEMENTS: readonly never[] = Object.freeze([]);

function defaultStruct(shape: Shape): unknown {
  const value: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(shape)) value[name] = defaultOf(field.spec);
  // One object may stand in many messages.
  return Object.freeze(value);
}

function completeValue(type: FieldType, value: unknown): unknown {
  if (value === null) return null;
  if (type.kind === 'struct') return completeStruct(type.shape, value);
  if (type.kind !== 'array' || type.element.kind !== 'struct') return value;
  const { shape } = type.element;
  return (value as readonly unknown[]).map((element) => completeStruct(shape, element));
}

function specOf(type: FieldType): FieldSpec {
  return { type, versions: ALWAYS, isIgnorable: false, isInflexible: false, isCut: false };
}

function scalar<Out, In = Out>(kind: ScalarKind): Field<Out, In, 'required'> {
  return new SchemaField<Out, In, 'required'>(specOf({ kind }));
}

const isField = (value: AnyField | Shape): value is AnyField => value instanceof SchemaField;

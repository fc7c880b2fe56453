/**
 * Compiles the decoder of one message in one version into straight-line code over a Reader. All
 * of the text is made here, out of our own definitions; nothing from outside gets into it.
 */
import type { AnyMessage } from './api';
import type { Reader } from './reader';
import {
  defaultOf,
  type FieldSpec,
  type FieldType,
  isNullable,
  isPresent,
  isTagged,
  type ScalarKind,
  type Shape,
} from './schema';

/** Reads one message, or throws MalformedFrameError. */
export type Decode = (reader: Reader) => unknown;

export function compileDecoder(message: AnyMessage, version: number): Decode {
  return new DecoderText(message, version).compile();
}

/** The fewest bytes that a value takes; what bounds the count of an array. */
function fewestBytes(type: FieldType, version: number, isFlexible: boolean): number {
  switch (type.kind) {
    case 'struct':
      return fewestStructBytes(type.shape, version, isFlexible);
    case 'string':
      return isFlexible ? 1 : 2;
    case 'bytes':
    case 'records':
    case 'array':
      return isFlexible ? 1 : 4;
    default:
      return FIXED_BYTES[type.kind];
  }
}

/** How many bytes the types of fixed size take. */
export const FIXED_BYTES = {
  bool: 1,
  int8: 1,
  int16: 2,
  uint16: 2,
  int32: 4,
  uint32: 4,
  int64: 8,
  bigint64: 8,
  float64: 8,
  uuid: 16,
} as const satisfies Partial<Record<ScalarKind, number>>;

function fewestStructBytes(shape: Shape, version: number, isFlexible: boolean): number {
  let total = isFlexible ? 1 : 0;
  for (const { spec } of Object.values(shape)) {
    if (!isPresent(spec, version) || isTagged(spec, version)) continue;
    const canBeNull = spec.type.kind === 'struct' && isNullable(spec, version);
    total += canBeNull ? 1 : fewestBytes(spec.type, version, isFlexible && !spec.isInflexible);
  }
  return total;
}

class DecoderText {
  readonly #isFlexible: boolean;
  readonly #functions: string[] = [];
  readonly #names = new Map<Shape, string>();
  /** Values that the text refers to as k[0], k[1], …: the defaults of absent fields. */
  readonly #constants: unknown[] = [];

  constructor(
    private readonly message: AnyMessage,
    private readonly version: number,
  ) {
    this.#isFlexible = version >= message.flexibleSince;
  }

  compile(): Decode {
    const root = this.struct(this.message.shape);
    const text = `'use strict';\n${this.#functions.join('\n')}\nreturn ${root};`;
    return new Function('k', text)(this.#constants) as Decode;
  }

  /** The name of the function that reads a struct. */
  private struct(shape: Shape): string {
    const known = this.#names.get(shape);
    if (known !== undefined) return known;
    const name = `struct${this.#names.size}`;
    this.#names.set(shape, name);
    const fields = Object.entries(shape);
    const lines = fields.map(([, { spec }], i) => this.field(spec, `f${i}`));
    if (this.#isFlexible) lines.push(this.tags(fields.map(([, { spec }]) => spec)));
    const value = `{ ${fields.map(([field], i) => `${field}: f${i}`).join(', ')} }`;
    lines.push(
      this.#isFlexible && this.message.keepsUnknownTags
        ? `const value = ${value};
          if (unknown !== undefined) value.unknownTags = unknown;
          return value;`
        : `return ${value};`,
    );
    this.#functions.push(`function ${name}(r) {\n${lines.join('\n')}\n}`);
    return name;
  }

  private field(spec: FieldSpec, variable: string): string {
    if (isPresent(spec, this.version) && !isTagged(spec, this.version)) {
      return `let ${this.read(spec, variable)}`;
    }
    return `let ${variable} = ${this.constant(defaultOf(spec))};`;
  }

  /** A statement that assigns a present field to its variable. */
  private read(spec: FieldSpec, variable: string): string {
    const { type } = spec;
    const canBeNull = isNullable(spec, this.version);
    if (type.kind === 'array') return this.array(type.element, variable, canBeNull);
    if (type.kind === 'struct') {
      const value = `${this.struct(type.shape)}(r)`;
      if (!canBeNull) return `${variable} = ${value};`;
      // Kafka marks a null struct by a byte, but inside a tagged field by a varint.
      const mark = isTagged(spec, this.version) ? 'r.uvarint() === 0' : 'r.int8() < 0';
      return `${variable} = ${mark} ? null : ${value};`;
    }
    return `${variable} = r.${this.method(type.kind, canBeNull, spec.isInflexible)}();`;
  }

  private array(element: FieldType, variable: string, canBeNull: boolean): string {
    const count = method('count', this.#isFlexible, canBeNull);
    const bytes = fewestBytes(element, this.version, this.#isFlexible);
    const value =
      element.kind === 'struct'
        ? `${this.struct(element.shape)}(r)`
        : `r.${this.method(element.kind as ScalarKind, false, false)}()`;
    const whole =
      `${variable} = new Array(n); ` + `for (let i = 0; i < n; i++) ${variable}[i] = ${value};`;
    const rest = canBeNull ? `if (n === -1) ${variable} = null; else { ${whole} }` : whole;
    return `${variable}; { const n = r.${count}(${bytes}); ${rest} }`;
  }

  private method(kind: ScalarKind, canBeNull: boolean, isInflexible: boolean): string {
    if (kind !== 'string' && kind !== 'bytes' && kind !== 'records') return kind;
    return method(kind, this.#isFlexible && !isInflexible, canBeNull);
  }

  /** The statements that read the tagged fields at the end of a struct. */
  private tags(specs: readonly FieldSpec[]): string {
    const cases = specs.flatMap((spec, i) =>
      isPresent(spec, this.version) && isTagged(spec, this.version)
        ? [
            `case ${spec.tag?.number}: { const end = r.enter(n); ${this.read(spec, `f${i}`)}
            r.leave(end); break; }`,
          ]
        : [],
    );
    const other = this.message.keepsUnknownTags
      ? '(unknown ??= []).push(r.unknownTag(tag, n));'
      : 'r.skip(n);';
    return `let unknown;
      for (let left = r.tagCount(); left > 0; left--) {
        const tag = r.uvarint(), n = r.uvarint();
        switch (tag) { ${cases.join('\n')} default: ${other} }
      }`;
  }

  private constant(value: unknown): string {
    this.#constants.push(value);
    return `k[${this.#constants.length - 1}]`;
  }
}

function method(name: string, isCompact: boolean, canBeNull: boolean): string {
  const words = [...(isCompact ? ['compact'] : []), ...(canBeNull ? ['nullable'] : []), name];
  return words.map((word, i) => (i === 0 ? word : word[0]?.toUpperCase() + word.slice(1))).join('');
}

/**
 * Compiles the encoder of one message in one version into straight-line code over a Writer. All
 * of the text is made here, out of our own definitions; nothing from outside gets into it.
 */
import { invariant } from '../base/invariant';
import type { AnyMessage } from './api';
import { cutToFit } from './cut';
import { FIXED_BYTES } from './decoder';
import { isOptional } from './fault';
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
import type { Writer } from './writer';

/** Writes one message. A value that definition or version do not allow is a broken invariant. */
export type Encode = (writer: Writer, value: unknown) => void;

export function compileEncoder(message: AnyMessage, version: number): Encode {
  return new EncoderText(message, version).compile();
}

/** Whether a value is what its field is taken to be where it is not sent. */
function isDefault(spec: FieldSpec, value: unknown): boolean {
  const expected = defaultOf(spec);
  if (value === expected || value === undefined) return true;
  if (value === null || expected === null) return false;
  switch (spec.type.kind) {
    case 'array':
    case 'bytes':
    case 'records':
      return (value as { length: number }).length === 0;
    case 'struct':
      return isDefaultStruct(spec.type.shape, value as Readonly<Record<string, unknown>>);
    default:
      return false;
  }
}

const isDefaultStruct = (shape: Shape, value: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(shape).every(([name, { spec }]) => isDefault(spec, value[name]));

class EncoderText {
  readonly #isFlexible: boolean;
  readonly #functions: string[] = [];
  readonly #names = new Map<Shape, string>();
  /** Values that the text refers to as k[0], k[1], …. */
  readonly #constants: unknown[] = [];

  constructor(
    private readonly message: AnyMessage,
    private readonly version: number,
  ) {
    this.#isFlexible = version >= message.flexibleSince;
  }

  compile(): Encode {
    const root = this.struct(this.message.shape);
    const text = `'use strict';\n${this.#functions.join('\n')}\nreturn ${root};`;
    return new Function('k', text)(this.#constants) as Encode;
  }

  /** The name of the function that writes a struct. */
  private struct(shape: Shape): string {
    const known = this.#names.get(shape);
    if (known !== undefined) return known;
    const name = `struct${this.#names.size}`;
    this.#names.set(shape, name);
    const fields = Object.entries(shape);
    const lines = fields.map(([field, { spec }], i) => this.take(spec, field, `f${i}`));
    lines.push(...this.regular(fields.map(([, { spec }]) => spec)));
    this.#functions.push(`function ${name}(w, v) {\n${lines.join('\n')}\n}`);
    return name;
  }

  /** The statement that takes a field from the value, or refuses one that the version lacks. */
  private take(spec: FieldSpec, field: string, variable: string): string {
    if (!isPresent(spec, this.version)) {
      if (spec.isIgnorable) return '';
      const refuse = this.constant(() =>
        invariant(false, `version ${this.version} has no field ${field}`),
      );
      const isDefault = this.isDefaultCall(spec, `v.${field}`);
      return `if (v.${field} !== undefined && !${isDefault}) ${refuse}();`;
    }
    if (!isOptional(spec)) return `const ${variable} = v.${field};`;
    return `let ${variable} = v.${field};
      if (${variable} === undefined) ${variable} = ${this.constant(defaultOf(spec))};`;
  }

  /** Writes the fields in order, room for runs of fixed size being made at once; then the tags. */
  private regular(specs: readonly FieldSpec[]): string[] {
    const lines: string[] = [];
    let run: string[] = [];
    let runBytes = 0;
    const endRun = () => {
      if (runBytes > 0) lines.push(`w.ensure(${runBytes});`, ...run);
      run = [];
      runBytes = 0;
    };
    specs.forEach((spec, i) => {
      if (!isPresent(spec, this.version) || isTagged(spec, this.version)) return;
      const fixed = fixedBytes(spec.type);
      if (fixed === undefined) endRun();
      (fixed === undefined ? lines : run).push(this.write(spec, `f${i}`));
      runBytes += fixed ?? 0;
    });
    const tagged = specs.some((s) => isPresent(s, this.version) && isTagged(s, this.version));
    if (this.#isFlexible && !tagged && !this.message.keepsUnknownTags) {
      run.push('w.putInt8(0);');
      runBytes += 1;
    }
    endRun();
    if (this.#isFlexible && (tagged || this.message.keepsUnknownTags)) lines.push(this.tags(specs));
    if (!this.#isFlexible && this.message.keepsUnknownTags) lines.push(this.noTags());
    return lines;
  }

  /** A statement that writes a present field out of its variable. */
  private write(spec: FieldSpec, variable: string): string {
    const { type } = spec;
    const canBeNull = isNullable(spec, this.version);
    if (type.kind === 'array') return this.array(type.element, variable, canBeNull);
    if (type.kind === 'struct') {
      const value = `${this.struct(type.shape)}(w, ${variable});`;
      if (!canBeNull) return value;
      // Kafka marks a null struct by a byte, but inside a tagged field by a varint.
      const nothing = isTagged(spec, this.version) ? 0 : -1;
      return `w.ensure(1);
        if (${variable} === null) w.putInt8(${nothing}); else { w.putInt8(1); ${value} }`;
    }
    const value = spec.isCut ? `${this.constant(cutToFit)}(${variable})` : variable;
    return this.scalar(type.kind, value, canBeNull, spec.isInflexible);
  }

  private array(element: FieldType, variable: string, canBeNull: boolean): string {
    const fixed = fixedBytes(element) ?? 0;
    const count = this.#isFlexible
      ? `w.putUvarint(${variable}.length + 1);`
      : `w.putInt32(${variable}.length);`;
    const value =
      element.kind === 'struct'
        ? `${this.struct(element.shape)}(w, ${variable}[i]);`
        : this.scalar(element.kind as ScalarKind, `${variable}[i]`, false, false);
    const whole = `w.ensure(5 + ${fixed} * ${variable}.length); ${count}
      for (let i = 0; i < ${variable}.length; i++) { ${value} }`;
    if (!canBeNull) return whole;
    const nothing = this.#isFlexible ? 'w.uvarint(0);' : 'w.int32(-1);';
    return `if (${variable} === null) ${nothing} else { ${whole} }`;
  }

  private scalar(
    kind: ScalarKind,
    variable: string,
    canBeNull: boolean,
    isInflexible: boolean,
  ): string {
    if (kind === 'string' || kind === 'bytes' || kind === 'records') {
      const isCompact = this.#isFlexible && !isInflexible;
      const words = [...(isCompact ? ['compact'] : []), ...(canBeNull ? ['nullable'] : []), kind];
      return `w.${words.map((word, i) => (i === 0 ? word : capital(word))).join('')}(${variable});`;
    }
    return `w.put${capital(kind)}(${variable});`;
  }

  /** The statements that write the tagged fields: those that differ from their defaults. */
  private tags(specs: readonly FieldSpec[]): string {
    const tagged = specs
      .map((spec, i) => ({ spec, variable: `f${i}`, has: `has${i}`, tag: spec.tag?.number ?? 0 }))
      .filter(({ spec }) => isPresent(spec, this.version) && isTagged(spec, this.version))
      .sort((a, b) => a.tag - b.tag);
    const lines = tagged.map(
      ({ spec, variable, has }) => `const ${has} = !${this.isDefaultCall(spec, variable)};`,
    );
    const counts = tagged.map(({ has }) => `(${has} ? 1 : 0)`);
    const keeps = this.message.keepsUnknownTags;
    if (keeps) lines.push('const unknown = v.unknownTags;');
    if (keeps) counts.push('(unknown === undefined ? 0 : unknown.length)');
    lines.push(`w.uvarint(${counts.join(' + ')});`);
    let next = 0;
    const others = (limit: string) =>
      keeps ? `if (unknown !== undefined) w.unknownTags(unknown, ${next}, ${limit});` : '';
    for (const { spec, variable, has, tag } of tagged) {
      lines.push(others(String(tag)));
      lines.push(
        `if (${has}) {
          const mark = w.beginTag(${tag}); ${this.write(spec, variable)} w.endTag(mark); }`,
      );
      next = tag + 1;
    }
    lines.push(others('Infinity'));
    return lines.join('\n');
  }

  private noTags(): string {
    const refuse = this.constant(() =>
      invariant(false, `version ${this.version} cannot keep unknown tagged fields`),
    );
    return `if (v.unknownTags !== undefined && v.unknownTags.length > 0) ${refuse}();`;
  }

  private isDefaultCall(spec: FieldSpec, value: string): string {
    const expected = defaultOf(spec);
    if (expected === null) return `(${value} === null)`;
    switch (spec.type.kind) {
      case 'struct':
      case 'records':
        return `${this.constant((found: unknown) => isDefault(spec, found))}(${value})`;
      case 'array':
      case 'bytes':
        return `(${value} !== null && ${value}.length === 0)`;
      default:
        return `(${value} === ${this.constant(expected)})`;
    }
  }

  private constant(value: unknown): string {
    this.#constants.push(value);
    return `k[${this.#constants.length - 1}]`;
  }
}

const fixedBytes = (type: FieldType): number | undefined =>
  type.kind in FIXED_BYTES ? FIXED_BYTES[type.kind as keyof typeof FIXED_BYTES] : undefined;

const capital = (word: string): string => `${word[0]?.toUpperCase()}${word.slice(1)}`;

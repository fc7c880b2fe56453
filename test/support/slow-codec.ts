/**
 * A second codec, written to be obviously right and nothing else: it walks the definition field
 * by field and shares no code with the compiled one. Values are complete (no field left out).
 */
import type { AnyMessage } from '../../src/protocol/api';
import type { FieldSpec, FieldType, Shape } from '../../src/protocol/schema';
import { defaultOf } from '../../src/protocol/schema';

type Struct = Readonly<Record<string, unknown>>;
interface Context {
  readonly version: number;
  readonly isFlexible: boolean;
  readonly keepsUnknownTags: boolean;
}

export function slowEncode(message: AnyMessage, version: number, value: unknown): Buffer {
  return struct(message.shape, value as Struct, contextOf(message, version));
}

export function slowDecode(message: AnyMessage, version: number, bytes: Buffer): unknown {
  const input = new Input(bytes);
  const value = readStruct(message.shape, input, contextOf(message, version));
  if (input.rest.length > 0) throw new Error(`${input.rest.length} bytes left over`);
  return value;
}

const contextOf = (message: AnyMessage, version: number): Context => ({
  version,
  isFlexible: version >= message.flexibleSince,
  keepsUnknownTags: message.keepsUnknownTags,
});

const has = ({ versions }: FieldSpec, { version }: Context): boolean =>
  versions.first <= version && version <= versions.last;

const canBeNull = ({ nullable }: FieldSpec, { version }: Context): boolean =>
  nullable !== undefined && nullable.first <= version && version <= nullable.last;

const tagOf = ({ tag }: FieldSpec, { version }: Context): number | undefined =>
  tag !== undefined && version >= tag.first ? tag.number : undefined;

function struct(shape: Shape, value: Struct, context: Context): Buffer {
  const parts: Buffer[] = [];
  const tagged = new Map<number, Buffer>();
  for (const [name, { spec }] of Object.entries(shape)) {
    if (!has(spec, context)) continue;
    const tag = tagOf(spec, context);
    if (tag === undefined) parts.push(field(spec, value[name], context, false));
    else if (!same(value[name], defaultOf(spec))) {
      tagged.set(tag, field(spec, value[name], context, true));
    }
  }
  for (const { tag, bytes } of (value.unknownTags ?? []) as { tag: number; bytes: Buffer }[]) {
    tagged.set(tag, bytes);
  }
  if (!context.isFlexible) return Buffer.concat(parts);
  parts.push(varint(tagged.size));
  for (const [tag, bytes] of [...tagged].sort(([a], [b]) => a - b)) {
    parts.push(varint(tag), varint(bytes.length), bytes);
  }
  return Buffer.concat(parts);
}

function field(spec: FieldSpec, value: unknown, context: Context, isTagged: boolean): Buffer {
  const isCompact = context.isFlexible && !spec.isInflexible;
  if (spec.type.kind !== 'struct') return any(spec.type, value, isCompact, context);
  if (!canBeNull(spec, context)) return struct(spec.type.shape, value as Struct, context);
  if (value === null) return isTagged ? varint(0) : int(-1, 1);
  return Buffer.concat([int(1, 1), struct(spec.type.shape, value as Struct, context)]);
}

function any(type: FieldType, value: unknown, isCompact: boolean, context: Context): Buffer {
  switch (type.kind) {
    case 'string':
      return sized(value === null ? null : Buffer.from(value as string), isCompact, 2);
    case 'bytes':
    case 'records':
      return sized(value as Buffer | null, isCompact, 4);
    case 'struct':
      return struct(type.shape, value as Struct, context);
    case 'array': {
      if (value === null) return isCompact ? varint(0) : int(-1, 4);
      const elements = value as readonly unknown[];
      return Buffer.concat([
        isCompact ? varint(elements.length + 1) : int(elements.length, 4),
        ...elements.map((element) => any(type.element, element, isCompact, context)),
      ]);
    }
    default:
      return scalar(type.kind, value);
  }
}

function scalar(kind: string, value: unknown): Buffer {
  switch (kind) {
    case 'bool':
      return int(value === true ? 1 : 0, 1);
    case 'int8':
      return int(value as number, 1);
    case 'int16':
    case 'uint16':
      return int(value as number, 2);
    case 'int32':
    case 'uint32':
      return int(value as number, 4);
    case 'int64':
    case 'bigint64':
      return int(BigInt(value as number | bigint), 8);
    case 'uuid':
      return Buffer.from(value as string, 'base64url');
    case 'float64': {
      const bytes = Buffer.alloc(8);
      bytes.writeDoubleBE(value as number);
      return bytes;
    }
    default:
      throw new Error(`no such type: ${kind}`);
  }
}

/** Two's complement, most significant byte first. */
function int(value: number | bigint, length: number): Buffer {
  let rest = BigInt.asUintN(length * 8, BigInt(value));
  const bytes: number[] = [];
  for (let i = 0; i < length; i++) {
    bytes.unshift(Number(rest & 0xffn));
    rest >>= 8n;
  }
  return Buffer.from(bytes);
}

function varint(value: number): Buffer {
  return value < 128
    ? Buffer.from([value])
    : Buffer.concat([Buffer.from([(value % 128) + 128]), varint(Math.floor(value / 128))]);
}

function sized(bytes: Buffer | null, isCompact: boolean, lengthBytes: number): Buffer {
  if (bytes === null) return isCompact ? varint(0) : int(-1, lengthBytes);
  return Buffer.concat([
    isCompact ? varint(bytes.length + 1) : int(bytes.length, lengthBytes),
    bytes,
  ]);
}

function same(a: unknown, b: unknown): boolean {
  const text = (value: unknown) =>
    JSON.stringify(value, (_key, part) => (typeof part === 'bigint' ? `${part}n` : part));
  return text(a) === text(b);
}

class Input {
  constructor(public rest: Buffer) {}

  take(length: number): Buffer {
    if (length > this.rest.length) throw new Error('the end');
    const taken = this.rest.subarray(0, length);
    this.rest = this.rest.subarray(length);
    return taken;
  }

  int(length: number, isSigned = true): bigint {
    let value = 0n;
    for (const byte of this.take(length)) value = value * 256n + BigInt(byte);
    return isSigned ? BigInt.asIntN(length * 8, value) : value;
  }

  varint(): number {
    const byte = this.take(1).readUInt8(0);
    return byte < 128 ? byte : byte - 128 + 128 * this.varint();
  }

  sized(isCompact: boolean, lengthBytes: number): Buffer | null {
    const length = isCompact ? this.varint() - 1 : Number(this.int(lengthBytes));
    return length < 0 ? null : Buffer.from(this.take(length));
  }
}

function readStruct(shape: Shape, input: Input, context: Context): unknown {
  const value: Record<string, unknown> = {};
  for (const [name, { spec }] of Object.entries(shape)) {
    const isRegular = has(spec, context) && tagOf(spec, context) === undefined;
    value[name] = isRegular ? readField(spec, input, context, false) : defaultOf(spec);
  }
  if (!context.isFlexible) return value;
  const unknownTags: { tag: number; bytes: Buffer }[] = [];
  for (let left = input.varint(); left > 0; left--) {
    const tag = input.varint();
    const bytes = Buffer.from(input.take(input.varint()));
    const known = Object.entries(shape).find(
      ([, { spec }]) => has(spec, context) && tagOf(spec, context) === tag,
    );
    if (known === undefined) unknownTags.push({ tag, bytes });
    else value[known[0]] = readField(known[1].spec, new Input(bytes), context, true);
  }
  if (context.keepsUnknownTags && unknownTags.length > 0) value.unknownTags = unknownTags;
  return value;
}

function readField(spec: FieldSpec, input: Input, context: Context, isTagged: boolean): unknown {
  const isCompact = context.isFlexible && !spec.isInflexible;
  if (spec.type.kind === 'struct' && canBeNull(spec, context)) {
    const mark = isTagged ? input.varint() - 1 : Number(input.int(1));
    if (mark < 0) return null;
  }
  return readAny(spec.type, input, isCompact, context);
}

function readAny(type: FieldType, input: Input, isCompact: boolean, context: Context): unknown {
  switch (type.kind) {
    case 'string':
      return input.sized(isCompact, 2)?.toString() ?? null;
    case 'bytes':
    case 'records':
      return input.sized(isCompact, 4);
    case 'struct':
      return readStruct(type.shape, input, context);
    case 'array': {
      const count = isCompact ? input.varint() - 1 : Number(input.int(4));
      if (count < 0) return null;
      return Array.from({ length: count }, () => readAny(type.element, input, isCompact, context));
    }
    case 'bool':
      return input.int(1) !== 0n;
    case 'int8':
      return Number(input.int(1));
    case 'int16':
      return Number(input.int(2));
    case 'uint16':
      return Number(input.int(2, false));
    case 'int32':
      return Number(input.int(4));
    case 'uint32':
      return Number(input.int(4, false));
    case 'int64':
      return Number(input.int(8));
    case 'bigint64':
      return input.int(8);
    case 'float64':
      return input.take(8).readDoubleBE(0);
    case 'uuid':
      return input.take(16).toString('base64url');
  }
}

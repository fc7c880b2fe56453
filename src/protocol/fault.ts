/** Finds the field because of which a value cannot be encoded; asked only after that failed. */
import {
  type FieldSpec,
  type FieldType,
  isNullable,
  isPresent,
  type ScalarKind,
  type Shape,
} from './schema';

/** The path of the first value that its field cannot hold, such as `topics[0].name`. */
export function faultPath(shape: Shape, version: number, value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return '';
  const given = value as Readonly<Record<string, unknown>>;
  for (const [name, { spec }] of Object.entries(shape)) {
    if (!isPresent(spec, version) || (given[name] === undefined && isOptional(spec))) continue;
    const fault = faultIn(spec, version, given[name]);
    if (fault !== undefined)
      return fault.startsWith('[') || fault === '' ? name + fault : `${name}.${fault}`;
  }
  return undefined;
}

/** Whether a draft may leave the field out. */
export const isOptional = (spec: FieldSpec): boolean =>
  spec.explicitDefault !== undefined ||
  spec.tag !== undefined ||
  spec.isIgnorable ||
  spec.versions.first > 0 ||
  spec.versions.last !== Number.POSITIVE_INFINITY;

function faultIn(spec: FieldSpec, version: number, value: unknown): string | undefined {
  if (value === null) return isNullable(spec, version) ? undefined : '';
  if (spec.isCut && typeof value === 'string') return undefined;
  return faultOfType(spec.type, version, value);
}

function faultOfType(type: FieldType, version: number, value: unknown): string | undefined {
  if (type.kind === 'struct') return faultPath(type.shape, version, value);
  if (type.kind !== 'array') return FITS[type.kind](value) ? undefined : '';
  if (!Array.isArray(value)) return '';
  for (let i = 0; i < value.length; i++) {
    const fault = faultOfType(type.element, version, value[i]);
    if (fault !== undefined) return `[${i}]${fault === '' ? '' : `.${fault}`}`;
  }
  return undefined;
}

const integer =
  (least: number, greatest: number) =>
  (value: unknown): boolean =>
    Number.isInteger(value) && (value as number) >= least && (value as number) <= greatest;

const hasLength = (value: unknown): boolean =>
  typeof (value as { length?: unknown } | undefined)?.length === 'number';

const FITS: Readonly<Record<ScalarKind, (value: unknown) => boolean>> = {
  bool: (value) => typeof value === 'boolean',
  int8: integer(-0x80, 0x7f),
  int16: integer(-0x8000, 0x7fff),
  uint16: integer(0, 0xffff),
  int32: integer(-0x8000_0000, 0x7fff_ffff),
  uint32: integer(0, 0xffff_ffff),
  int64: Number.isSafeInteger,
  bigint64: (value) => typeof value === 'bigint' && BigInt.asIntN(64, value) === value,
  float64: (value) => typeof value === 'number',
  uuid: (value) => typeof value === 'string' && value.length === 22,
  string: (value) => typeof value === 'string' && Buffer.byteLength(value) <= 0x7fff,
  bytes: hasLength,
  records: hasLength,
};

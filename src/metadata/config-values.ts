/** The values of settings: their types, what is valid, and the sentences that say what is not. */

/** Kafka's types of settings; the numbers are those of DescribeConfigs' ConfigType. */
export const CONFIG_TYPES = {
  boolean: 1,
  string: 2,
  int: 3,
  short: 4,
  long: 5,
  double: 6,
  list: 7,
  class: 8,
  password: 9,
} as const;

export type ConfigType = keyof typeof CONFIG_TYPES;

/** A value as its type reads it: `long` is a bigint, the other numbers are numbers. */
export type ConfigValue = boolean | string | number | bigint | readonly string[] | null;

/** What a value of the right type must also be. */
export type ValidValues =
  /** Both ends included. */
  | { readonly kind: 'range'; readonly min: number; readonly max?: number }
  | { readonly kind: 'one-of'; readonly values: readonly string[]; readonly anyCase?: true }
  /** A list whose elements are all among `values`; any elements when `values` is empty. */
  | { readonly kind: 'list'; readonly values: readonly string[]; readonly mayBeEmpty: boolean }
  | { readonly kind: 'not-empty' }
  /** `problem` gives the sentence that follows "Invalid value … for configuration …: ". */
  | {
      readonly kind: 'custom';
      readonly text: string;
      readonly problem: (name: string, value: ConfigValue) => string | undefined;
    };

/** A value that was understood, or the sentence that refuses it. */
export type Parsed =
  | { readonly kind: 'value'; readonly value: ConfigValue }
  | { readonly kind: 'problem'; readonly message: string };

/** Reads the text of a setting as Kafka does: surrounding blanks do not count. */
export function parseConfigValue(name: string, type: ConfigType, text: string): Parsed {
  const trimmed = trimBlanks(text);
  switch (type) {
    case 'string':
    case 'password':
    case 'class':
      return { kind: 'value', value: trimmed };
    case 'list':
      return {
        kind: 'value',
        value: trimmed === '' ? [] : trimmed.split(/[ \t\n\v\f\r]*,[ \t\n\v\f\r]*/),
      };
    case 'boolean': {
      const lower = trimmed.toLowerCase();
      if (lower === 'true' || lower === 'false') return { kind: 'value', value: lower === 'true' };
      return refuse(name, text, 'Expected value to be either true or false');
    }
    case 'int':
      return parseWhole(name, text, trimmed, 'INT', 31n);
    case 'short':
      return parseWhole(name, text, trimmed, 'SHORT', 15n);
    case 'long':
      return parseWhole(name, text, trimmed, 'LONG', 63n);
    case 'double': {
      const value = parseDouble(trimmed);
      if (value !== undefined) return { kind: 'value', value };
      return refuse(name, text, 'Not a number of type DOUBLE');
    }
  }
}

/** The sentence that refuses a value of the right type, or `undefined` if it is valid. */
export function problemOf(
  name: string,
  type: ConfigType,
  value: ConfigValue,
  valid: ValidValues | undefined,
): string | undefined {
  if (valid === undefined) return undefined;
  const invalid = (why: string): string => invalidValue(name, showValue(type, value), why);
  switch (valid.kind) {
    case 'range':
      return rangeProblem(value, valid.min, valid.max, invalid);
    case 'one-of': {
      const text = String(value);
      const among =
        valid.anyCase === true
          ? valid.values.some((known) => known.toUpperCase() === text.toUpperCase())
          : valid.values.includes(text);
      if (among) return undefined;
      const how =
        valid.anyCase === true
          ? 'String must be one of (case insensitive)'
          : 'String must be one of';
      return invalid(`${how}: ${valid.values.join(', ')}`);
    }
    case 'list':
      return listProblem(name, value as readonly string[], valid);
    case 'not-empty':
      return value === '' ? invalid('String must be non-empty') : undefined;
    case 'custom': {
      const why = valid.problem(name, value);
      return why === undefined ? undefined : invalid(why);
    }
  }
}

/** How documents and DescribeConfigs name what is valid. */
export function describeValidValues(valid: ValidValues | undefined): string {
  if (valid === undefined) return '';
  switch (valid.kind) {
    case 'range':
      return valid.max === undefined ? `[${valid.min},...]` : `[${valid.min},...,${valid.max}]`;
    case 'one-of':
      return `${valid.anyCase === true ? '(case insensitive) ' : ''}[${valid.values.join(', ')}]`;
    case 'list':
      return valid.values.length === 0 ? '' : `[${valid.values.join(', ')}]`;
    case 'not-empty':
      return 'non-empty string';
    case 'custom':
      return valid.text;
  }
}

/** A value as the text that a setting is stored and shown as. */
export function configText(type: ConfigType, value: ConfigValue): string | null {
  if (value === null) return null;
  if (Array.isArray(value)) return value.join(',');
  return type === 'double' ? showDouble(value as number) : String(value);
}

/** Kafka's opening of every refusal. */
const invalidValue = (name: string, shown: string, why: string): string =>
  `Invalid value ${shown} for configuration ${name}: ${why}`;

function refuse(name: string, text: string, why: string): Parsed {
  return { kind: 'problem', message: invalidValue(name, text, why) };
}

function parseWhole(
  name: string,
  text: string,
  trimmed: string,
  type: 'INT' | 'SHORT' | 'LONG',
  bits: bigint,
): Parsed {
  if (/^[+-]?[0-9]+$/.test(trimmed)) {
    const value = BigInt(trimmed.startsWith('+') ? trimmed.slice(1) : trimmed);
    const limit = 1n << bits;
    if (value >= -limit && value < limit) {
      return { kind: 'value', value: type === 'LONG' ? value : Number(value) };
    }
  }
  return refuse(name, text, `Not a number of type ${type}`);
}

/** Decimal texts that Java reads as a double (its hexadecimal ones are not taken). */
function parseDouble(text: string): number | undefined {
  const named = /^([+-]?)(NaN|Infinity)$/.exec(text);
  if (named !== null) return named[2] === 'NaN' ? Number.NaN : Number(text);
  if (!/^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[fFdD]?$/.test(text)) return undefined;
  return Number(text.replace(/[fFdD]$/, ''));
}

function rangeProblem(
  value: ConfigValue,
  min: number,
  max: number | undefined,
  invalid: (why: string) => string,
): string | undefined {
  if (value === null) return invalid('Value must be non-null');
  const number = Number(value);
  if (number < min) return invalid(`Value must be at least ${min}`);
  if (max !== undefined && number > max) return invalid(`Value must be no more than ${max}`);
  return undefined;
}

function listProblem(
  name: string,
  values: readonly string[],
  valid: Extract<ValidValues, { kind: 'list' }>,
): string | undefined {
  if (values.length === 0 && !valid.mayBeEmpty) {
    const among = valid.values.length === 0 ? 'any non-empty value' : describeValidValues(valid);
    return `Configuration '${name}' must not be empty. Valid values include: ${among}`;
  }
  for (const value of values) {
    if (value === '') return `Configuration '${name}' values must not be empty.`;
    if (valid.values.length > 0 && !valid.values.includes(value)) {
      return invalidValue(name, value, `String must be one of: ${valid.values.join(', ')}`);
    }
  }
  return undefined;
}

function showValue(type: ConfigType, value: ConfigValue): string {
  if (Array.isArray(value)) return `[${value.join(', ')}]`;
  return configText(type, value) ?? 'null';
}

/** As Java shows a double: always with a fraction, with an exponent outside 10^-3 … 10^7. */
function showDouble(value: number): string {
  const size = Math.abs(value);
  if (!Number.isFinite(value)) return String(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e7)) {
    const [digits = '', exponent = ''] = value.toExponential().split('e');
    return `${digits.includes('.') ? digits : `${digits}.0`}E${Number(exponent)}`;
  }
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

/** Java's `trim`: everything up to and including U+0020 at both ends. */
function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text.charCodeAt(start) <= 0x20) start += 1;
  while (end > start && text.charCodeAt(end - 1) <= 0x20) end -= 1;
  return text.slice(start, end);
}

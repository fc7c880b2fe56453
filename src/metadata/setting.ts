/**
 * The vocabulary of settings: a name, a type, a default and what is allowed. Used for the settings
 * of topics, groups and client metrics here, and for those of a broker in `broker/`.
 */

/** Kafka's types of settings (ConfigDef.Type). */
export type SettingType =
  | 'boolean'
  | 'string'
  | 'int'
  | 'short'
  | 'long'
  | 'double'
  | 'list'
  | 'class'
  | 'password';

/** `long` values are bigints, since some defaults lie above 2^53; classes are their names. */
export type SettingValue<T extends SettingType = SettingType> = T extends 'boolean'
  ? boolean
  : T extends 'int' | 'short' | 'double'
    ? number
    : T extends 'long'
      ? bigint
      : T extends 'list'
        ? readonly string[]
        : string;

/** What is wrong with a value, as Kafka words it; `undefined` if nothing is. */
export type Validator = (value: SettingValue) => string | undefined;

export interface SettingDefinition<T extends SettingType = SettingType> {
  readonly type: T;
  /** As text; null = none; undefined = it must be given. */
  readonly default: string | null | undefined;
  readonly validator?: Validator;
  readonly importance: 'high' | 'medium' | 'low';
  /** Kafka's own internal settings are never shown by DescribeConfigs unless set. */
  readonly isInternal?: boolean;
}

/** A refused value; the message is Kafka's. */
export class InvalidSettingError extends Error {
  override readonly name = 'InvalidSettingError';
}

const WHOLE_NUMBER = /^[+-]?\d+$/;
const RANGES: Readonly<Record<'int' | 'short' | 'long', readonly [bigint, bigint]>> = {
  short: [-(2n ** 15n), 2n ** 15n - 1n],
  int: [-(2n ** 31n), 2n ** 31n - 1n],
  long: [-(2n ** 63n), 2n ** 63n - 1n],
};

/** Reads the text of a setting; throws InvalidSettingError. Null stays null (no value). */
export function parseSetting<T extends SettingType>(
  name: string,
  definition: SettingDefinition<T>,
  text: string | null,
): SettingValue<T> | null {
  if (text === null) {
    if (definition.default !== null) refuse(name, 'null', 'entry must be non null');
    return null;
  }
  const value = parseType(name, definition.type, text.trim());
  const complaint = definition.validator?.(value);
  if (complaint !== undefined) refuse(name, text.trim(), complaint);
  return value as SettingValue<T>;
}

function parseType(name: string, type: SettingType, text: string): SettingValue {
  switch (type) {
    case 'boolean':
      if (/^true$/i.test(text)) return true;
      if (/^false$/i.test(text)) return false;
      return refuse(name, text, 'Expected value to be either true or false');
    case 'short':
    case 'int':
    case 'long':
      return parseWhole(name, type, text);
    case 'double': {
      const value = Number(text);
      if (text === '' || Number.isNaN(value)) refuse(name, text, 'Not a number of type DOUBLE');
      return value;
    }
    case 'list':
      return text === '' ? [] : text.split(/\s*,\s*/);
    case 'string':
    case 'class':
    case 'password':
      return text;
  }
}

function parseWhole(name: string, type: 'int' | 'short' | 'long', text: string): number | bigint {
  const [least, most] = RANGES[type];
  const value = WHOLE_NUMBER.test(text) ? BigInt(text.replace('+', '')) : undefined;
  if (value === undefined || value < least || value > most) {
    return refuse(name, text, `Not a number of type ${type.toUpperCase()}`);
  }
  return type === 'long' ? value : Number(value);
}

function refuse(name: string, text: string, complaint: string): never {
  throw new InvalidSettingError(`Invalid value ${text} for configuration ${name}: ${complaint}`);
}

/** A number of at least `least`. */
export const atLeast =
  (least: number | bigint): Validator =>
  (value) =>
    (value as number | bigint) < least ? `Value must be at least ${least}` : undefined;

/** A number from `least` to `most`, both included. */
export const between =
  (least: number | bigint, most: number | bigint): Validator =>
  (value) => {
    if ((value as number | bigint) < least) return `Value must be at least ${least}`;
    return (value as number | bigint) > most ? `Value must be no more than ${most}` : undefined;
  };

/** One of these words, to the letter. */
export const oneOf =
  (...words: readonly string[]): Validator =>
  (value) =>
    words.includes(value as string) ? undefined : `String must be one of: ${words.join(', ')}`;

/** One of these words in whatever case. */
export const oneOfAnyCase =
  (...words: readonly string[]): Validator =>
  (value) =>
    words.some((word) => word.toLowerCase() === (value as string).toLowerCase())
      ? undefined
      : `String must be one of (case insensitive): ${words.join(', ')}`;

/** A list of these words only, without repetition. */
export const listOf =
  (...words: readonly string[]): Validator =>
  (value) => {
    const list = value as readonly string[];
    if (new Set(list).size < list.length) return 'Entries must be unique';
    return list.every((word) => words.includes(word))
      ? undefined
      : `List must only contain: ${words.join(', ')}`;
  };

export const nonEmptyText: Validator = (value) =>
  value === '' ? 'String must be non-empty' : undefined;

/** Definitions of settings: a table per kind of resource, and the checks they all share. */
import {
  type ConfigType,
  type ConfigValue,
  configText,
  parseConfigValue,
  problemOf,
  type ValidValues,
} from './config-values';

/** A broker setting that gives a topic or group setting its default. */
export interface Synonym {
  readonly name: string;
  /** The broker's value times this is the value here (hours and minutes to milliseconds). */
  readonly factor?: number;
  /** Whether anything below zero stands for -1 here, "no limit". */
  readonly hasNoLimitBelowZero?: true;
}

/** One setting. */
export interface ConfigDefinition {
  readonly name: string;
  readonly type: ConfigType;
  /** As text; null = none. */
  readonly default: string | null;
  readonly valid?: ValidValues;
  readonly importance: 'high' | 'medium' | 'low';
  /** One or two sentences, shown by DescribeConfigs. */
  readonly documentation: string;
  /** Only shown when it was set. */
  readonly isInternal?: boolean;
  /** In order of precedence: the first that was set wins. */
  readonly synonyms?: readonly Synonym[];
}

/** A refused change: the name of Kafka's error, and the sentence for the person. */
export interface ConfigProblem {
  readonly error: 'INVALID_CONFIG' | 'INVALID_REQUEST';
  readonly message: string;
}

/** Values by name, each as its type reads it; null where there is neither value nor default. */
export type ConfigValues = ReadonlyMap<string, ConfigValue>;

/** The settings of one kind of resource, in the order in which they are checked. */
export class ConfigTable {
  private readonly byName: ReadonlyMap<string, ConfigDefinition>;

  constructor(readonly definitions: readonly ConfigDefinition[]) {
    this.byName = new Map(definitions.map((definition) => [definition.name, definition]));
  }

  get(name: string): ConfigDefinition | undefined {
    return this.byName.get(name);
  }

  has(name: string): boolean {
    return this.byName.has(name);
  }

  /**
   * Reads and checks every setting, taking the default where `texts` has none; `texts` may hold
   * names that are not in the table.
   */
  read(texts: ReadonlyMap<string, string>): ConfigValues | ConfigProblem {
    const values = new Map<string, ConfigValue>();
    for (const definition of this.definitions) {
      const text = texts.get(definition.name) ?? definition.default;
      const read = text === null ? null : readConfig(definition, text);
      if (isConfigProblem(read)) return read;
      values.set(definition.name, read);
    }
    return values;
  }
}

/** Reads and checks one setting. */
export function readConfig(
  definition: ConfigDefinition,
  text: string,
): ConfigValue | ConfigProblem {
  const { name, type, valid } = definition;
  const parsed = parseConfigValue(name, type, text);
  if (parsed.kind === 'problem') return invalidConfig(parsed.message);
  const value = valid?.kind === 'list' ? distinct(parsed.value) : parsed.value;
  const problem = problemOf(name, type, value, valid);
  return problem === undefined ? value : invalidConfig(problem);
}

export function isConfigProblem(
  value: ConfigValues | ConfigValue | ConfigProblem | undefined,
): value is ConfigProblem {
  return typeof value === 'object' && value !== null && 'error' in value;
}

/** The default as Kafka shows it (doubles with their fraction). */
export function defaultText(definition: ConfigDefinition): string | null {
  if (definition.default === null) return null;
  const parsed = parseConfigValue(definition.name, definition.type, definition.default);
  return parsed.kind === 'value' ? configText(definition.type, parsed.value) : definition.default;
}

export const invalidConfig = (message: string): ConfigProblem => ({
  error: 'INVALID_CONFIG',
  message,
});

/** Kafka drops what a list of choices names twice before it looks at the list. */
function distinct(value: ConfigValue): ConfigValue {
  return Array.isArray(value) ? [...new Set(value as readonly string[])] : value;
}

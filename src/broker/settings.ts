/** The settings of one node: Kafka's names, read from properties, checked before anything starts. */
import type { NodeId } from '../base/ids';
import {
  InvalidSettingError,
  parseSetting,
  type SettingDefinition,
  type SettingType,
  type SettingValue,
} from '../metadata/setting';
import {
  BROKER_SETTINGS,
  type BrokerSettingDefinition,
  type BrokerSettingName,
} from './settings-table';
import { StartError } from './start-error';

export type Role = 'broker' | 'controller';
/** As `server.properties` gives them: name and text. */
export type Properties = ReadonlyMap<string, string>;

type TypeOf<N extends BrokerSettingName> = (typeof BROKER_SETTINGS)[N]['type'];
type DefaultOf<N extends BrokerSettingName> = (typeof BROKER_SETTINGS)[N]['default'];
/** The value of a setting; null only where its default is null. */
export type ValueOf<N extends BrokerSettingName> =
  DefaultOf<N> extends null ? SettingValue<TypeOf<N>> | null : SettingValue<TypeOf<N>>;

const DEFINITIONS: Readonly<Record<string, BrokerSettingDefinition>> = BROKER_SETTINGS;
/** Prefixes under which any name is a setting of a listener, a client or a plug-in. */
const OPEN_PREFIXES = ['listener.name.', 'rlmm.config.', 'rsm.config.', 'config.providers.'];

/** Read once at the start; what changes while the node runs stands in the picture. */
export class Settings {
  /** What was given, by name. */
  readonly given: Properties;
  readonly nodeId: NodeId;
  readonly roles: readonly Role[];
  /** Names that Kafka does not know either. */
  readonly unknownNames: readonly string[];
  /** Names that Kafka knows and that have no effect here. */
  readonly namesWithoutEffect: readonly string[];
  readonly #values = new Map<string, SettingValue | null>();

  /** Throws StartError for a missing or wrong value of a setting in force. */
  constructor(properties: Properties) {
    this.given = properties;
    const names = [...properties.keys()];
    this.unknownNames = names.filter((name) => !isKnown(name));
    this.namesWithoutEffect = names.filter((name) => isKnown(name) && !isInForce(name));
    for (const [name, definition] of Object.entries(DEFINITIONS)) this.#read(name, definition);
    this.nodeId = this.value('node.id');
    this.roles = this.value('process.roles') as readonly Role[];
    if (this.roles.length === 0) {
      throw new StartError('process.roles is empty: name broker, controller or both.');
    }
  }

  /** The value in force at the start: as given, else the default. */
  value<N extends BrokerSettingName>(name: N): ValueOf<N> {
    return this.#values.get(name) as ValueOf<N>;
  }

  /** Milliseconds, bytes or counts of type long as a number; "never" (2^53 and more) is Infinity. */
  number(name: BrokerSettingName): number {
    const value = Number(this.#values.get(name));
    return value >= Number.MAX_SAFE_INTEGER ? Number.POSITIVE_INFINITY : value;
  }

  isGiven(name: BrokerSettingName): boolean {
    return this.given.has(name);
  }

  hasRole(role: Role): boolean {
    return this.roles.includes(role);
  }

  #read(name: string, definition: BrokerSettingDefinition): void {
    const text = this.given.get(name);
    if (text === undefined && definition.default === undefined) {
      throw new StartError(`${name} is not set: give it in the properties file or with --set.`);
    }
    if (text !== undefined && definition.does === undefined) return;
    this.#values.set(name, parse(name, definition, text));
  }
}

function parse(
  name: string,
  definition: SettingDefinition<SettingType>,
  text: string | undefined,
): SettingValue | null {
  try {
    return parseSetting(name, definition, text ?? definition.default ?? null);
  } catch (error) {
    if (!(error instanceof InvalidSettingError)) throw error;
    const hint = definition.default == null ? '' : ` The default is ${definition.default}.`;
    throw new StartError(`${error.message}.${hint}`);
  }
}

/** Whether Kafka knows a setting of that name. */
export function isKnown(name: string): boolean {
  return Object.hasOwn(DEFINITIONS, name) || OPEN_PREFIXES.some((open) => name.startsWith(open));
}

function isInForce(name: string): boolean {
  return DEFINITIONS[name]?.does !== undefined;
}

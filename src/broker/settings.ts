/**
 * The settings of one node: Kafka's names, read from properties, checked before anything starts.
 */
import type { NodeId } from '../base/ids';
import { invariant } from '../base/invariant';
import type { ConfigType, ConfigValue } from '../metadata/config-values';
import { isConfigProblem, readConfig } from '../metadata/configs';
import {
  BROKER_SETTINGS,
  type BrokerSetting,
  type BrokerSettingName,
  type BrokerSettingOf,
} from './settings-table';
import { StartError } from './start-error';

export type Role = 'broker' | 'controller';
/** As `server.properties` gives them: name and text. */
export type Properties = ReadonlyMap<string, string>;

/** A value as its type is read; `long` as a bigint, since some defaults lie above 2^53. */
type Read<T extends ConfigType> = T extends 'boolean'
  ? boolean
  : T extends 'int' | 'short' | 'double'
    ? number
    : T extends 'long'
      ? bigint
      : T extends 'list'
        ? readonly string[]
        : string;

/** The value of a setting; null only where it has no default and need not be given. */
export type ValueOf<N extends BrokerSettingName> =
  | Read<BrokerSettingOf<N>['type']>
  | (null extends BrokerSettingOf<N>['default']
      ? N extends 'node.id' | 'process.roles' | 'controller.listener.names'
        ? never
        : null
      : never);

const TABLE: ReadonlyMap<string, BrokerSetting> = new Map(
  BROKER_SETTINGS.map((setting) => [setting.name, setting]),
);
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
  readonly #values = new Map<string, ConfigValue>();

  /** Throws StartError for a missing or wrong value of a setting in force. */
  constructor(given: Properties) {
    const properties = withNodeId(given);
    this.given = properties;
    const names = [...properties.keys()];
    this.unknownNames = names.filter((name) => !isKnown(name));
    this.namesWithoutEffect = names.filter((name) => isKnown(name) && !isInForce(name));
    for (const setting of TABLE.values()) this.#values.set(setting.name, this.#read(setting));
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

  /**
   * Milliseconds, bytes or counts of type long as a number; "never" (2^53 and more) is Infinity.
   */
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

  #read(setting: BrokerSetting): ConfigValue {
    const { name, isRequired } = setting;
    const text = this.given.get(name);
    if (text === undefined && isRequired === true) {
      throw new StartError(`${name} is not set: give it in the properties file or with --set.`);
    }
    return text !== undefined && isInForce(name) ? readGiven(setting, text) : readDefault(setting);
  }
}

/** `broker.id` is the old name of `node.id`, under which it may still be given. */
function withNodeId(properties: Properties): Properties {
  const nodeId = properties.get('node.id');
  const brokerId = properties.get('broker.id');
  if (brokerId === undefined) return properties;
  if (nodeId === undefined) return new Map([...properties, ['node.id', brokerId]]);
  if (nodeId.trim() === brokerId.trim()) return properties;
  throw new StartError(
    `node.id is ${nodeId} and broker.id, its old name, is ${brokerId}: give node.id alone.`,
  );
}

function readGiven(setting: BrokerSetting, text: string): ConfigValue {
  const read = readConfig({ documentation: '', ...setting }, text);
  if (!isConfigProblem(read)) return read;
  const hint = setting.default === null ? '' : ` The default is ${setting.default}.`;
  throw new StartError(`${read.message}.${hint}`);
}

function readDefault(setting: BrokerSetting): ConfigValue {
  if (setting.default === null) return null;
  const read = readConfig({ documentation: '', ...setting }, setting.default);
  invariant(!isConfigProblem(read), `the default of ${setting.name} is not valid`);
  return read;
}

/** Whether Kafka knows a setting of that name. */
function isKnown(name: string): boolean {
  return TABLE.has(name) || OPEN_PREFIXES.some((open) => name.startsWith(open));
}

function isInForce(name: string): boolean {
  return TABLE.get(name)?.documentation !== undefined;
}

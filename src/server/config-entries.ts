/** Settings as DescribeConfigs shows them: value, where it comes from, what else would apply. */
import type { Overrides } from '../metadata/config-resources';
import {
  CONFIG_TYPES,
  type ConfigType,
  configText,
  parseConfigValue,
} from '../metadata/config-values';
import { type ConfigDefinition, type ConfigTable, defaultText } from '../metadata/configs';
import {
  CONFIG_SOURCES,
  type ConfigSource,
  effectiveTopicConfig,
} from '../metadata/effective-configs';
import type { Image } from '../metadata/image';
import { TOPIC_CONFIGS } from '../metadata/topic-configs';
import type { BrokerConfigDefinition, BrokerConfigs } from './services';

export interface ConfigEntry {
  readonly name: string;
  /** Null for a secret, and where there is no value. */
  readonly value: string | null;
  readonly readOnly: boolean;
  readonly configSource: number;
  readonly isSensitive: boolean;
  readonly synonyms: readonly ConfigSynonym[];
  readonly configType: number;
  readonly documentation: string | null;
}

interface ConfigSynonym {
  readonly name: string;
  readonly value: string | null;
  readonly source: number;
}

/** The layers of one broker's settings. */
export class BrokerLayers {
  private readonly byName: ReadonlyMap<string, BrokerConfigDefinition>;

  constructor(
    private readonly configs: BrokerConfigs,
    private readonly image: Image,
    private readonly nodeId: number,
  ) {
    this.byName = new Map(configs.definitions.map((each) => [each.name, each]));
  }

  get own(): Overrides {
    return this.image.configOf({ type: 'broker', name: String(this.nodeId) });
  }

  get cluster(): Overrides {
    return this.image.configOf({ type: 'broker', name: '' });
  }

  get given(): Overrides {
    return this.configs.given;
  }

  definition(name: string): BrokerConfigDefinition | undefined {
    return this.byName.get(name);
  }

  /** The text in force on this broker, default included. */
  text(name: string): string | null {
    return this.synonymsOf([name])[0]?.value ?? null;
  }

  /** Every layer that has a value under one of the names, the one in force first. */
  synonymsOf(names: readonly string[]): readonly ConfigSynonym[] {
    const found: ConfigSynonym[] = [];
    const look = (
      layer: (name: string) => string | null | undefined,
      source: ConfigSource,
    ): void => {
      for (const name of names) {
        const value = layer(name);
        if (value === undefined || value === null) continue;
        found.push({ name, value, source: CONFIG_SOURCES[source] });
      }
    };
    look((name) => this.own.get(name), 'broker');
    look((name) => this.cluster.get(name), 'clusterDefault');
    look((name) => this.givenText(name), 'staticBroker');
    look((name) => this.defaultText(name), 'default');
    // Kafka shows nothing before the name itself has a value.
    const first = found.findIndex(({ name }) => name === names[0]);
    return first < 0 ? [] : found.slice(first);
  }

  /** The old name of node.id counts as given with it. */
  private givenText(name: string): string | undefined {
    return this.given.get(name) ?? (name === 'broker.id' ? this.given.get('node.id') : undefined);
  }

  private defaultText(name: string): string | null {
    const definition = this.byName.get(name);
    return definition === undefined ? null : defaultText({ documentation: '', ...definition });
  }
}

/** All settings of a topic that has these of its own. */
export function topicEntries(
  own: Overrides,
  layers: BrokerLayers,
  withDocumentation: boolean,
): readonly ConfigEntry[] {
  const all = { topic: own, broker: layers.own, cluster: layers.cluster, static: layers.given };
  return shown(TOPIC_CONFIGS, own).map((definition) => {
    const value = normal(definition.type, effectiveTopicConfig(definition.name, all).value);
    const names = (definition.synonyms ?? []).map(({ name }) => name);
    const inherited = names.length === 0 ? [] : layers.synonymsOf(names);
    return entryOf(definition, value, own, 'topic', inherited, withDocumentation);
  });
}

/** All settings of a group that has these of its own. */
export function groupEntries(
  table: ConfigTable,
  own: Overrides,
  layers: BrokerLayers,
  withDocumentation: boolean,
): readonly ConfigEntry[] {
  return shown(table, own).map((definition) => {
    const [synonym] = definition.synonyms ?? [];
    const byDefault = defaultText(definition);
    const itself = { name: definition.name, value: byDefault, source: CONFIG_SOURCES.default };
    const inherited =
      synonym === undefined
        ? byDefault === null
          ? []
          : [itself]
        : layers.synonymsOf([synonym.name]);
    const usual = inherited[0]?.value ?? byDefault;
    // One assignor of those the broker has: the first, unless the group chose.
    const first = definition.type === 'string' ? (usual?.split(',')[0] ?? null) : usual;
    const value = normal(definition.type, own.get(definition.name) ?? first);
    return entryOf(definition, value, own, 'group', inherited, withDocumentation);
  });
}

/** All settings of a client-metrics subscription. */
export function subscriptionEntries(
  table: ConfigTable,
  own: Overrides,
  withDocumentation: boolean,
): readonly ConfigEntry[] {
  return shown(table, own).map((definition) => {
    const text = own.get(definition.name) ?? defaultText(definition);
    const value = normal(definition.type, text);
    return entryOf(definition, value, own, 'clientMetrics', [], withDocumentation);
  });
}

/** All settings of this broker: what Kafka knows, and what else was given. */
export function brokerEntries(
  configs: BrokerConfigs,
  layers: BrokerLayers,
  withDocumentation: boolean,
): readonly ConfigEntry[] {
  const names = configs.definitions.filter(({ isInternal }) => isInternal !== true);
  const set = [...layers.own.keys(), ...layers.cluster.keys(), ...layers.given.keys()];
  const others = set.filter((name) => !isShown(layers, name));
  return [...names.map(({ name }) => name), ...new Set(others)].map((name) =>
    brokerEntry(name, layers, layers.synonymsOf([name]), withDocumentation),
  );
}

/** Only what was set on all brokers at run time. */
export function clusterDefaultEntries(
  layers: BrokerLayers,
  withDocumentation: boolean,
): readonly ConfigEntry[] {
  const source = CONFIG_SOURCES.clusterDefault;
  return [...layers.cluster].map(([name, value]) =>
    brokerEntry(name, layers, [{ name, value, source }], withDocumentation),
  );
}

const isShown = (layers: BrokerLayers, name: string): boolean => {
  const definition = layers.definition(name);
  return definition !== undefined && definition.isInternal !== true;
};

function brokerEntry(
  name: string,
  layers: BrokerLayers,
  synonyms: readonly ConfigSynonym[],
  withDocumentation: boolean,
): ConfigEntry {
  const definition = layers.definition(name);
  // What it is nobody knows, so it may be a secret.
  const isSensitive = definition === undefined || definition.type === 'password';
  const [first] = synonyms;
  const text = first?.value ?? null;
  const value = definition === undefined ? text : normal(definition.type, text);
  return {
    name,
    value: isSensitive ? null : value,
    readOnly: definition?.update === undefined,
    configSource: first?.source ?? CONFIG_SOURCES.default,
    isSensitive,
    synonyms: isSensitive ? synonyms.map((each) => ({ ...each, value: null })) : synonyms,
    configType: definition === undefined ? 0 : CONFIG_TYPES[definition.type],
    documentation: withDocumentation ? (definition?.documentation ?? null) : null,
  };
}

/** Internal settings are shown only where they were set. */
function shown(table: ConfigTable, own: Overrides): readonly ConfigDefinition[] {
  return table.definitions.filter(({ name, isInternal }) => isInternal !== true || own.has(name));
}

function entryOf(
  definition: ConfigDefinition,
  value: string | null,
  own: Overrides,
  ownSource: ConfigSource,
  inherited: readonly ConfigSynonym[],
  withDocumentation: boolean,
): ConfigEntry {
  const { name, type, documentation } = definition;
  const itself = { name, value, source: CONFIG_SOURCES[ownSource] };
  const synonyms = own.has(name) ? [itself, ...inherited] : inherited;
  return {
    name,
    value,
    readOnly: false,
    configSource: synonyms[0]?.source ?? CONFIG_SOURCES.default,
    isSensitive: false,
    synonyms,
    configType: CONFIG_TYPES[type],
    documentation: withDocumentation ? documentation : null,
  };
}

/** The text as its value reads: a list without blanks, a number without them. */
function normal(type: ConfigType, text: string | null): string | null {
  if (text === null) return null;
  const parsed = parseConfigValue('', type, text);
  return parsed.kind === 'value' ? configText(type, parsed.value) : text;
}

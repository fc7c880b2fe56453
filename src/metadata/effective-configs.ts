/** The value in force of a topic's setting, and which of the layers gives it. */
import type { Overrides } from './config-resources';
import { type ConfigDefinition, defaultText, type Synonym } from './configs';
import { TOPIC_CONFIGS } from './topic-configs';

/** Kafka's numbers of where a value comes from. */
export const CONFIG_SOURCES = {
  topic: 1,
  broker: 2,
  clusterDefault: 3,
  staticBroker: 4,
  default: 5,
  brokerLogger: 6,
  clientMetrics: 7,
  group: 8,
} as const;

export type ConfigSource = keyof typeof CONFIG_SOURCES;

/** Layers in order of precedence; the last is the setting's own default. */
export interface ConfigLayers {
  /** Set on the topic. */
  readonly topic: Overrides;
  /** Set on one broker at run time (or on the controller that decides). */
  readonly broker: Overrides;
  /** Set on all brokers at run time. */
  readonly cluster: Overrides;
  /** Given in the properties of the node. */
  readonly static: Overrides;
}

/** A value and where it comes from, under the name it has there. */
export interface ConfigEntry {
  readonly name: string;
  readonly value: string | null;
  readonly source: ConfigSource;
}

/** Every layer that has a value, the one in force first; never empty. */
export function topicConfigEntries(
  definition: ConfigDefinition,
  layers: ConfigLayers,
): readonly [ConfigEntry, ...ConfigEntry[]] {
  const entries: ConfigEntry[] = [];
  const own = layers.topic.get(definition.name);
  if (own !== undefined) entries.push({ name: definition.name, value: own, source: 'topic' });
  const synonyms = definition.synonyms ?? [];
  entries.push(...layerEntries(synonyms, layers.broker, 'broker'));
  entries.push(...layerEntries(synonyms, layers.cluster, 'clusterDefault'));
  entries.push(...layerEntries(synonyms, layers.static, 'staticBroker'));
  const last: ConfigEntry = {
    name: definition.name,
    value: defaultText(definition),
    source: 'default',
  };
  const [first = last, ...rest] = [...entries, last];
  return [first, ...rest];
}

/** The entry in force of the topic setting of that name. */
export function effectiveTopicConfig(name: string, layers: ConfigLayers): ConfigEntry {
  const definition = TOPIC_CONFIGS.get(name);
  if (definition === undefined) throw new RangeError(`there is no topic setting ${name}`);
  const [entry] = topicConfigEntries(definition, layers);
  return { ...entry, name, value: converted(definition, entry) };
}

/** The value as the topic's setting has it: hours and minutes as milliseconds. */
export function converted(definition: ConfigDefinition, entry: ConfigEntry): string | null {
  if (entry.value === null || entry.name === definition.name) return entry.value;
  const synonym = definition.synonyms?.find(({ name }) => name === entry.name);
  const { factor, hasNoLimitBelowZero } = synonym ?? {};
  if (factor === undefined && hasNoLimitBelowZero === undefined) return entry.value;
  const value = BigInt(entry.value.trim()) * BigInt(factor ?? 1);
  return hasNoLimitBelowZero === true && value < 0n ? '-1' : String(value);
}

/**
 * What a broker's own settings give each topic setting, by the topic's name for it; `brokerValue`
 * reads a broker setting, default included (null = none).
 */
export function topicValuesOfBroker(
  brokerValue: (name: string) => string | null,
): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const definition of TOPIC_CONFIGS.definitions) {
    for (const { name } of definition.synonyms ?? []) {
      const value = brokerValue(name);
      if (value === null) continue;
      const entry: ConfigEntry = { name, value, source: 'staticBroker' };
      values.set(definition.name, converted(definition, entry) ?? value);
      break;
    }
  }
  return values;
}

function layerEntries(
  synonyms: readonly Synonym[],
  layer: Overrides,
  source: ConfigSource,
): readonly ConfigEntry[] {
  const entries: ConfigEntry[] = [];
  for (const { name } of synonyms) {
    const value = layer.get(name);
    if (value !== undefined) entries.push({ name, value, source });
  }
  return entries;
}

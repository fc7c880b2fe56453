/** What a setting can be attached to, and the overrides that the picture holds for it. */

/** Kafka's numbers of the resources that carry settings. */
export const RESOURCE_TYPES = {
  topic: 2,
  broker: 4,
  brokerLogger: 8,
  clientMetrics: 16,
  group: 32,
} as const;

export type ResourceType = keyof typeof RESOURCE_TYPES;

/** A broker resource with an empty name is the default of all brokers. */
export interface ConfigResource {
  readonly type: ResourceType;
  readonly name: string;
}

/** Values that were set on purpose, by setting name. */
export type Overrides = ReadonlyMap<string, string>;

export const NO_OVERRIDES: Overrides = new Map();

/** The text under which a resource is kept. */
export const resourceKey = (resource: ConfigResource): string =>
  `${RESOURCE_TYPES[resource.type]}:${resource.name}`;

export function resourceOfKey(key: string): ConfigResource {
  const colon = key.indexOf(':');
  const type = resourceTypeOf(Number(key.slice(0, colon)));
  if (type === undefined) throw new RangeError(`no resource has the key ${key}`);
  return { type, name: key.slice(colon + 1) };
}

/** The resource of Kafka's number; `undefined` for a number that Kafka does not know. */
export function resourceTypeOf(code: number): ResourceType | undefined {
  for (const [type, known] of Object.entries(RESOURCE_TYPES)) {
    if (known === code) return type as ResourceType;
  }
  return undefined;
}

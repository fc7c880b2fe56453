/** Topics and settings as callers give them. */
import type { Broker } from '../broker/broker';

/** A topic to create before the broker is handed out. */
export interface TopicOptions {
  readonly topic: string;
  /** `num.partitions` where absent. */
  readonly partitions?: number;
  /** Topic settings by Kafka's names. */
  readonly settings?: Readonly<Record<string, string | number | boolean>>;
}

/** Rejects with an Error that says which topic could not be created, and why. */
export async function createTopics(
  node: Broker,
  topics: readonly (string | TopicOptions)[],
): Promise<void> {
  if (topics.length === 0) return;
  await node.createTopics(
    topics.map((entry) => {
      const topic: TopicOptions = typeof entry === 'string' ? { topic: entry } : entry;
      return {
        name: topic.topic,
        partitions: topic.partitions,
        settings: new Map(textEntries(topic.settings)),
      };
    }),
  );
}

/** Settings as the text of a properties file has them. */
export function textEntries(
  settings: Readonly<Record<string, string | number | boolean>> = {},
): [string, string][] {
  return Object.entries(settings).map(([name, value]) => [name, String(value)]);
}

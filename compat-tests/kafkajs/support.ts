/** One broker per file, and stock kafkajs clients whose every warning is kept. */
import {
  type Consumer,
  type EachMessagePayload,
  type ITopicConfig,
  Kafka,
  type KafkaConfig,
  type LogEntry,
  logLevel,
} from 'kafkajs';
import { type RunningBroker, type StartBrokerOptions, startBroker } from '../../src';

process.env.KAFKAJS_NO_PARTITIONER_WARNING = '1';

/** A message as a consumer got it, in texts. */
export interface Got {
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  readonly key: string | null;
  readonly value: string | null;
}

export interface Setup {
  readonly broker: RunningBroker;
  /** Every line that a client logged at WARN or worse, as text. */
  readonly warnings: string[];
  kafka(config?: Partial<KafkaConfig>): Kafka;
  /** Ends what was made here: clients first, then the broker. */
  stop(): Promise<void>;
  /** Has `end` called at `stop`, last first. */
  atStop(end: () => Promise<unknown>): void;
}

/** Starts a broker and hands out clients of it. */
export async function setUp(options: StartBrokerOptions = {}): Promise<Setup> {
  const broker = await startBroker(options);
  const warnings: string[] = [];
  const ends: (() => Promise<unknown>)[] = [];
  return {
    broker,
    warnings,
    kafka: (config = {}) =>
      new Kafka({
        clientId: 'compat',
        brokers: broker.brokers,
        logLevel: logLevel.WARN,
        logCreator: () => (entry: LogEntry) => {
          warnings.push(`${entry.namespace}: ${entry.log.message} ${describe(entry)}`);
        },
        ...config,
      }),
    atStop: (end) => ends.push(end),
    stop: async () => {
      for (const end of ends.reverse()) await end();
      await broker.stop();
    },
  };
}

function describe(entry: LogEntry): string {
  const { message: _message, timestamp: _timestamp, logger: _logger, ...rest } = entry.log;
  return JSON.stringify(rest);
}

/** Those warnings that a healthy broker must never cause. */
export function unexpected(warnings: readonly string[]): string[] {
  return warnings.filter((line) => !line.includes('The group is rebalancing'));
}

/** Runs the consumer and collects what it gets; resolves once `count` messages are there. */
export function collect(consumer: Consumer, count: number, into: Got[] = []): Promise<Got[]> {
  return new Promise((resolve, reject) => {
    const eachMessage = async (payload: EachMessagePayload): Promise<void> => {
      into.push(toGot(payload));
      if (into.length === count) resolve(into);
    };
    consumer.run({ eachMessage }).catch(reject);
    if (count === 0) resolve(into);
  });
}

export function toGot({ topic, partition, message }: EachMessagePayload): Got {
  return {
    topic,
    partition,
    offset: message.offset,
    key: message.key?.toString() ?? null,
    value: message.value?.toString() ?? null,
  };
}

/** Resolves when the consumer is in a group with an assignment. */
export function joined(consumer: Consumer): Promise<Readonly<Record<string, number[]>>> {
  return new Promise((resolve) => {
    const stop = consumer.on(consumer.events.GROUP_JOIN, (event) => {
      stop();
      resolve(event.payload.memberAssignment);
    });
  });
}

let made = 0;
/** A name that no other test of this run uses. */
export const unique = (word: string): string => `${word}-${process.pid}-${made++}`;

export async function createTopic(
  setup: Setup,
  topic: string,
  config: Partial<ITopicConfig> = {},
): Promise<void> {
  const admin = setup.kafka().admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic, ...config }] });
  await admin.disconnect();
}

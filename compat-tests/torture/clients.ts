/** The load: idempotent producers and groups of stock kafkajs. */
import { appendFileSync } from 'node:fs';
import {
  type Consumer,
  Kafka,
  type KafkaConfig,
  type LogEntry,
  logLevel,
  type Producer,
} from 'kafkajs';
import type { GroupLedger, Ledger, Violated } from './ledger';

process.env.KAFKAJS_NO_PARTITIONER_WARNING = '1';

const TOPICS = ['orders', 'payments'] as const;
const PARTITIONS = 4;
const PRODUCERS_A_PARTITION = 2;
/** Members of each group. */
const GROUPS = { billing: 3, audit: 1 } as const;
const LARGEST_SEND = 5;
const KEYS_A_LANE = 3;
const PAUSE_MS = 40;
/** How long a member that crashed waits before it joins again. */
const JOIN_AGAIN_MS = 1_000;
/** An answer is waited for so long before the request is sent again. */
const ANSWER_WITHIN_MS = 5_000;

export interface ClientsOptions {
  readonly brokers: readonly string[];
  readonly ledger: Ledger;
  /** Where the clients' own complaints go. */
  readonly logFile: string;
  readonly violated: Violated;
}

/** Clients that write and read until they are told to end. */
export class Clients {
  readonly #options: ClientsOptions;
  readonly #forProducers: Kafka;
  readonly #forGroups: Kafka;
  readonly #lanes: Lane[] = [];
  readonly #consumers = new Set<Consumer>();
  #isConsumingOver = false;

  constructor(options: ClientsOptions) {
    this.#options = options;
    const retry = { initialRetryTime: 50, maxRetryTime: 1_000 };
    const common: KafkaConfig = {
      clientId: 'torture',
      brokers: [...options.brokers],
      connectionTimeout: 1_000,
      requestTimeout: ANSWER_WITHIN_MS,
      logLevel: logLevel.WARN,
      logCreator: () => (entry) => appendFileSync(options.logFile, lineOf(entry)),
    };
    this.#forProducers = new Kafka({
      ...common,
      retry: { ...retry, retries: Number.MAX_SAFE_INTEGER },
    });
    // A member that tries for ever never asks who coordinates its group now.
    this.#forGroups = new Kafka({
      ...common,
      retry: { ...retry, retries: 5, restartOnFailure: async () => true },
    });
  }

  async start(): Promise<void> {
    process.on('unhandledRejection', (error) => {
      // kafkajs leaves some of its own to nobody when a broker goes while it connects.
      if (!(error instanceof Error) || error.stack?.includes('kafkajs') !== true) throw error;
      appendFileSync(this.#options.logFile, `unhandled: ${error.stack}\n`);
    });
    const admin = this.#forProducers.admin();
    await admin.connect();
    await admin.createTopics({
      topics: TOPICS.map((topic) => ({
        topic,
        numPartitions: PARTITIONS,
        replicationFactor: 3,
        configEntries: [{ name: 'min.insync.replicas', value: '2' }],
      })),
    });
    await admin.disconnect();
    for (const [name, members] of Object.entries(GROUPS)) {
      const ledger = this.#options.ledger.group(name);
      for (let member = 0; member < members; member++) await this.#join(ledger);
    }
    for (const topic of TOPICS) {
      for (let at = 0; at < PARTITIONS * PRODUCERS_A_PARTITION; at++) {
        const options = { ...this.#options, topic, partition: at % PARTITIONS };
        const lane = new Lane(this.#forProducers, { ...options, number: this.#lanes.length });
        await lane.start();
        this.#lanes.push(lane);
      }
    }
  }

  /** The longest that a record waited for its acknowledgement, in milliseconds. */
  get longestWaitMs(): number {
    return Math.max(...this.#lanes.map((lane) => lane.longestWaitMs));
  }

  /** Nothing new is sent; resolves once all that was sent is acknowledged or refused. */
  async endProducing(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.end()));
  }

  /** The groups commit what they saw, and end. */
  async endConsuming(): Promise<void> {
    this.#isConsumingOver = true;
    await Promise.all([...this.#consumers].map((consumer) => consumer.disconnect()));
  }

  async #join(group: GroupLedger): Promise<void> {
    const consumer = this.#forGroups.consumer({
      groupId: group.name,
      sessionTimeout: 10_000,
      rebalanceTimeout: 10_000,
      heartbeatInterval: 1_000,
      maxWaitTimeInMs: 200,
    });
    const { GROUP_JOIN, COMMIT_OFFSETS, CRASH } = consumer.events;
    consumer.on(GROUP_JOIN, () => group.rebalances++);
    consumer.on(COMMIT_OFFSETS, ({ payload }) => {
      for (const { topic, partitions } of payload.topics) {
        for (const { partition, offset } of partitions) {
          group.commit(`${topic}-${partition}`, Number(offset));
        }
      }
    });
    consumer.on(CRASH, ({ payload }) => {
      // As an application would: kafkajs starts again only after what it takes for passing.
      if (!payload.restart) void this.#joinAgain(group, consumer);
    });
    this.#consumers.add(consumer);
    try {
      await consumer.connect();
      await consumer.subscribe({ topics: [...TOPICS], fromBeginning: true });
      await consumer.run({
        autoCommitInterval: 500,
        eachMessage: async ({ topic, partition, message }) => {
          group.see(`${topic}-${partition}`, Number(message.offset), idIn(message.value));
        },
      });
    } catch (error) {
      await this.#leave(consumer);
      throw error;
    }
    if (this.#isConsumingOver) await this.#leave(consumer);
  }

  async #joinAgain(group: GroupLedger, crashed: Consumer): Promise<void> {
    await this.#leave(crashed);
    while (!this.#isConsumingOver) {
      try {
        await this.#join(group);
        return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, JOIN_AGAIN_MS));
      }
    }
  }

  async #leave(consumer: Consumer): Promise<void> {
    this.#consumers.delete(consumer);
    // What crashed may have nobody to take leave of.
    await consumer.disconnect().catch(() => undefined);
  }
}

/** The id in a record's value; NaN if nobody here wrote it. */
export const idIn = (value: Buffer | null): number =>
  value === null ? Number.NaN : Number.parseInt(value.toString('latin1', 0, 12), 10);

interface LaneOptions extends ClientsOptions {
  readonly topic: string;
  readonly partition: number;
  readonly number: number;
}

/**
 * A producer of one partition, one send after another. Sends to several partitions at once, and
 * several at once, are sent again wrongly by kafkajs 2.2.4 when leaders move meanwhile.
 */
class Lane {
  readonly #kafka: Kafka;
  readonly #options: LaneOptions;
  #producer: Producer | undefined;
  #running: Promise<void> = Promise.resolve();
  #isOver = false;
  #waitingSinceMs: number | undefined;
  #longestWaitMs = 0;

  constructor(kafka: Kafka, options: LaneOptions) {
    this.#kafka = kafka;
    this.#options = options;
  }

  get longestWaitMs(): number {
    const since = this.#waitingSinceMs;
    return since === undefined
      ? this.#longestWaitMs
      : Math.max(this.#longestWaitMs, Date.now() - since);
  }

  async start(): Promise<void> {
    await this.#connect();
    this.#running = this.#run();
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#running;
    await this.#producer?.disconnect();
  }

  async #run(): Promise<void> {
    for (let count = 1; !this.#isOver; count = (count % LARGEST_SEND) + 1) {
      await this.#send(this.#producer ?? (await this.#connect()), count);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  async #connect(): Promise<Producer> {
    const producer = this.#kafka.producer({ idempotent: true });
    await producer.connect();
    this.#producer = producer;
    return producer;
  }

  async #send(producer: Producer, count: number): Promise<void> {
    const { ledger, topic, partition, number } = this.#options;
    const ids = Array.from({ length: count }, () => ledger.send(number, `${topic}-${partition}`));
    const messages = ids.map((id) => ({
      partition,
      key: `${number}-${id % KEYS_A_LANE}`,
      value: `${id}`.padEnd(id % 10 === 0 ? 2_000 : 100),
    }));
    this.#waitingSinceMs = Date.now();
    try {
      const answers = await producer.send({ topic, acks: -1, timeout: ANSWER_WITHIN_MS, messages });
      // kafkajs may mistake one broker for another, and resolve without having sent anything.
      const [answer] = answers.filter((each) => each !== null);
      if (answer === undefined) throw new Error('nothing was sent');
      const first = Number(answer.baseOffset);
      for (const [index, id] of ids.entries()) ledger.acknowledge(id, first + index);
    } catch (error) {
      for (const id of ids) ledger.giveUp(id);
      this.#failed(producer, error);
    }
    this.#longestWaitMs = this.longestWaitMs;
    this.#waitingSinceMs = undefined;
  }

  /** What kafkajs gave up may be there or not; its count of sequences says nothing any more. */
  #failed(producer: Producer, error: unknown): void {
    const { topic, partition, violated } = this.#options;
    const { name, cause, message } = error as Error & { readonly cause?: Error };
    if ([name, cause?.name].includes('KafkaJSProtocolError')) {
      violated(`${topic}-${partition} was refused: ${message}`);
    }
    this.#producer = undefined;
    producer.disconnect().catch(() => undefined);
  }
}

const lineOf = ({ namespace, label, log }: LogEntry): string =>
  `${log.timestamp} ${label} ${namespace} ${log.message} ${JSON.stringify({
    ...log,
    timestamp: undefined,
    message: undefined,
    stack: undefined,
  })}\n`;

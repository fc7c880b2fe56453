/** Gives a client its input: single records at a steady pace, and what was acknowledged of them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kafka, Producer } from 'kafkajs';

const KEYS = 64;
/** A client that falls behind by more is not given more. */
const MOST_AHEAD = 3_000;

export interface FeedOptions {
  readonly kafka: Kafka;
  readonly topic: string;
  readonly partitions: number;
  /** Records a second. */
  readonly rate: number;
  readonly pick: (bound: number) => number;
  /** How many records came out again. */
  readonly done: () => number;
}

export class Feed {
  /** The value at each acknowledged `partition:offset`. */
  readonly acknowledged = new Map<string, string>();
  readonly #options: FeedOptions;
  #producer: Producer | undefined;
  #sent = 0;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /** Resolves some time after `over`. */
  async run(over: AbortSignal): Promise<void> {
    const { rate, pick, done } = this.#options;
    let atMs = Date.now();
    while (!over.aborted) {
      const count = Math.min(Math.floor(((Date.now() - atMs) * rate) / 1_000), 20 + pick(30));
      if (count === 0 || this.#sent - done() > MOST_AHEAD) await sleep(50);
      else {
        atMs = Date.now();
        await this.#send(count);
      }
    }
    await this.#producer?.disconnect();
  }

  /** To one partition, so that one broker alone answers for it. */
  async #send(count: number): Promise<void> {
    const { kafka, topic, partitions, pick } = this.#options;
    const partition = pick(partitions);
    const messages = Array.from({ length: count }, (_, at) => {
      return { partition, key: `${pick(KEYS)}`, value: `${this.#sent + at}` };
    });
    this.#sent += count;
    try {
      this.#producer ??= await connected(kafka);
      const [answer] = await this.#producer.send({ topic, acks: -1, messages });
      const base = Number(answer?.baseOffset);
      messages.forEach(({ value }, at) => {
        this.acknowledged.set(`${partition}:${base + at}`, value);
      });
    } catch {
      // Whether it was written is not known: the topic itself says what the input is.
      const producer = this.#producer;
      this.#producer = undefined;
      await producer?.disconnect();
    }
  }
}

async function connected(kafka: Kafka): Promise<Producer> {
  const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1 });
  await producer.connect();
  return producer;
}

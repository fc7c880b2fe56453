/** What read_committed gives of a topic, by offset, however often it is given. */
import type { Consumer, Kafka } from 'kafkajs';

export const END = 'end';

export class Reader {
  /** By partition: the value at each offset. */
  readonly values: readonly Map<number, string>[];
  /** Offsets that were given twice with different values. */
  readonly changed: string[] = [];
  readonly #consumer: Consumer;
  readonly #topic: string;
  readonly #ended = new Set<number>();
  #onEnd: () => void = () => undefined;

  constructor(kafka: Kafka, topic: string, partitions: number, groupId: string) {
    this.values = Array.from({ length: partitions }, () => new Map());
    this.#topic = topic;
    this.#consumer = kafka.consumer({ groupId, maxWaitTimeInMs: 300, sessionTimeout: 10_000 });
  }

  get count(): number {
    return this.values.reduce((sum, { size }) => sum + size, 0);
  }

  async start(): Promise<void> {
    await this.#consumer.connect();
    await this.#consumer.subscribe({ topic: this.#topic, fromBeginning: true });
    await this.#consumer.run({
      autoCommit: false,
      eachBatch: async ({ batch: { partition, messages } }) => {
        for (const { offset, value } of messages) this.#note(partition, Number(offset), `${value}`);
      },
    });
  }

  #note(partition: number, offset: number, value: string): void {
    if (value === END) {
      this.#ended.add(partition);
      this.#onEnd();
      return;
    }
    const values = this.values[partition] as Map<number, string>;
    const before = values.get(offset);
    if (before !== undefined && before !== value) {
      this.changed.push(`${this.#topic}-${partition} at ${offset}: ${before}, then ${value}`);
    }
    values.set(offset, value);
  }

  /** Whether the last record of every partition was given within that time. */
  async hasEnded(timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), timeoutMs);
      this.#onEnd = () => {
        if (this.#ended.size < this.values.length) return;
        clearTimeout(timer);
        resolve(true);
      };
      this.#onEnd();
    });
  }

  stop(): Promise<void> {
    return this.#consumer.disconnect();
  }
}

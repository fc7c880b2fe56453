/**
 * Producers that write one record after another to one partition, idempotent and acknowledged by
 * all replicas, and know how long each record waited.
 */
import { Kafka, logLevel } from 'kafkajs';
import { ChannelError } from '../src/client/channel';
import { InitProducerId } from '../src/protocol/apis/init-producer-id';
import { Metadata } from '../src/protocol/apis/metadata';
import { Produce } from '../src/protocol/apis/produce';
import { Errors, errorName } from '../src/protocol/errors';
import { buildBatch } from '../src/protocol/records/builder';
import { TOPIC } from './failover-admin';
import { WireClient } from './wire-client';

/** One record: from its first attempt to its acknowledgement, however often it was sent. */
export interface Write {
  readonly beganAtMs: number;
  readonly endedAtMs: number;
}

export const lengthMs = ({ beganAtMs, endedAtMs }: Write): number => endedAtMs - beganAtMs;

/** One way to write; resolves once the record is acknowledged. */
interface Way {
  write(): Promise<void>;
  close(): Promise<void>;
}

export class Writer {
  readonly #way: Way;
  readonly #waiting = new Set<(write: Write) => void>();
  #longest: Write = { beganAtMs: 0, endedAtMs: 0 };
  #count = 0;
  #isOver = false;
  #running: Promise<void> = Promise.resolve();
  #failed: (error: unknown) => void = () => undefined;
  /** Rejects if a write failed for good. */
  readonly #failure = new Promise<never>((_, reject) => {
    this.#failed = reject;
  });

  constructor(way: Way) {
    this.#way = way;
    this.#failure.catch(() => undefined);
  }

  start(): void {
    this.#running = this.#run().catch(this.#failed);
  }

  /** Forgets how long records waited until now. */
  watch(): void {
    this.#longest = { beganAtMs: 0, endedAtMs: 0 };
  }

  /** That which waited longest since `watch`. */
  get longest(): Write {
    return this.#longest;
  }

  until(count: number): Promise<void> {
    return this.#when(() => this.#count >= count);
  }

  /** Until a record is acknowledged that is begun from now on. */
  next(): Promise<void> {
    const nowMs = performance.now();
    return this.#when(({ beganAtMs }) => beganAtMs >= nowMs);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
    await this.#way.close();
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      const beganAtMs = performance.now();
      await this.#way.write();
      const write = { beganAtMs, endedAtMs: performance.now() };
      this.#count += 1;
      if (lengthMs(write) > lengthMs(this.#longest)) this.#longest = write;
      for (const look of [...this.#waiting]) look(write);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  #when(isTrue: (write: Write) => boolean): Promise<void> {
    const come = new Promise<void>((resolve) => {
      const look = (write: Write): void => {
        if (!isTrue(write)) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
    });
    return Promise.race([come, this.#failure]);
  }
}

/** Between two records: what is measured is waiting, not throughput. */
const PAUSE_MS = 2;
/** Between two looks for a leader. */
const LOOK_MS = 5;
/** A node that does not answer is asked no longer: it may hang. */
const REQUEST_TIMEOUT_MS = 500;
const PRODUCE_TIMEOUT_MS = 30_000;

/** Errors that pass by themselves, after which the leader is looked for again. */
const PASSING: ReadonlySet<number> = new Set([
  Errors.NOT_LEADER_OR_FOLLOWER,
  Errors.UNKNOWN_TOPIC_OR_PARTITION,
  Errors.UNKNOWN_TOPIC_ID,
  Errors.LEADER_NOT_AVAILABLE,
  Errors.NOT_ENOUGH_REPLICAS,
  Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
  Errors.REQUEST_TIMED_OUT,
]);

/** Tries again at once, and looks for the leader wherever it is answered. */
export async function wireWriter(ports: readonly number[], partition: number): Promise<Writer> {
  const client = new WireClient(ports, REQUEST_TIMEOUT_MS);
  const producer = await identity(client);
  const way = new WireWay(client, partition, producer);
  return new Writer(way);
}

async function identity(client: WireClient) {
  for (;;) {
    try {
      const body = { transactionalId: null, transactionTimeoutMs: 60_000 };
      const answer = await client.askAny(InitProducerId, body);
      if (answer.errorCode === Errors.NONE) return answer;
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

class WireWay implements Way {
  readonly #client: WireClient;
  readonly #partition: number;
  readonly #producer: { readonly producerId: number; readonly producerEpoch: number };
  #sequence = 0;
  #nextOffset: bigint | undefined;
  #leader: { readonly port: number; readonly topicId: string } | undefined;

  constructor(
    client: WireClient,
    partition: number,
    producer: { readonly producerId: number; readonly producerEpoch: number },
  ) {
    this.#client = client;
    this.#partition = partition;
    this.#producer = producer;
  }

  async write(): Promise<void> {
    const { producerId, producerEpoch } = this.#producer;
    const records = buildBatch([{ timestamp: Date.now(), value: 'a record' }], {
      producerId,
      producerEpoch,
      baseSequence: this.#sequence,
    });
    while (!(await this.#try(records))) {
      // The leader is looked for again.
    }
    this.#sequence += 1;
  }

  async close(): Promise<void> {
    this.#client.close();
  }

  async #try(records: Buffer): Promise<boolean> {
    try {
      this.#leader ??= await this.#findLeader();
      const { port, topicId } = this.#leader;
      const { responses } = await this.#client.ask(port, Produce, {
        transactionalId: null,
        acks: -1,
        timeoutMs: PRODUCE_TIMEOUT_MS,
        topicData: [{ name: TOPIC, topicId, partitionData: [{ index: this.#partition, records }] }],
      });
      const answer = responses[0]?.partitionResponses[0];
      if (answer === undefined) throw new Error('Produce was answered without the partition');
      if (answer.errorCode === Errors.NONE) {
        this.#check(BigInt(answer.baseOffset));
        return true;
      }
      if (!PASSING.has(answer.errorCode)) {
        throw new Error(`Produce got ${errorName(answer.errorCode)}`);
      }
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error;
    }
    this.#leader = undefined;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    return false;
  }

  /** Nobody else writes here while this producer does: each record follows the one before. */
  #check(offset: bigint): void {
    const expected = this.#nextOffset ?? offset;
    if (offset !== expected) {
      throw new Error(`a record got offset ${offset} where ${expected} is next`);
    }
    this.#nextOffset = offset + 1n;
  }

  async #findLeader(): Promise<{ readonly port: number; readonly topicId: string }> {
    const { brokers, topics } = await this.#client.askAny(Metadata, { topics: [{ name: TOPIC }] });
    const topic = topics[0];
    const partition = topic?.partitions.find((one) => one.partitionIndex === this.#partition);
    const leader = brokers.find(({ nodeId }) => nodeId === partition?.leaderId);
    if (leader === undefined || topic === undefined) throw new NoLeader();
    return { port: leader.port, topicId: topic.topicId };
  }
}

class NoLeader extends ChannelError {
  constructor() {
    super('unreachable', 'no leader is known');
  }
}

/** Stock kafkajs with its default settings, retries included. */
export async function kafkajsWriter(ports: readonly number[], partition: number): Promise<Writer> {
  const brokers = ports.map((port) => `localhost:${port}`);
  const kafka = new Kafka({ brokers, logLevel: logLevel.NOTHING });
  const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1 });
  await producer.connect();
  return new Writer({
    write: async () => {
      const messages = [{ partition, value: 'a record' }];
      await producer.send({ topic: TOPIC, acks: -1, messages });
    },
    close: () => producer.disconnect(),
  });
}

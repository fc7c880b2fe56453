/**
 * A simulated producer: one partition after another by chance, a few batches on their way. It ends
 * once what it has begun is acknowledged.
 */
import type { Platform } from '../../../src/platform/platform';
import { InitProducerId, Produce } from '../../../src/protocol/apis';
import { Errors } from '../../../src/protocol/errors';
import type { CompressionType } from '../../../src/protocol/records/batch';
import { buildBatch } from '../../../src/protocol/records/builder';
import { type History, makeValue, shortValue } from '../world/history';
import { FinishingClient } from './client';
import { type ClusterView, expectNone } from './cluster-view';
import { deliver, OutOfOrder } from './delivery';

export interface ProducerPlan {
  readonly name: string;
  readonly topic: string;
  readonly partitions: number;
  readonly isIdempotent: boolean;
  /** Batches of one partition that may be unanswered together. */
  readonly maxInFlight: number;
  readonly maxRecordsPerBatch: number;
  readonly maxPadding: number;
  readonly maxPauseMs: number;
  readonly compression: CompressionType;
}

interface Batch {
  readonly partition: number;
  readonly baseSequence: number;
  readonly values: readonly string[];
  readonly bytes: Buffer;
}

const PRODUCE_VERSION = 9;
const ACKS_ALL = -1;

export class SimulatedProducer extends FinishingClient {
  readonly #platform: Platform;
  readonly #cluster: ClusterView;
  readonly #history: History;
  readonly #plan: ProducerPlan;
  readonly #sequences = new Map<number, number>();
  #identity: { readonly producerId: number; readonly producerEpoch: number } | undefined;
  #sent = 0;

  constructor(platform: Platform, cluster: ClusterView, history: History, plan: ProducerPlan) {
    super();
    this.#platform = platform;
    this.#cluster = cluster;
    this.#history = history;
    this.#plan = plan;
    if (plan.isIdempotent) history.promiseOnce(plan.name);
  }

  /** Produces until told to finish. Rejects if something happens that must not. */
  async run(): Promise<void> {
    const { random, clock } = this.#platform;
    if (this.#plan.isIdempotent) await this.#identify();
    while (!this.isFinishing) {
      const partition = random.below(this.#plan.partitions);
      const batches = Array.from({ length: 1 + random.below(this.#plan.maxInFlight) }, () =>
        this.#makeBatch(partition),
      );
      await this.#deliver(batches);
      await clock.sleep(random.below(this.#plan.maxPauseMs));
    }
    this.rest();
  }

  async #identify(): Promise<void> {
    this.#identity = await this.#cluster.persist(async () => {
      const channel = await this.#cluster.any();
      const body = { transactionalId: null, transactionTimeoutMs: 60_000 };
      const answer = await channel.request(InitProducerId, 4, body);
      expectNone(answer.errorCode, 'InitProducerId');
      this.#history.producerIdGiven(answer.producerId, answer.producerEpoch);
      return answer;
    });
  }

  #makeBatch(partition: number): Batch {
    const { name, maxRecordsPerBatch, maxPadding, compression } = this.#plan;
    const { random, clock } = this.#platform;
    const timestamp = clock.wallMs();
    const values = Array.from({ length: 1 + random.below(maxRecordsPerBatch) }, () => {
      this.#sent += 1;
      return makeValue(name, this.#sent, random.below(maxPadding + 1));
    });
    const baseSequence = this.#sequences.get(partition) ?? 0;
    this.#sequences.set(partition, baseSequence + values.length);
    const producer = this.#identity === undefined ? {} : { ...this.#identity, baseSequence };
    const records = values.map((value) => ({ timestamp, value }));
    const bytes = buildBatch(records, { ...producer, compression });
    return { partition, baseSequence, values, bytes };
  }

  async #deliver(batches: readonly Batch[]): Promise<void> {
    const { topic } = this.#plan;
    const { partition } = batches[0] as Batch;
    await deliver(this.#cluster, { topic, partition }, batches, async (channel, batch) => {
      const answer = await channel.request(Produce, PRODUCE_VERSION, {
        acks: ACKS_ALL,
        timeoutMs: 5000,
        topicData: [{ name: topic, partitionData: [{ index: partition, records: batch.bytes }] }],
      });
      const result = answer.responses[0]?.partitionResponses[0];
      if (result === undefined) throw new Error('Produce was answered without the partition');
      this.#take(batch, result.errorCode, result.baseOffset);
    });
  }

  #take(batch: Batch, errorCode: number, baseOffset: number): void {
    // Once the five remembered batches have moved on, a repeated one is only known to be there.
    if (errorCode === Errors.DUPLICATE_SEQUENCE_NUMBER && this.#plan.isIdempotent) return;
    if (errorCode === Errors.OUT_OF_ORDER_SEQUENCE_NUMBER) {
      throw new OutOfOrder(`${this.#plan.name} got OUT_OF_ORDER_SEQUENCE_NUMBER`);
    }
    expectNone(errorCode, 'Produce');
    batch.values.forEach((value, index) => {
      this.#history.acknowledged(
        `${this.#plan.topic}-${batch.partition}`,
        baseOffset + index,
        shortValue(value),
      );
    });
  }
}

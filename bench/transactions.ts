/**
 * Producers that write one transaction after another as Kafka's client 4.4 does: at
 * `transaction.version` 2, so that partitions join a transaction by being written to and every end
 * brings a new epoch (KIP-890); batches of `batch.size`, each to the next partition, one
 * on its way to each.
 */
import { EndTxn } from '../src/protocol/apis/end-txn';
import { FindCoordinator } from '../src/protocol/apis/find-coordinator';
import { InitProducerId } from '../src/protocol/apis/init-producer-id';
import { Metadata } from '../src/protocol/apis/metadata';
import { Produce } from '../src/protocol/apis/produce';
import { Errors, errorName } from '../src/protocol/errors';
import { recordCount, setCrc } from '../src/protocol/records/batch';
import { buildBatch } from '../src/protocol/records/builder';
import { type JobReport, percentiles, type TransactionJob } from './job';
import { WireClient } from './wire-client';

const TRANSACTIONAL_ID_KEY = 1;
const TIMEOUT_MS = 30_000;
/** The client waits so long before it asks again while the transaction before is being ended. */
const BACKOFF_MS = 20;
/** Within a batch. */
const PRODUCER_ID_AT = 43;
const PRODUCER_EPOCH_AT = 51;
const BASE_SEQUENCE_AT = 53;
const AGAIN: readonly number[] = [
  Errors.CONCURRENT_TRANSACTIONS,
  Errors.COORDINATOR_LOAD_IN_PROGRESS,
  Errors.COORDINATOR_NOT_AVAILABLE,
  Errors.NOT_COORDINATOR,
];

/** A request of the report is a transaction. */
export async function runTransactions(job: TransactionJob): Promise<JobReport> {
  const batches = plan(job);
  const producers = Array.from(
    { length: job.producers },
    (_, at) => new Producer(job, batches, at),
  );
  const samples: number[] = [];
  const errors: Record<string, number> = {};
  let startedAt = performance.now();
  try {
    for (const producer of producers) await producer.init();
    startedAt = performance.now();
    const endsAt = startedAt + job.seconds * 1000;
    await Promise.all(producers.map((producer) => transactUntil(endsAt, producer, samples)));
  } catch (error) {
    errors[error instanceof Error ? error.message : String(error)] = 1;
  }
  const seconds = (performance.now() - startedAt) / 1000;
  for (const producer of producers) producer.close();
  const latency = percentiles(Float64Array.from(samples));
  return { requests: samples.length, receivedBytes: 0, seconds, latency, errors };
}

async function transactUntil(endsAt: number, producer: Producer, samples: number[]): Promise<void> {
  for (let from = performance.now(); from < endsAt; ) {
    await producer.transact();
    const now = performance.now();
    samples.push(now - from);
    from = now;
  }
}

/** The batches of a transaction, but for what tells producer and sequence. */
function plan({ records, recordBytes, batchBytes }: TransactionJob): Buffer[] {
  const value = Buffer.alloc(recordBytes, 'ottla measures bytes and not words. ');
  const perBatch = Math.max(1, Math.floor((batchBytes - 61) / (recordBytes + 12)));
  const timestamp = Date.now();
  const batches: Buffer[] = [];
  for (let left = records; left > 0; left -= perBatch) {
    const length = Math.min(left, perBatch);
    batches.push(
      buildBatch(
        Array.from({ length }, () => ({ timestamp, value })),
        { producerId: 0, producerEpoch: 0, baseSequence: 0, isTransactional: true },
      ),
    );
  }
  return batches;
}

class Producer {
  readonly #job: TransactionJob;
  readonly #batches: readonly Buffer[];
  readonly #client: WireClient;
  readonly #transactionalId: string;
  #coordinatorPort = 0;
  #topicId = '';
  #producerId = -1;
  #producerEpoch = -1;
  #nextPartition: number;
  readonly #sequences: number[];

  constructor(job: TransactionJob, batches: readonly Buffer[], at: number) {
    this.#job = job;
    this.#batches = batches;
    this.#client = new WireClient([job.port], TIMEOUT_MS);
    this.#transactionalId = `${job.topic}-${at}`;
    this.#nextPartition = at;
    this.#sequences = Array.from({ length: job.partitions }, () => 0);
  }

  async init(): Promise<void> {
    const { port, topic } = this.#job;
    const { topicId } = await insist(async () => {
      const answer = await this.#client.ask(port, Metadata, { topics: [{ name: topic }] });
      return answer.topics[0] ?? { errorCode: Errors.UNKNOWN_TOPIC_OR_PARTITION, topicId: '' };
    });
    this.#topicId = topicId;
    const found = await insist(async () => {
      const keys = { keyType: TRANSACTIONAL_ID_KEY, coordinatorKeys: [this.#transactionalId] };
      const answer = await this.#client.ask(port, FindCoordinator, keys);
      return answer.coordinators[0] ?? { errorCode: Errors.COORDINATOR_NOT_AVAILABLE, port: 0 };
    });
    this.#coordinatorPort = found.port;
    const { producerId, producerEpoch } = await insist(() =>
      this.#client.ask(this.#coordinatorPort, InitProducerId, {
        transactionalId: this.#transactionalId,
        transactionTimeoutMs: 60_000,
      }),
    );
    this.#begin(producerId, producerEpoch);
  }

  /** Writes and commits one. */
  async transact(): Promise<void> {
    const last: Promise<void>[] = [];
    for (const batch of this.#batches) {
      const partition = this.#nextPartition++ % this.#job.partitions;
      const before = last[partition];
      if (before !== undefined) await before;
      last[partition] = this.#write(partition, batch);
    }
    await Promise.all(last);
    const { producerId, producerEpoch } = await insist(() =>
      this.#client.ask(this.#coordinatorPort, EndTxn, {
        transactionalId: this.#transactionalId,
        producerId: BigInt(this.#producerId),
        producerEpoch: this.#producerEpoch,
        committed: true,
      }),
    );
    this.#begin(producerId, producerEpoch);
  }

  close(): void {
    this.#client.close();
  }

  #begin(producerId: number, producerEpoch: number): void {
    this.#producerId = producerId;
    this.#producerEpoch = producerEpoch;
    this.#sequences.fill(0);
  }

  async #write(index: number, template: Buffer): Promise<void> {
    const baseSequence = this.#sequences[index] ?? 0;
    this.#sequences[index] = baseSequence + recordCount(template, 0);
    const batch = Buffer.from(template);
    batch.writeBigInt64BE(BigInt(this.#producerId), PRODUCER_ID_AT);
    batch.writeInt16BE(this.#producerEpoch, PRODUCER_EPOCH_AT);
    batch.writeInt32BE(baseSequence, BASE_SEQUENCE_AT);
    setCrc(batch, 0);
    await insist(async () => {
      const { responses } = await this.#client.ask(this.#job.port, Produce, {
        transactionalId: this.#transactionalId,
        acks: -1,
        timeoutMs: TIMEOUT_MS,
        topicData: [{ topicId: this.#topicId, partitionData: [{ index, records: batch }] }],
      });
      const answer = responses[0]?.partitionResponses[0];
      if (answer === undefined) throw new Error('Produce was answered without a partition');
      return answer;
    });
  }
}

/** Asks until there is no error that passes by itself; rejects with any other. */
async function insist<A extends { readonly errorCode: number }>(ask: () => Promise<A>): Promise<A> {
  for (;;) {
    const answer = await ask();
    if (answer.errorCode === Errors.NONE) return answer;
    if (!AGAIN.includes(answer.errorCode)) throw new Error(errorName(answer.errorCode));
    await new Promise((resolve) => setTimeout(resolve, BACKOFF_MS));
  }
}

/**
 * What read_committed gives of a topic, by offset, however often it is given. It drops what is
 * aborted as Kafka's own consumer does; kafkajs lets some of it through, where several aborted
 * transactions begin before the first record of an answer.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ResponseOf } from '../../src/protocol/api';
import { Fetch } from '../../src/protocol/apis/fetch';
import {
  isControl,
  isTransactional,
  lastOffset,
  producerId,
} from '../../src/protocol/records/batch';
import { batchPositions } from '../../src/protocol/records/batches';
import { transactionMarkerOf } from '../../src/protocol/records/control';
import { recordsOf } from '../../src/protocol/records/record';
import type { Element } from '../../src/protocol/schema';
import type { LocalCluster } from '../support/local-cluster';
import { endOffsets, leadersOf } from './rest';

const PAUSE_MS = 500;
const READ_COMMITTED = 1;
const MAX_BYTES = 1 << 20;

type Fetched = Element<Element<ResponseOf<typeof Fetch>['responses']>['partitions']>;

export class Reader {
  /** By partition: the value at each offset. */
  readonly values: readonly Map<number, string>[];
  /** Offsets that were given twice with different values. */
  readonly changed: string[] = [];
  readonly #cluster: LocalCluster;
  readonly #topic: string;
  /** Of the next record, by partition. */
  readonly #positions: number[];
  readonly #over = new AbortController();
  #running: Promise<void> | undefined;

  constructor(cluster: LocalCluster, topic: string, partitions: number) {
    this.#cluster = cluster;
    this.#topic = topic;
    this.values = Array.from({ length: partitions }, () => new Map());
    this.#positions = Array.from({ length: partitions }, () => 0);
  }

  get count(): number {
    return this.values.reduce((sum, { size }) => sum + size, 0);
  }

  /** Reads from the beginning, again and again, whatever becomes of the brokers. */
  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#over.abort();
    await this.#running;
  }

  /** Whether all that is committed now has been read, within that time. */
  async hasCaughtUp(timeoutMs: number): Promise<boolean> {
    const ends = await endOffsets(this.#cluster, this.#topic, 'committed');
    const untilMs = Date.now() + timeoutMs;
    while (this.#positions.some((position, partition) => position < (ends[partition] ?? 0))) {
      if (Date.now() > untilMs) return false;
      await sleep(PAUSE_MS);
    }
    return true;
  }

  async #run(): Promise<void> {
    while (!this.#over.signal.aborted) {
      // A broker that is gone is asked again, or whoever leads by then.
      const isMore = await this.#readOnce().catch(() => false);
      if (!isMore) await sleep(PAUSE_MS);
    }
  }

  /** Whether anything new was there. */
  async #readOnce(): Promise<boolean> {
    const leaders = await leadersOf(this.#cluster, this.#topic);
    const before = this.#positions.reduce((sum, position) => sum + position);
    for (const [partition, leader] of leaders.entries()) {
      const request = {
        ...{ maxWaitMs: 0, minBytes: 0, maxBytes: MAX_BYTES, isolationLevel: READ_COMMITTED },
        topics: [{ topic: this.#topic, partitions: [this.#wanted(partition)] }],
        forgottenTopicsData: [],
      };
      const { responses } = await this.#cluster.ask(Fetch, 11, request, leader);
      const fetched = responses[0]?.partitions[0];
      if (fetched?.errorCode === 0) this.#take(partition, fetched);
    }
    return this.#positions.reduce((sum, position) => sum + position) > before;
  }

  #wanted(partition: number) {
    const fetchOffset = BigInt(this.#positions[partition] ?? 0);
    return { partition, fetchOffset, partitionMaxBytes: MAX_BYTES };
  }

  #take(partition: number, { records, abortedTransactions }: Fetched): void {
    if (records === null) return;
    const toCome = [...(abortedTransactions ?? [])].sort(
      (one, other) => one.firstOffset - other.firstOffset,
    );
    const aborted = new Set<number>();
    for (const position of batchPositions(records)) {
      const producer = producerId(records, position);
      const last = lastOffset(records, position);
      while ((toCome[0]?.firstOffset ?? Number.POSITIVE_INFINITY) <= last) {
        aborted.add(Number(toCome.shift()?.producerId));
      }
      if (isControl(records, position)) {
        if (transactionMarkerOf(records, position)?.type === 'abort') aborted.delete(producer);
      } else if (!isTransactional(records, position) || !aborted.has(producer)) {
        for (const { offset, value } of recordsOf(records, position)) {
          this.#note(partition, offset, `${value}`);
        }
      }
      this.#positions[partition] = last + 1;
    }
  }

  #note(partition: number, offset: number, value: string): void {
    const values = this.values[partition] as Map<number, string>;
    const before = values.get(offset);
    if (before !== undefined && before !== value) {
      this.changed.push(`${this.#topic}-${partition} at ${offset}: ${before}, then ${value}`);
    }
    values.set(offset, value);
  }
}

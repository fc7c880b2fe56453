/** One client under fire: its input and output, its workers, and what befalls them. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kafka } from 'kafkajs';
import { seededNumbers } from '../../test/support/seeded-numbers';
import type { LocalCluster } from '../support/local-cluster';
import type { FireClient, WorkerCommand } from './clients';
import { Feed } from './feed';
import { Reader } from './reader';
import { Slot } from './slot';
import { Worker, type WorkerCounts } from './worker';
import type { WorkerTask } from './workers/task';

export const PARTITIONS = 4;
const TRANSACTION_TIMEOUT_MS = 8_000;
const WORKERS = 2;
const LARGEST = 40;
const ABORT_PERCENT = 8;
const BREATH_TRANSACTIONS = 5;
const BREATH_MS = 30_000;

export interface LoadOptions {
  readonly client: FireClient;
  readonly command: WorkerCommand;
  readonly kafka: Kafka;
  readonly cluster: LocalCluster;
  readonly folder: string;
  readonly rate: number;
  readonly seed: number;
}

export class Load {
  readonly client: FireClient;
  readonly input: string;
  readonly output: string;
  readonly group: string;
  /** Of its transactions: the coordinators of these are killed. */
  readonly transactionalIds: readonly string[];
  readonly counts: WorkerCounts = { committed: 0, records: 0, aborted: 0, fenced: 0, failed: 0 };
  readonly faults = { killed: 0, frozen: 0, replaced: 0 };
  readonly feed: Feed;
  /** Reads the output from the beginning, under fire as all others are. */
  readonly reader: Reader;
  readonly #command: WorkerCommand;
  readonly #folder: string;
  readonly #servers: string;
  readonly #slots: readonly Slot[];
  readonly #pick: (bound: number) => number;

  constructor({ client, command, kafka, cluster, folder, rate, seed }: LoadOptions) {
    const { name } = client;
    this.client = client;
    this.input = `${name}-input`;
    this.output = `${name}-output`;
    this.group = `${name}-group`;
    this.#pick = seededNumbers(`${seed} ${name}`);
    const [topic, partitions] = [this.input, PARTITIONS];
    this.reader = new Reader(cluster, this.output, PARTITIONS);
    const done = () => this.reader.count;
    this.feed = new Feed({ kafka, topic, partitions, rate, pick: this.#pick, done });
    const workers = Array.from({ length: WORKERS }, (_, at) => `${name}-worker-${at}`);
    const perPartition = Array.from({ length: PARTITIONS }, (_, at) => `${this.group}-${at}`);
    this.transactionalIds = [...workers, ...perPartition];
    this.#command = command;
    this.#folder = folder;
    this.#servers = cluster.bootstrapServers;
    this.#slots = workers.map((worker) => {
      const logFile = join(folder, `${worker}.log`);
      return new Slot({
        counts: this.counts,
        logFile,
        command: () => command(this.#task('work', worker)),
      });
    });
  }

  get name(): string {
    return this.client.name;
  }

  /** Starts a consumer of the output, told all that it says. */
  startReading(said: (line: string) => void): Worker {
    const name = `${this.name}-reader`;
    const task = this.#task('read', name);
    const logFile = join(this.#folder, `${name}.log`);
    return new Worker(this.#command({ ...task, group: name }), said, logFile);
  }

  start(): void {
    for (const slot of this.#slots) slot.start();
  }

  /** One worker after another is killed, frozen or replaced; resolves some time after `over`. */
  async harm(over: AbortSignal): Promise<void> {
    const pick = this.#pick;
    for (;;) {
      await this.#breathe(over);
      await sleep(2_000 + pick(6_000), undefined, { signal: over }).catch(() => undefined);
      if (over.aborted) return;
      const slot = this.#slots[pick(this.#slots.length)] as Slot;
      const kind = pick(3);
      if (kind === 0) {
        this.faults.killed++;
        await slot.kill(pick(2_000));
      } else if (kind === 1) {
        this.faults.frozen++;
        await slot.freeze(1_000 + pick(9_000));
      } else {
        this.faults.replaced++;
        await slot.replace(pick(2) * (1_000 + pick(11_000)), 10_000);
      }
    }
  }

  #task(role: WorkerTask['role'], worker: string): WorkerTask {
    return {
      role,
      servers: this.#servers,
      worker,
      group: this.group,
      input: this.input,
      output: this.output,
      partitions: PARTITIONS,
      transactionTimeoutMs: TRANSACTION_TIMEOUT_MS,
      largest: LARGEST,
      abortPercent: ABORT_PERCENT,
      seed: this.#pick(1_000_000),
    };
  }

  /** Until it works again after the fault before, or has had its time. */
  async #breathe(over: AbortSignal): Promise<void> {
    const enough = this.counts.committed + BREATH_TRANSACTIONS;
    const untilMs = Date.now() + BREATH_MS;
    while (this.counts.committed < enough && Date.now() < untilMs && !over.aborted) {
      await sleep(100);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#slots.map((slot) => slot.close()));
  }
}

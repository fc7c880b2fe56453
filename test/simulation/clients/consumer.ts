/**
 * A simulated consumer without a group: reads all partitions of a topic from their beginning, and
 * ends once it has read what is there.
 */
import type { Platform } from '../../../src/platform/platform';
import type { History } from '../world/history';
import { FinishingClient } from './client';
import type { ClusterView } from './cluster-view';
import { endOffset, readFrom } from './reader';

export interface ConsumerPlan {
  readonly topic: string;
  readonly partitions: number;
  readonly maxWaitMs: number;
  readonly maxBytes: number;
}

export class SimulatedConsumer extends FinishingClient {
  readonly #platform: Platform;
  readonly #cluster: ClusterView;
  readonly #history: History;
  readonly #plan: ConsumerPlan;
  readonly #positions: number[];

  constructor(platform: Platform, cluster: ClusterView, history: History, plan: ConsumerPlan) {
    super();
    this.#platform = platform;
    this.#cluster = cluster;
    this.#history = history;
    this.#plan = plan;
    this.#positions = Array.from({ length: plan.partitions }, () => 0);
  }

  async run(): Promise<void> {
    await Promise.all(this.#positions.map((_, partition) => this.#follow(partition)));
    this.rest();
  }

  async #follow(partition: number): Promise<void> {
    const { topic } = this.#plan;
    const name = `${topic}-${partition}`;
    for (;;) {
      const isFinishing = this.isFinishing;
      const records = await this.#cluster.persist(() =>
        readFrom(this.#cluster, topic, partition, this.#positions[partition] ?? 0, this.#plan),
      );
      for (const record of records ?? []) {
        this.#history.read(name, record);
        this.#positions[partition] = record.offset + 1;
      }
      if (records?.length === 0 && isFinishing && (await this.#isAtEnd(partition))) return;
      await this.#platform.clock.sleep(this.#platform.random.below(50));
    }
  }

  async #isAtEnd(partition: number): Promise<boolean> {
    const { topic } = this.#plan;
    const end = await this.#cluster.persist(async () =>
      endOffset(await this.#cluster.leader(topic, partition), topic, partition),
    );
    return end === this.#positions[partition];
  }
}

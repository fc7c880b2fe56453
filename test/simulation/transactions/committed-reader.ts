/**
 * A simulated consumer of committed records: reads the output from its beginning, and ends once
 * everything is decided and read.
 */
import type { Platform } from '../../../src/platform/platform';
import { FinishingClient } from '../clients/client';
import type { ClusterView } from '../clients/cluster-view';
import { endFor, fetchCommitted } from './committed-read';
import { type CommittedReaderPlan, OUTPUT_TOPIC } from './plan';
import type { TransactionHistory } from './transaction-history';

export class CommittedReader extends FinishingClient {
  readonly #platform: Platform;
  readonly #cluster: ClusterView;
  readonly #history: TransactionHistory;
  readonly #plan: CommittedReaderPlan;
  readonly #positions: number[];

  constructor(
    platform: Platform,
    cluster: ClusterView,
    history: TransactionHistory,
    plan: CommittedReaderPlan,
    partitions: number,
  ) {
    super();
    this.#platform = platform;
    this.#cluster = cluster;
    this.#history = history;
    this.#plan = plan;
    this.#positions = Array.from({ length: partitions }, () => 0);
  }

  async run(): Promise<void> {
    await Promise.all(this.#positions.map((_, partition) => this.#follow(partition)));
    this.rest();
  }

  async #follow(partition: number): Promise<void> {
    for (;;) {
      const isFinishing = this.isFinishing;
      const position = this.#positions[partition];
      await this.#cluster.persist(() => this.#read(partition));
      // What is left when all is to come to rest is read without a pause.
      if (isFinishing && this.#positions[partition] !== position) continue;
      if (isFinishing && (await this.#isAtEnd(partition))) return;
      await this.#platform.clock.sleep(this.#platform.random.below(400));
    }
  }

  async #read(partition: number): Promise<void> {
    const name = `${OUTPUT_TOPIC}-${partition}`;
    const channel = await this.#cluster.leader(OUTPUT_TOPIC, partition);
    const epoch = this.#cluster.leaderEpoch(OUTPUT_TOPIC, partition);
    const place = { topic: OUTPUT_TOPIC, partition, leaderEpoch: epoch };
    const position = this.#positions[partition] as number;
    const read = await fetchCommitted(channel, place, position, this.#plan);
    const { lastStableOffset: stable, highWatermark } = read;
    this.#history.stableOffsetTold(name, channel, { epoch, stable, highWatermark });
    for (const record of read.records) this.#history.read(name, record);
    this.#positions[partition] = read.nextOffset;
  }

  /** Even what is not decided yet will be: no transaction hangs. */
  async #isAtEnd(partition: number): Promise<boolean> {
    const place = { topic: OUTPUT_TOPIC, partition };
    const end = await this.#cluster.persist(async () =>
      endFor(await this.#cluster.leader(OUTPUT_TOPIC, partition), place, 'uncommitted'),
    );
    return end === this.#positions[partition];
  }
}

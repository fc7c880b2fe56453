/** The part of a world that is about transactions; nothing where a scenario has none. */
import type { Client, ClientProcess } from '../clients/client';
import type { Place } from '../clients/cluster-view';
import type { History } from '../world/history';
import { CommittedReader } from './committed-reader';
import { FeatureAdmin } from './feature-admin';
import type { TransactionsPlan } from './plan';
import { type TransactionCounts, TransactionHistory } from './transaction-history';
import { SimulatedTransactor } from './transactor';
import { verifyTransactions } from './verify';

export class WorldTransactions {
  readonly #plan: TransactionsPlan | undefined;
  readonly #history: History;
  readonly #start: (name: string) => ClientProcess;
  readonly #failed: (error: unknown) => void;
  readonly #transactions = new TransactionHistory();

  constructor(
    plan: TransactionsPlan | undefined,
    history: History,
    start: (name: string) => ClientProcess,
    failed: (error: unknown) => void,
  ) {
    this.#plan = plan;
    this.#history = history;
    this.#start = start;
    this.#failed = failed;
  }

  get counts(): TransactionCounts {
    return this.#transactions.counts;
  }

  transactors(): readonly Client[] {
    const [start, history, transactions] = [this.#start, this.#history, this.#transactions];
    return (this.#plan?.transactors ?? []).map((plan) => {
      const { platform } = start(plan.name);
      const failed = this.#failed;
      return new SimulatedTransactor({ platform, history, transactions, plan, start, failed });
    });
  }

  readers(): readonly Client[] {
    const { readers = [], output } = this.#plan ?? {};
    return readers.map((plan, index) => {
      const { platform, cluster } = this.#start(`r${index}`);
      const partitions = output?.partitions ?? 0;
      return new CommittedReader(platform, cluster, this.#transactions, plan, partitions);
    });
  }

  admins(): readonly Client[] {
    return (this.#plan?.featurePausesMs ?? []).map((maxPauseMs, index) => {
      const { platform, cluster } = this.#start(`f${index}`);
      return new FeatureAdmin(platform, cluster, maxPauseMs);
    });
  }

  /** Once all clients have come to rest. */
  async verify(nodes: readonly Place[]): Promise<void> {
    if (this.#plan === undefined) return;
    const { cluster } = this.#start('transactions-verifier');
    const [history, transactions, plan] = [this.#history, this.#transactions, this.#plan];
    await verifyTransactions({ cluster, nodes, history, transactions, plan });
  }
}

/**
 * A simulated transactional application: one incarnation after another, each of which crashes, is
 * replaced while it is stopped and goes on later as a zombie, or lives to the end.
 */
import type { Platform } from '../../../src/platform/platform';
import { type ClientProcess, FinishingClient } from '../clients/client';
import type { History } from '../world/history';
import { Incarnation } from './incarnation';
import type { TransactorPlan } from './plan';
import type { TransactionHistory } from './transaction-history';

export interface TransactorOptions {
  readonly platform: Platform;
  readonly history: History;
  readonly transactions: TransactionHistory;
  readonly plan: TransactorPlan;
  readonly start: (name: string) => ClientProcess;
  /** Something happened to a zombie that must not. */
  readonly failed: (error: unknown) => void;
}

interface Running {
  readonly process: ClientProcess;
  readonly incarnation: Incarnation;
  readonly ended: Promise<'done' | 'fenced'>;
}

const LONGEST_STOP_MS = 12_000;
/** More would only turn each other out of their group. */
const MAX_ZOMBIES = 2;

export class SimulatedTransactor extends FinishingClient {
  readonly #options: TransactorOptions;
  readonly #zombies = new Set<Running>();
  #newest: Running | undefined;
  #count = 0;

  constructor(options: TransactorOptions) {
    super();
    this.#options = options;
  }

  /** Lets it end once all input came out; zombies, too, may be the ones that have to see to it. */
  override finish(): void {
    super.finish();
    this.#newest?.incarnation.finish();
    for (const { incarnation } of this.#zombies) incarnation.finish();
  }

  async run(): Promise<void> {
    for (;;) {
      const running = this.#begin();
      const end = await Promise.race([running.ended, this.#lifetime()]);
      if (end === 'fenced') continue;
      if (end === 'over') {
        await this.#replace(running);
        continue;
      }
      if ((await running.ended) === 'done') break;
    }
    await Promise.all([...this.#zombies].map(({ ended }) => ended));
    this.rest();
  }

  #begin(): Running {
    const { history, transactions, plan, start } = this.#options;
    this.#count += 1;
    const number = this.#count;
    const process = start(`${plan.name}.${number}`);
    const { platform, cluster } = process;
    const incarnation = new Incarnation({
      platform,
      cluster,
      history,
      transactions,
      plan,
      number,
    });
    if (this.isFinishing) incarnation.finish();
    this.#newest = { process, incarnation, ended: incarnation.run() };
    return this.#newest;
  }

  async #lifetime(): Promise<'over' | 'finishing'> {
    const { platform, plan } = this.#options;
    await platform.clock.sleep(1 + platform.random.below(2 * plan.meanLifeMs));
    return this.isFinishing ? 'finishing' : 'over';
  }

  /** The next one begins at once, or when this one is missed. */
  async #replace(running: Running): Promise<void> {
    const { clock, random } = this.#options.platform;
    const { machine } = running.process;
    const isMissedAfterMs = random.below(2) === 0 ? 0 : random.below(3000);
    if (random.below(2) === 0 || this.#zombies.size >= MAX_ZOMBIES) {
      machine.crash('process-crash');
    } else {
      this.#zombies.add(running);
      const isOver = (): void => void this.#zombies.delete(running);
      running.ended.then(isOver, (error: unknown) => this.#options.failed(error));
      // Some go on as if nothing were, side by side with their successors.
      const { life } = machine;
      if (random.below(3) > 0) {
        life?.pause();
        clock.setTimer(random.below(LONGEST_STOP_MS), () => life?.resume());
      }
    }
    await clock.sleep(isMissedAfterMs);
  }
}

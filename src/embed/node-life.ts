/**
 * One life of a node in this process, which can end at once or be frozen as a process can: then
 * nothing of it runs, and it is told nothing.
 */
import type { Platform } from '../platform/platform';
import type { Faults } from './faults';
import { lifeClock } from './life-clock';
import { lifeDisk } from './life-disk';
import { LifeNetwork } from './life-network';

export interface LifeListener {
  /** It is frozen, or no longer. */
  frozen?(isFrozen: boolean): void;
  /** It is over: nothing more may come of it. */
  over?(): void;
}

export class NodeLife {
  /** The world as that life sees it. */
  readonly platform: Platform;
  readonly #base: Platform;
  readonly #listeners: LifeListener[] = [];
  #held: (() => void)[] = [];
  #isOver = false;
  #isFrozen = false;

  constructor(base: Platform, nodeId: number, faults: Faults) {
    this.#base = base;
    this.platform = {
      clock: lifeClock(base.clock, this),
      random: base.random,
      disk: lifeDisk(base.disk, this),
      network: new LifeNetwork(base.network, this, faults.of(nodeId)),
      offload: {
        run: async (task, input) => {
          const output = await base.offload.run(task, input);
          await this.#turn();
          return output;
        },
        // Others in the process use it too.
        close: () => Promise.resolve(),
      },
      log: base.log.with({ nodeId }),
    };
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get isFrozen(): boolean {
    return this.#isFrozen;
  }

  listen(listener: LifeListener): void {
    this.#listeners.push(listener);
  }

  /** Does it now; once it is thawed, if it is frozen; never, if it is over. */
  run(action: () => void): void {
    if (this.#isOver) return;
    if (this.#isFrozen) this.#held.push(action);
    else action();
  }

  /** As SIGKILL: files stay as they are, connections break, nobody is told. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#held = [];
    for (const { over } of this.#listeners) over?.();
  }

  /** As SIGSTOP. */
  freeze(): void {
    if (this.#isOver || this.#isFrozen) return;
    this.#isFrozen = true;
    for (const { frozen } of this.#listeners) frozen?.(true);
  }

  /** As SIGCONT: connections are served before timers, as the platform promises. */
  thaw(): void {
    if (this.#isOver || !this.#isFrozen) return;
    this.#isFrozen = false;
    const held = this.#held;
    this.#held = [];
    for (const { frozen } of this.#listeners) frozen?.(false);
    this.#base.clock.nextTurn(() => {
      for (const action of held) this.run(action);
    });
  }

  /** Resolves when it may go on; never, if it is over. */
  #turn(): Promise<void> {
    return new Promise((resolve) => this.run(resolve));
  }
}

/**
 * One life of a node in this process, which can end at once or be frozen as a process can: then
 * nothing of it runs, and it is told nothing.
 */
import type { Clock } from '../platform/platform';

export interface LifeListener {
  /** It is frozen, or no longer. */
  frozen?(isFrozen: boolean): void;
  /** It is over: nothing more may come of it. */
  over?(): void;
}

export class Life {
  readonly #clock: Pick<Clock, 'nextTurn'>;
  readonly #listeners = new Set<LifeListener>();
  /** What it began, and the world alone brings to an end. */
  readonly #remains = new Set<Promise<unknown>>();
  #held: (() => void)[] = [];
  #isOver = false;
  #isFrozen = false;

  /** `clock` is the world's, which never stands still. */
  constructor(clock: Pick<Clock, 'nextTurn'>) {
    this.#clock = clock;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get isFrozen(): boolean {
    return this.#isFrozen;
  }

  listen(listener: LifeListener): void {
    this.#listeners.add(listener);
  }

  /**
   * What comes of `work`, which this life does. If that ends before, nothing comes of it any more:
   * rejects with an Error that says so.
   */
  during<T>(work: () => Promise<T>, sentence: string): Promise<T> {
    return new Promise((resolve, reject) => {
      const listener = { over: () => reject(new Error(sentence)) };
      if (this.#isOver) listener.over();
      this.#listeners.add(listener);
      const done = () => this.#listeners.delete(listener);
      work().then(resolve, reject).finally(done);
    });
  }

  /** `work` goes on even if this life ends. */
  async leave<T>(work: Promise<T>): Promise<T> {
    this.#remains.add(work);
    try {
      return await work;
    } finally {
      this.#remains.delete(work);
    }
  }

  /** Nothing of it is left: another may take its ports. To be asked once it is over. */
  async gone(): Promise<void> {
    await Promise.allSettled(this.#remains);
  }

  /** Does it now; once it is thawed, if it is frozen; never, if it is over. */
  run(action: () => void): void {
    if (this.#isOver) return;
    if (this.#isFrozen) this.#held.push(action);
    else action();
  }

  /** As `run`, in a turn of its own. */
  runLater(action: () => void): void {
    this.#clock.nextTurn(() => this.run(action));
  }

  /** As SIGKILL: files stay as they are, connections break, nobody is told. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#held = [];
    for (const { over } of [...this.#listeners]) over?.();
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
    for (const action of held) this.runLater(action);
  }
}

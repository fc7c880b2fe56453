/** A place among a client's workers: somebody works there under one name, and may be replaced. */
import { setTimeout as sleep } from 'node:timers/promises';
import { count, Worker, type WorkerCounts } from './worker';

const RESTART_MS = 500;

export interface SlotOptions {
  readonly command: () => readonly [string, string[]];
  readonly counts: WorkerCounts;
  readonly logFile: string;
}

export class Slot {
  readonly #options: SlotOptions;
  #current: Worker | undefined;
  readonly #zombies = new Set<Worker>();
  #isClosed = false;

  constructor(options: SlotOptions) {
    this.#options = options;
  }

  /** From now on somebody works here; who ends unasked is followed by another. */
  start(): void {
    if (this.#isClosed) return;
    const { command, counts, logFile } = this.#options;
    const worker = new Worker(command(), (line) => count(counts, line), logFile);
    this.#current = worker;
    void worker.ended.then(async () => {
      await sleep(RESTART_MS);
      if (this.#current === worker) this.start();
    });
  }

  /** SIGKILL; the next starts after a while. */
  async kill(downMs: number): Promise<void> {
    const worker = this.#current;
    this.#current = undefined;
    await worker?.kill();
    await sleep(downMs);
    this.start();
  }

  /** SIGSTOP for a while. */
  async freeze(ms: number): Promise<void> {
    const worker = this.#current;
    worker?.freeze();
    await sleep(ms);
    worker?.thaw();
  }

  /**
   * Another one starts under the same name, while the first stands still; then both work, until
   * the first ends, or has had its time.
   */
  async replace(frozenMs: number, togetherMs: number): Promise<void> {
    const zombie = this.#current;
    if (zombie === undefined) return;
    this.#zombies.add(zombie);
    if (frozenMs > 0) zombie.freeze();
    this.start();
    await sleep(frozenMs);
    zombie.thaw();
    await Promise.race([zombie.ended, sleep(togetherMs)]);
    await zombie.kill();
    this.#zombies.delete(zombie);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#current;
    this.#current = undefined;
    await Promise.all([worker, ...this.#zombies].map((each) => each?.kill()));
  }
}

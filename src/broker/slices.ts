/** The one scheduler of long work: everything that is under way shares one slice of each turn. */
import { invariant } from '../base/invariant';
import type { Slices } from '../machine/life';
import type { Clock } from '../platform/platform';

/** How long a turn may work on it (architecture: "Turns"). */
const SLICE_MS = 10;

interface Job {
  readonly work: Iterator<unknown>;
  readonly done: (error?: unknown) => void;
}

/** Work takes turns: whoever used up a slice goes to the back. */
export class SharedSlices implements Slices {
  readonly #clock: Pick<Clock, 'monotonicMs' | 'nextTurn'>;
  readonly #jobs: Job[] = [];
  #isScheduled = false;

  constructor(clock: Pick<Clock, 'monotonicMs' | 'nextTurn'>) {
    this.#clock = clock;
  }

  run(work: Iterator<unknown>, done: (error?: unknown) => void): { cancel(): void } {
    const job: Job = { work, done };
    this.#jobs.push(job);
    this.#schedule();
    return {
      cancel: () => {
        const at = this.#jobs.indexOf(job);
        if (at >= 0) this.#jobs.splice(at, 1);
      },
    };
  }

  #schedule(): void {
    if (this.#isScheduled || this.#jobs.length === 0) return;
    this.#isScheduled = true;
    this.#clock.nextTurn(() => {
      this.#isScheduled = false;
      this.#turn();
      this.#schedule();
    });
  }

  #turn(): void {
    const untilMs = this.#clock.monotonicMs() + SLICE_MS;
    while (this.#jobs.length > 0 && this.#clock.monotonicMs() < untilMs) {
      const job = this.#jobs[0];
      invariant(job !== undefined, 'there is a job');
      if (this.#isFinished(job, untilMs)) continue;
      this.#jobs.push(job);
      this.#jobs.shift();
    }
  }

  /** Works on a job until it is finished or the slice is used up. */
  #isFinished(job: Job, untilMs: number): boolean {
    let error: unknown;
    try {
      for (;;) {
        if (job.work.next().done === true) break;
        if (this.#clock.monotonicMs() >= untilMs) return false;
      }
    } catch (thrown) {
      error = thrown ?? new Error('work failed without a reason');
    }
    // It may have been cancelled by what it did itself.
    const at = this.#jobs.indexOf(job);
    if (at < 0) return true;
    this.#jobs.splice(at, 1);
    job.done(error);
    return true;
  }
}

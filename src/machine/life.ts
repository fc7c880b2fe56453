/**
 * One term of leadership over a machine's log: the log is replayed in slices, requests wait a
 * little meanwhile, then the machine leads until the log is lost.
 */

import { type Ask, Leading, type World } from './leading';
import type { Answered, LoadStep, Machine, Marker, Now } from './machine';

/** How long a request waits for a log that is being replayed before it is refused. */
const LOADING_PATIENCE_MS = 500;

/** Runs long work a slice at a time, so that sockets are served in between. */
export interface Slices {
  /** Pulls `work` to its end, then calls `done`, with the error if pulling threw. */
  run(work: Iterator<unknown>, done: (error?: unknown) => void): { cancel(): void };
}

export interface LifeOptions<R, S, N extends Now = Now> {
  readonly machine: Machine<R, S, N>;
  readonly world: World<R, S, N>;
  /** The log from its start to its end at the moment of election; read lazily, step by step. */
  readonly steps: Iterator<LoadStep<R>>;
  readonly slices: Slices;
  /** Called once, when the log has been replayed and before the machine resumes. */
  readonly loaded?: () => void;
}

interface Waiting {
  readonly begin: () => void;
  readonly refuse: () => void;
  readonly timer: { cancel(): void };
}

export class Life<R, S, N extends Now = Now> {
  readonly #options: LifeOptions<R, S, N>;
  readonly #leading: Leading<R, S, N>;
  readonly #waiting = new Set<Waiting>();
  #loading: { cancel(): void } | undefined;
  #state: 'loading' | 'leading' | 'dropped' = 'loading';

  /** Starts to replay; a log without records has been replayed when this returns. */
  constructor(options: LifeOptions<R, S, N>) {
    this.#options = options;
    this.#leading = new Leading(options.machine, options.world);
    this.#load();
  }

  get state(): 'loading' | 'leading' | 'dropped' {
    return this.#state;
  }

  /** Requests without an answer yet. */
  get waitingCount(): number {
    return this.#waiting.size + this.#leading.waitingCount;
  }

  /** As `Leading.ask`; while the log is replayed the request waits, at most 500 ms. */
  ask<Response>(decide: Ask<R, S, N>): Promise<Answered<Response>> {
    return this.#whenLeading(() => this.#leading.ask<Response>(decide));
  }

  /** As `Leading.endTransaction`, waiting likewise. */
  endTransaction(marker: Marker): Promise<Answered<undefined>> {
    return this.#whenLeading(() => this.#leading.endTransaction(marker));
  }

  /** The log's committed offset moved. Called from the after-queue. */
  committedMoved(): void {
    this.#leading.committedMoved();
  }

  /** The log is no longer led here: everything that waits is refused. */
  drop(): void {
    this.#end('not-leader');
  }

  #end(refusal: 'not-leader' | 'storage'): void {
    if (this.#state === 'dropped') return;
    this.#state = 'dropped';
    this.#loading?.cancel();
    this.#leading.drop(refusal);
    for (const waiting of this.#takeWaiting()) waiting.begin();
  }

  #load(): void {
    const { steps, slices } = this.#options;
    try {
      const first = steps.next();
      if (first.done === true) {
        this.#lead();
        return;
      }
      this.#loading = slices.run(this.#replay(first.value), (error) => {
        if (error === undefined) this.#lead();
        else this.#loadFailed(error);
      });
    } catch (error) {
      this.#loadFailed(error);
    }
  }

  *#replay(first: LoadStep<R>): Generator<void, void> {
    this.#replayStep(first);
    for (let step = this.#options.steps.next(); step.done !== true; ) {
      yield;
      this.#replayStep(step.value);
      step = this.#options.steps.next();
    }
  }

  #replayStep(step: LoadStep<R>): void {
    const { state } = this.#options.machine;
    if (step.kind === 'marker') {
      const { producerId, producerEpoch, outcome } = step.marker;
      state.replayMarker(producerId, producerEpoch, outcome, step.offset);
      return;
    }
    for (const { offsetDelta, record } of step.records) {
      state.replay(record, { offset: step.baseOffset + offsetDelta, ...step.producer });
    }
  }

  #lead(): void {
    if (this.#state !== 'loading') return;
    this.#state = 'leading';
    this.#loading = undefined;
    this.#options.loaded?.();
    this.#leading.resume();
    for (const waiting of this.#takeWaiting()) waiting.begin();
  }

  /** The log cannot be read: its owner is told, and nobody waits for it. */
  #loadFailed(error: unknown): void {
    this.#end('storage');
    this.#options.world.failed(error);
  }

  #whenLeading<T>(begin: () => Promise<Answered<T>>): Promise<Answered<T>> {
    if (this.#state !== 'loading') return begin();
    return new Promise((resolve) => {
      const timer = this.#options.world.timers.setTimer(LOADING_PATIENCE_MS, () => {
        this.#waiting.delete(waiting);
        waiting.refuse();
      });
      const waiting: Waiting = {
        timer,
        begin: () => resolve(begin()),
        refuse: () => resolve({ kind: 'refused', refusal: 'loading' }),
      };
      this.#waiting.add(waiting);
    });
  }

  #takeWaiting(): readonly Waiting[] {
    const taken = [...this.#waiting];
    this.#waiting.clear();
    for (const waiting of taken) waiting.timer.cancel();
    return taken;
  }
}

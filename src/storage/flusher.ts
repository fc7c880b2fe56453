/** Joins fsyncs: one run answers all who asked before it began; who comes later shares the next. */
import type { Offset } from '../base/ids';

export interface FlushOwner {
  /** Makes everything below `upTo` durable. */
  sync(upTo: Offset): Promise<void>;
  /** Everything below `upTo` is durable. */
  flushed(upTo: Offset): void;
  /** Turns the cause into the failure that waiters hear, and gives the folder up. */
  flushFailed(cause: unknown): Error;
}

interface Run {
  /** Lowered by a truncation that comes before the run ends. */
  upTo: Offset;
  readonly done: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class Flusher {
  readonly #owner: FlushOwner;
  #running: Run | undefined;
  #next: Run | undefined;

  constructor(owner: FlushOwner) {
    this.#owner = owner;
  }

  /** Resolves when everything below `upTo` is durable. */
  flush(upTo: Offset): Promise<void> {
    if (this.#running !== undefined && this.#running.upTo >= upTo) return this.#running.done;
    return this.flushAnew(upTo);
  }

  /** As `flush`, by a run that has not begun: for changes that are no records. */
  flushAnew(upTo: Offset): Promise<void> {
    this.#next ??= newRun(upTo);
    this.#next.upTo = Math.max(this.#next.upTo, upTo);
    const { done } = this.#next;
    if (this.#running === undefined) this.#start();
    return done;
  }

  /** As `flush`, for whom nobody waits: the owner hears of a failure anyway. */
  flushInBackground(upTo: Offset): void {
    this.flush(upTo).catch(() => undefined);
  }

  /** The log now ends at `endOffset`: what is written from there on is not what a run syncs. */
  truncated(endOffset: Offset): void {
    if (this.#running !== undefined) this.#running.upTo = Math.min(this.#running.upTo, endOffset);
    if (this.#next !== undefined) this.#next.upTo = Math.min(this.#next.upTo, endOffset);
  }

  #start(): void {
    const run = this.#next;
    if (run === undefined) return;
    this.#next = undefined;
    this.#running = run;
    this.#owner.sync(run.upTo).then(
      () => this.#finish(run, undefined),
      (cause: unknown) => this.#finish(run, this.#owner.flushFailed(cause)),
    );
  }

  #finish(run: Run, failure: Error | undefined): void {
    this.#running = undefined;
    if (failure === undefined) {
      this.#owner.flushed(run.upTo);
      run.resolve();
    } else {
      run.reject(failure);
    }
    this.#start();
  }
}

function newRun(upTo: Offset): Run {
  let resolve = (): void => undefined;
  let reject = (_: Error): void => undefined;
  const done = new Promise<void>((onDone, onFailure) => {
    resolve = onDone;
    reject = onFailure;
  });
  return { upTo, done, resolve, reject };
}

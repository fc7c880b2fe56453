/** The earliest time at which there may be something to do. */
import type { MonotonicMs } from '../base/times';

export class Wake {
  #atMs: MonotonicMs | undefined;

  constructor(private readonly nowMs: MonotonicMs) {}

  at(atMs: MonotonicMs): void {
    if (this.#atMs === undefined || atMs < this.#atMs) this.#atMs = atMs;
  }

  /** Undefined: at no time. */
  get inMs(): number | undefined {
    return this.#atMs === undefined ? undefined : Math.max(0, this.#atMs - this.nowMs);
  }
}

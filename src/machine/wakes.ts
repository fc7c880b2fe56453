/** The named timers of one machine. */
import type { MonotonicMs } from '../base/times';
import type { WakeName } from './machine';

/** The part of the clock that a machine needs; `callback` never runs within `setTimer`. */
export interface Timers {
  setTimer(delayMs: number, callback: () => void): { cancel(): void };
}

interface Wake {
  atMs: MonotonicMs;
  /** When the clock's timer fires: no later than `atMs`. */
  timerAtMs: number;
  timer: { cancel(): void };
}

/**
 * A deadline that is only moved later (a heartbeat) costs no timer: the old one fires, finds the
 * new deadline, and sets itself for the rest.
 */
export class Wakes {
  readonly #wakes = new Map<WakeName, Wake>();
  readonly #timers: Timers;
  readonly #nowMs: () => MonotonicMs;
  readonly #due: (name: WakeName) => void;

  constructor(timers: Timers, nowMs: () => MonotonicMs, due: (name: WakeName) => void) {
    this.#timers = timers;
    this.#nowMs = nowMs;
    this.#due = due;
  }

  set(name: WakeName, atMs: MonotonicMs): void {
    const known = this.#wakes.get(name);
    if (known === undefined) {
      const wake = { atMs, timerAtMs: atMs, timer: this.#timer(name, atMs) };
      this.#wakes.set(name, wake);
      return;
    }
    known.atMs = atMs;
    if (known.timerAtMs > atMs) {
      known.timer.cancel();
      known.timer = this.#timer(name, atMs);
      known.timerAtMs = atMs;
    }
  }

  unset(name: WakeName): void {
    this.#wakes.get(name)?.timer.cancel();
    this.#wakes.delete(name);
  }

  clear(): void {
    for (const wake of this.#wakes.values()) wake.timer.cancel();
    this.#wakes.clear();
  }

  #timer(name: WakeName, atMs: number): { cancel(): void } {
    return this.#timers.setTimer(Math.max(0, atMs - this.#nowMs()), () => this.#fired(name));
  }

  #fired(name: WakeName): void {
    const wake = this.#wakes.get(name);
    if (wake === undefined) return;
    if (wake.atMs > this.#nowMs()) {
      wake.timerAtMs = wake.atMs;
      wake.timer = this.#timer(name, wake.atMs);
      return;
    }
    this.#wakes.delete(name);
    this.#due(name);
  }
}

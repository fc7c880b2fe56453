/** Effects that wait until the offset they depend on is committed. */
import type { Offset } from '../base/ids';
import type { MonotonicMs } from '../base/times';
import type { Effect, Ticket } from './machine';
import type { Timers } from './wakes';

export interface ParkedEffects {
  readonly offset: Offset;
  readonly effects: readonly Effect[];
}

interface Entry extends ParkedEffects {
  readonly deadlineMs: MonotonicMs;
  effects: readonly Effect[];
}

/** Ordered by offset; among equals, by arrival. Past its deadline an entry loses its answers. */
export class Parked {
  #entries: Entry[] = [];
  #timer: { cancel(): void } | undefined;
  readonly #timers: Timers;
  readonly #nowMs: () => MonotonicMs;
  readonly #timedOut: (ticket: Ticket) => void;

  constructor(timers: Timers, nowMs: () => MonotonicMs, timedOut: (ticket: Ticket) => void) {
    this.#timers = timers;
    this.#nowMs = nowMs;
    this.#timedOut = timedOut;
  }

  add(offset: Offset, effects: readonly Effect[], deadlineMs: MonotonicMs): void {
    let index = this.#entries.length;
    while (index > 0 && (this.#entries[index - 1] as Entry).offset > offset) index--;
    this.#entries.splice(index, 0, { offset, effects, deadlineMs });
    this.#timer ??= this.#wakeAt(deadlineMs);
  }

  /** Removes and returns what depends on offsets below `committed` only, in order. */
  takeBelow(committed: Offset): readonly ParkedEffects[] {
    let count = 0;
    while (count < this.#entries.length && (this.#entries[count] as Entry).offset < committed) {
      count++;
    }
    if (count === 0) return [];
    const taken = this.#entries.splice(0, count);
    if (this.#entries.length === 0) this.clear();
    return taken;
  }

  clear(): void {
    this.#entries = [];
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #wakeAt(atMs: MonotonicMs): { cancel(): void } {
    return this.#timers.setTimer(Math.max(0, atMs - this.#nowMs()), () => this.#expire());
  }

  #expire(): void {
    this.#timer = undefined;
    const nowMs = this.#nowMs();
    const due: Ticket[] = [];
    for (const entry of this.#entries) {
      if (entry.deadlineMs > nowMs) continue;
      for (const effect of entry.effects) if (effect.kind === 'answer') due.push(effect.ticket);
      entry.effects = entry.effects.filter((effect) => effect.kind !== 'answer');
    }
    this.#entries = this.#entries.filter((entry) => entry.effects.length > 0);
    const next = earliestAnswer(this.#entries);
    if (next !== undefined) this.#timer = this.#wakeAt(next);
    for (const ticket of due) this.#timedOut(ticket);
  }
}

function earliestAnswer(entries: readonly Entry[]): MonotonicMs | undefined {
  let earliest: MonotonicMs | undefined;
  for (const entry of entries) {
    if (!entry.effects.some((effect) => effect.kind === 'answer')) continue;
    if (earliest === undefined || entry.deadlineMs < earliest) earliest = entry.deadlineMs;
  }
  return earliest;
}

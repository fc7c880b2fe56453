/**
 * Requests that wait for partitions to change: produce with acks=all, fetch, delete-records.
 * A waiter is ended once, when what it needs is given or when its time is up. Nothing here runs
 * inside an append: changes are collected, and waiters are measured after the turn (§9, rule 6).
 */
import { invariant } from '../base/invariant';
import type { Clock, Timer } from '../platform/platform';

/** What changed at a partition; a set of bits. */
export const Change = {
  /** The log's end moved: followers may fetch more. */
  end: 1,
  /** The high watermark moved: consumers may fetch more, all-acks writes are done. */
  highWatermark: 2,
  /** The last stable offset moved: read_committed consumers may fetch more. */
  lastStable: 4,
  /** The log's start moved: a fetch may now be out of range. */
  logStart: 8,
  /** Role, leader epoch, in-sync replicas or topic id changed, or the folder failed. */
  role: 16,
} as const;
export type Changes = number;
export const ANY_CHANGE: Changes = 31;

/** How a wait ended. */
export type Outcome = 'given' | 'late';

/** Told after the turn what changed since it was last told. */
export type Observer = (changes: Changes) => void;

/** One partition's part of a wait. */
interface Watch {
  readonly waiter: Waiter;
  readonly place: Watchers;
  readonly changes: Changes;
  readonly measure: () => number;
  given: number;
  index: number;
}

/** Owns every waiter of a node and the partitions that changed in this turn. */
export class Waiting {
  #changed: Watchers[] = [];
  #met: Waiter[] = [];
  #isDraining = false;
  #count = 0;

  constructor(private readonly clock: Pick<Clock, 'setTimer' | 'afterTurn'>) {}

  /** How many requests wait now. */
  get count(): number {
    return this.#count;
  }

  /** The watchers of one new place. */
  place(): Watchers {
    return new Watchers(this);
  }

  /**
   * Begins a wait for `need` units (bytes of a fetch, partitions of a write) that lasts at most
   * `timeoutMs`. The caller adds its watches, then calls `begin`; `ended` is called exactly once
   * unless the wait is cancelled, and never before `begin` returns.
   */
  waiter(need: number, timeoutMs: number, ended: (outcome: Outcome) => void): Waiter {
    return new Waiter(this, need, timeoutMs, ended);
  }

  /** @internal */
  noteChanged(place: Watchers): void {
    if (!this.#hasWork) this.clock.afterTurn(() => this.drain());
    this.#changed.push(place);
  }

  /** @internal */
  noteMet(waiter: Waiter): void {
    if (!this.#hasWork) this.clock.afterTurn(() => this.drain());
    this.#met.push(waiter);
  }

  get #hasWork(): boolean {
    return this.#isDraining || this.#changed.length > 0 || this.#met.length > 0;
  }

  /**
   * Measures every waiter whose places changed and ends those whose need is met. Runs after the
   * turn by itself; ending a waiter may change partitions again, which is drained too.
   */
  drain(): void {
    if (this.#isDraining) return;
    this.#isDraining = true;
    try {
      while (this.#changed.length > 0 || this.#met.length > 0) {
        const places = this.#changed;
        this.#changed = [];
        for (const place of places) place.measure(this.#met);
        this.#met.pop()?.end('given');
      }
    } finally {
      this.#isDraining = false;
      // An exception out of a waiter's end must not strand those behind it.
      if (this.#hasWork) this.clock.afterTurn(() => this.drain());
    }
  }

  /** @internal */
  opened(timeoutMs: number, late: () => void): Timer {
    this.#count += 1;
    return this.clock.setTimer(timeoutMs, late);
  }

  /** @internal */
  closed(): void {
    this.#count -= 1;
  }
}

/** Who watches one place (a partition). */
export class Watchers {
  readonly #watches: Watch[] = [];
  readonly #observers: Observer[] = [];
  #pending: Changes = 0;

  constructor(private readonly waiting: Waiting) {}

  /** How many watches stand here. */
  get size(): number {
    return this.#watches.length;
  }

  /** Notes a change; those who watch for it are measured after the turn. */
  changed(changes: Changes): void {
    if (this.#watches.length === 0 && this.#observers.length === 0) return;
    if (this.#pending === 0) this.waiting.noteChanged(this);
    this.#pending |= changes;
  }

  /** Tells of every change from now on. Returns how to stop. */
  observe(observer: Observer): () => void {
    this.#observers.push(observer);
    return () => {
      const at = this.#observers.indexOf(observer);
      if (at >= 0) this.#observers.splice(at, 1);
    };
  }

  /** @internal */
  add(watch: Watch): void {
    watch.index = this.#watches.push(watch) - 1;
  }

  /** @internal */
  remove(watch: Watch): void {
    const last = this.#watches.pop();
    invariant(last !== undefined, 'a watch is removed only from where it stands');
    if (last === watch) return;
    this.#watches[watch.index] = last;
    last.index = watch.index;
  }

  /** @internal Adds to `met` each waiter that has what it needs, then tells the observers. */
  measure(met: Waiter[]): void {
    const changes = this.#pending;
    this.#pending = 0;
    for (const watch of this.#watches) {
      if ((watch.changes & changes) !== 0 && watch.waiter.measured(watch)) met.push(watch.waiter);
    }
    for (const observer of [...this.#observers]) observer(changes);
  }
}

/** One waiting request. */
export class Waiter {
  #watches: Watch[] = [];
  #timer: Timer | undefined;
  #given = 0;
  #isMet = false;
  #isEnded = false;

  constructor(
    private readonly waiting: Waiting,
    private readonly need: number,
    private readonly timeoutMs: number,
    private readonly ended: (outcome: Outcome) => void,
  ) {}

  /**
   * Watches `place` for `changes`. `measure` says how much of the need the place gives now;
   * `Infinity` ends the wait at once.
   */
  watch(place: Watchers, changes: Changes, measure: () => number): void {
    invariant(this.#timer === undefined, 'watches are added before the wait begins');
    this.#watches.push({ waiter: this, place, changes, measure, given: 0, index: -1 });
  }

  /**
   * Starts the clock, unless the wait was cancelled before. If the need is met already, `ended`
   * follows after the turn.
   */
  begin(): void {
    if (this.#isEnded) return;
    this.#timer = this.waiting.opened(this.timeoutMs, () => this.end('late'));
    for (const watch of this.#watches) {
      watch.place.add(watch);
      this.#measure(watch);
    }
    if (this.#isMet) this.waiting.noteMet(this);
  }

  /** Gives the wait up (its connection closed); `ended` is not called. */
  cancel(): void {
    if (!this.#isEnded) this.#leave();
  }

  /** @internal True if this change met the need. */
  measured(watch: Watch): boolean {
    if (this.#isMet || this.#isEnded) return false;
    this.#measure(watch);
    return this.#isMet;
  }

  /** @internal */
  end(outcome: Outcome): void {
    if (this.#isEnded) return;
    this.#leave();
    this.ended(outcome);
  }

  #measure(watch: Watch): void {
    const given = watch.measure();
    if (given === Infinity || this.#given + given - watch.given >= this.need) this.#isMet = true;
    if (given === Infinity) return;
    this.#given += given - watch.given;
    watch.given = given;
  }

  #leave(): void {
    this.#isEnded = true;
    if (this.#timer === undefined) return;
    this.#timer.cancel();
    for (const watch of this.#watches) watch.place.remove(watch);
    this.#watches = [];
    this.waiting.closed();
  }
}

/** The clock of one life: it stands while that life is frozen, and what is due then waits. */
import { after, type MonotonicMs, monotonicMs } from '../base/times';
import { type Clock, type Timer, TOLERATED_LATENESS_MS } from '../platform/platform';
import type { Life } from './life';

export function lifeClock(base: Clock, life: Life): Clock {
  return new LifeClock(base, life);
}

class LifeClock implements Clock {
  readonly #gapListeners = new Set<(gapMs: number) => void>();
  #frozenAtMs: MonotonicMs | undefined;
  #leftOutMs = 0;

  constructor(
    private readonly base: Clock,
    private readonly life: Life,
  ) {
    const stopListening = base.onGap((gapMs) => this.life.run(() => this.#tellGap(gapMs)));
    life.listen({
      frozen: (isFrozen) => (isFrozen ? this.#freeze() : this.#thaw()),
      over: stopListening,
    });
  }

  monotonicMs(): MonotonicMs {
    return monotonicMs((this.#frozenAtMs ?? this.base.monotonicMs()) - this.#leftOutMs);
  }

  wallMs() {
    return this.base.wallMs();
  }

  setTimer(delayMs: number, callback: () => void): Timer {
    const dueMs = after(this.monotonicMs(), delayMs);
    let isCancelled = false;
    let timer: Timer | undefined;
    const fire = (): void => {
      if (isCancelled) return;
      const leftMs = dueMs - this.monotonicMs();
      if (leftMs <= 0) callback();
      else arm(leftMs);
    };
    const arm = (leftMs: number): void => {
      timer = this.base.setTimer(leftMs, () => this.life.run(fire));
    };
    arm(delayMs);
    return {
      cancel: () => {
        isCancelled = true;
        timer?.cancel();
      },
    };
  }

  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => void this.setTimer(delayMs, resolve));
  }

  afterTurn(callback: () => void): void {
    this.base.afterTurn(() => this.life.run(callback));
  }

  nextTurn(callback: () => void): void {
    this.base.nextTurn(() => this.life.run(callback));
  }

  onGap(listener: (gapMs: number) => void): () => void {
    this.#gapListeners.add(listener);
    return () => void this.#gapListeners.delete(listener);
  }

  #freeze(): void {
    this.#frozenAtMs = this.base.monotonicMs();
  }

  #thaw(): void {
    if (this.#frozenAtMs === undefined) return;
    const frozenMs = this.base.monotonicMs() - this.#frozenAtMs;
    this.#frozenAtMs = undefined;
    if (frozenMs <= TOLERATED_LATENESS_MS) return;
    this.#leftOutMs += frozenMs - TOLERATED_LATENESS_MS;
    this.#tellGap(frozenMs);
  }

  #tellGap(gapMs: number): void {
    for (const listener of [...this.#gapListeners]) listener(gapMs);
  }
}

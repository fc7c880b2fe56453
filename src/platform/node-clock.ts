/**
 * The real clock. Its parts are taken when this module loads, and the two that hang on globals
 * from Node's own context, so that a test runner's fake timers (installed later, or only in its
 * sandbox) never freeze a broker.
 */
import { performance } from 'node:perf_hooks';
import timers from 'node:timers';
import { runInThisContext } from 'node:vm';
import { monotonicMs, wallMs } from '../base/times';
import { type Clock, type Timer, TOLERATED_LATENESS_MS } from './platform';
import { TimerWheel } from './timer-wheel';

const rawMs = performance.now.bind(performance);
const { setTimeout, clearTimeout, setImmediate } = timers;
const wallNow: () => number = runInThisContext('Date.now');
const nextTick: (callback: () => void) => void = runInThisContext('process').nextTick;

const TICK_MS = 10;
/** The longest sleep while timers wait, so that a gap is measured against a fresh moment. */
const NAP_MS = 200;

/** The machine's time. It never keeps a process alive: sockets do. */
export function nodeClock(): Clock {
  const ticker = new Ticker();
  const afterTurn = afterTurnQueue();
  return {
    monotonicMs: () => monotonicMs(Math.floor(ticker.nowMs())),
    wallMs: () => wallMs(wallNow()),
    setTimer: (delayMs, callback) => ticker.setTimer(delayMs, callback),
    sleep: (delayMs) => new Promise((resolve) => void ticker.setTimer(delayMs, resolve)),
    afterTurn,
    nextTurn: (callback) => void setImmediate(callback),
    onGap: (listener) => ticker.onGap(listener),
  };
}

/** Drives the wheel while it holds something, and measures how late it is called. */
class Ticker {
  readonly #wheel = new TimerWheel(0);
  readonly #gapListeners = new Set<(gapMs: number) => void>();
  /** Raw time that is left out of `nowMs`. */
  #leftOutMs = rawMs();
  /** Raw time counts up to here, unless called before; `undefined` while nothing waits. */
  #limitRawMs: number | undefined;
  /** When the native timer should call; `undefined` while none is set. */
  #wakeRawMs: number | undefined;
  #native: NodeJS.Timeout | undefined;
  #isTurning = false;

  nowMs(): number {
    return Math.min(rawMs(), this.#limitRawMs ?? Number.POSITIVE_INFINITY) - this.#leftOutMs;
  }

  setTimer(delayMs: number, callback: () => void): Timer {
    const now = this.nowMs();
    if (this.#wheel.count === 0) this.#wheel.advance(Math.floor(now / TICK_MS), throwLater);
    const dueTick = Math.ceil((now + Math.max(delayMs, 0)) / TICK_MS);
    const timer = this.#wheel.add(dueTick, callback);
    if (!this.#isTurning) this.#wakeWithin(dueTick * TICK_MS - now);
    return timer;
  }

  onGap(listener: (gapMs: number) => void): () => void {
    this.#gapListeners.add(listener);
    return () => void this.#gapListeners.delete(listener);
  }

  #wakeWithin(delayMs: number): void {
    const raw = rawMs();
    const wakeRawMs = raw + Math.min(delayMs, NAP_MS);
    if (this.#wakeRawMs !== undefined) {
      // The earlier call stands; an overdue one has its own gap to measure.
      if (this.#wakeRawMs <= wakeRawMs) return;
      clearTimeout(this.#native);
    }
    this.#wakeRawMs = wakeRawMs;
    this.#limitRawMs = wakeRawMs + TOLERATED_LATENESS_MS;
    this.#native = setTimeout(this.#woken, Math.ceil(wakeRawMs - raw));
    this.#native.unref();
  }

  readonly #woken = (): void => {
    const lateMs = rawMs() - (this.#wakeRawMs as number);
    this.#wakeRawMs = undefined;
    if (this.#leaveOutGap()) this.#pollThenTurn(lateMs);
    else this.#turn();
  };

  /** What lies in the sockets came in time: it is served before any deadline passes. */
  #pollThenTurn(gapMs: number): void {
    this.#isTurning = true;
    setImmediate(() => {
      for (const listener of this.#gapListeners) callSafely(() => listener(gapMs));
      this.#turn();
    });
  }

  #turn(): void {
    this.#isTurning = true;
    const startRawMs = rawMs();
    this.#wheel.advance(Math.floor(this.nowMs() / TICK_MS), throwLater);
    this.#isTurning = false;
    if (this.#leaveOutGap()) {
      this.#pollThenTurn(rawMs() - startRawMs);
    } else if (this.#wheel.count === 0) {
      this.#limitRawMs = undefined;
    } else {
      const tick = Math.floor(this.nowMs() / TICK_MS);
      const nextMs = (tick + this.#wheel.ticksToNext(NAP_MS / TICK_MS)) * TICK_MS;
      this.#wakeWithin(Math.max(nextMs - this.nowMs(), 0));
    }
  }

  /** Starts counting anew from now; tells whether time was left out. */
  #leaveOutGap(): boolean {
    const raw = rawMs();
    const overMs = raw - (this.#limitRawMs ?? raw);
    if (overMs > 0) this.#leftOutMs += overMs;
    this.#limitRawMs = raw + TOLERATED_LATENESS_MS;
    return overMs > 0;
  }
}

/** One queue for all callbacks, run once promises have settled and before the loop polls. */
function afterTurnQueue(): (callback: () => void) => void {
  let waiting: (() => void)[] = [];
  const drain = (): void => {
    const callbacks = waiting;
    waiting = [];
    for (const callback of callbacks) callSafely(callback);
  };
  return (callback) => {
    waiting.push(callback);
    // Ticks queued by a microtask run when no microtask is left.
    if (waiting.length === 1) void settled.then(() => nextTick(drain));
  };
}

const settled = Promise.resolve();

function callSafely(callback: () => void): void {
  try {
    callback();
  } catch (error) {
    throwLater(error);
  }
}

/** Our own mistake is loud, but does not keep the callbacks behind it from being called. */
function throwLater(error: unknown): void {
  setImmediate(() => {
    throw error;
  });
}

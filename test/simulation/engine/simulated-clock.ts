/** Time as one simulated process sees it. */
import { monotonicMs, wallMs } from '../../../src/base/times';
import type { Clock, Timer } from '../../../src/platform/platform';
import type { Life } from './life';
import type { Stream } from './seeds';
import type { Simulation } from './simulation';

/** 2026-01-01T00:00:00Z: the moment at which every world begins. */
const WORLD_EPOCH_MS = 1_767_225_600_000;
const TICK_US = 10_000;

export interface ClockTraits {
  /** Draws the lateness of timers. */
  readonly chance: Stream;
  /** How late a timer may be called. */
  readonly latenessUs: number;
  /** What the machine's wall clock is off by. */
  readonly wallSkewMs: () => number;
}

export function simulatedClock(simulation: Simulation, life: Life, traits: ClockTraits): Clock {
  const { chance, latenessUs, wallSkewMs } = traits;
  // Two processes have nothing in common that would let them compare monotonic times.
  const baseUs = chance.below(1_000_000) * 1000 - simulation.nowUs;
  const nowUs = (): number => simulation.nowUs + baseUs - life.leftOutUs;
  const setTimer = (delayMs: number, callback: () => void): Timer => {
    const dueUs = nowUs() + Math.max(delayMs, 0) * 1000;
    const tickUs = Math.ceil(dueUs / TICK_US) * TICK_US;
    const delayUs = tickUs - nowUs() + (latenessUs === 0 ? 0 : chance.below(latenessUs));
    const event = simulation.schedule(delayUs, 'timer', life, callback);
    return {
      cancel: () => {
        event.action = undefined;
      },
    };
  };
  return {
    monotonicMs: () => monotonicMs(Math.floor(nowUs() / 1000)),
    wallMs: () => wallMs(Math.floor(WORLD_EPOCH_MS + simulation.nowMs + wallSkewMs())),
    setTimer,
    sleep: (delayMs) => new Promise((resolve) => void setTimer(delayMs, resolve)),
    afterTurn: (callback) => simulation.afterTurn(life, callback),
    nextTurn: (callback) => void simulation.schedule(0, 'turn', life, callback),
    onGap: (listener) => life.onGap(listener),
  };
}

/**
 * A node's clock that keeps what its callbacks throw from the process: that is the user's, where a
 * broker is embedded. It is a bug all the same, and the node hears of it.
 */
import type { Clock } from '../platform/platform';

export function guardedClock(clock: Clock, failed: (error: unknown) => void): Clock {
  const guarded = (callback: () => void) => (): void => {
    try {
      callback();
    } catch (error) {
      failed(error);
    }
  };
  return {
    monotonicMs: () => clock.monotonicMs(),
    wallMs: () => clock.wallMs(),
    setTimer: (delayMs, callback) => clock.setTimer(delayMs, guarded(callback)),
    sleep: (delayMs) => clock.sleep(delayMs),
    afterTurn: (callback) => clock.afterTurn(guarded(callback)),
    nextTurn: (callback) => clock.nextTurn(guarded(callback)),
    onGap: (listener) => clock.onGap((gapMs) => guarded(() => listener(gapMs))()),
  };
}

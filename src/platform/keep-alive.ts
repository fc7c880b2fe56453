/** Keeping the process running on purpose, for a while. */
import timers from 'node:timers';

const { setInterval, clearInterval } = timers;
/** The longest that a timer can be set to. */
const SELDOM_MS = 2 ** 31 - 1;

/**
 * Does `work` with the process kept running: nothing of an embedded broker does that by itself, so
 * Node would end while somebody awaits its start or its stop.
 */
export async function keepingAlive<T>(work: () => Promise<T>): Promise<T> {
  const timer = setInterval(() => undefined, SELDOM_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

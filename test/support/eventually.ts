/** The one way in which a test waits for something in real time. */
import timers from 'node:timers';

const { setTimeout } = timers;
const POLL_MS = 5;

/**
 * Waits until `condition` holds (returns something true) and gives what it returned. Throws after
 * `deadlineMs`, with the condition's last error if it threw.
 */
export async function eventually<Value>(
  condition: () => Value | Promise<Value>,
  deadlineMs = 10_000,
): Promise<NonNullable<Value>> {
  const startMs = performance.now();
  let failure: unknown;
  for (;;) {
    try {
      const value = await condition();
      if (value !== undefined && value !== null && (value as unknown) !== false) return value;
    } catch (error) {
      failure = error;
    }
    if (performance.now() - startMs > deadlineMs) {
      throw new Error(`it did not come true within ${deadlineMs} ms: ${condition}`, {
        cause: failure,
      });
    }
    await new Promise((resolve) => void setTimeout(resolve, POLL_MS));
  }
}

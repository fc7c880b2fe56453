/** Work in slices: a generator that yields after each. */

/** Runs it to its end at once. */
export function finish<T>(work: Generator<unknown, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

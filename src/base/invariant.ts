/** Our own mistakes, told apart from a client's (an answer) and the world's (an exception). */

/** Thrown when something that must be true is not: a bug of ottla's, never of a client's. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/** Stops the current work with one sentence when `condition` does not hold; on in production. */
export function invariant(condition: unknown, sentence: string): asserts condition {
  if (!condition) throw new InvariantError(sentence);
}

/** Closes an exhaustive `switch`: the compiler refuses it while a case is missing. */
export function unreachable(value: never, sentence: string): never {
  throw new InvariantError(`${sentence}: ${String(value)}`);
}

/** Failures that the person who runs the node can do something about. */

/**
 * Something outside the program is not as it must be (a setting, a folder, a port, a damaged file).
 * The message is a sentence for that person; no stack helps. Rooms throw subclasses of it.
 */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
}

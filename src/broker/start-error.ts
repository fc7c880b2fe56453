/** A start that cannot go on as asked; the message is a sentence that says what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

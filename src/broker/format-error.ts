/** A request to format that must be refused; the message is a sentence for the person. */
export class FormatError extends Error {
  override readonly name = 'FormatError';
}

/** A request to format that must be refused; the message is a sentence for the person. */
import { OperatorError } from '../base/operator-error';

export class FormatError extends OperatorError {
  override readonly name = 'FormatError';
}

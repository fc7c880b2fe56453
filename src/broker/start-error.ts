/** A start that cannot go on as asked; the message is a sentence that says what to do. */
import { OperatorError } from '../base/operator-error';

export class StartError extends OperatorError {
  override readonly name = 'StartError';
}

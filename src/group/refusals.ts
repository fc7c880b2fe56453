/** How a coordinator that cannot answer looks to a client. */
import { unreachable } from '../base/invariant';
import type { Refusal } from '../machine/machine';
import { type ErrorCode, Errors } from '../protocol/errors';

/** The code for a request that got no answer of its machine; some APIs say some of it otherwise. */
export function coordinatorError(refusal: Refusal): ErrorCode {
  switch (refusal) {
    case 'not-leader':
    case 'storage':
      return Errors.NOT_COORDINATOR;
    case 'not-enough-replicas':
    case 'timed-out':
      return Errors.COORDINATOR_NOT_AVAILABLE;
    case 'too-large':
      return Errors.UNKNOWN_SERVER_ERROR;
    case 'producer-fenced':
      return Errors.INVALID_PRODUCER_EPOCH;
    case 'not-in-transaction':
      return Errors.INVALID_TXN_STATE;
    case 'coordinator-fenced':
      return Errors.TRANSACTION_COORDINATOR_FENCED;
    case 'loading':
      return Errors.COORDINATOR_LOAD_IN_PROGRESS;
    default:
      return unreachable(refusal, 'no such refusal');
  }
}

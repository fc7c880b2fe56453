/** What a client is told of what the coordinator of its transaction refuses (KIP-890). */
import { type ErrorCode, Errors } from '../protocol/errors';

/** What the version of a request shows its client to understand. */
export type TransactionSupport =
  /** Nothing newer than INVALID_TXN_STATE. */
  | 'old'
  /** TRANSACTION_ABORTABLE, after which it aborts and goes on. */
  | 'abortable'
  /** That, and it leaves adding partitions to the brokers. */
  | 'adds-implicitly';

/** Whether the coordinator adds partitions on behalf of the client, or only looks. */
export const howToCheck = (support: TransactionSupport): 'add' | 'verify' =>
  support === 'adds-implicitly' ? 'add' : 'verify';

/** A code of `TransactionChecks.check` as that client is to see it. */
export function checkError(code: ErrorCode, support: TransactionSupport): ErrorCode {
  switch (code) {
    case Errors.PRODUCER_FENCED:
      return Errors.INVALID_PRODUCER_EPOCH;
    case Errors.TRANSACTION_ABORTABLE:
      return support === 'old' ? Errors.INVALID_TXN_STATE : Errors.TRANSACTION_ABORTABLE;
    default:
      return code;
  }
}

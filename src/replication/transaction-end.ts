/** The end of a producer's transaction in a partition that this node leads (KIP-98). */
import type { ProducerEpoch, ProducerId } from '../base/ids';
import type { WallMs } from '../base/times';
import { buildTransactionMarker } from '../protocol/records/control';
import type { Partition } from './partition';
import type { AppendOutcome } from './partition-types';

export interface TransactionEnd {
  readonly producerId: ProducerId;
  readonly producerEpoch: ProducerEpoch;
  readonly outcome: 'commit' | 'abort';
  /** Of the transaction coordinator that sends it. */
  readonly coordinatorEpoch: number;
  /**
   * The `transaction.version` of the client that ended it, 0 if unknown: from 2 on the marker's
   * epoch must be greater than that of the records (KIP-890).
   */
  readonly transactionVersion: number;
}

/**
 * Appends the control batch, as an all-acks write. Refused with INVALID_PRODUCER_EPOCH (a newer
 * epoch of the producer has written here), TRANSACTION_COORDINATOR_FENCED (a newer coordinator
 * has), or as every all-acks write may be.
 */
export function appendTransactionEnd(
  partition: Partition,
  { outcome, transactionVersion, ...marker }: TransactionEnd,
  timestampMs: WallMs,
): AppendOutcome {
  return partition.appendAsCoordinator(
    buildTransactionMarker({ ...marker, type: outcome, timestampMs }),
    { transactionVersion },
  );
}

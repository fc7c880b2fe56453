/** The settings that transactions obey. */
export interface TransactionSettings {
  /** `transaction.max.timeout.ms` */
  readonly maxTimeoutMs: number;
  /** `transaction.abort.timed.out.transaction.cleanup.interval.ms` */
  readonly timeoutCheckIntervalMs: number;
  /** `transactional.id.expiration.ms` */
  readonly idExpirationMs: number;
  /** `transaction.remove.expired.transaction.cleanup.interval.ms` */
  readonly idExpirationCheckIntervalMs: number;
  /** `transaction.two.phase.commit.enable` (KIP-939) */
  readonly isTwoPhaseCommitEnabled: boolean;
}

/** Kafka's defaults. */
export const DEFAULT_TRANSACTION_SETTINGS: TransactionSettings = {
  maxTimeoutMs: 900_000,
  timeoutCheckIntervalMs: 10_000,
  idExpirationMs: 604_800_000,
  idExpirationCheckIntervalMs: 3_600_000,
  isTwoPhaseCommitEnabled: false,
};

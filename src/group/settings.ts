/** The settings that groups obey; read anew for every decision, since some change while running. */
export interface GroupSettings {
  /** `group.min.session.timeout.ms` */
  readonly minSessionTimeoutMs: number;
  /** `group.max.session.timeout.ms` */
  readonly maxSessionTimeoutMs: number;
  /** `group.max.size`: members of one classic group. */
  readonly maxSize: number;
  /** `group.initial.rebalance.delay.ms`: how long an empty group waits for more members. */
  readonly initialRebalanceDelayMs: number;
  /** `offset.metadata.max.bytes`; Kafka counts UTF-16 units, so do we. */
  readonly offsetMetadataMaxBytes: number;
  /** `offsets.retention.minutes`, in milliseconds. */
  readonly offsetsRetentionMs: number;
  /** `offsets.retention.check.interval.ms` */
  readonly offsetsRetentionCheckIntervalMs: number;
}

/** Kafka's defaults. */
export const DEFAULT_GROUP_SETTINGS: GroupSettings = {
  minSessionTimeoutMs: 6_000,
  maxSessionTimeoutMs: 1_800_000,
  maxSize: 2_147_483_647,
  initialRebalanceDelayMs: 3_000,
  offsetMetadataMaxBytes: 4_096,
  offsetsRetentionMs: 10_080 * 60_000,
  offsetsRetentionCheckIntervalMs: 600_000,
};

/**
 * How long the JoinGroup of a member that is not in a generation yet may wait: it cannot beat its
 * heart, so nothing else would notice its death.
 */
export const NEW_MEMBER_JOIN_TIMEOUT_MS = 300_000;

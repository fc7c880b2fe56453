/**
 * The settings of one log that storage obeys, as numbers; Kafka's topic settings of the same names.
 */

export interface LogSettings {
  /** `segment.bytes`: a segment never grows beyond it. */
  readonly segmentBytes: number;
  /** `segment.ms`. */
  readonly segmentMs: number;
  /** `segment.jitter.ms`: up to this is taken off `segment.ms`, at random per segment. */
  readonly segmentJitterMs: number;
  /** `segment.index.bytes`: a full index rolls the segment. */
  readonly segmentIndexBytes: number;
  /** `index.interval.bytes`. */
  readonly indexIntervalBytes: number;
  /** `retention.ms`; -1 keeps everything. */
  readonly retentionMs: number;
  /** `retention.bytes`; -1 keeps everything. */
  readonly retentionBytes: number;
  /** `cleanup.policy` names delete. */
  readonly isDeleting: boolean;
  /** `cleanup.policy` names compact. */
  readonly isCompacting: boolean;
  /** `flush.messages`: fsync once so many records are unflushed; 1 = before anything is claimed. */
  readonly flushMessages: number;
  /** `flush.ms`: fsync this long after an append at the latest. */
  readonly flushMs: number;
  /** `file.delete.delay.ms`: how long a removed file stays, renamed, before it is unlinked. */
  readonly fileDeleteDelayMs: number;
}

/** Kafka's defaults. "Never" is Infinity. */
export const DEFAULT_LOG_SETTINGS: LogSettings = {
  segmentBytes: 1_073_741_824,
  segmentMs: 604_800_000,
  segmentJitterMs: 0,
  segmentIndexBytes: 10_485_760,
  indexIntervalBytes: 4096,
  retentionMs: 604_800_000,
  retentionBytes: -1,
  isDeleting: true,
  isCompacting: false,
  flushMessages: Number.POSITIVE_INFINITY,
  flushMs: Number.POSITIVE_INFINITY,
  fileDeleteDelayMs: 60_000,
};

/**
 * The settings of a log from Kafka's topic settings: `read` gives the effective text of one
 * (`segment.bytes` → '1073741824'), already validated; undefined takes Kafka's default.
 */
export function logSettings(read: (name: string) => string | undefined): LogSettings {
  const defaults = DEFAULT_LOG_SETTINGS;
  const number = (name: string, fallback: number): number => {
    const text = read(name);
    if (text === undefined) return fallback;
    const value = Number(text);
    return value >= Number.MAX_SAFE_INTEGER ? Number.POSITIVE_INFINITY : value;
  };
  const policies = read('cleanup.policy')
    ?.split(',')
    .map((policy) => policy.trim());
  return {
    segmentBytes: number('internal.segment.bytes', number('segment.bytes', defaults.segmentBytes)),
    segmentMs: number('segment.ms', defaults.segmentMs),
    segmentJitterMs: number('segment.jitter.ms', defaults.segmentJitterMs),
    segmentIndexBytes: number('segment.index.bytes', defaults.segmentIndexBytes),
    indexIntervalBytes: number('index.interval.bytes', defaults.indexIntervalBytes),
    retentionMs: number('retention.ms', defaults.retentionMs),
    retentionBytes: number('retention.bytes', defaults.retentionBytes),
    isDeleting: policies?.includes('delete') ?? defaults.isDeleting,
    isCompacting: policies?.includes('compact') ?? defaults.isCompacting,
    flushMessages: number('flush.messages', defaults.flushMessages),
    flushMs: number('flush.ms', defaults.flushMs),
    fileDeleteDelayMs: number('file.delete.delay.ms', defaults.fileDeleteDelayMs),
  };
}

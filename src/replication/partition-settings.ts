/** The settings of a topic that its partitions obey, those of storage and validation among them. */
import { DEFAULT_DECOMPRESSED_LIMIT_BYTES } from '../protocol/records/compression';
import type { ValidationSettings } from '../protocol/records/validate';
import { type LogSettings, logSettings } from '../storage/settings';
import { type ThrottledReplicas, throttledReplicas } from './throttle';

export interface PartitionSettings {
  readonly log: LogSettings;
  /** `min.insync.replicas`. */
  readonly minInsyncReplicas: number;
  /** Whose replication is bounded (KIP-73), on the sides of the leader and of the follower. */
  readonly leaderThrottledReplicas: ThrottledReplicas;
  readonly followerThrottledReplicas: ThrottledReplicas;
  /** What a producer's batch must be like, from Produce version 7 on and before. */
  readonly validation: ValidationSettings;
  readonly validationBefore7: ValidationSettings;
}

/** Compressions that can be set to a level. */
const WITH_LEVELS: ReadonlySet<string> = new Set(['gzip', 'lz4', 'zstd']);

/** How a setting's effective text is looked up; undefined takes Kafka's default. */
export type ReadSetting = (name: string) => string | undefined;

const ZSTD_SINCE = 7;

/** The settings from their effective texts, which were validated when they were set. */
export function partitionSettings(read: ReadSetting): PartitionSettings {
  const log = logSettings(read);
  const compressionType = (read('compression.type') ??
    'producer') as ValidationSettings['compressionType'];
  const level = WITH_LEVELS.has(compressionType)
    ? read(`compression.${compressionType}.level`)
    : undefined;
  const timestampType = read('message.timestamp.type');
  const validation: ValidationSettings = {
    produceVersion: ZSTD_SINCE,
    isCompacted: log.isCompacting,
    maxMessageBytes: Number(read('max.message.bytes') ?? 1_048_588),
    segmentBytes: log.segmentBytes,
    compressionType,
    compressionLevel: level === undefined ? undefined : Number(level),
    timestampType: timestampType === 'LogAppendTime' ? 'LogAppendTime' : 'CreateTime',
    timestampBeforeMaxMs: BigInt(read('message.timestamp.before.max.ms') ?? GREATEST),
    timestampAfterMaxMs: BigInt(read('message.timestamp.after.max.ms') ?? 3_600_000),
    maxDecompressedBytes: DEFAULT_DECOMPRESSED_LIMIT_BYTES,
  };
  return {
    log,
    minInsyncReplicas: Number(read('min.insync.replicas') ?? 1),
    leaderThrottledReplicas: throttledReplicas(read('leader.replication.throttled.replicas') ?? ''),
    followerThrottledReplicas: throttledReplicas(
      read('follower.replication.throttled.replicas') ?? '',
    ),
    validation,
    validationBefore7: { ...validation, produceVersion: ZSTD_SINCE - 1 },
  };
}

const GREATEST = '9223372036854775807';

/** The settings of a topic that its partitions obey, storage's own among them. */
import { type LogSettings, logSettings } from '../storage/settings';

/** Kafka's topic settings of the same names. */
export interface PartitionSettings {
  readonly log: LogSettings;
  /** `min.insync.replicas`. */
  readonly minInsyncReplicas: number;
  /** `max.message.bytes`: the largest batch, header included. */
  readonly maxMessageBytes: number;
  /** `message.timestamp.type`. */
  readonly timestampType: 'CreateTime' | 'LogAppendTime';
  /** `message.timestamp.before.max.ms` and `.after.max.ms`; Infinity = any. */
  readonly timestampBeforeMaxMs: number;
  readonly timestampAfterMaxMs: number;
  /** `compression.type`; `producer` keeps what the producer chose. */
  readonly compressionType: 'producer' | 'uncompressed' | 'gzip' | 'snappy' | 'lz4' | 'zstd';
  /** `compression.gzip.level`, `.lz4.level`, `.zstd.level`: used when a batch is compressed anew. */
  readonly gzipLevel: number;
  readonly lz4Level: number;
  readonly zstdLevel: number;
}

/** How a setting's effective text is looked up; undefined takes Kafka's default. */
export type ReadSetting = (name: string) => string | undefined;

/** The settings from their effective texts, which were validated when they were set. */
export function partitionSettings(read: ReadSetting): PartitionSettings {
  const number = (name: string, fallback: number): number => {
    const text = read(name);
    if (text === undefined) return fallback;
    const value = Number(text);
    return value >= Number.MAX_SAFE_INTEGER ? Number.POSITIVE_INFINITY : value;
  };
  return {
    log: logSettings(read),
    minInsyncReplicas: number('min.insync.replicas', 1),
    maxMessageBytes: number('max.message.bytes', 1_048_588),
    timestampType:
      read('message.timestamp.type') === 'LogAppendTime' ? 'LogAppendTime' : 'CreateTime',
    timestampBeforeMaxMs: number('message.timestamp.before.max.ms', Number.POSITIVE_INFINITY),
    timestampAfterMaxMs: number('message.timestamp.after.max.ms', 3_600_000),
    compressionType: (read('compression.type') ??
      'producer') as PartitionSettings['compressionType'],
    gzipLevel: number('compression.gzip.level', -1),
    lz4Level: number('compression.lz4.level', 9),
    zstdLevel: number('compression.zstd.level', 3),
  };
}

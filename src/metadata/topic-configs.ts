/** Every topic setting of Kafka 4.4, and the checks that look at several of them. */

import type { ConfigValue, ValidValues } from './config-values';
import {
  type ConfigDefinition,
  type ConfigProblem,
  ConfigTable,
  type ConfigValues,
  invalidConfig,
  isConfigProblem,
  type Synonym,
} from './configs';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const LONG_MAX = '9223372036854775807';

const atLeast = (min: number): ValidValues => ({ kind: 'range', min });
const between = (min: number, max: number): ValidValues => ({ kind: 'range', min, max });
const oneOf = (...values: string[]): ValidValues => ({ kind: 'one-of', values });
const from = (...names: string[]): readonly Synonym[] => names.map((name) => ({ name }));

/** The order is Kafka's: the first setting that is wrong gives the refusal. */
const DEFINITIONS: readonly ConfigDefinition[] = [
  {
    name: 'segment.bytes',
    type: 'int',
    default: '1073741824',
    valid: atLeast(1024 * 1024),
    importance: 'medium',
    documentation:
      'Size at which a segment file is closed and the next begun. Retention and compaction ' +
      'work on whole closed segments.',
    synonyms: from('log.segment.bytes'),
  },
  {
    name: 'segment.ms',
    type: 'long',
    default: '604800000',
    valid: atLeast(1),
    importance: 'medium',
    documentation:
      'Age in milliseconds at which a segment is closed even if it is not full, so that ' +
      'retention and compaction can reach its records.',
    synonyms: [{ name: 'log.roll.ms' }, { name: 'log.roll.hours', factor: HOUR_MS }],
  },
  {
    name: 'segment.jitter.ms',
    type: 'long',
    default: '0',
    valid: atLeast(0),
    importance: 'medium',
    documentation:
      'Greatest random time in milliseconds taken off segment.ms, so that not all segments ' +
      'are closed at one moment.',
    synonyms: [{ name: 'log.roll.jitter.ms' }, { name: 'log.roll.jitter.hours', factor: HOUR_MS }],
  },
  {
    name: 'segment.index.bytes',
    type: 'int',
    default: '10485760',
    valid: atLeast(4),
    importance: 'medium',
    documentation: 'Greatest size of an index file; a segment is closed when its index is full.',
    synonyms: from('log.index.size.max.bytes'),
  },
  {
    name: 'flush.messages',
    type: 'long',
    default: LONG_MAX,
    valid: atLeast(1),
    importance: 'medium',
    documentation:
      'Number of records after which the log is forced to disk; 1 forces it before every ' +
      'acknowledgement. Replication usually makes this unnecessary.',
    synonyms: from('log.flush.interval.messages'),
  },
  {
    name: 'flush.ms',
    type: 'long',
    default: LONG_MAX,
    valid: atLeast(0),
    importance: 'medium',
    documentation: 'Time in milliseconds after which records not yet forced to disk are.',
    synonyms: from('log.flush.interval.ms', 'log.flush.scheduler.interval.ms'),
  },
  {
    name: 'retention.bytes',
    type: 'long',
    default: '-1',
    importance: 'medium',
    documentation:
      'Size per partition above which the oldest segments are deleted under the policy ' +
      '"delete"; -1 sets no limit.',
    synonyms: from('log.retention.bytes'),
  },
  {
    name: 'retention.ms',
    type: 'long',
    default: '604800000',
    valid: atLeast(-1),
    importance: 'medium',
    documentation:
      'Time in milliseconds that records are kept under the policy "delete", and with it the ' +
      'time consumers have to read them; -1 sets no limit.',
    synonyms: [
      { name: 'log.retention.ms', hasNoLimitBelowZero: true },
      { name: 'log.retention.minutes', factor: MINUTE_MS, hasNoLimitBelowZero: true },
      { name: 'log.retention.hours', factor: HOUR_MS, hasNoLimitBelowZero: true },
    ],
  },
  {
    name: 'max.message.bytes',
    type: 'int',
    default: '1048588',
    valid: atLeast(0),
    importance: 'medium',
    documentation: 'Greatest size of a record batch, after compression, that producers may append.',
    synonyms: from('message.max.bytes'),
  },
  {
    name: 'max.decompressed.message.bytes',
    type: 'int',
    default: '2147483639',
    valid: between(1, 2_147_483_639),
    importance: 'medium',
    documentation:
      'Greatest size of one record once decompressed; a batch that would exceed it is refused.',
    synonyms: from('max.decompressed.message.bytes'),
  },
  {
    name: 'index.interval.bytes',
    type: 'int',
    default: '4096',
    valid: atLeast(0),
    importance: 'medium',
    documentation: 'Bytes appended between two entries of the offset index.',
    synonyms: from('log.index.interval.bytes'),
  },
  {
    name: 'delete.retention.ms',
    type: 'long',
    default: '86400000',
    valid: atLeast(0),
    importance: 'medium',
    documentation:
      'Time in milliseconds that the markers of deleted keys stay in a compacted topic, and ' +
      'with it the time a reader from the start has to see them.',
    synonyms: from('log.cleaner.delete.retention.ms'),
  },
  {
    name: 'min.compaction.lag.ms',
    type: 'long',
    default: '0',
    valid: atLeast(0),
    importance: 'medium',
    documentation: 'Time in milliseconds that a record is safe from compaction.',
    synonyms: from('log.cleaner.min.compaction.lag.ms'),
  },
  {
    name: 'max.compaction.lag.ms',
    type: 'long',
    default: LONG_MAX,
    valid: atLeast(1),
    importance: 'medium',
    documentation: 'Time in milliseconds after which a record must have been compacted.',
    synonyms: from('log.cleaner.max.compaction.lag.ms'),
  },
  {
    name: 'file.delete.delay.ms',
    type: 'long',
    default: '60000',
    valid: atLeast(0),
    importance: 'medium',
    documentation: 'Time in milliseconds between a file being given up and its removal from disk.',
    synonyms: from('log.segment.delete.delay.ms'),
  },
  {
    name: 'min.cleanable.dirty.ratio',
    type: 'double',
    default: '0.5',
    valid: between(0, 1),
    importance: 'medium',
    documentation:
      'Share of a compacted log that must be new since the last compaction before the next ' +
      'one; it bounds the space lost to superseded records.',
    synonyms: from('log.cleaner.min.cleanable.ratio'),
  },
  {
    name: 'cleanup.policy',
    type: 'list',
    default: 'delete',
    valid: { kind: 'list', values: ['compact', 'delete'], mayBeEmpty: true },
    importance: 'medium',
    documentation:
      'What becomes of old segments: "delete" drops them by time and size, "compact" keeps ' +
      'the newest record of every key; both may be named, an empty list keeps everything.',
    synonyms: from('log.cleanup.policy'),
  },
  {
    name: 'unclean.leader.election.enable',
    type: 'boolean',
    default: 'false',
    importance: 'medium',
    documentation:
      'Whether a replica that is not in sync may become leader when no other can, at the ' +
      'price of lost records.',
    synonyms: from('unclean.leader.election.enable'),
  },
  {
    name: 'min.insync.replicas',
    type: 'int',
    default: '1',
    valid: atLeast(1),
    importance: 'medium',
    documentation:
      'Number of replicas that must be in sync for a write with acks=all to be taken, and for ' +
      'records to become readable.',
    synonyms: from('min.insync.replicas'),
  },
  {
    name: 'compression.type',
    type: 'string',
    default: 'producer',
    valid: oneOf('uncompressed', 'zstd', 'lz4', 'snappy', 'gzip', 'producer'),
    importance: 'medium',
    documentation:
      'How batches are compressed in the log; "producer" keeps what the producer chose.',
    synonyms: from('compression.type'),
  },
  {
    name: 'compression.gzip.level',
    type: 'int',
    default: '-1',
    valid: { kind: 'custom', text: '[1,...,9] or -1', problem: gzipLevelProblem },
    importance: 'medium',
    documentation: 'Level used when the topic itself compresses with gzip.',
    synonyms: from('compression.gzip.level'),
  },
  {
    name: 'compression.lz4.level',
    type: 'int',
    default: '9',
    valid: between(1, 17),
    importance: 'medium',
    documentation: 'Level used when the topic itself compresses with lz4.',
    synonyms: from('compression.lz4.level'),
  },
  {
    name: 'compression.zstd.level',
    type: 'int',
    default: '3',
    valid: between(-131_072, 22),
    importance: 'medium',
    documentation: 'Level used when the topic itself compresses with zstd.',
    synonyms: from('compression.zstd.level'),
  },
  {
    name: 'preallocate',
    type: 'boolean',
    default: 'false',
    importance: 'medium',
    documentation: 'Whether a new segment file is given its full size at once.',
    synonyms: from('log.preallocate'),
  },
  {
    name: 'message.timestamp.type',
    type: 'string',
    default: 'CreateTime',
    valid: oneOf('CreateTime', 'LogAppendTime'),
    importance: 'medium',
    documentation:
      'Whether records carry the time their producer gave them or the time of their append.',
    synonyms: from('log.message.timestamp.type'),
  },
  {
    name: 'message.timestamp.before.max.ms',
    type: 'long',
    default: LONG_MAX,
    valid: atLeast(0),
    importance: 'medium',
    documentation:
      "How far in milliseconds a record's timestamp may lie before the broker's clock. " +
      'Without meaning under LogAppendTime.',
    synonyms: from('log.message.timestamp.before.max.ms'),
  },
  {
    name: 'message.timestamp.after.max.ms',
    type: 'long',
    default: '3600000',
    valid: atLeast(0),
    importance: 'medium',
    documentation:
      "How far in milliseconds a record's timestamp may lie after the broker's clock. Without " +
      'meaning under LogAppendTime.',
    synonyms: from('log.message.timestamp.after.max.ms'),
  },
  {
    name: 'leader.replication.throttled.replicas',
    type: 'list',
    default: '',
    valid: {
      kind: 'custom',
      text: '[partitionId]:[brokerId],[partitionId]:[brokerId],...',
      problem: throttledReplicasProblem,
    },
    importance: 'medium',
    documentation:
      'Replicas whose replication is throttled on the side of the leader: partition:broker ' +
      'pairs, or * for all.',
  },
  {
    name: 'follower.replication.throttled.replicas',
    type: 'list',
    default: '',
    valid: {
      kind: 'custom',
      text: '[partitionId]:[brokerId],[partitionId]:[brokerId],...',
      problem: throttledReplicasProblem,
    },
    importance: 'medium',
    documentation:
      'Replicas whose replication is throttled on the side of the follower: partition:broker ' +
      'pairs, or * for all.',
  },
  {
    name: 'remote.storage.enable',
    type: 'boolean',
    default: 'false',
    importance: 'medium',
    documentation: 'Whether closed segments are also kept in remote (tiered) storage.',
  },
  {
    name: 'local.retention.ms',
    type: 'long',
    default: '-2',
    valid: atLeast(-2),
    importance: 'medium',
    documentation:
      'Time in milliseconds that segments kept remotely also stay on local disk; -2 follows ' +
      'retention.ms.',
    synonyms: from('log.local.retention.ms'),
  },
  {
    name: 'local.retention.bytes',
    type: 'long',
    default: '-2',
    valid: atLeast(-2),
    importance: 'medium',
    documentation:
      'Size per partition up to which segments kept remotely also stay on local disk; -2 ' +
      'follows retention.bytes.',
    synonyms: from('log.local.retention.bytes'),
  },
  {
    name: 'remote.log.copy.disable',
    type: 'boolean',
    default: 'false',
    importance: 'medium',
    documentation:
      'Whether a topic in remote storage stops copying further segments there and becomes ' +
      'read-only in that respect.',
  },
  {
    name: 'remote.copy.lag.ms',
    type: 'long',
    default: '0',
    valid: atLeast(-1),
    importance: 'medium',
    documentation:
      'Time in milliseconds that a closed segment waits before it is copied to remote storage.',
    synonyms: from('log.remote.copy.lag.ms'),
  },
  {
    name: 'remote.copy.lag.bytes',
    type: 'long',
    default: '-1',
    valid: atLeast(-1),
    importance: 'medium',
    documentation:
      'Bytes that must follow a closed segment before it is copied to remote storage; -1 sets ' +
      'no such condition.',
    synonyms: from('log.remote.copy.lag.bytes'),
  },
  {
    name: 'remote.log.delete.on.disable',
    type: 'boolean',
    default: 'false',
    importance: 'medium',
    documentation:
      'Whether the data in remote storage is deleted when remote.storage.enable is taken back.',
  },
  {
    name: 'errors.deadletterqueue.group.enable',
    type: 'boolean',
    default: 'false',
    importance: 'medium',
    documentation: 'Whether share groups may use this topic as their dead-letter queue.',
  },
  {
    name: 'internal.segment.bytes',
    type: 'int',
    default: null,
    importance: 'medium',
    documentation: 'Overrides segment.bytes without its lower bound; for tests only.',
    isInternal: true,
  },
];

export const TOPIC_CONFIGS = new ConfigTable(DEFINITIONS);

/**
 * Checks the settings a topic would have. `overrides` are those set on the topic, `existing` those
 * it has now, `brokerValues` what the broker's own settings give each topic setting (by the
 * topic's name for it). Tiered storage is not served, hence refused.
 */
export function validateTopicConfigs(
  overrides: ReadonlyMap<string, string>,
  existing: ReadonlyMap<string, string>,
  brokerValues: ReadonlyMap<string, string>,
): ConfigProblem | undefined {
  for (const name of overrides.keys()) {
    if (!TOPIC_CONFIGS.has(name)) return invalidConfig(`Unknown topic config name: ${name}`);
  }
  const values = TOPIC_CONFIGS.read(new Map([...brokerValues, ...overrides]));
  if (isConfigProblem(values)) return values;
  return compactionLagProblem(values) ?? remoteStorageProblem(values, existing);
}

function compactionLagProblem(values: ConfigValues): ConfigProblem | undefined {
  const least = values.get('min.compaction.lag.ms') as bigint;
  const most = values.get('max.compaction.lag.ms') as bigint;
  if (least <= most) return undefined;
  return invalidConfig(
    `conflict topic config setting min.compaction.lag.ms (${least}) > ` +
      `max.compaction.lag.ms (${most})`,
  );
}

function remoteStorageProblem(
  values: ConfigValues,
  existing: ReadonlyMap<string, string>,
): ConfigProblem | undefined {
  if (values.get('remote.storage.enable') === true) {
    return invalidConfig(
      'Tiered Storage functionality is disabled in the broker. ' +
        'Topic cannot be configured with remote log storage.',
    );
  }
  const wasEnabled = existing.get('remote.storage.enable')?.trim().toLowerCase() === 'true';
  if (wasEnabled && values.get('remote.log.delete.on.disable') !== true) {
    return invalidConfig(
      'It is invalid to disable remote storage without deleting remote data. ' +
        'To keep the remote data and only read it, set `remote.storage.enable=true,' +
        'remote.log.copy.disable=true`. To disable remote storage and delete its data, set ' +
        '`remote.storage.enable=false,remote.log.delete.on.disable=true`.',
    );
  }
  return undefined;
}

function gzipLevelProblem(_name: string, value: ConfigValue): string | undefined {
  const level = value as number;
  if (level === -1 || (level >= 1 && level <= 9)) return undefined;
  return 'Value must be between 1 and 9 or equal to -1';
}

function throttledReplicasProblem(name: string, value: ConfigValue): string | undefined {
  const replicas = value as readonly string[];
  if (replicas.join('') === '*') return undefined;
  if (replicas.every((replica) => /^([0-9]+:[0-9]+)?$/.test(replica))) return undefined;
  return (
    `${name} must be the literal '*' or a list of replicas in the following format: ` +
    '[partitionId]:[brokerId],[partitionId]:[brokerId],...'
  );
}

/** The node's settings as the rooms below ask for them. */
import type { ControllerSettings } from '../controller/view';
import type { QuorumSettings } from '../raft/driver-options';
import type { Destination } from '../raft/voters';
import type { ServerLimits } from '../server/server';
import type { ServerSettings } from '../server/services';
import type { LogsOptions } from '../storage/logs';
import type { LiveSettings } from './live-settings';
import type { Settings } from './settings';
import { BROKER_SETTINGS, type BrokerSetting } from './settings-table';
import { StartError } from './start-error';

const MIB = 1024 * 1024;
/** What all unfinished requests may hold together where nothing is set. */
const QUEUED_MAX_REQUEST_BYTES = 256 * MIB;
const SETTINGS: ReadonlyMap<string, BrokerSetting> = new Map(
  BROKER_SETTINGS.map((setting) => [setting.name, setting]),
);

/** The text of a broker setting as given, its default included; null = it has none. */
const staticText = (settings: Settings, name: string): string | null =>
  settings.given.get(name) ?? SETTINGS.get(name)?.default ?? null;

export function controllerSettings(settings: Settings, clusterId: string): ControllerSettings {
  return {
    nodeId: settings.nodeId,
    clusterId,
    defaultReplicationFactor: settings.value('default.replication.factor'),
    numPartitions: settings.value('num.partitions'),
    deleteTopicEnable: settings.value('delete.topic.enable'),
    brokerSessionTimeoutMs: settings.value('broker.session.timeout.ms'),
    autoLeaderRebalanceEnable: settings.value('auto.leader.rebalance.enable'),
    leaderImbalanceCheckIntervalMs:
      settings.number('leader.imbalance.check.interval.seconds') * 1000,
    uncleanLeaderElectionCheckIntervalMs: settings.number('unclean.leader.election.interval.ms'),
    given: settings.given,
    brokerValue: (name) => staticText(settings, name),
  };
}

export function quorumSettings(settings: Settings): QuorumSettings {
  return {
    electionTimeoutMs: settings.value('controller.quorum.election.timeout.ms'),
    electionBackoffMaxMs: settings.value('controller.quorum.election.backoff.max.ms'),
    fetchTimeoutMs: settings.value('controller.quorum.fetch.timeout.ms'),
    requestTimeoutMs: settings.value('controller.quorum.request.timeout.ms'),
    retryBackoffMs: settings.value('controller.quorum.retry.backoff.ms'),
    fetchMaxBytes: settings.value('controller.quorum.fetch.max.bytes'),
    fetchSnapshotMaxBytes: settings.value('controller.quorum.fetch.snapshot.max.bytes'),
    autoJoinIsEnabled: settings.value('controller.quorum.auto.join.enable'),
    logSegmentBytes:
      settings.value('internal.metadata.log.segment.bytes') ??
      settings.value('metadata.log.segment.bytes'),
    logSegmentMs: settings.number('metadata.log.segment.ms'),
    maxRecordBytesBetweenSnapshots: settings.number(
      'metadata.log.max.record.bytes.between.snapshots',
    ),
    maxSnapshotIntervalMs: settings.number('metadata.log.max.snapshot.interval.ms'),
    maxRetentionBytes: settings.number('metadata.max.retention.bytes'),
    maxRetentionMs: settings.number('metadata.max.retention.ms'),
  };
}

/** `controller.quorum.voters`: id@host:port, … */
export function staticVoters(settings: Settings): readonly Destination[] {
  return settings.value('controller.quorum.voters').map((text) => {
    const match = /^(\d+)@(?:\[([^\]]+)\]|([^:]+)):(\d+)$/.exec(text.trim());
    if (match === null) {
      throw new StartError(`controller.quorum.voters has '${text}': write id@host:port.`);
    }
    return { id: Number(match[1]), host: match[2] ?? match[3] ?? '', port: Number(match[4]) };
  });
}

/** `controller.quorum.bootstrap.servers`: host:port, … */
export function bootstrapServers(settings: Settings): readonly { host: string; port: number }[] {
  return settings.value('controller.quorum.bootstrap.servers').map((text) => {
    const match = /^(?:\[([^\]]+)\]|([^:]+)):(\d+)$/.exec(text.trim());
    if (match === null) {
      throw new StartError(`controller.quorum.bootstrap.servers has '${text}': write host:port.`);
    }
    return { host: match[1] ?? match[2] ?? '', port: Number(match[3]) };
  });
}

export function upkeepSettings(
  settings: Settings,
): Omit<LogsOptions, 'folders' | 'settingsOf' | 'onFolderOffline'> {
  return {
    retentionCheckIntervalMs: settings.number('log.retention.check.interval.ms'),
    recoveryPointCheckpointIntervalMs: settings.value('log.flush.offset.checkpoint.interval.ms'),
    startOffsetCheckpointIntervalMs: settings.value(
      'log.flush.start.offset.checkpoint.interval.ms',
    ),
    highWatermarkCheckpointIntervalMs: settings.number(
      'replica.high.watermark.checkpoint.interval.ms',
    ),
    producerIdExpirationMs: settings.value('producer.id.expiration.ms'),
    producerIdExpirationCheckIntervalMs: settings.value('producer.id.expiration.check.interval.ms'),
  };
}

export function serverLimits(settings: Settings): ServerLimits {
  const queued = settings.number('queued.max.request.bytes');
  const maxIdleMs = settings.number('connections.max.idle.ms');
  return {
    maxFrameBytes: settings.value('socket.request.max.bytes'),
    maxQueuedBytes: queued > 0 ? queued : QUEUED_MAX_REQUEST_BYTES,
    maxIdleMs: maxIdleMs < 0 ? Number.POSITIVE_INFINITY : maxIdleMs,
    maxConnections: settings.value('max.connections'),
    maxConnectionsPerIp: settings.value('max.connections.per.ip'),
    maxConnectionsPerIpOverrides: ipOverrides(settings),
  };
}

/** What handlers read; settings that may change while running are read anew each time. */
export function serverSettings(live: LiveSettings): ServerSettings {
  const { settings } = live;
  return {
    fetchMaxBytes: settings.value('fetch.max.bytes'),
    autoCreateTopicsEnable: settings.value('auto.create.topics.enable'),
    numPartitions: settings.value('num.partitions'),
    defaultReplicationFactor: settings.value('default.replication.factor'),
    deleteTopicEnable: settings.value('delete.topic.enable'),
    requestTimeoutMs: settings.value('request.timeout.ms'),
    get transactionPartitionVerificationEnable() {
      return live.text('transaction.partition.verification.enable') !== 'false';
    },
    addPartitionsToTxnRetryBackoffMs: settings.value('add.partitions.to.txn.retry.backoff.ms'),
    addPartitionsToTxnRetryBackoffMaxMs: settings.value(
      'add.partitions.to.txn.retry.backoff.max.ms',
    ),
    maxRequestPartitionSizeLimit: settings.value('max.request.partition.size.limit'),
    replicaSelector: replicaSelector(settings),
  };
}

const RACK_AWARE = 'org.apache.kafka.common.replica.RackAwareReplicaSelector';

/** How consumers are shown a nearer replica than the leader (KIP-392). Throws StartError. */
export function replicaSelector(settings: Settings): ServerSettings['replicaSelector'] {
  const name = settings.value('replica.selector.class');
  if (name === null) return undefined;
  if (name === RACK_AWARE) return 'rack-aware';
  throw new StartError(`replica.selector.class is ${name}: only ${RACK_AWARE} is known here.`);
}

/** `max.connections.per.ip.overrides`: address:number, … */
function ipOverrides(settings: Settings): ReadonlyMap<string, number> {
  const overrides = new Map<string, number>();
  for (const pair of settings.value('max.connections.per.ip.overrides').split(',')) {
    if (pair.trim() === '') continue;
    const match = /^(.+):(\d+)$/.exec(pair.trim());
    if (match === null) {
      throw new StartError(`max.connections.per.ip.overrides has '${pair}': write address:number.`);
    }
    overrides.set(match[1] ?? '', Number(match[2]));
  }
  return overrides;
}

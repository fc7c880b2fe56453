/**
 * Every setting of a broker, by Kafka's names and with Kafka 4.4's types, defaults and bounds.
 * Those with a sentence are in force; the others are accepted and have no effect.
 */
import type { ConfigType, ValidValues } from '../metadata/config-values';
import type { ConfigDefinition } from '../metadata/configs';

type Importance = ConfigDefinition['importance'];

/** What a setting has beyond its name, type and default. */
interface More {
  readonly valid?: ValidValues;
  /** How it can be changed while the broker runs; absent = not at all. */
  readonly update?: 'cluster-wide' | 'per-broker';
  readonly isInternal?: true;
  readonly isRequired?: true;
  /** What it does, in one sentence; absent = it has no effect here. */
  readonly documentation?: string;
}

/** One broker setting; `default` null = none. */
export interface BrokerSetting<
  N extends string = string,
  T extends ConfigType = ConfigType,
  D extends string | null = string | null,
> extends More {
  readonly name: N;
  readonly type: T;
  readonly default: D;
  readonly importance: Importance;
}

const row =
  <T extends ConfigType>(type: T) =>
  <N extends string, D extends string | null>(
    name: N,
    whenUnset: D,
    importance: Importance,
    more: More = {},
  ): BrokerSetting<N, T, D> => ({ name, type, default: whenUnset, importance, ...more });

const bool = row('boolean');
const string = row('string');
const short = row('short');
const int = row('int');
const long = row('long');
const double = row('double');
const list = row('list');
const classOf = row('class');
const password = row('password');

const atLeast = (min: number): ValidValues => ({ kind: 'range', min });
const between = (min: number, max: number): ValidValues => ({ kind: 'range', min, max });
const oneOf = (...values: readonly string[]): ValidValues => ({ kind: 'one-of', values });
const oneOfAnyCase = (...values: readonly string[]): ValidValues => ({
  kind: 'one-of',
  values,
  anyCase: true,
});
const listOf = (...values: readonly string[]): ValidValues => ({
  kind: 'list',
  values,
  mayBeEmpty: false,
});
const gzipLevel: ValidValues = {
  kind: 'custom',
  text: '[1,...,9] or -1',
  problem: (_name, value) =>
    value === -1 || (Number(value) >= 1 && Number(value) <= 9)
      ? undefined
      : 'Value must be between 1 and 9 or equal to -1',
};
/** With 0 everything would be deleted as soon as it is looked at. */
const retentionMs: ValidValues = {
  kind: 'custom',
  text: '[1,...] or -1',
  problem: (_name, value) =>
    value === 0n ? 'Value must be -1, for no limit, or at least 1' : undefined,
};

export const BROKER_SETTINGS = [
  int('add.partitions.to.txn.retry.backoff.max.ms', '100', 'high', {
    valid: atLeast(0),
    documentation:
      'How long a produce request waits for its producer to be done with the transaction before.',
  }),
  int('add.partitions.to.txn.retry.backoff.ms', '20', 'high', {
    valid: atLeast(1),
    documentation: 'The pause between two questions of that kind to the transaction coordinator.',
  }),
  list('advertised.listeners', null, 'high', {
    documentation:
      'Where clients are told to connect; of listeners left out they are told nothing. ' +
      '`listeners` where not set.',
  }),
  classOf('alter.config.policy.class.name', null, 'low'),
  int('alter.log.dirs.replication.quota.window.num', '11', 'low', { valid: atLeast(1) }),
  int('alter.log.dirs.replication.quota.window.size.seconds', '1', 'low', { valid: atLeast(1) }),
  string('authorizer.class.name', '', 'low'),
  bool('auto.create.topics.enable', 'true', 'high', {
    documentation: 'Whether asking for the metadata of a missing topic creates it.',
  }),
  bool('auto.leader.rebalance.enable', 'true', 'high', {
    documentation: 'Whether the controller gives leadership back to preferred replicas.',
  }),
  int('background.threads', '10', 'high', { valid: atLeast(1), update: 'cluster-wide' }),
  int('broker.heartbeat.interval.ms', '2000', 'medium', {
    documentation: 'How often a broker tells the controller that it is alive.',
  }),
  int('broker.id', '-1', 'high', { documentation: 'The old name of `node.id`.' }),
  string('broker.rack', null, 'medium', {
    documentation: 'The rack this broker stands in; told to clients and used to spread replicas.',
  }),
  int('broker.session.timeout.ms', '9000', 'medium', {
    documentation: 'How long after its last heartbeat a broker counts as alive.',
  }),
  classOf('client.quota.callback.class', null, 'low'),
  int('compression.gzip.level', '-1', 'medium', {
    valid: gzipLevel,
    update: 'cluster-wide',
    documentation: 'Level of gzip where the broker compresses.',
  }),
  int('compression.lz4.level', '9', 'medium', {
    valid: between(1, 17),
    update: 'cluster-wide',
    documentation: 'Level of lz4 where the broker compresses.',
  }),
  string('compression.type', 'producer', 'high', {
    valid: oneOf('uncompressed', 'zstd', 'lz4', 'snappy', 'gzip', 'producer'),
    update: 'cluster-wide',
    documentation: 'Compression of stored batches; `producer` keeps what the producer chose.',
  }),
  int('compression.zstd.level', '3', 'medium', {
    valid: between(-131072, 22),
    update: 'cluster-wide',
    documentation: 'Level of zstd where the broker compresses.',
  }),
  list('config.providers', '', 'low', { update: 'cluster-wide' }),
  int('connection.failed.authentication.delay.ms', '100', 'low', { valid: atLeast(0) }),
  long('connections.max.idle.ms', '600000', 'medium', {
    documentation: 'A connection without requests for that long is closed; -1 sets no limit.',
  }),
  long('connections.max.reauth.ms', '0', 'medium'),
  bool('controlled.shutdown.enable', 'true', 'medium', {
    documentation: 'Whether a stopping broker first hands over its partitions.',
  }),
  list('controller.listener.names', null, 'high', {
    isRequired: true,
    documentation:
      'Names of the listeners on which controllers are reached, in order of preference.',
  }),
  long('controller.performance.always.log.threshold.ms', '2000', 'medium', {
    valid: atLeast(0),
    isInternal: true,
  }),
  long('controller.performance.sample.period.ms', '60000', 'medium', {
    valid: atLeast(100),
    isInternal: true,
  }),
  int('controller.quorum.append.linger.ms', '25', 'medium', { valid: atLeast(0) }),
  bool('controller.quorum.auto.join.enable', 'false', 'low', {
    documentation: 'Whether a controller that is no voter yet asks to become one.',
  }),
  list('controller.quorum.bootstrap.servers', '', 'high', {
    documentation: 'Where a node of a dynamic quorum looks for the controllers.',
  }),
  int('controller.quorum.election.backoff.max.ms', '1000', 'high', {
    valid: atLeast(0),
    documentation: 'Longest pause after a lost election.',
  }),
  int('controller.quorum.election.timeout.ms', '1000', 'high', {
    valid: atLeast(0),
    documentation: 'How long a voter waits for an election to be decided.',
  }),
  int('controller.quorum.fetch.max.bytes', '1048576', 'low', {
    valid: atLeast(1),
    documentation: 'Bytes of the metadata log asked for at once.',
  }),
  int('controller.quorum.fetch.snapshot.max.bytes', '1048576', 'low', {
    valid: atLeast(1),
    documentation: 'Bytes of a metadata snapshot asked for at once.',
  }),
  int('controller.quorum.fetch.timeout.ms', '2000', 'high', {
    valid: atLeast(0),
    documentation: 'How long without an answer of the leader before a voter stands for election.',
  }),
  int('controller.quorum.request.timeout.ms', '2000', 'medium', {
    valid: atLeast(0),
    documentation: 'How long a request between controllers may take.',
  }),
  int('controller.quorum.retry.backoff.ms', '20', 'low', {
    valid: atLeast(0),
    documentation: 'Pause before such a request is tried again.',
  }),
  list('controller.quorum.voters', '', 'high', {
    documentation: 'The voters of a static quorum as id@host:port.',
  }),
  int('controller.quota.window.num', '11', 'low', { valid: atLeast(1) }),
  int('controller.quota.window.size.seconds', '1', 'low', { valid: atLeast(1) }),
  int('controller.socket.timeout.ms', '30000', 'medium', {
    documentation: 'How long a request to the active controller may stay unanswered.',
  }),
  list('cordoned.log.dirs', '', 'medium', { update: 'per-broker' }),
  classOf('create.topic.policy.class.name', null, 'low'),
  int('default.replication.factor', '1', 'medium', {
    documentation: 'Replicas of a topic created without saying how many.',
  }),
  long('delegation.token.expiry.check.interval.ms', '3600000', 'low', { valid: atLeast(1) }),
  long('delegation.token.expiry.time.ms', '86400000', 'medium', { valid: atLeast(1) }),
  long('delegation.token.max.lifetime.ms', '604800000', 'medium', { valid: atLeast(1) }),
  password('delegation.token.secret.key', null, 'medium'),
  int('delete.records.purgatory.purge.interval.requests', '1', 'medium'),
  bool('delete.topic.enable', 'true', 'high', { documentation: 'Whether topics can be deleted.' }),
  list('early.start.listeners', null, 'high'),
  bool('errors.deadletterqueue.auto.create.topics.enable', 'false', 'medium', {
    update: 'cluster-wide',
  }),
  string('errors.deadletterqueue.topic.name.prefix', 'dlq.', 'medium', { update: 'cluster-wide' }),
  int('fetch.max.bytes', '57671680', 'medium', {
    valid: atLeast(1024),
    documentation: 'Most bytes that one Fetch is answered with.',
  }),
  int('fetch.purgatory.purge.interval.requests', '1000', 'medium'),
  bool('follower.fetch.last.tiered.offset.enable', 'false', 'medium', { update: 'cluster-wide' }),
  int('group.consumer.assignment.interval.ms', '1000', 'medium', {
    valid: atLeast(0),
    update: 'cluster-wide',
  }),
  bool('group.consumer.assignor.offload.enable', 'true', 'medium', {
    update: 'cluster-wide',
    isInternal: true,
  }),
  list('group.consumer.assignors', 'uniform,range', 'medium'),
  int('group.consumer.heartbeat.interval.ms', '5000', 'medium', { valid: atLeast(1) }),
  int('group.consumer.max.assignment.interval.ms', '15000', 'medium', { valid: atLeast(0) }),
  int('group.consumer.max.heartbeat.interval.ms', '15000', 'medium', { valid: atLeast(1) }),
  int('group.consumer.max.session.timeout.ms', '60000', 'medium', { valid: atLeast(1) }),
  int('group.consumer.max.size', '2147483647', 'medium', { valid: atLeast(1) }),
  string('group.consumer.migration.policy', 'bidirectional', 'medium', {
    valid: oneOfAnyCase('DISABLED', 'DOWNGRADE', 'UPGRADE', 'BIDIRECTIONAL'),
  }),
  int('group.consumer.min.assignment.interval.ms', '0', 'medium', { valid: atLeast(0) }),
  int('group.consumer.min.heartbeat.interval.ms', '5000', 'medium', { valid: atLeast(1) }),
  int('group.consumer.min.session.timeout.ms', '45000', 'medium', { valid: atLeast(1) }),
  int('group.consumer.regex.refresh.interval.ms', '600000', 'medium', {
    valid: atLeast(10000),
    isInternal: true,
  }),
  int('group.consumer.session.timeout.ms', '45000', 'medium', { valid: atLeast(1) }),
  int('group.coordinator.append.linger.ms', '-1', 'medium', { valid: atLeast(-1) }),
  int('group.coordinator.background.threads', '2', 'high', { valid: atLeast(1) }),
  int('group.coordinator.cached.buffer.max.bytes', '1048588', 'medium', {
    valid: atLeast(524288),
    update: 'cluster-wide',
  }),
  list('group.coordinator.rebalance.protocols', 'classic,consumer,streams', 'medium', {
    valid: listOf('consumer', 'classic', 'share', 'streams'),
  }),
  int('group.coordinator.threads', '4', 'high', { valid: atLeast(1) }),
  int('group.initial.rebalance.delay.ms', '3000', 'medium', {
    documentation: 'How long a new group waits for more members before its first generation.',
  }),
  int('group.max.session.timeout.ms', '1800000', 'medium', {
    documentation: 'Longest session that a member of a classic group may ask for.',
  }),
  int('group.max.size', '2147483647', 'medium', {
    valid: atLeast(1),
    documentation: 'Most members of a classic group.',
  }),
  int('group.min.session.timeout.ms', '6000', 'medium', {
    documentation: 'Shortest session that a member of a classic group may ask for.',
  }),
  int('group.share.assignment.interval.ms', '1000', 'medium', {
    valid: atLeast(0),
    update: 'cluster-wide',
  }),
  bool('group.share.assignor.offload.enable', 'true', 'medium', {
    update: 'cluster-wide',
    isInternal: true,
  }),
  list('group.share.assignors', 'simple', 'medium'),
  int('group.share.delivery.count.limit', '5', 'medium', { valid: between(2, 10) }),
  string(
    'group.share.dlq.manager.class.name',
    'org.apache.kafka.server.share.dlq.DefaultShareGroupDLQManager',
    'medium',
    { isInternal: true },
  ),
  int('group.share.heartbeat.interval.ms', '5000', 'medium', { valid: atLeast(1) }),
  int('group.share.initialize.retry.interval.ms', '30000', 'low', {
    valid: atLeast(1),
    isInternal: true,
  }),
  int('group.share.max.assignment.interval.ms', '15000', 'medium', { valid: atLeast(0) }),
  int('group.share.max.delivery.count.limit', '10', 'medium', { valid: between(5, 25) }),
  int('group.share.max.heartbeat.interval.ms', '15000', 'medium', { valid: atLeast(1) }),
  int('group.share.max.partition.max.record.locks', '4000', 'medium', {
    valid: between(2000, 10000),
  }),
  int('group.share.max.record.lock.duration.ms', '60000', 'medium', {
    valid: between(30000, 3600000),
  }),
  int('group.share.max.session.timeout.ms', '60000', 'medium', { valid: atLeast(1) }),
  int('group.share.max.share.sessions', '2000', 'medium', { valid: atLeast(1) }),
  int('group.share.max.size', '200', 'medium', { valid: between(1, 1000) }),
  int('group.share.min.assignment.interval.ms', '0', 'medium', { valid: atLeast(0) }),
  int('group.share.min.delivery.count.limit', '2', 'medium', { valid: between(2, 5) }),
  int('group.share.min.heartbeat.interval.ms', '5000', 'medium', { valid: atLeast(1) }),
  int('group.share.min.partition.max.record.locks', '100', 'medium', { valid: between(100, 2000) }),
  int('group.share.min.record.lock.duration.ms', '15000', 'medium', {
    valid: between(1000, 30000),
  }),
  int('group.share.min.session.timeout.ms', '45000', 'medium', { valid: atLeast(1) }),
  int('group.share.partition.max.record.locks', '2000', 'medium', { valid: between(100, 10000) }),
  string(
    'group.share.persister.class.name',
    'org.apache.kafka.server.share.persister.DefaultStatePersister',
    'medium',
    { isInternal: true },
  ),
  int('group.share.record.lock.duration.ms', '30000', 'medium', { valid: between(1000, 3600000) }),
  int('group.share.session.timeout.ms', '45000', 'medium', { valid: atLeast(1) }),
  long('group.streams.acceptable.recovery.lag', '10000', 'medium', {
    valid: atLeast(0),
    isInternal: true,
  }),
  int('group.streams.assignment.interval.ms', '1000', 'medium', {
    valid: atLeast(0),
    update: 'cluster-wide',
  }),
  bool('group.streams.assignor.offload.enable', 'true', 'medium', {
    update: 'cluster-wide',
    isInternal: true,
  }),
  list('group.streams.assignors', 'sticky', 'medium'),
  int('group.streams.heartbeat.interval.ms', '5000', 'medium', { valid: atLeast(1) }),
  int('group.streams.initial.rebalance.delay.ms', '3000', 'medium', { valid: atLeast(0) }),
  int('group.streams.max.assignment.interval.ms', '15000', 'medium', { valid: atLeast(0) }),
  int('group.streams.max.heartbeat.interval.ms', '15000', 'medium', { valid: atLeast(1) }),
  int('group.streams.max.session.timeout.ms', '60000', 'medium', { valid: atLeast(1) }),
  int('group.streams.max.size', '2147483647', 'medium', { valid: atLeast(1) }),
  int('group.streams.max.standby.replicas', '2', 'medium', { valid: atLeast(0) }),
  int('group.streams.max.warmup.replicas', '20', 'medium', { valid: atLeast(0), isInternal: true }),
  int('group.streams.min.assignment.interval.ms', '0', 'medium', { valid: atLeast(0) }),
  int('group.streams.min.heartbeat.interval.ms', '5000', 'medium', { valid: atLeast(1) }),
  int('group.streams.min.session.timeout.ms', '45000', 'medium', { valid: atLeast(1) }),
  int('group.streams.min.task.offset.interval.ms', '15000', 'medium', {
    valid: atLeast(1),
    isInternal: true,
  }),
  int('group.streams.num.standby.replicas', '0', 'medium', { valid: atLeast(0) }),
  int('group.streams.num.warmup.replicas', '2', 'medium', { valid: atLeast(0), isInternal: true }),
  list('group.streams.rack.aware.assignment.tags', '', 'low'),
  int('group.streams.session.timeout.ms', '45000', 'medium', { valid: atLeast(1) }),
  int('group.streams.task.offset.interval.ms', '60000', 'medium', {
    valid: atLeast(1),
    isInternal: true,
  }),
  classOf('group.streams.topology.description.plugin.class', null, 'medium'),
  int('initial.broker.registration.timeout.ms', '60000', 'medium', {
    documentation: 'How long a broker tries to register before it gives up.',
  }),
  string('inter.broker.listener.name', null, 'medium', {
    documentation: 'The listener on which brokers reach each other.',
  }),
  long('internal.metadata.delete.delay.millis', '60000', 'low', { isInternal: true }),
  int('internal.metadata.log.segment.bytes', null, 'low', {
    isInternal: true,
    documentation:
      'Stands in for `metadata.log.segment.bytes`, without its lower bound: for tests.',
  }),
  int('internal.metadata.max.batch.size.in.bytes', '8388608', 'low', { isInternal: true }),
  int('kafka.metrics.polling.interval.secs', '10', 'low', { valid: atLeast(1) }),
  list('kafka.metrics.reporters', '', 'low'),
  long('leader.imbalance.check.interval.seconds', '300', 'high', {
    valid: atLeast(1),
    documentation: 'How often the controller looks for partitions that others should lead.',
  }),
  string(
    'listener.security.protocol.map',
    'SASL_SSL:SASL_SSL,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT',
    'low',
    {
      update: 'per-broker',
      documentation: 'Which security protocol each listener name stands for.',
    },
  ),
  list('listeners', 'PLAINTEXT://:9092', 'high', {
    update: 'per-broker',
    documentation: 'Where the node listens, as NAME://host:port.',
  }),
  long('log.cleaner.backoff.ms', '15000', 'medium', { valid: atLeast(0), update: 'cluster-wide' }),
  long('log.cleaner.dedupe.buffer.size', '134217728', 'medium', { update: 'cluster-wide' }),
  long('log.cleaner.delete.retention.ms', '86400000', 'medium', {
    valid: atLeast(0),
    update: 'cluster-wide',
  }),
  bool('log.cleaner.enable', 'true', 'medium'),
  double('log.cleaner.io.buffer.load.factor', '0.9', 'medium', { update: 'cluster-wide' }),
  int('log.cleaner.io.buffer.size', '524288', 'medium', {
    valid: atLeast(0),
    update: 'cluster-wide',
  }),
  double('log.cleaner.io.max.bytes.per.second', '1.7976931348623157E308', 'medium', {
    update: 'cluster-wide',
  }),
  long('log.cleaner.max.compaction.lag.ms', '9223372036854775807', 'medium', {
    valid: atLeast(1),
    update: 'cluster-wide',
  }),
  double('log.cleaner.min.cleanable.ratio', '0.5', 'medium', {
    valid: between(0, 1),
    update: 'cluster-wide',
  }),
  long('log.cleaner.min.compaction.lag.ms', '0', 'medium', {
    valid: atLeast(0),
    update: 'cluster-wide',
  }),
  int('log.cleaner.threads', '1', 'medium', { valid: atLeast(0), update: 'cluster-wide' }),
  list('log.cleanup.policy', 'delete', 'medium', {
    valid: listOf('compact', 'delete'),
    update: 'cluster-wide',
    documentation: 'Default of `cleanup.policy`; nothing is compacted yet.',
  }),
  list('log.dir', '/tmp/kafka-logs', 'high', {
    documentation: 'The log folder where `log.dirs` is not set.',
  }),
  long('log.dir.failure.timeout.ms', '30000', 'low', { valid: atLeast(1) }),
  list('log.dirs', null, 'high', { documentation: 'The folders that hold the logs.' }),
  long('log.flush.interval.messages', '9223372036854775807', 'high', {
    valid: atLeast(1),
    update: 'cluster-wide',
    documentation: 'Default of `flush.messages`: fsync after so many records.',
  }),
  long('log.flush.interval.ms', null, 'high', {
    update: 'cluster-wide',
    documentation:
      'Default of `flush.ms`: fsync what is older (`log.flush.scheduler.interval.ms` if unset).',
  }),
  int('log.flush.offset.checkpoint.interval.ms', '60000', 'high', {
    valid: atLeast(0),
    documentation: 'How often the recovery points are written.',
  }),
  long('log.flush.scheduler.interval.ms', '9223372036854775807', 'high', {
    documentation: 'Default of `flush.ms` where `log.flush.interval.ms` is not set.',
  }),
  int('log.flush.start.offset.checkpoint.interval.ms', '60000', 'high', {
    valid: atLeast(0),
    documentation: 'How often the start offsets are written.',
  }),
  int('log.index.interval.bytes', '4096', 'medium', {
    valid: atLeast(0),
    update: 'cluster-wide',
    documentation: 'Default of `index.interval.bytes`.',
  }),
  int('log.index.size.max.bytes', '10485760', 'medium', {
    valid: atLeast(4),
    update: 'cluster-wide',
    documentation: 'Default of `segment.index.bytes`.',
  }),
  long('log.initial.task.delay.ms', '30000', 'low', { valid: atLeast(0), isInternal: true }),
  long('log.local.retention.bytes', '-2', 'medium', { valid: atLeast(-2), update: 'cluster-wide' }),
  long('log.local.retention.ms', '-2', 'medium', { valid: atLeast(-2), update: 'cluster-wide' }),
  long('log.message.timestamp.after.max.ms', '3600000', 'medium', {
    valid: atLeast(0),
    update: 'cluster-wide',
    documentation: 'Default of `message.timestamp.after.max.ms`.',
  }),
  long('log.message.timestamp.before.max.ms', '9223372036854775807', 'medium', {
    valid: atLeast(0),
    update: 'cluster-wide',
    documentation: 'Default of `message.timestamp.before.max.ms`.',
  }),
  string('log.message.timestamp.type', 'CreateTime', 'medium', {
    valid: oneOf('CreateTime', 'LogAppendTime'),
    update: 'cluster-wide',
    documentation: 'Default of `message.timestamp.type`.',
  }),
  bool('log.preallocate', 'false', 'medium', {
    update: 'cluster-wide',
    documentation: 'Default of `preallocate`.',
  }),
  long('log.remote.copy.lag.bytes', '-1', 'medium', { valid: atLeast(-1), update: 'cluster-wide' }),
  long('log.remote.copy.lag.ms', '0', 'medium', { valid: atLeast(-1), update: 'cluster-wide' }),
  long('log.retention.bytes', '-1', 'high', {
    update: 'cluster-wide',
    documentation: 'Default of `retention.bytes`.',
  }),
  long('log.retention.check.interval.ms', '300000', 'medium', {
    valid: atLeast(1),
    documentation: 'How often logs are looked at for old segments.',
  }),
  int('log.retention.hours', '168', 'high', {
    documentation: 'As `log.retention.minutes`, in hours.',
  }),
  int('log.retention.minutes', null, 'high', {
    documentation: 'As `log.retention.ms`, in minutes.',
  }),
  long('log.retention.ms', null, 'high', {
    valid: retentionMs,
    update: 'cluster-wide',
    documentation: 'Default of `retention.ms`.',
  }),
  int('log.roll.hours', '168', 'high', {
    valid: atLeast(1),
    documentation: 'As `log.roll.ms`, in hours.',
  }),
  int('log.roll.jitter.hours', '0', 'high', {
    valid: atLeast(0),
    documentation: 'As `log.roll.jitter.ms`, in hours.',
  }),
  long('log.roll.jitter.ms', null, 'high', {
    update: 'cluster-wide',
    documentation: 'Default of `segment.jitter.ms`.',
  }),
  long('log.roll.ms', null, 'high', {
    update: 'cluster-wide',
    documentation: 'Default of `segment.ms`.',
  }),
  int('log.segment.bytes', '1073741824', 'high', {
    valid: atLeast(1048576),
    update: 'cluster-wide',
    documentation: 'Default of `segment.bytes`.',
  }),
  long('log.segment.delete.delay.ms', '60000', 'high', {
    valid: atLeast(0),
    update: 'cluster-wide',
    documentation: 'Default of `file.delete.delay.ms`.',
  }),
  int('max.connection.creation.rate', '2147483647', 'medium', {
    valid: atLeast(0),
    update: 'cluster-wide',
  }),
  int('max.connections', '2147483647', 'medium', {
    valid: atLeast(0),
    update: 'cluster-wide',
    documentation: 'Most connections of this broker; further ones are closed.',
  }),
  int('max.connections.per.ip', '2147483647', 'medium', {
    valid: atLeast(0),
    update: 'cluster-wide',
    documentation: 'Most connections from one address.',
  }),
  string('max.connections.per.ip.overrides', '', 'medium', {
    update: 'cluster-wide',
    documentation: 'Exceptions to that, as address:number.',
  }),
  int('max.decompressed.message.bytes', '2147483639', 'medium', {
    valid: between(1, 2147483639),
    update: 'cluster-wide',
    documentation: 'Most bytes that one compressed batch may unfold to while it is checked.',
  }),
  int('max.incremental.fetch.session.cache.slots', '1000', 'medium', {
    valid: atLeast(0),
    documentation: 'Most fetch sessions kept at once.',
  }),
  int('max.request.partition.size.limit', '2000', 'medium', {
    valid: atLeast(1),
    documentation: 'Most partitions that one DescribeTopicPartitions is answered with.',
  }),
  int('message.max.bytes', '1048588', 'high', {
    valid: atLeast(0),
    update: 'cluster-wide',
    documentation: 'Default of `max.message.bytes`.',
  }),
  string('metadata.log.dir', null, 'high', {
    documentation: 'The folder of the metadata log; the first log folder where not set.',
  }),
  long('metadata.log.max.record.bytes.between.snapshots', '20971520', 'high', {
    valid: atLeast(1),
    documentation: 'Bytes of metadata records after which a snapshot is taken.',
  }),
  long('metadata.log.max.snapshot.interval.ms', '3600000', 'high', {
    valid: atLeast(0),
    documentation: 'How long metadata records may go without a snapshot.',
  }),
  int('metadata.log.segment.bytes', '1073741824', 'high', {
    valid: atLeast(8388608),
    documentation: 'Size at which a segment of the metadata log is full.',
  }),
  long('metadata.log.segment.ms', '604800000', 'high', {
    documentation: 'Age at which a segment of the metadata log is full.',
  }),
  int('metadata.max.idle.interval.ms', '500', 'low', { valid: atLeast(0) }),
  long('metadata.max.retention.bytes', '104857600', 'high', {
    documentation: 'Size above which old segments and snapshots of the metadata log go.',
  }),
  long('metadata.max.retention.ms', '604800000', 'high', {
    documentation: 'Age above which they go.',
  }),
  list('metric.reporters', 'org.apache.kafka.common.metrics.JmxReporter', 'low', {
    update: 'cluster-wide',
  }),
  int('metrics.num.samples', '2', 'low', { valid: atLeast(1) }),
  string('metrics.recording.level', 'INFO', 'low'),
  long('metrics.sample.window.ms', '30000', 'low', { valid: atLeast(1) }),
  int('min.insync.replicas', '1', 'high', {
    valid: atLeast(1),
    update: 'cluster-wide',
    documentation: 'Default of the topic setting of that name.',
  }),
  int('node.id', null, 'high', {
    valid: atLeast(0),
    isRequired: true,
    documentation: 'The number of this node in its cluster.',
  }),
  int('num.io.threads', '8', 'high', { valid: atLeast(1), update: 'cluster-wide' }),
  int('num.network.threads', '3', 'high', { valid: atLeast(1), update: 'cluster-wide' }),
  int('num.partitions', '1', 'medium', {
    valid: atLeast(1),
    documentation: 'Partitions of a topic created without saying how many.',
  }),
  int('num.recovery.threads.per.data.dir', '2', 'high', {
    valid: atLeast(1),
    update: 'cluster-wide',
  }),
  int('num.replica.alter.log.dirs.threads', null, 'high'),
  int('num.replica.fetchers', '1', 'high', {
    valid: atLeast(1),
    update: 'cluster-wide',
    documentation: 'How many connections copy from each leader.',
  }),
  int('offset.metadata.max.bytes', '4096', 'high', {
    documentation: 'Most bytes of the text that goes with a committed offset.',
  }),
  int('offsets.commit.timeout.ms', '5000', 'high', {
    valid: atLeast(1),
    documentation: "How long the commit of a coordinator's record may take.",
  }),
  int('offsets.load.buffer.size', '5242880', 'high', { valid: atLeast(1) }),
  long('offsets.retention.check.interval.ms', '600000', 'high', {
    valid: atLeast(1),
    documentation: 'How often committed offsets are looked at for expiry.',
  }),
  int('offsets.retention.minutes', '10080', 'high', {
    valid: atLeast(1),
    documentation: 'How long offsets of a group without members are kept.',
  }),
  int('offsets.topic.compression.codec', '0', 'high'),
  int('offsets.topic.num.partitions', '50', 'high', {
    valid: atLeast(1),
    documentation: 'Partitions of `__consumer_offsets` when it is created.',
  }),
  short('offsets.topic.replication.factor', '3', 'high', {
    valid: atLeast(1),
    documentation: 'Its replicas when it is created.',
  }),
  int('offsets.topic.segment.bytes', '104857600', 'high', {
    valid: atLeast(1),
    documentation: 'The size of its segments.',
  }),
  classOf(
    'principal.builder.class',
    'org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder',
    'medium',
    { update: 'per-broker' },
  ),
  list('process.roles', null, 'high', {
    valid: listOf('broker', 'controller'),
    isRequired: true,
    documentation: 'What this node is: broker, controller or both.',
  }),
  int('producer.id.expiration.check.interval.ms', '600000', 'low', {
    valid: atLeast(1),
    isInternal: true,
    documentation: 'How often producers are looked at for expiry.',
  }),
  int('producer.id.expiration.ms', '86400000', 'low', {
    valid: atLeast(1),
    update: 'cluster-wide',
    documentation: 'How long a silent idempotent producer is remembered.',
  }),
  int('producer.purgatory.purge.interval.requests', '1000', 'medium'),
  long('queued.max.request.bytes', '-1', 'medium', {
    documentation: 'Bytes that all unfinished requests may hold together; 268435456 where not set.',
  }),
  int('queued.max.requests', '500', 'high', { valid: atLeast(1) }),
  int('quota.window.num', '11', 'low', { valid: atLeast(1) }),
  int('quota.window.size.seconds', '1', 'low', { valid: atLeast(1) }),
  int('remote.fetch.max.wait.ms', '500', 'medium', { valid: atLeast(1), update: 'cluster-wide' }),
  long('remote.list.offsets.request.timeout.ms', '30000', 'medium', {
    valid: atLeast(1),
    update: 'cluster-wide',
  }),
  long('remote.log.index.file.cache.total.size.bytes', '1073741824', 'low', {
    valid: atLeast(1),
    update: 'cluster-wide',
  }),
  long('remote.log.index.file.cache.ttl.ms', '900000', 'low', {
    valid: atLeast(-1),
    isInternal: true,
  }),
  int('remote.log.manager.copier.thread.pool.size', '10', 'medium', {
    valid: atLeast(1),
    update: 'cluster-wide',
  }),
  long('remote.log.manager.copy.max.bytes.per.second', '9223372036854775807', 'medium', {
    valid: atLeast(1),
    update: 'cluster-wide',
  }),
  int('remote.log.manager.copy.quota.window.num', '11', 'medium', { valid: atLeast(1) }),
  int('remote.log.manager.copy.quota.window.size.seconds', '1', 'medium', { valid: atLeast(1) }),
  int('remote.log.manager.expiration.thread.pool.size', '10', 'medium', {
    valid: atLeast(1),
    update: 'cluster-wide',
  }),
  long('remote.log.manager.fetch.max.bytes.per.second', '9223372036854775807', 'medium', {
    valid: atLeast(1),
    update: 'cluster-wide',
  }),
  int('remote.log.manager.fetch.quota.window.num', '11', 'medium', { valid: atLeast(1) }),
  int('remote.log.manager.fetch.quota.window.size.seconds', '1', 'medium', { valid: atLeast(1) }),
  int('remote.log.manager.follower.thread.pool.size', '2', 'medium', {
    valid: atLeast(1),
    update: 'cluster-wide',
  }),
  long('remote.log.manager.task.interval.ms', '30000', 'low', { valid: atLeast(1) }),
  long('remote.log.manager.task.retry.backoff.max.ms', '30000', 'low', {
    valid: atLeast(1),
    isInternal: true,
  }),
  long('remote.log.manager.task.retry.backoff.ms', '500', 'low', {
    valid: atLeast(1),
    isInternal: true,
  }),
  double('remote.log.manager.task.retry.jitter', '0.2', 'low', {
    valid: between(0, 0.5),
    isInternal: true,
  }),
  int('remote.log.manager.thread.pool.size', '2', 'medium', { valid: atLeast(1) }),
  int('remote.log.metadata.custom.metadata.max.bytes', '128', 'low', { valid: atLeast(0) }),
  string(
    'remote.log.metadata.manager.class.name',
    'org.apache.kafka.server.log.remote.metadata.storage.TopicBasedRemoteLogMetadataManager',
    'medium',
    { valid: { kind: 'not-empty' } },
  ),
  string('remote.log.metadata.manager.class.path', null, 'medium'),
  string('remote.log.metadata.manager.impl.prefix', 'rlmm.config.', 'medium', {
    valid: { kind: 'not-empty' },
  }),
  string('remote.log.metadata.manager.listener.name', null, 'medium', {
    valid: { kind: 'not-empty' },
  }),
  int('remote.log.reader.max.pending.tasks', '100', 'medium', { valid: atLeast(1) }),
  int('remote.log.reader.threads', '10', 'medium', { valid: atLeast(1), update: 'cluster-wide' }),
  string('remote.log.storage.manager.class.name', null, 'medium', { valid: { kind: 'not-empty' } }),
  string('remote.log.storage.manager.class.path', null, 'medium'),
  string('remote.log.storage.manager.impl.prefix', 'rsm.config.', 'medium', {
    valid: { kind: 'not-empty' },
  }),
  bool('remote.log.storage.system.enable', 'false', 'medium'),
  int('replica.fetch.backoff.ms', '1000', 'medium', {
    valid: atLeast(0),
    documentation: 'The longest pause before a follower tries again after an error.',
  }),
  int('replica.fetch.max.bytes', '1048576', 'medium', {
    valid: atLeast(0),
    documentation: 'How many bytes of one partition a follower asks for at a time.',
  }),
  int('replica.fetch.min.bytes', '1', 'high', {
    documentation: 'How many bytes a leader waits for before it answers a follower.',
  }),
  int('replica.fetch.response.max.bytes', '10485760', 'medium', {
    valid: atLeast(0),
    documentation: 'How many bytes a follower asks for at a time.',
  }),
  int('replica.fetch.wait.max.ms', '500', 'high', {
    documentation: 'How long a leader may wait before it answers a follower.',
  }),
  long('replica.high.watermark.checkpoint.interval.ms', '5000', 'high', {
    documentation: 'How often the high watermarks are written.',
  }),
  long('replica.lag.time.max.ms', '30000', 'high', {
    documentation: 'How long a follower may be behind before it leaves the in-sync replicas.',
  }),
  string('replica.selector.class', null, 'medium', {
    documentation: 'Which consumers are shown a nearer replica than the leader.',
  }),
  int('replica.socket.receive.buffer.bytes', '65536', 'high'),
  int('replica.socket.timeout.ms', '30000', 'high', {
    documentation: 'How long a follower waits for an answer beyond the time the leader may wait.',
  }),
  int('replication.quota.window.num', '11', 'low', {
    valid: atLeast(1),
    documentation: 'How many windows the rate of throttled replication is measured over.',
  }),
  int('replication.quota.window.size.seconds', '1', 'low', {
    valid: atLeast(1),
    documentation: 'How long each of those windows is.',
  }),
  int('request.timeout.ms', '30000', 'high', {
    documentation: 'How long a request forwarded to the controller may take.',
  }),
  classOf('sasl.client.callback.handler.class', null, 'medium'),
  list('sasl.enabled.mechanisms', 'GSSAPI', 'medium', { update: 'per-broker' }),
  password('sasl.jaas.config', null, 'medium', { update: 'per-broker' }),
  string('sasl.kerberos.kinit.cmd', '/usr/bin/kinit', 'medium', { update: 'per-broker' }),
  long('sasl.kerberos.min.time.before.relogin', '60000', 'medium', { update: 'per-broker' }),
  list('sasl.kerberos.principal.to.local.rules', 'DEFAULT', 'medium', { update: 'per-broker' }),
  string('sasl.kerberos.service.name', null, 'medium', { update: 'per-broker' }),
  double('sasl.kerberos.ticket.renew.jitter', '0.05', 'medium', { update: 'per-broker' }),
  double('sasl.kerberos.ticket.renew.window.factor', '0.8', 'medium', { update: 'per-broker' }),
  classOf('sasl.login.callback.handler.class', null, 'medium'),
  classOf('sasl.login.class', null, 'medium'),
  int('sasl.login.connect.timeout.ms', null, 'low'),
  int('sasl.login.read.timeout.ms', null, 'low'),
  short('sasl.login.refresh.buffer.seconds', '300', 'medium', { update: 'per-broker' }),
  short('sasl.login.refresh.min.period.seconds', '60', 'medium', { update: 'per-broker' }),
  double('sasl.login.refresh.window.factor', '0.8', 'medium', { update: 'per-broker' }),
  double('sasl.login.refresh.window.jitter', '0.05', 'medium', { update: 'per-broker' }),
  long('sasl.login.retry.backoff.max.ms', '10000', 'low'),
  long('sasl.login.retry.backoff.ms', '100', 'low'),
  string('sasl.mechanism.controller.protocol', 'GSSAPI', 'high'),
  string('sasl.mechanism.inter.broker.protocol', 'GSSAPI', 'medium', { update: 'per-broker' }),
  bool('sasl.oauthbearer.allow.unverified.audience', 'false', 'medium'),
  bool('sasl.oauthbearer.allow.unverified.issuer', 'false', 'medium'),
  string('sasl.oauthbearer.assertion.algorithm', 'RS256', 'medium', {
    valid: oneOfAnyCase('ES256', 'RS256'),
  }),
  string('sasl.oauthbearer.assertion.claim.aud', null, 'medium'),
  int('sasl.oauthbearer.assertion.claim.exp.seconds', '300', 'low', { valid: between(0, 86400) }),
  string('sasl.oauthbearer.assertion.claim.iss', null, 'medium'),
  bool('sasl.oauthbearer.assertion.claim.jti.include', 'false', 'medium'),
  int('sasl.oauthbearer.assertion.claim.nbf.seconds', '60', 'low', { valid: between(0, 3600) }),
  string('sasl.oauthbearer.assertion.claim.sub', null, 'medium'),
  string('sasl.oauthbearer.assertion.file', null, 'medium'),
  string('sasl.oauthbearer.assertion.private.key.file', null, 'medium'),
  password('sasl.oauthbearer.assertion.private.key.passphrase', null, 'medium'),
  string('sasl.oauthbearer.assertion.template.file', null, 'medium'),
  string('sasl.oauthbearer.client.credentials.client.id', null, 'medium'),
  password('sasl.oauthbearer.client.credentials.client.secret', null, 'medium'),
  int('sasl.oauthbearer.clock.skew.seconds', '30', 'low'),
  list('sasl.oauthbearer.expected.audience', '', 'high'),
  string('sasl.oauthbearer.expected.issuer', null, 'high'),
  long('sasl.oauthbearer.jwks.endpoint.refresh.ms', '3600000', 'low'),
  long('sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms', '10000', 'low'),
  long('sasl.oauthbearer.jwks.endpoint.retry.backoff.ms', '100', 'low'),
  string('sasl.oauthbearer.jwks.endpoint.url', null, 'medium'),
  classOf(
    'sasl.oauthbearer.jwt.retriever.class',
    'org.apache.kafka.common.security.oauthbearer.DefaultJwtRetriever',
    'medium',
  ),
  classOf(
    'sasl.oauthbearer.jwt.validator.class',
    'org.apache.kafka.common.security.oauthbearer.DefaultJwtValidator',
    'medium',
  ),
  string('sasl.oauthbearer.scope', null, 'medium'),
  string('sasl.oauthbearer.scope.claim.name', 'scope', 'low'),
  string('sasl.oauthbearer.sub.claim.name', 'sub', 'low'),
  string('sasl.oauthbearer.token.endpoint.url', null, 'medium'),
  classOf('sasl.server.callback.handler.class', null, 'medium'),
  int('sasl.server.max.receive.size', '524288', 'medium'),
  string('security.inter.broker.protocol', 'PLAINTEXT', 'medium', {
    valid: oneOf('PLAINTEXT', 'SSL', 'SASL_PLAINTEXT', 'SASL_SSL'),
    documentation: 'The security protocol between brokers where no listener is named for it.',
  }),
  string('security.providers', null, 'low'),
  long('server.max.startup.time.ms', '9223372036854775807', 'medium', {
    valid: atLeast(0),
    isInternal: true,
  }),
  int('share.coordinator.append.linger.ms', '-1', 'medium', { valid: atLeast(-1) }),
  int('share.coordinator.cached.buffer.max.bytes', '1048588', 'medium', {
    valid: atLeast(524288),
    update: 'cluster-wide',
  }),
  int('share.coordinator.cold.partition.snapshot.interval.ms', '300000', 'low', {
    valid: atLeast(1),
    isInternal: true,
  }),
  int('share.coordinator.load.buffer.size', '5242880', 'high', { valid: atLeast(1) }),
  int('share.coordinator.snapshot.update.records.per.snapshot', '500', 'medium', {
    valid: between(0, 500),
  }),
  int('share.coordinator.state.topic.compression.codec', '0', 'high'),
  short('share.coordinator.state.topic.min.isr', '2', 'high', { valid: atLeast(1) }),
  int('share.coordinator.state.topic.num.partitions', '50', 'high', { valid: atLeast(1) }),
  int('share.coordinator.state.topic.prune.interval.ms', '300000', 'low', {
    valid: atLeast(1),
    isInternal: true,
  }),
  short('share.coordinator.state.topic.replication.factor', '3', 'high', { valid: atLeast(1) }),
  int('share.coordinator.state.topic.segment.bytes', '104857600', 'high', { valid: atLeast(1) }),
  int('share.coordinator.threads', '1', 'medium', { valid: atLeast(1) }),
  int('share.coordinator.write.timeout.ms', '5000', 'high', { valid: atLeast(1) }),
  int('share.fetch.purgatory.purge.interval.requests', '1000', 'medium'),
  long('socket.connection.setup.timeout.max.ms', '30000', 'medium'),
  long('socket.connection.setup.timeout.ms', '10000', 'medium', {
    documentation: 'How long a connection to another node may take to come about.',
  }),
  int('socket.listen.backlog.size', '50', 'medium', { valid: atLeast(1) }),
  int('socket.receive.buffer.bytes', '102400', 'high'),
  int('socket.request.max.bytes', '104857600', 'high', {
    valid: atLeast(1),
    documentation: 'Most bytes of one request.',
  }),
  int('socket.send.buffer.bytes', '102400', 'high'),
  bool('ssl.allow.dn.changes', 'false', 'low'),
  bool('ssl.allow.san.changes', 'false', 'low'),
  list('ssl.cipher.suites', '', 'medium', { update: 'per-broker' }),
  string('ssl.client.auth', 'none', 'medium', {
    valid: oneOf('required', 'requested', 'none'),
    update: 'per-broker',
  }),
  list('ssl.enabled.protocols', 'TLSv1.2,TLSv1.3', 'medium', { update: 'per-broker' }),
  string('ssl.endpoint.identification.algorithm', 'https', 'low', { update: 'per-broker' }),
  classOf('ssl.engine.factory.class', null, 'low', { update: 'per-broker' }),
  password('ssl.key.password', null, 'medium', { update: 'per-broker' }),
  string('ssl.keymanager.algorithm', 'SunX509', 'medium', { update: 'per-broker' }),
  password('ssl.keystore.certificate.chain', null, 'medium', { update: 'per-broker' }),
  password('ssl.keystore.key', null, 'medium', { update: 'per-broker' }),
  string('ssl.keystore.location', null, 'medium', { update: 'per-broker' }),
  password('ssl.keystore.password', null, 'medium', { update: 'per-broker' }),
  string('ssl.keystore.type', 'JKS', 'medium', { update: 'per-broker' }),
  string('ssl.principal.mapping.rules', 'DEFAULT', 'low'),
  string('ssl.protocol', 'TLSv1.3', 'medium', { update: 'per-broker' }),
  string('ssl.provider', null, 'medium', { update: 'per-broker' }),
  string('ssl.secure.random.implementation', null, 'low', { update: 'per-broker' }),
  string('ssl.trustmanager.algorithm', 'PKIX', 'medium', { update: 'per-broker' }),
  password('ssl.truststore.certificates', null, 'medium', { update: 'per-broker' }),
  string('ssl.truststore.location', null, 'medium', { update: 'per-broker' }),
  password('ssl.truststore.password', null, 'medium', { update: 'per-broker' }),
  string('ssl.truststore.type', 'JKS', 'medium', { update: 'per-broker' }),
  int('telemetry.max.bytes', '1048576', 'low', { valid: atLeast(1) }),
  int('transaction.abort.timed.out.transaction.cleanup.interval.ms', '10000', 'low', {
    valid: atLeast(1),
    documentation:
      'How often transactions are looked for that have been open for longer than their timeout.',
  }),
  int('transaction.max.timeout.ms', '900000', 'high', {
    valid: atLeast(1),
    documentation: 'The longest timeout that a producer may ask for its transactions.',
  }),
  bool('transaction.partition.verification.enable', 'true', 'low', {
    update: 'cluster-wide',
    documentation:
      'Whether the coordinator is asked before a transaction begins in a partition (KIP-890).',
  }),
  int('transaction.remove.expired.transaction.cleanup.interval.ms', '3600000', 'low', {
    valid: atLeast(1),
    documentation: 'How often transactional ids are looked for that have expired.',
  }),
  int('transaction.state.log.load.buffer.size', '5242880', 'high', { valid: atLeast(1) }),
  int('transaction.state.log.min.isr', '2', 'high', {
    valid: atLeast(1),
    documentation:
      'How many replicas of `__transaction_state` must have a record before it counts.',
  }),
  int('transaction.state.log.num.partitions', '50', 'high', {
    valid: atLeast(1),
    documentation: 'How many partitions `__transaction_state` is made with.',
  }),
  short('transaction.state.log.replication.factor', '3', 'high', {
    valid: atLeast(1),
    documentation: 'How many replicas `__transaction_state` is made with.',
  }),
  int('transaction.state.log.segment.bytes', '104857600', 'high', {
    valid: atLeast(1),
    documentation: 'The size of segments of `__transaction_state` when it is made.',
  }),
  bool('transaction.two.phase.commit.enable', 'false', 'low'),
  int('transactional.id.expiration.ms', '604800000', 'high', {
    valid: atLeast(1),
    documentation: 'How long a transactional id is remembered after its last use.',
  }),
  bool('unclean.leader.election.enable', 'false', 'high', {
    update: 'cluster-wide',
    documentation: 'Default of the topic setting of that name.',
  }),
  long('unclean.leader.election.interval.ms', '300000', 'medium', {
    valid: atLeast(1),
    isInternal: true,
    documentation: 'How often the controller looks for leaders where unclean ones are allowed.',
  }),
  bool('unstable.api.versions.enable', 'false', 'high', { isInternal: true }),
  bool('unstable.feature.versions.enable', 'false', 'high', { isInternal: true }),
  long('ottla.broker.lost.grace.ms', '500', 'medium', {
    valid: atLeast(0),
    documentation:
      'How long after it hung up, its listener refusing connections, a broker counts as gone.',
  }),
  long('ottla.metadata.visible.timeout.ms', '1000', 'medium', {
    valid: atLeast(0),
    documentation:
      'How long the answer to an admin call waits until every broker shows what it changed.',
  }),
] as const;

type AnyBrokerSetting = (typeof BROKER_SETTINGS)[number];
export type BrokerSettingName = AnyBrokerSetting['name'];
/** The row of that name. */
export type BrokerSettingOf<N extends BrokerSettingName> = Extract<
  AnyBrokerSetting,
  { readonly name: N }
>;

import {
  CLIENT_METRICS_CONFIGS,
  validateClientMetricsConfigs,
} from '../../src/metadata/client-metrics-configs';
import { describeValidValues } from '../../src/metadata/config-values';
import { type ConfigTable, defaultText } from '../../src/metadata/configs';
import { GROUP_CONFIGS, validateGroupConfigs } from '../../src/metadata/group-configs';
import { TOPIC_CONFIGS, validateTopicConfigs } from '../../src/metadata/topic-configs';

const topic = (
  overrides: Record<string, string>,
  existing: Record<string, string> = {},
  broker: Record<string, string> = {},
): string | undefined =>
  validateTopicConfigs(
    new Map(Object.entries(overrides)),
    new Map(Object.entries(existing)),
    new Map(Object.entries(broker)),
  )?.message;

describe('topic settings', () => {
  test('every default is itself valid', () => {
    for (const table of [TOPIC_CONFIGS, GROUP_CONFIGS, CLIENT_METRICS_CONFIGS]) {
      expect(table.read(new Map())).toBeInstanceOf(Map);
    }
  });

  test('a name that is none is refused', () => {
    expect(topic({ 'retention.hours': '1' })).toBe('Unknown topic config name: retention.hours');
  });

  test.each([
    [
      'retention.ms',
      'abc',
      'Invalid value abc for configuration retention.ms: Not a number of type LONG',
    ],
    [
      'segment.bytes',
      '2147483648',
      'Invalid value 2147483648 for configuration segment.bytes: Not a number of type INT',
    ],
    [
      'segment.bytes',
      '100',
      'Invalid value 100 for configuration segment.bytes: Value must be at least 1048576',
    ],
    [
      'min.cleanable.dirty.ratio',
      '2',
      'Invalid value 2.0 for configuration min.cleanable.dirty.ratio: Value must be no more than 1',
    ],
    [
      'preallocate',
      'yes',
      'Invalid value yes for configuration preallocate: Expected value to be either true or false',
    ],
    [
      'compression.type',
      'brotli',
      'Invalid value brotli for configuration compression.type: String must be one of: uncompressed, zstd, lz4, snappy, gzip, producer',
    ],
    [
      'cleanup.policy',
      'compact,shred',
      'Invalid value shred for configuration cleanup.policy: String must be one of: compact, delete',
    ],
    [
      'cleanup.policy',
      'compact,,delete',
      "Configuration 'cleanup.policy' values must not be empty.",
    ],
    [
      'compression.gzip.level',
      '0',
      'Invalid value 0 for configuration compression.gzip.level: Value must be between 1 and 9 or equal to -1',
    ],
    [
      'leader.replication.throttled.replicas',
      '1:2,x',
      "Invalid value [1:2, x] for configuration leader.replication.throttled.replicas: leader.replication.throttled.replicas must be the literal '*' or a list of replicas in the following format: [partitionId]:[brokerId],[partitionId]:[brokerId],...",
    ],
  ])('%s=%s is refused with Kafka’s sentence', (name, value, message) => {
    expect(topic({ [name]: value })).toBe(message);
  });

  test.each([
    ['cleanup.policy', ''],
    ['cleanup.policy', 'delete, compact'],
    ['cleanup.policy', 'delete,delete'],
    ['retention.ms', ' -1 '],
    ['retention.ms', '+5'],
    ['min.cleanable.dirty.ratio', '1e-1'],
    ['leader.replication.throttled.replicas', '*'],
    ['leader.replication.throttled.replicas', '0:1,2:3'],
    ['max.compaction.lag.ms', '9223372036854775807'],
    ['compression.gzip.level', '-1'],
    ['preallocate', 'TRUE'],
  ])('%s=%s is taken', (name, value) => {
    expect(topic({ [name]: value })).toBeUndefined();
  });

  test('the two compaction lags are checked against each other, the broker’s value included', () => {
    const message =
      'conflict topic config setting min.compaction.lag.ms (10) > max.compaction.lag.ms (5)';
    expect(topic({ 'min.compaction.lag.ms': '10', 'max.compaction.lag.ms': '5' })).toBe(message);
    expect(topic({ 'min.compaction.lag.ms': '10' }, {}, { 'max.compaction.lag.ms': '5' })).toBe(
      message,
    );
  });

  test('tiered storage is refused, and so is leaving it without deleting its data', () => {
    expect(topic({ 'remote.storage.enable': 'true' })).toMatch(/Tiered Storage functionality/);
    expect(topic({}, { 'remote.storage.enable': 'true' })).toMatch(/It is invalid to disable/);
    expect(
      topic({ 'remote.log.delete.on.disable': 'true' }, { 'remote.storage.enable': 'true' }),
    ).toBeUndefined();
  });
});

describe('group settings', () => {
  const broker: Record<string, string> = {
    'group.consumer.min.session.timeout.ms': '45000',
    'group.consumer.max.session.timeout.ms': '60000',
    'group.consumer.session.timeout.ms': '45000',
    'group.consumer.min.heartbeat.interval.ms': '5000',
    'group.consumer.max.heartbeat.interval.ms': '15000',
    'group.consumer.heartbeat.interval.ms': '5000',
    'group.streams.max.standby.replicas': '2',
    'group.streams.assignors': 'sticky',
  };
  const group = (overrides: Record<string, string>): string | undefined =>
    validateGroupConfigs(new Map(Object.entries(overrides)), (name) => broker[name] ?? '0')
      ?.message;

  test.each([
    [{ 'consumer.session.timeout.ms': '50000' }, undefined],
    [
      { 'consumer.session.timeout.ms': '1' },
      'consumer.session.timeout.ms must be in the range 45000 to 60000 inclusive.',
    ],
    [
      { 'streams.num.standby.replicas': '3' },
      'streams.num.standby.replicas must be less than or equal to 2',
    ],
    [
      { 'streams.assignor.name': 'none' },
      "streams.assignor.name 'none' is not a registered task assignor. Registered assignors are: [sticky].",
    ],
    [{ 'share.auto.offset.reset': 'by_duration:PT1H' }, undefined],
    [
      { 'share.auto.offset.reset': 'by_duration:-PT1H' },
      "Invalid value by_duration:-PT1H for configuration share.auto.offset.reset: Invalid value `by_duration:-PT1H` for configuration share.auto.offset.reset. The value must be either 'earliest', 'latest' or of the format 'by_duration:<PnDTnHnMn.nS>'.",
    ],
    [
      { 'streams.rack.aware.assignment.tags': 'a, a' },
      'streams.rack.aware.assignment.tags must not contain duplicate tag keys.',
    ],
    [
      { 'errors.deadletterqueue.topic.name': '__x' },
      "errors.deadletterqueue.topic.name: DLQ topic name must not start with '__'",
    ],
    [{ nonsense: '1' }, 'Unknown group config name: nonsense'],
  ])('%j gives %s', (overrides, message) => {
    expect(group(overrides as Record<string, string>)).toBe(message);
  });

  test('a session must be longer than the interval of heartbeats', () => {
    broker['group.consumer.max.heartbeat.interval.ms'] = '45000';
    expect(group({ 'consumer.heartbeat.interval.ms': '45000' })).toBe(
      'consumer.session.timeout.ms must be greater than consumer.heartbeat.interval.ms',
    );
  });
});

describe('client-metrics settings', () => {
  const check = (overrides: Record<string, string>, name = 'S'): unknown =>
    validateClientMetricsConfigs(name, new Map(Object.entries(overrides)));

  test.each([
    [{ 'interval.ms': '99' }, 'INVALID_REQUEST'],
    [{ 'interval.ms': 'x' }, 'INVALID_CONFIG'],
    [{ bytes: '1' }, 'INVALID_REQUEST'],
    [{ match: 'client_id=(' }, 'INVALID_CONFIG'],
    [{ match: 'client=a' }, 'INVALID_CONFIG'],
  ])('%j is refused with %s', (overrides, error) => {
    expect(check(overrides as Record<string, string>)).toMatchObject({ error });
  });

  test('a subscription needs a name', () => {
    expect(check({}, '')).toMatchObject({ error: 'INVALID_REQUEST' });
    expect(check({ match: 'client_id=a.*, client_software_name=Java' })).toBeUndefined();
  });
});

/** The facts taken from Kafka's own classes, one line a setting. */
describe('the tables agree with Kafka 4.4', () => {
  const facts = (table: ConfigTable): string[] =>
    table.definitions
      .map((definition) => {
        const shown = defaultText(definition);
        const synonyms = definition.synonyms?.map((synonym) => synonym.name).join(' ');
        return [
          definition.name,
          definition.type,
          shown === '' ? "''" : (shown ?? 'null'),
          describeValidValues(definition.valid) || '-',
          definition.importance,
          ...(definition.isInternal ? ['internal'] : []),
          ...(synonyms === undefined ? [] : [`broker: ${synonyms}`]),
        ].join(' | ');
      })
      .sort();

  test('topics', () => {
    expect(facts(TOPIC_CONFIGS)).toMatchSnapshot();
  });
  test('groups', () => {
    expect(facts(GROUP_CONFIGS)).toMatchSnapshot();
  });
});

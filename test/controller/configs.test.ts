import type { RequestDraft } from '../../src/protocol/api';
import { AlterConfigs } from '../../src/protocol/apis/alter-configs';
import { IncrementalAlterConfigs } from '../../src/protocol/apis/incremental-alter-configs';
import { errorName } from '../../src/protocol/errors';
import { Story } from './story';

const TOPIC = 2;
const BROKER = 4;
const METRICS = 16;
const GROUP = 32;
const [SET, DELETE, APPEND, SUBTRACT] = [0, 1, 2, 3];

type Resource = RequestDraft<typeof IncrementalAlterConfigs>['resources'][number];

const resource = (
  resourceType: number,
  resourceName: string,
  ...configs: (readonly [string, number, string | null])[]
): Resource => ({
  resourceType,
  resourceName,
  configs: configs.map(([name, configOperation, value]) => ({ name, configOperation, value })),
});

const alter = (story: Story, ...resources: Resource[]): string[] =>
  story
    .ask(IncrementalAlterConfigs, { resources, validateOnly: false })
    .responses.map(
      ({ errorCode, errorMessage }) => `${errorName(errorCode)} ${errorMessage ?? ''}`,
    );

const setUp = (): Story => {
  const story = new Story({
    brokerValue: (name) =>
      ({
        'group.consumer.min.session.timeout.ms': '45000',
        'group.consumer.max.session.timeout.ms': '60000',
        'group.consumer.heartbeat.interval.ms': '5000',
      })[name] ?? null,
  }).up(1);
  story.topic('t', [1]);
  return story;
};

const configOf = (story: Story, name = 't') =>
  Object.fromEntries(story.image.configOf({ type: 'topic', name }));

describe('IncrementalAlterConfigs', () => {
  test('sets, deletes, appends and subtracts', () => {
    const story = setUp();
    alter(
      story,
      resource(TOPIC, 't', ['retention.ms', SET, '5'], ['cleanup.policy', APPEND, 'compact']),
    );
    expect(configOf(story)).toEqual({ 'retention.ms': '5', 'cleanup.policy': 'delete,compact' });
    alter(
      story,
      resource(TOPIC, 't', ['retention.ms', DELETE, null], ['cleanup.policy', SUBTRACT, 'delete']),
    );
    expect(configOf(story)).toEqual({ 'cleanup.policy': 'compact' });
    alter(story, resource(TOPIC, 't', ['cleanup.policy', APPEND, 'compact']));
    expect(configOf(story)).toEqual({ 'cleanup.policy': 'compact' });
  });

  test('writes nothing for a topic’s setting that stays, but always for a broker’s', () => {
    const story = setUp();
    const set = resource(TOPIC, 't', ['retention.ms', SET, '5']);
    alter(story, set);
    const before = story.records.length;
    expect(alter(story, set)).toEqual(['NONE ']);
    expect(story.records.length).toBe(before);
    const broker = resource(BROKER, '1', ['log.retention.ms', SET, '5']);
    alter(story, broker);
    alter(story, broker);
    expect(story.records.length).toBe(before + 2);
  });

  test.each<[string, Resource, string]>([
    [
      'a topic there is not',
      resource(TOPIC, 'x', ['retention.ms', SET, '1']),
      "UNKNOWN_TOPIC_OR_PARTITION The topic 'x' does not exist.",
    ],
    [
      'an unknown setting',
      resource(TOPIC, 't', ['nope', SET, '1']),
      'INVALID_CONFIG Unknown topic config name: nope',
    ],
    [
      'a wrong value',
      resource(TOPIC, 't', ['retention.ms', SET, 'x']),
      'INVALID_CONFIG Invalid value x for configuration retention.ms: Not a number of type LONG',
    ],
    [
      'appending to what is no list',
      resource(TOPIC, 't', ['retention.ms', APPEND, '1']),
      "INVALID_CONFIG Can't APPEND to key retention.ms because its type is not LIST.",
    ],
    [
      'a value too long',
      resource(TOPIC, 't', ['leader.replication.throttled.replicas', SET, '1:1,'.repeat(9000)]),
      'INVALID_CONFIG The configuration value cannot be added because it exceeds the maximum value size of 32767 bytes.',
    ],
    [
      'all topics',
      resource(TOPIC, '', ['retention.ms', SET, '1']),
      'INVALID_REQUEST Default topic resources are not allowed.',
    ],
    [
      'a broker there is not',
      resource(BROKER, '9', ['a', SET, '1']),
      'BROKER_ID_NOT_REGISTERED No node with id 9 found.',
    ],
    [
      'a broker that is none',
      resource(BROKER, 'x', ['a', SET, '1']),
      'INVALID_REQUEST Unable to parse broker name as a base 10 number.',
    ],
    [
      'a negative broker',
      resource(BROKER, '-1', ['a', SET, '1']),
      'INVALID_REQUEST Invalid negative broker ID.',
    ],
    [
      'an unknown type',
      resource(3, 't', ['a', SET, '1']),
      'UNSUPPORTED_VERSION Unknown resource type 3.',
    ],
    [
      'a group without a name',
      resource(GROUP, '', ['consumer.session.timeout.ms', SET, '50000']),
      'INVALID_REQUEST Default group resources are not allowed.',
    ],
    [
      'a group’s session out of bounds',
      resource(GROUP, 'g', ['consumer.session.timeout.ms', SET, '1']),
      'INVALID_CONFIG consumer.session.timeout.ms must be in the range 45000 to 60000 inclusive.',
    ],
    [
      'metrics without a name',
      resource(METRICS, '', ['metrics', SET, '*']),
      "INVALID_REQUEST Subscription name can't be empty",
    ],
    [
      'an unknown operation',
      resource(TOPIC, 't', ['retention.ms', 9, '1']),
      'INVALID_REQUEST Unknown operation.',
    ],
  ])('%s is refused', (_, asked, answer) => {
    const story = setUp();
    const before = story.records.length;
    expect(alter(story, asked)).toEqual([answer]);
    expect(story.records.length).toBe(before);
  });

  test('one wrong resource does not hold back the others, and one named twice is refused', () => {
    const story = setUp();
    expect(
      alter(
        story,
        resource(TOPIC, 't', ['retention.ms', SET, '7']),
        resource(TOPIC, 'x', ['retention.ms', SET, '7']),
        resource(GROUP, 'g', ['consumer.session.timeout.ms', SET, '50000']),
        resource(METRICS, 'm', ['interval.ms', SET, '1000']),
        resource(BROKER, '', ['log.retention.ms', SET, '1']),
      ).map((answer) => answer.split(' ')[0]),
    ).toEqual(['NONE', 'UNKNOWN_TOPIC_OR_PARTITION', 'NONE', 'NONE', 'NONE']);
    expect(configOf(story)).toEqual({ 'retention.ms': '7' });
    const twice = resource(TOPIC, 't', ['retention.ms', SET, '8']);
    expect(alter(story, twice, twice)).toEqual(['INVALID_REQUEST Duplicate resource.']);
  });

  test('only validating writes nothing', () => {
    const story = setUp();
    const before = story.records.length;
    story.ask(IncrementalAlterConfigs, {
      resources: [resource(TOPIC, 't', ['retention.ms', SET, '7'])],
      validateOnly: true,
    });
    expect(story.records.length).toBe(before);
  });
});

describe('AlterConfigs', () => {
  const replace = (
    story: Story,
    configs: Record<string, string>,
    resourceType = TOPIC,
    resourceName = 't',
  ) =>
    story.ask(AlterConfigs, {
      resources: [
        {
          resourceType,
          resourceName,
          configs: Object.entries(configs).map(([name, value]) => ({ name, value })),
        },
      ],
      validateOnly: false,
    }).responses;

  test('replaces all settings', () => {
    const story = setUp();
    replace(story, { 'retention.ms': '5', 'segment.ms': '9' });
    replace(story, { 'segment.ms': '9', 'flush.ms': '1' });
    expect(configOf(story)).toEqual({ 'segment.ms': '9', 'flush.ms': '1' });
    expect(story.records.slice(-2)).toMatchObject([
      { value: { name: 'flush.ms', value: '1' } },
      { value: { name: 'retention.ms', value: null } },
    ]);
  });

  test('a broker takes a setting that nobody knows', () => {
    const story = setUp();
    expect(replace(story, { 'cleanup.policy': 'x' }, BROKER, '1')).toMatchObject([
      { errorCode: 0 },
    ]);
  });
});

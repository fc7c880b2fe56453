import type { RequestDraft, ResponseOf } from '../../src/protocol/api';
import { CreatePartitions } from '../../src/protocol/apis/create-partitions';
import { CreateTopics } from '../../src/protocol/apis/create-topics';
import { DeleteTopics } from '../../src/protocol/apis/delete-topics';
import { errorName } from '../../src/protocol/errors';
import { uuid } from '../metadata/records';
import { names, Story } from './story';

type Asked = RequestDraft<typeof CreateTopics>['topics'][number];

const asked = (name: string, more: Partial<Asked> = {}): Asked => ({
  name,
  numPartitions: 1,
  replicationFactor: 1,
  assignments: [],
  configs: [],
  ...more,
});

const create = (story: Story, ...topics: Asked[]): ResponseOf<typeof CreateTopics>['topics'] =>
  story.ask(CreateTopics, { topics }).topics;

describe('CreateTopics', () => {
  test.each([
    ['log.retention.hours', '-1', '-1'],
    ['log.retention.minutes', '-7', '-1'],
    ['log.retention.ms', '-5', '-1'],
    ['log.retention.ms', '5', '5'],
  ])('on a broker with %s=%s has retention.ms %s, whatever else is set', (name, text, shown) => {
    const given = new Map([[name, text]]);
    const story = new Story({ given, brokerValue: (each) => given.get(each) ?? null }).up(1);
    const configs = [{ name: 'segment.ms', value: '9' }];
    for (const result of create(story, asked('plain'), asked('own', { configs }))) {
      expect(result).toMatchObject({ errorCode: 0 });
      const retention = result.configs?.find((config) => config.name === 'retention.ms');
      expect(retention?.value).toBe(shown);
    }
  });

  test('looks at the broker’s defaults only for a topic that sets something itself', () => {
    const brokerValue = (name: string) => (name === 'log.segment.bytes' ? '1' : null);
    const story = new Story({ brokerValue }).up(1);
    const configs = [{ name: 'segment.ms', value: '9' }];
    const results = create(story, asked('plain'), asked('own', { configs }));
    expect(results.map(({ name, errorCode }) => `${name} ${errorName(errorCode)}`)).toEqual([
      'plain NONE',
      'own INVALID_CONFIG',
    ]);
  });

  test('writes the topic, its settings, then its partitions, led by brokers that are alive', () => {
    const story = new Story().up(1, 2, 3);
    const before = story.records.length;
    const [result] = create(
      story,
      asked('orders', {
        numPartitions: 2,
        replicationFactor: 3,
        configs: [{ name: 'retention.ms', value: '5' }],
      }),
    );
    expect(result).toMatchObject({
      name: 'orders',
      errorCode: 0,
      errorMessage: null,
      numPartitions: 2,
      replicationFactor: 3,
      topicConfigErrorCode: 0,
    });
    expect(story.records.slice(before).map(({ type }) => type)).toEqual([
      'TopicRecord',
      'ConfigRecord',
      'PartitionRecord',
      'PartitionRecord',
    ]);
    expect(story.partition('orders', 0)).toEqual({
      replicas: [1, 2, 3],
      directories: [uuid(2001), uuid(2002), uuid(2003)],
      isr: [1, 2, 3],
      removingReplicas: [],
      addingReplicas: [],
      elr: [],
      lastKnownElr: [],
      leader: 1,
      isRecovering: false,
      leaderEpoch: 0,
      partitionEpoch: 0,
    });
    expect(story.partition('orders', 1).replicas).toEqual([2, 3, 1]);
    const shown = new Map(result?.configs?.map((config) => [config.name, config]));
    expect(shown.get('retention.ms')).toMatchObject({ value: '5', configSource: 1 });
    expect(shown.get('segment.bytes')).toMatchObject({ value: '1073741824', configSource: 5 });
    expect(shown.has('internal.segment.bytes')).toBe(false);
  });

  test('takes its defaults from the settings, and shows hours given as milliseconds', () => {
    const story = new Story({
      numPartitions: 3,
      defaultReplicationFactor: 2,
      given: new Map([['log.retention.hours', '1']]),
    }).up(1, 2);
    const [result] = create(story, asked('t', { numPartitions: -1, replicationFactor: -1 }));
    expect(result).toMatchObject({ numPartitions: 3, replicationFactor: 2 });
    const retention = result?.configs?.find(({ name }) => name === 'retention.ms');
    expect(retention).toMatchObject({ value: '3600000', configSource: 4 });
  });

  test('only validating writes nothing and answers the same', () => {
    const story = new Story().up(1);
    const before = story.records.length;
    const topics = [asked('t'), asked('bad name')];
    const dry = story.ask(CreateTopics, { topics, validateOnly: true });
    expect(names(dry.topics)).toEqual(['NONE', 'INVALID_TOPIC_EXCEPTION']);
    expect(story.records.length).toBe(before);
    expect(story.image.topicCount).toBe(0);
  });

  test.each<[string, Asked, string, RegExp]>([
    ['an empty name', asked(''), 'INVALID_TOPIC_EXCEPTION', /the empty string is not allowed/],
    ['two dots', asked('..'), 'INVALID_TOPIC_EXCEPTION', /'..' is not allowed/],
    ['a long name', asked('x'.repeat(250)), 'INVALID_TOPIC_EXCEPTION', /longer than the max/],
    ['a blank', asked('a b'), 'INVALID_TOPIC_EXCEPTION', /ASCII alphanumerics/],
    [
      'a name there is',
      asked('is.there'),
      'TOPIC_ALREADY_EXISTS',
      /Topic 'is.there' already exists/,
    ],
    [
      'a colliding name',
      asked('is_there'),
      'INVALID_TOPIC_EXCEPTION',
      /collides with existing topic: is.there/,
    ],
    ['no partitions', asked('t', { numPartitions: 0 }), 'INVALID_PARTITIONS', /non-positive/],
    [
      'negative partitions',
      asked('t', { numPartitions: -2 }),
      'INVALID_PARTITIONS',
      /non-positive/,
    ],
    [
      'no replicas',
      asked('t', { replicationFactor: 0 }),
      'INVALID_REPLICATION_FACTOR',
      /larger than 0/,
    ],
    [
      'more replicas than brokers',
      asked('t', { replicationFactor: 4 }),
      'INVALID_REPLICATION_FACTOR',
      /Unable to replicate the partition 4 time\(s\): The target replication factor of 4 cannot be reached because only 3 broker/,
    ],
    [
      'an unknown setting',
      asked('t', { configs: [{ name: 'nope', value: '1' }] }),
      'INVALID_CONFIG',
      /Unknown topic config name: nope/,
    ],
    [
      'a wrong value',
      asked('t', { configs: [{ name: 'retention.ms', value: 'x' }] }),
      'INVALID_CONFIG',
      /Not a number of type LONG/,
    ],
    [
      'a null value',
      asked('t', { configs: [{ name: 'retention.ms', value: null }] }),
      'INVALID_CONFIG',
      /Null value not supported for topic configs: retention.ms/,
    ],
    ['the metadata log', asked('__cluster_metadata'), 'INVALID_REQUEST', /prohibited/],
    [
      'replicas by hand and by number',
      asked('t', { assignments: [{ partitionIndex: 0, brokerIds: [1] }] }),
      'INVALID_REQUEST',
      /replication factor was not set to -1/,
    ],
    [
      'partitions by hand and by number',
      asked('t', { replicationFactor: -1, assignments: [{ partitionIndex: 0, brokerIds: [1] }] }),
      'INVALID_REQUEST',
      /numPartitions was not set to -1/,
    ],
  ])('%s is refused', (_, topic, code, message) => {
    const story = new Story().up(1, 2, 3);
    story.topic('is.there', [1]);
    const before = story.records.length;
    const [result] = create(story, topic);
    expect(errorName(result?.errorCode ?? 0)).toBe(code);
    expect(result?.errorMessage).toMatch(message);
    expect(story.records.length).toBe(before);
  });

  test.each<[string, readonly (readonly [number, readonly number[]])[], RegExp]>([
    ['no brokers', [[0, []]], /empty replica list/],
    ['an unknown broker', [[0, [1, 9]]], /includes broker 9, but no such broker is registered/],
    ['a broker twice', [[0, [1, 1]]], /includes the broker 1 more than once/],
    [
      'a partition twice',
      [
        [0, [1]],
        [0, [2]],
      ],
      /multiple manual partition assignments for partition 0/,
    ],
    [
      'a gap',
      [
        [0, [1]],
        [2, [2]],
      ],
      /consecutive 0-based integer sequence/,
    ],
    [
      'different numbers of replicas',
      [
        [0, [1, 2]],
        [1, [1]],
      ],
      /with 1 replica\(s\), but this is not consistent/,
    ],
    ['only a fenced broker', [[0, [4]]], /partition 0 are fenced or in controlled shutdown/],
  ])('an assignment with %s is refused', (_, assignments, message) => {
    const story = new Story().up(1, 2, 3);
    story.register(4);
    const [result] = create(
      story,
      asked('t', {
        numPartitions: -1,
        replicationFactor: -1,
        assignments: assignments.map(([partitionIndex, brokerIds]) => ({
          partitionIndex,
          brokerIds,
        })),
      }),
    );
    expect(errorName(result?.errorCode ?? 0)).toBe('INVALID_REPLICA_ASSIGNMENT');
    expect(result?.errorMessage).toMatch(message);
  });

  test('a fenced broker takes replicas but leads nothing and is in no ISR', () => {
    const story = new Story().up(1);
    story.register(2);
    story.topic('t', [2, 1]);
    expect(story.partition('t')).toMatchObject({ replicas: [2, 1], isr: [1], leader: 1 });
  });

  test('with every broker fenced nothing can be placed', () => {
    const story = new Story();
    story.register(1);
    const [result] = create(story, asked('t'));
    expect(errorName(result?.errorCode ?? 0)).toBe('INVALID_REPLICATION_FACTOR');
    expect(result?.errorMessage).toMatch(/All brokers are currently fenced/);
  });

  test('a name asked for twice is refused once, and the others are made', () => {
    const story = new Story().up(1);
    const results = create(story, asked('twice'), asked('once'), asked('twice'));
    expect(results.map(({ name }) => name)).toEqual(['once', 'twice']);
    expect(names(results)).toEqual(['NONE', 'INVALID_REQUEST']);
  });

  test('more than 10,000 partitions at once are refused whole', () => {
    const story = new Story().up(1);
    const results = create(
      story,
      asked('a', { numPartitions: 9_999 }),
      asked('b', { numPartitions: 2 }),
    );
    expect(names(results)).toEqual(['POLICY_VIOLATION', 'POLICY_VIOLATION']);
    expect(story.image.topicCount).toBe(0);
  });
});

describe('CreatePartitions', () => {
  type Growth = RequestDraft<typeof CreatePartitions>['topics'][number];
  const grow = (
    story: Story,
    ...topics: Growth[]
  ): ResponseOf<typeof CreatePartitions>['results'] =>
    story.ask(CreatePartitions, { topics, timeoutMs: 1000, validateOnly: false }).results;

  const three = (): Story => {
    const story = new Story().up(1, 2, 3);
    story.topic('t', [1, 2], [2, 3]);
    return story;
  };

  test('adds partitions with the replicas that the others have', () => {
    const story = three();
    expect(grow(story, { name: 't', count: 4, assignments: null })).toMatchObject([
      { name: 't', errorCode: 0, errorMessage: null },
    ]);
    const { partitions } = story.image.topicByName('t') ?? {};
    expect([...(partitions ?? [])].map(({ replicas }) => replicas.length)).toEqual([2, 2, 2, 2]);
  });

  test.each<[string, Growth, string, RegExp | null]>([
    [
      'a topic there is not',
      { name: 'x', count: 4, assignments: null },
      'UNKNOWN_TOPIC_OR_PARTITION',
      null,
    ],
    [
      'as many as there are',
      { name: 't', count: 2, assignments: null },
      'INVALID_PARTITIONS',
      /already has 2 partition/,
    ],
    [
      'fewer',
      { name: 't', count: 1, assignments: null },
      'INVALID_PARTITIONS',
      /currently has 2 partition\(s\); 1 would not be an increase/,
    ],
    [
      'too few assignments',
      { name: 't', count: 4, assignments: [{ brokerIds: [1, 2] }] },
      'INVALID_REPLICA_ASSIGNMENT',
      /only 1 assignment/,
    ],
    [
      'an unknown broker',
      { name: 't', count: 3, assignments: [{ brokerIds: [1, 9] }] },
      'INVALID_REPLICA_ASSIGNMENT',
      /broker 9/,
    ],
    [
      'another number of replicas',
      { name: 't', count: 3, assignments: [{ brokerIds: [1] }] },
      'INVALID_REPLICA_ASSIGNMENT',
      /with 1 replica/,
    ],
    ['a billion', { name: 't', count: 1_000_000_000, assignments: null }, 'POLICY_VIOLATION', null],
  ])('%s is refused', (_, growth, code, message) => {
    const story = three();
    const before = story.records.length;
    const [result] = grow(story, growth);
    expect(errorName(result?.errorCode ?? 0)).toBe(code);
    if (message !== null) expect(result?.errorMessage).toMatch(message);
    expect(story.records.length).toBe(before);
  });

  test('a topic named twice is refused once', () => {
    const growth = { name: 't', count: 3, assignments: null };
    expect(names(grow(three(), growth, growth))).toEqual(['INVALID_REQUEST']);
  });
});

describe('DeleteTopics', () => {
  const two = (): Story => {
    const story = new Story().up(1);
    story.topic('a', [1]);
    story.topic('b', [1]);
    return story;
  };

  test('deletes by name and by id', () => {
    const story = two();
    const b = story.image.topicByName('b')?.id ?? '';
    const { responses } = story.ask(DeleteTopics, {
      topics: [
        { name: 'a', topicId: uuid(0).replace(/./g, 'A') },
        { name: null, topicId: b },
      ],
      timeoutMs: 1000,
    });
    expect(names(responses)).toEqual(['NONE', 'NONE']);
    expect(responses.map(({ name }) => name).sort()).toEqual(['a', 'b']);
    expect(story.image.topicCount).toBe(0);
  });

  const ZERO = 'AAAAAAAAAAAAAAAAAAAAAA';

  test.each([
    ['an unknown name', [{ name: 'x', topicId: ZERO }], ['UNKNOWN_TOPIC_OR_PARTITION']],
    ['an unknown id', [{ name: null, topicId: uuid(5) }], ['UNKNOWN_TOPIC_ID']],
    ['neither name nor id', [{ name: null, topicId: ZERO }], ['INVALID_REQUEST']],
    ['both', [{ name: 'a', topicId: uuid(5) }], ['INVALID_REQUEST']],
    [
      'a name twice',
      [
        { name: 'a', topicId: ZERO },
        { name: 'a', topicId: ZERO },
      ],
      ['INVALID_REQUEST'],
    ],
  ])('%s is refused', (_, topics, codes) => {
    const story = two();
    const { responses } = story.ask(DeleteTopics, { topics, timeoutMs: 1000 });
    expect(names(responses)).toEqual(codes);
    expect(story.image.topicCount).toBe(2);
  });

  test('the same topic by name and by id is deleted by neither', () => {
    const story = two();
    const topicId = story.image.topicByName('a')?.id ?? '';
    const topics = [
      { name: 'a', topicId: ZERO },
      { name: null, topicId },
    ];
    const { responses } = story.ask(DeleteTopics, { topics, timeoutMs: 1000 });
    expect(names(responses)).toEqual(['INVALID_REQUEST']);
    expect(story.image.topicCount).toBe(2);
  });

  test('names of versions before 6 work alike, and deletion can be switched off', () => {
    const story = two();
    const asked = { topicNames: ['a', 'x'], timeoutMs: 1000 };
    expect(names(story.ask(DeleteTopics, asked, 5).responses)).toEqual([
      'UNKNOWN_TOPIC_OR_PARTITION',
      'NONE',
    ]);
    const off = new Story({ deleteTopicEnable: false }).up(1);
    off.topic('a', [1]);
    expect(names(off.ask(DeleteTopics, { topicNames: ['a'], timeoutMs: 1 }, 5).responses)).toEqual([
      'TOPIC_DELETION_DISABLED',
    ]);
    expect(names(off.ask(DeleteTopics, { topicNames: ['a'], timeoutMs: 1 }, 2).responses)).toEqual([
      'INVALID_REQUEST',
    ]);
  });

  test('a deleted name can be used again at once, and no longer collides', () => {
    const story = new Story().up(1);
    story.topic('a.b', [1]);
    story.ask(DeleteTopics, { topicNames: ['a.b'], timeoutMs: 1 }, 5);
    expect(story.topic('a_b', [1])).not.toBe('');
  });
});

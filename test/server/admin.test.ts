import { ZERO_UUID } from '../../src/base/ids';
import { BROKER_SETTINGS } from '../../src/broker/settings-table';
import type { AnyApi, RequestDraft, RequestOf, ResponseOf } from '../../src/protocol/api';
import { AlterConfigs } from '../../src/protocol/apis/alter-configs';
import { CreateTopics } from '../../src/protocol/apis/create-topics';
import { DescribeCluster } from '../../src/protocol/apis/describe-cluster';
import { DescribeConfigs } from '../../src/protocol/apis/describe-configs';
import { DescribeTopicPartitions } from '../../src/protocol/apis/describe-topic-partitions';
import { IncrementalAlterConfigs } from '../../src/protocol/apis/incremental-alter-configs';
import { InitProducerId } from '../../src/protocol/apis/init-producer-id';
import { ListConfigResources } from '../../src/protocol/apis/list-config-resources';
import { Metadata } from '../../src/protocol/apis/metadata';
import { complete } from '../../src/protocol/codec';
import { ApiError, errorName } from '../../src/protocol/errors';
import type { Context } from '../../src/server/context';
import type { AnyHandler } from '../../src/server/handler';
import { handlers } from '../../src/server/handlers';
import type { Services } from '../../src/server/services';
import { Story } from '../controller/story';
import { uuid } from '../metadata/records';

/** Handlers of node 1 over a controller that decides at once. */
class Node {
  readonly story: Story;
  autoCreate = true;

  constructor(
    private readonly given: Record<string, string> = {},
    story = new Story({ given: new Map(Object.entries(given)) }).up(1, 2),
  ) {
    this.story = story;
  }

  async ask<A extends AnyApi>(
    api: A,
    draft: RequestDraft<A>,
    apiVersion: number = api.served[1],
    listener = 'PLAINTEXT',
  ): Promise<ResponseOf<A>> {
    const handler = handlers.find((each) => each.api.key === api.key) as AnyHandler;
    const request = complete(api.request, draft) as RequestOf<A>;
    const serves = listener === 'CONTROLLER' ? 'controller' : 'broker';
    const context = { apiVersion, connection: { listener, serves } } as Context;
    const answer = await handler.handle(request, context, this.services);
    return complete(api.response, answer as never) as ResponseOf<A>;
  }

  private get services(): Services {
    const { story, given } = this;
    return {
      nodeId: 1,
      clusterId: 'cluster',
      picture: () => story.image,
      settings: {
        autoCreateTopicsEnable: this.autoCreate,
        numPartitions: 2,
        defaultReplicationFactor: 1,
        requestTimeoutMs: 1000,
        maxRequestPartitionSizeLimit: 2,
      },
      controller: {
        decide: async (api: AnyApi, request: unknown, { apiVersion }: Context) =>
          story.ask(api, request as never, apiVersion),
        forward: async (api: AnyApi, request: unknown, { apiVersion }: Context) =>
          story.ask(api, request as never, apiVersion),
        ask: async (
          api: AnyApi,
          request: unknown,
          context: Context,
          apiVersion = context.apiVersion,
        ) => story.ask(api, request as never, apiVersion),
        leaderId: 1,
      },
      brokerConfigs: { definitions: BROKER_SETTINGS, given: new Map(Object.entries(given)) },
      groups: {
        topic: {
          name: '__consumer_offsets',
          numPartitions: 50,
          replicationFactor: 1,
          configs: [{ name: 'cleanup.policy', value: 'compact' }],
        },
      },
      transactions: {
        coordinators: {
          topic: {
            name: '__transaction_state',
            numPartitions: 20,
            replicationFactor: 1,
            configs: [{ name: 'cleanup.policy', value: 'compact' }],
          },
        },
      },
      producerIds: { next: () => ({ producerId: 7, producerEpoch: 0 }) },
    } as unknown as Services;
  }
}

const byName = (...names: string[]) => names.map((name) => ({ name, topicId: ZERO_UUID }));

describe('Metadata', () => {
  const metadata = (
    node: Node,
    topics: RequestDraft<typeof Metadata>['topics'],
    version?: number,
    more: Partial<RequestDraft<typeof Metadata>> = {},
  ) => node.ask(Metadata, { topics, ...more }, version);

  test('names the live brokers of this listener, this one as controller, and the cluster', async () => {
    const node = new Node();
    node.story.register(3);
    const answer = await metadata(node, null);
    expect(answer.brokers).toMatchObject([
      { nodeId: 1, host: 'localhost', port: 9093 },
      { nodeId: 2, host: 'localhost', port: 9094 },
    ]);
    expect(answer).toMatchObject({ clusterId: 'cluster', controllerId: 1, errorCode: 0 });
  });

  test('null asks for all topics, an empty list for none, but for all in version 0', async () => {
    const node = new Node();
    node.story.topic('t', [1]);
    const names = async (topics: [] | null, version: number) =>
      (await metadata(node, topics, version)).topics.map(({ name }) => name);
    expect(await names(null, 1)).toEqual(['t']);
    expect(await names([], 1)).toEqual([]);
    expect(await names([], 0)).toEqual(['t']);
  });

  test('a topic that is missing is made and answered at once', async () => {
    const node = new Node();
    const { topics } = await metadata(node, byName('new', 'a b'), 9);
    expect(topics).toMatchObject([
      { name: 'new', errorCode: 0, partitions: [{ leaderId: 1 }, { leaderId: 2 }] },
      { name: 'a b', partitions: [] },
    ]);
    expect(errorName(topics[1]?.errorCode ?? 0)).toBe('INVALID_TOPIC_EXCEPTION');
  });

  test.each([
    ['the asker does not want it', false, true],
    ['the broker does not do it', true, false],
  ])('it is not made where %s', async (_, allowAutoTopicCreation, autoCreate) => {
    const node = new Node();
    node.autoCreate = autoCreate;
    const { topics } = await metadata(node, byName('new'), 9, { allowAutoTopicCreation });
    expect(errorName(topics[0]?.errorCode ?? 0)).toBe('UNKNOWN_TOPIC_OR_PARTITION');
    expect(node.story.image.topicCount).toBe(0);
  });

  test('topics of coordinators are made with their own settings, other internal ones are not made', async () => {
    const node = new Node();
    const asked = byName('__consumer_offsets', '__transaction_state', '__share_group_state');
    const { topics } = await metadata(node, asked, 9);
    for (const [index, count] of [50, 20].entries()) {
      expect(topics[index]).toMatchObject({ errorCode: 0, isInternal: true });
      expect(topics[index]?.partitions.length).toBe(count);
      const name = topics[index]?.name ?? '';
      expect(node.story.image.configOf({ type: 'topic', name }).size).toBe(1);
    }
    expect(errorName(topics[2]?.errorCode ?? 0)).toBe('UNKNOWN_TOPIC_OR_PARTITION');
  });

  test('from version 12 on topics are asked for by id', async () => {
    const node = new Node();
    const id = node.story.topic('t', [1]);
    const ids = [
      { name: null, topicId: id },
      { name: null, topicId: uuid(5) },
    ];
    const { topics } = await metadata(node, ids, 12);
    expect(topics).toMatchObject([
      { name: 't', topicId: id, errorCode: 0 },
      { name: null, topicId: uuid(5), partitions: [] },
    ]);
    expect(errorName(topics[1]?.errorCode ?? 0)).toBe('UNKNOWN_TOPIC_ID');
    await expect(metadata(node, ids, 11)).rejects.toThrow(/can not be null for version 11/);
    const both = [{ name: 't', topicId: id }];
    await expect(metadata(node, both, 10)).rejects.toThrow(/not supported in requests for version/);
  });

  test('a partition without a leader says so, and lists its dead replicas as offline', async () => {
    const node = new Node();
    node.story.topic('t', [2]);
    node.story.heartbeat(2, { wantFence: true });
    const [topic] = (await metadata(node, byName('t'), 9)).topics;
    expect(topic).toMatchObject({
      errorCode: 0,
      partitions: [{ leaderId: -1, replicaNodes: [2], isrNodes: [2], offlineReplicas: [2] }],
    });
    expect(errorName(topic?.partitions[0]?.errorCode ?? 0)).toBe('LEADER_NOT_AVAILABLE');
  });

  test('a listener that the leader lacks has an error of its own from version 6 on', async () => {
    const node = new Node();
    node.story.topic('t', [1]);
    const codes = async (version: number) =>
      (await node.ask(Metadata, { topics: byName('t') }, version, 'OTHER')).topics.flatMap(
        ({ partitions }) => partitions.map(({ errorCode }) => errorName(errorCode)),
      );
    expect(await codes(6)).toEqual(['LISTENER_NOT_FOUND']);
    expect(await codes(5)).toEqual(['LEADER_NOT_AVAILABLE']);
  });

  test('version 0 leaves dead brokers out of the replicas, and says that it does', async () => {
    const node = new Node();
    node.story.topic('t', [1, 2]);
    node.story.heartbeat(2, { wantFence: true });
    const [topic] = (await metadata(node, byName('t'), 0)).topics;
    expect(topic?.partitions[0]).toMatchObject({ leaderId: 1, replicaNodes: [1], isrNodes: [1] });
    expect(errorName(topic?.partitions[0]?.errorCode ?? 0)).toBe('REPLICA_NOT_AVAILABLE');
  });

  test('operations are shown only where they were asked for', async () => {
    const node = new Node();
    node.story.topic('t', [1]);
    const asked = {
      includeTopicAuthorizedOperations: true,
      includeClusterAuthorizedOperations: true,
    };
    const answer = await metadata(node, byName('t'), 8, asked);
    expect(answer.clusterAuthorizedOperations).toBe(8096);
    expect(answer.topics[0]?.topicAuthorizedOperations).toBe(3576);
    const plain = await metadata(node, byName('t'), 8);
    expect(plain.topics[0]?.topicAuthorizedOperations).toBe(-0x8000_0000);
  });
});

describe('DescribeCluster', () => {
  test('shows brokers on their listeners, and fenced ones when asked', async () => {
    const node = new Node();
    node.story.register(3);
    const ids = async (includeFencedBrokers: boolean) => {
      const asked = { includeClusterAuthorizedOperations: true, includeFencedBrokers };
      const answer = await node.ask(DescribeCluster, asked);
      expect(answer).toMatchObject({ errorCode: 0, controllerId: 1, endpointType: 1 });
      return answer.brokers.map(({ brokerId, isFenced }) => [brokerId, isFenced]);
    };
    expect(await ids(false)).toEqual([
      [1, false],
      [2, false],
    ]);
    expect(await ids(true)).toEqual([
      [1, false],
      [2, false],
      [3, true],
    ]);
  });

  test.each([
    [2, 1, 'MISMATCHED_ENDPOINT_TYPE'],
    [9, 1, 'UNSUPPORTED_ENDPOINT_TYPE'],
    [9, 0, 'INVALID_REQUEST'],
  ])('type %d in version %d is refused', async (endpointType, version, code) => {
    const asked = { includeClusterAuthorizedOperations: false, endpointType };
    const answer = await new Node().ask(DescribeCluster, asked, version);
    expect(errorName(answer.errorCode)).toBe(code);
  });
});

describe('DescribeTopicPartitions', () => {
  test('gives pages as large as asked or allowed, by topic, and where the next begins', async () => {
    const node = new Node();
    node.story.topic('b', [1], [1], [1]);
    node.story.topic('a', [2]);
    const page = (cursor: { topicName: string; partitionIndex: number } | null) =>
      node.ask(DescribeTopicPartitions, {
        topics: [{ name: 'b' }, { name: 'a' }, { name: 'c' }],
        responsePartitionLimit: 2000,
        cursor,
      });
    const first = await page(null);
    expect(first.topics.map(({ name, partitions }) => [name, partitions.length])).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
    expect(first.nextCursor).toEqual({ topicName: 'b', partitionIndex: 1 });
    const second = await page(first.nextCursor);
    expect(second.topics.map(({ name, partitions }) => [name, partitions.length])).toEqual([
      ['b', 2],
    ]);
    expect(second.nextCursor).toEqual({ topicName: 'c', partitionIndex: 0 });
    const third = await page(second.nextCursor);
    expect(third.topics.map(({ errorCode }) => errorName(errorCode))).toEqual([
      'UNKNOWN_TOPIC_OR_PARTITION',
    ]);
    expect(third.nextCursor).toBeNull();
  });
});

describe('DescribeConfigs', () => {
  const describeOne = async (node: Node, resourceType: number, resourceName: string) => {
    const resources = [{ resourceType, resourceName, configurationKeys: null }];
    const answer = await node.ask(DescribeConfigs, { resources, includeSynonyms: true });
    const [result] = answer.results;
    return {
      code: errorName(result?.errorCode ?? 0),
      configs: new Map(result?.configs.map((config) => [config.name, config])),
    };
  };

  test('a topic’s value comes from the topic, a broker, all brokers, the properties, the default', async () => {
    const node = new Node({ 'log.segment.bytes': '2097152', 'log.retention.hours': '1' });
    node.story.topic('t', [1]);
    const set = (resourceType: number, resourceName: string, name: string, value: string) => ({
      resourceType,
      resourceName,
      configs: [{ name, configOperation: 0, value }],
    });
    await node.ask(IncrementalAlterConfigs, {
      resources: [
        set(2, 't', 'cleanup.policy', 'compact, delete'),
        set(4, '1', 'log.index.interval.bytes', '1'),
        set(4, '', 'log.preallocate', 'true'),
      ],
      validateOnly: false,
    });
    const { configs } = await describeOne(node, 2, 't');
    const shown = (name: string) => [configs.get(name)?.value, configs.get(name)?.configSource];
    expect(shown('cleanup.policy')).toEqual(['compact,delete', 1]);
    expect(shown('index.interval.bytes')).toEqual(['1', 2]);
    expect(shown('preallocate')).toEqual(['true', 3]);
    expect(shown('segment.bytes')).toEqual(['2097152', 4]);
    expect(shown('segment.index.bytes')).toEqual(['10485760', 5]);
    expect(shown('retention.ms')).toEqual(['3600000', 5]);
    expect(configs.get('segment.bytes')?.synonyms).toEqual([
      { name: 'log.segment.bytes', value: '2097152', source: 4 },
      { name: 'log.segment.bytes', value: '1073741824', source: 5 },
    ]);
  });

  test('a broker shows all its settings: what cannot change as read-only, secrets without values', async () => {
    const node = new Node({ 'ssl.key.password': 'secret', 'node.id': '1', 'own.plugin.key': 'x' });
    const { configs } = await describeOne(node, 4, '1');
    expect(configs.get('ssl.key.password')).toMatchObject({
      value: null,
      isSensitive: true,
      configSource: 4,
    });
    expect(configs.get('own.plugin.key')).toMatchObject({
      value: null,
      isSensitive: true,
      configType: 0,
    });
    expect(configs.get('log.dirs')).toMatchObject({ readOnly: true });
    expect(configs.get('log.cleaner.threads')).toMatchObject({ readOnly: false, configType: 3 });
    expect(configs.get('broker.id')).toMatchObject({ value: '1', configSource: 4 });
    expect((await describeOne(node, 4, '')).configs.size).toBe(0);
  });

  test('a group shows what the broker gives it', async () => {
    const node = new Node({ 'group.consumer.session.timeout.ms': '50000' });
    const { configs } = await describeOne(node, 32, 'g');
    expect(configs.get('consumer.session.timeout.ms')).toMatchObject({
      value: '50000',
      configSource: 4,
    });
    expect(configs.get('streams.assignor.name')).toMatchObject({
      value: 'sticky',
      configSource: 5,
    });
    expect(configs.has('streams.task.offset.interval.ms')).toBe(false);
  });

  test.each([
    [2, 'missing', 'UNKNOWN_TOPIC_OR_PARTITION'],
    [2, 'a b', 'INVALID_TOPIC_EXCEPTION'],
    [4, '9', 'INVALID_REQUEST'],
    [4, 'x', 'INVALID_REQUEST'],
    [8, '1', 'INVALID_REQUEST'],
    [16, '', 'INVALID_REQUEST'],
    [32, '', 'INVALID_REQUEST'],
  ])('type %d named %j is refused with %s', async (type, name, code) => {
    expect((await describeOne(new Node(), type, name)).code).toBe(code);
  });

  test('an unknown type refuses the whole request', async () => {
    await expect(describeOne(new Node(), 3, 'x')).rejects.toThrow(ApiError);
  });

  test('only the keys asked for are shown, with their sentences if wanted', async () => {
    const node = new Node();
    node.story.topic('t', [1]);
    const { results } = await node.ask(DescribeConfigs, {
      resources: [{ resourceType: 2, resourceName: 't', configurationKeys: ['retention.ms', 'x'] }],
      includeDocumentation: true,
    });
    expect(results[0]?.configs.map(({ name }) => name)).toEqual(['retention.ms']);
    expect(results[0]?.configs[0]?.documentation).toMatch(/kept/);
    expect(results[0]?.configs[0]?.synonyms).toEqual([]);
  });
});

describe('changing the settings of brokers', () => {
  const alter = async (name: string, ...configs: (readonly [string, number, string | null])[]) => {
    const node = new Node();
    const { responses } = await node.ask(IncrementalAlterConfigs, {
      resources: [
        {
          resourceType: 4,
          resourceName: name,
          configs: configs.map(([key, configOperation, value]) => ({
            name: key,
            configOperation,
            value,
          })),
        },
      ],
      validateOnly: false,
    });
    return responses.map(
      ({ errorCode, errorMessage }) => `${errorName(errorCode)} ${errorMessage ?? ''}`,
    );
  };

  test.each([
    ['1', ['log.cleaner.threads', 0, '2'], 'NONE '],
    ['', ['log.cleaner.threads', 0, '2'], 'NONE '],
    ['1', ['never.heard.of', 0, 'x'], 'NONE '],
    ['', ['log.retention.ms', 0, '-1'], 'NONE '],
    [
      '',
      ['log.retention.ms', 0, '0'],
      'INVALID_REQUEST Invalid value 0 for configuration log.retention.ms: Value must be -1, for no limit, or at least 1',
    ],
    [
      '1',
      ['log.dirs', 0, '/x'],
      'INVALID_REQUEST Cannot update these configs dynamically: [log.dirs]',
    ],
    [
      '',
      ['ssl.keystore.location', 0, '/x'],
      'INVALID_REQUEST Cannot update these configs at default cluster level, broker id must be specified: [ssl.keystore.location]',
    ],
    [
      '2',
      ['log.cleaner.threads', 0, '2'],
      'INVALID_REQUEST Unexpected broker id, expected 1, but received 2',
    ],
    [
      'x',
      ['log.cleaner.threads', 0, '2'],
      'INVALID_REQUEST Node id must be an integer, but it is: x',
    ],
    [
      '1',
      ['log.cleaner.threads', 0, 'x'],
      'INVALID_REQUEST Invalid value x for configuration log.cleaner.threads: Not a number of type INT',
    ],
    [
      '1',
      ['log.cleaner.threads', 0, null],
      'INVALID_REQUEST Null value not supported for : log.cleaner.threads',
    ],
    [
      '1',
      ['log.cleaner.threads', 2, '2'],
      'INVALID_CONFIG Config value append is not allowed for config key: log.cleaner.threads',
    ],
    ['1', ['never.heard.of', 2, 'x'], 'INVALID_CONFIG Unknown config name: never.heard.of'],
    ['1', ['log.cleaner.threads', 7, 'x'], 'INVALID_REQUEST Unknown operations type 7'],
  ] as const)('broker %j: %j gives %s', async (name, config, answer) => {
    expect(await alter(name, config)).toEqual([answer]);
  });

  test('a key named twice is refused, and each resource is answered', async () => {
    expect(await alter('1', ['a', 0, '1'], ['a', 0, '2'])).toEqual([
      'INVALID_REQUEST Error due to duplicate config keys',
    ]);
    const node = new Node();
    const resource = { resourceType: 2, resourceName: 't', configs: [] };
    const twice = { resources: [resource, { ...resource }], validateOnly: false };
    const { responses } = await node.ask(AlterConfigs, twice);
    expect(responses.map(({ errorCode }) => errorName(errorCode))).toEqual([
      'INVALID_REQUEST',
      'INVALID_REQUEST',
    ]);
  });
});

describe('ListConfigResources', () => {
  test('lists topics, brokers, and groups and subscriptions with settings of their own', async () => {
    const node = new Node();
    node.story.topic('t', [1]);
    const set = (resourceType: number, resourceName: string, name: string, value: string) => ({
      resourceType,
      resourceName,
      configs: [{ name, configOperation: 0, value }],
    });
    await node.ask(IncrementalAlterConfigs, {
      resources: [set(16, 'm', 'interval.ms', '1000'), set(2, 't', 'flush.ms', '1')],
      validateOnly: false,
    });
    const list = async (resourceTypes: number[], version: number) => {
      const answer = await node.ask(ListConfigResources, { resourceTypes }, version);
      const named = answer.configResources.map(
        (each) => `${each.resourceType} ${each.resourceName}`,
      );
      return [errorName(answer.errorCode), ...named];
    };
    expect(await list([], 1)).toEqual(['NONE', '16 m', '4 1', '4 2', '2 t']);
    expect(await list([2], 1)).toEqual(['NONE', '2 t']);
    expect(await list([], 0)).toEqual(['NONE', '16 m']);
    expect(await list([3], 1)).toEqual(['UNSUPPORTED_VERSION']);
  });
});

describe('what is handed to the controller', () => {
  test('comes back as it answered', async () => {
    const node = new Node();
    const topics = [
      { name: 't', numPartitions: 1, replicationFactor: 1, assignments: [], configs: [] },
    ];
    const { topics: made } = await node.ask(CreateTopics, { topics });
    expect(made).toMatchObject([{ name: 't', errorCode: 0 }]);
  });
});

describe('InitProducerId', () => {
  const ask = (more: Partial<RequestDraft<typeof InitProducerId>>) =>
    new Node().ask(InitProducerId, { transactionalId: null, transactionTimeoutMs: 1, ...more });

  test('gives an id with epoch 0, and refuses half a producer', async () => {
    expect(await ask({})).toMatchObject({ errorCode: 0, producerId: 7, producerEpoch: 0 });
    expect(await ask({ producerId: 5n, producerEpoch: 2 })).toMatchObject({ producerId: 7 });
    await expect(ask({ producerId: 5n })).rejects.toThrow(ApiError);
  });
});

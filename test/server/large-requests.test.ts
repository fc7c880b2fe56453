/** Requests that name very many things: each is looked at a few times, and answered once. */
import { type ClassicGroup, supportsProtocols } from '../../src/group/classic-group';
import { type AskedResource, changeConfigs } from '../../src/server/config-changes';
import type { Context } from '../../src/server/context';
import { describeConfigs } from '../../src/server/handlers/describe-configs';
import { describeGroups } from '../../src/server/handlers/describe-groups';
import { describeProducers } from '../../src/server/handlers/describe-producers';
import { describeTransactions } from '../../src/server/handlers/describe-transactions';
import { offsetDelete } from '../../src/server/handlers/offset-delete';
import { offsetFetch } from '../../src/server/handlers/offset-fetch';
import type { Services } from '../../src/server/services';

const COUNT = 1000;
/** How often one thing may be looked at; all by all would be a thousand times. */
const LOOKS = 20;

/** Things whose names count how often they are read. */
function counted<T extends object>(field: string, make: (index: number) => T) {
  let reads = 0;
  const all = Array.from({ length: COUNT }, (_, index) =>
    Object.defineProperty(make(index), field, {
      enumerable: true,
      get: () => {
        reads += 1;
        return `name ${index}`;
      },
    }),
  );
  return { all, reads: () => reads };
}

test('settings of many resources are changed with few looks at each', async () => {
  const asked = counted('resourceName', () => ({ resourceType: 2, configs: [] }));
  const answered = counted('resourceName', () => ({
    resourceType: 2,
    errorCode: 0,
    errorMessage: null,
  }));
  const resources = asked.all as unknown as readonly AskedResource[];
  const answers = await changeConfigs(resources, {} as Services, async () =>
    Promise.resolve(answered.all as never),
  );
  expect(answers.map(({ errorCode }) => errorCode)).toEqual(resources.map(() => 0));
  expect(asked.reads()).toBeLessThan(LOOKS * COUNT);
  expect(answered.reads()).toBeLessThan(LOOKS * COUNT);
});

test('offsets of many topics are deleted with few looks at each', async () => {
  const answered = counted('name', () => ({ partitions: [{ partitionIndex: 0, errorCode: 0 }] }));
  const services = {
    picture: () => ({ topicByName: () => undefined }),
    groups: {
      ask: async () => ({ kind: 'answered', response: { errorCode: 0, topics: answered.all } }),
    },
  } as unknown as Services;
  const topics = Array.from({ length: COUNT }, (_, index) => ({
    name: `name ${index}`,
    partitions: [{ partitionIndex: 0 }],
  }));
  const request = { groupId: 'g', topics } as never;
  const answer = await offsetDelete.handle(request, { apiVersion: 0 } as Context, services);
  const partitions = [{ partitionIndex: 0, errorCode: 0 }];
  expect(answer).toEqual({
    errorCode: 0,
    topics: topics.map(({ name }) => ({ name, partitions })),
  });
  expect(answered.reads()).toBeLessThan(LOOKS * COUNT);
});

test('protocols that many members name are compared with few looks at each', () => {
  const spoken = counted('name', () => ({}));
  const group = {
    state: 'Stable',
    protocolType: 'consumer',
    members: new Map([['m', { protocols: spoken.all }]]),
  } as unknown as ClassicGroup;
  const others = Array.from({ length: COUNT }, (_, index) => ({ name: `other ${index}` }));
  expect(supportsProtocols(group, 'consumer', others)).toBe(false);
  const shared = [...others, { name: 'name 7' }];
  expect(supportsProtocols(group, 'consumer', shared)).toBe(true);
  expect(spoken.reads()).toBeLessThan(LOOKS * COUNT);
});

describe('what is named more than once is answered once:', () => {
  const context = { apiVersion: 9, connection: {} } as Context;
  const names = (all: readonly string[]) => [...all, ...all];

  test('settings of resources', () => {
    const services = {
      picture: () => ({ topicByName: () => undefined }),
      brokerConfigs: { definitions: [] },
    };
    const request = {
      resources: names(['a', 'b']).map((resourceName) => ({ resourceType: 2, resourceName })),
    };
    const answer = describeConfigs.handle(request as never, context, services as never);
    expect(answer).toMatchObject({ results: [{ resourceName: 'a' }, { resourceName: 'b' }] });
  });

  test('a resource of which other keys are named, with all of them', () => {
    const services = {
      nodeId: 1,
      picture: () => ({ topicByName: () => ({}), configOf: () => new Map() }),
      brokerConfigs: { definitions: [], given: new Map() },
    };
    const namesFor = (...keys: readonly (readonly string[] | null)[]) => {
      const resources = keys.map((configurationKeys) => ({
        resourceType: 2,
        resourceName: 't',
        configurationKeys,
      }));
      const answer = describeConfigs.handle({ resources } as never, context, services as never);
      const { results } = answer as { results: { configs: { name: string }[] }[] };
      expect(results).toHaveLength(1);
      return results[0]?.configs.map(({ name }) => name);
    };
    const [ms, bytes] = ['retention.ms', 'retention.bytes'] as const;
    expect(namesFor([ms], [bytes], [ms])?.sort()).toEqual([bytes, ms]);
    expect(namesFor([ms], null, [bytes])).toEqual(namesFor(null));
  });

  test('producers of partitions', () => {
    const topics = names(['a', 'b']).map((name) => ({ name, partitionIndexes: [0, 1, 0] }));
    const services = { picture: () => ({ topicByName: () => undefined }) };
    const answer = describeProducers.handle({ topics } as never, context, services as never);
    const partitions = [{ partitionIndex: 0 }, { partitionIndex: 1 }];
    expect(answer).toMatchObject({
      topics: [
        { name: 'a', partitions },
        { name: 'b', partitions },
      ],
    });
  });

  /** Whom a coordinator was asked about. */
  const coordinator = () => {
    const asked: string[] = [];
    const ask = async (id: string) => {
      asked.push(id);
      return { kind: 'answered', response: { errorCode: 0, topics: [] } };
    };
    return { asked, ask };
  };

  test('groups', async () => {
    const groups = coordinator();
    const request = { groups: names(['a', 'b']) };
    await describeGroups.handle(request as never, context, { groups } as never);
    expect(groups.asked).toEqual(['a', 'b']);
  });

  test('transactions', async () => {
    const coordinators = coordinator();
    const request = { transactionalIds: names(['a', 'b']) };
    const services = { transactions: { coordinators } } as never;
    await describeTransactions.handle(request as never, context, services);
    expect(coordinators.asked).toEqual(['a', 'b']);
  });

  test('offsets of groups and of partitions', async () => {
    const fetched: unknown[] = [];
    const group = { fetch: (request: unknown) => fetched.push(request) };
    const ask = async (_: string, run: (asked: unknown) => void) => {
      run(group);
      return { kind: 'answered', response: { topics: [] } };
    };
    const topics = names(['s', 't']).map((name) => ({ name, partitionIndexes: [0, 1, 0] }));
    const other = { groupId: 'a', topics: [{ name: 'other', partitionIndexes: [7] }] };
    const groups = names(['a', 'b']).map((groupId) => ({ groupId, topics }));
    const request = { groups: [...groups, other, { groupId: 'b', topics: null }] };
    const services = { picture: () => ({}), groups: { ask } } as never;
    await offsetFetch.handle(request as never, context, services);
    const once = [
      { name: 's', partitionIndexes: [0, 1] },
      { name: 't', partitionIndexes: [0, 1] },
    ];
    expect(fetched).toEqual([
      { groupId: 'a', topics: [...once, ...other.topics] },
      { groupId: 'b', topics: once },
      { groupId: 'b', topics: null },
    ]);
  });
});

import type { AnyApi, RequestDraft, RequestOf, ResponseOf } from '../../src/protocol/api';
import { AlterPartition } from '../../src/protocol/apis/alter-partition';
import { AssignReplicasToDirs } from '../../src/protocol/apis/assign-replicas-to-dirs';
import { complete } from '../../src/protocol/codec';
import { Errors } from '../../src/protocol/errors';
import { DirectoryAssignments } from '../../src/replication/directory-assignments';
import { type IsrProposal, IsrProposals } from '../../src/replication/isr-proposals';
import { TestWorld } from '../support/world';

const TOPICS = ['AAAAAAAAAAAAAAAAAAAABQ', 'AAAAAAAAAAAAAAAAAAAABg'] as const;

/** A controller that answers when the test says so. */
function setUp() {
  const world = new TestWorld();
  const { clock, log: logger, lines } = world.machine('node');
  const asked: { api: AnyApi; request: unknown; answer(response: unknown): void; fail(): void }[] =
    [];
  const controller = {
    askForNode: <A extends AnyApi>(api: A, draft: RequestDraft<A>): Promise<ResponseOf<A>> =>
      new Promise((resolve, reject) => {
        asked.push({
          api,
          request: complete(api.request, draft),
          answer: (response) => resolve(complete(api.response, response as never) as ResponseOf<A>),
          fail: () => reject(new Error('not reached')),
        });
      }),
  };
  const options = { nodeId: 1, clock, logger, controller, brokerEpoch: () => 9 };
  return { world, asked, lines, options };
}

function proposal(partition: number, topicId: string = TOPICS[0]) {
  const told: [number, number][] = [];
  const state = { isWanted: true };
  const made: IsrProposal = {
    topicId,
    partition,
    leaderEpoch: 3,
    partitionEpoch: 7,
    isr: [{ brokerId: 1, brokerEpoch: 9 }],
    isWanted: () => state.isWanted,
    answered: (errorCode, partitionEpoch) => told.push([errorCode, partitionEpoch]),
  };
  return { made, told, state };
}

const answered = (partitions: readonly { partition: number; errorCode?: number }[]) => ({
  topics: [
    {
      topicId: TOPICS[0],
      partitions: partitions.map(({ partition, errorCode = 0 }) => ({
        partitionIndex: partition,
        errorCode,
        leaderId: 1,
        leaderEpoch: 3,
        isr: [1],
        partitionEpoch: 8,
      })),
    },
  ],
});

const askedPartitions = (request: unknown): (readonly [string, number])[] =>
  (request as RequestOf<typeof AlterPartition>).topics.flatMap(({ topicId, partitions }) =>
    partitions.map(({ partitionIndex }) => [topicId, partitionIndex] as const),
  );

test('all that is proposed in one turn travels in one request, and the answers are told', async () => {
  const { world, asked, options } = setUp();
  const proposals = new IsrProposals(options);
  const [one, two, other] = [proposal(0), proposal(1), proposal(0, TOPICS[1])];
  for (const { made } of [one, two, other]) proposals.propose(made);
  await world.settle();
  expect(asked).toHaveLength(1);
  expect(asked[0]?.api).toBe(AlterPartition);
  expect(asked[0]?.request).toMatchObject({ brokerId: 1, brokerEpoch: 9 });
  expect(askedPartitions(asked[0]?.request)).toEqual([
    [TOPICS[0], 0],
    [TOPICS[0], 1],
    [TOPICS[1], 0],
  ]);
  const refused = { partition: 1, errorCode: Errors.INELIGIBLE_REPLICA };
  asked[0]?.answer(answered([{ partition: 0 }, refused]));
  await world.settle();
  expect(one.told).toEqual([[Errors.NONE, 8]]);
  expect(two.told).toEqual([[Errors.INELIGIBLE_REPLICA, 8]]);
  // What the answer left out is asked again.
  expect(askedPartitions(asked[1]?.request)).toEqual([[TOPICS[1], 0]]);
});

test('one request is on its way at a time, and carries all that came meanwhile', async () => {
  const { world, asked, options } = setUp();
  const proposals = new IsrProposals(options);
  proposals.propose(proposal(0).made);
  await world.settle();
  proposals.propose(proposal(1).made);
  proposals.propose(proposal(2).made);
  await world.advance(1000);
  expect(asked).toHaveLength(1);
  asked[0]?.answer(answered([{ partition: 0 }]));
  await world.settle();
  expect(askedPartitions(asked[1]?.request)).toEqual([
    [TOPICS[0], 1],
    [TOPICS[0], 2],
  ]);
});

test('a request that fails as a whole is tried again, without what is no longer wanted', async () => {
  const { world, asked, options, lines } = setUp();
  const proposals = new IsrProposals(options);
  const [one, two] = [proposal(0), proposal(1)];
  proposals.propose(one.made);
  proposals.propose(two.made);
  await world.settle();
  asked[0]?.fail();
  await world.advance(60);
  asked[1]?.answer({ errorCode: Errors.NOT_CONTROLLER, topics: [] });
  two.state.isWanted = false;
  await world.advance(60);
  expect(asked).toHaveLength(3);
  expect(askedPartitions(asked[2]?.request)).toEqual([[TOPICS[0], 0]]);
  asked[2]?.answer(answered([{ partition: 0 }]));
  await world.settle();
  expect(one.told).toEqual([[Errors.NONE, 8]]);
  expect(two.told).toEqual([]);
  expect(lines.filter(({ level }) => level === 'warn')).toHaveLength(2);
});

test('what the picture has overtaken hears nothing, and its successor is asked next', async () => {
  const { world, asked, options } = setUp();
  const proposals = new IsrProposals(options);
  const [former, next] = [proposal(0), proposal(0)];
  proposals.propose(former.made);
  await world.settle();
  former.state.isWanted = false;
  proposals.propose(next.made);
  asked[0]?.answer(answered([{ partition: 0 }]));
  await world.settle();
  expect(former.told).toEqual([]);
  expect(asked).toHaveLength(2);
  asked[1]?.answer(answered([{ partition: 0 }]));
  await world.settle();
  expect(next.told).toEqual([[Errors.NONE, 8]]);
});

test('once stopped nothing is asked any more', async () => {
  const { world, asked, options } = setUp();
  const proposals = new IsrProposals(options);
  proposals.propose(proposal(0).made);
  await world.settle();
  asked[0]?.fail();
  await world.settle();
  proposals.stop();
  proposals.propose(proposal(1).made);
  await world.advance(10_000);
  expect(asked).toHaveLength(1);
});

test('folders are told in one request, and again until the controller takes them', async () => {
  const { world, asked, options } = setUp();
  const directories = new DirectoryAssignments(options);
  const [one, other] = ['R4mbT3ckSRyR4mbT3ckSRw', 'R4mbT3ckSRyR4mbT3ckSRg'] as const;
  directories.assign(TOPICS[0], 0, one);
  directories.assign(TOPICS[0], 1, other);
  directories.assign(TOPICS[1], 0, one);
  directories.assign(TOPICS[1], 1, one);
  directories.forget(TOPICS[1], 1);
  await world.settle();
  expect(asked[0]?.api).toBe(AssignReplicasToDirs);
  expect(asked[0]?.request).toEqual({
    brokerId: 1,
    brokerEpoch: 9,
    directories: [
      {
        id: one,
        topics: [
          { topicId: TOPICS[0], partitions: [{ partitionIndex: 0 }] },
          { topicId: TOPICS[1], partitions: [{ partitionIndex: 0 }] },
        ],
      },
      { id: other, topics: [{ topicId: TOPICS[0], partitions: [{ partitionIndex: 1 }] }] },
    ],
  });
  const topic = (topicId: string, partitionIndex: number, errorCode = 0) => ({
    topicId,
    partitions: [{ partitionIndex, errorCode }],
  });
  asked[0]?.answer({
    errorCode: 0,
    directories: [
      { id: one, topics: [topic(TOPICS[0], 0), topic(TOPICS[1], 0, Errors.UNKNOWN_TOPIC_ID)] },
      { id: other, topics: [topic(TOPICS[0], 1)] },
    ],
  });
  await world.advance(90);
  expect(asked).toHaveLength(1);
  await world.advance(20);
  expect(asked[1]?.request).toMatchObject({
    directories: [{ id: one, topics: [{ topicId: TOPICS[1] }] }],
  });
  asked[1]?.fail();
  await world.advance(190);
  expect(asked).toHaveLength(2);
  await world.advance(30);
  expect(asked).toHaveLength(3);
  directories.stop();
});

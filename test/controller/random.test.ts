import fc from 'fast-check';
import { isActive } from '../../src/metadata/brokers';
import { diff } from '../../src/metadata/diff';
import type { Image } from '../../src/metadata/image';
import { decodeMetadataRecord, encodeMetadataRecord } from '../../src/metadata/metadata-record';
import { snapshotRecords } from '../../src/metadata/snapshot';
import type { Partition } from '../../src/metadata/topics';
import { AlterPartition } from '../../src/protocol/apis/alter-partition';
import { AlterPartitionReassignments } from '../../src/protocol/apis/alter-partition-reassignments';
import { CreatePartitions } from '../../src/protocol/apis/create-partitions';
import { CreateTopics } from '../../src/protocol/apis/create-topics';
import { DeleteTopics } from '../../src/protocol/apis/delete-topics';
import { ElectLeaders } from '../../src/protocol/apis/elect-leaders';
import { IncrementalAlterConfigs } from '../../src/protocol/apis/incremental-alter-configs';
import { UnregisterBroker } from '../../src/protocol/apis/unregister-broker';
import { imageOf, uuid } from '../metadata/records';
import { Story } from './story';

/** Everything that can happen to a controller of four brokers and three topics. */
const broker = fc.integer({ min: 1, max: 4 });
const topic = fc.constantFrom('a', 'b', 'c');
const brokers = fc.uniqueArray(broker, { minLength: 1, maxLength: 3 });

const step = fc.oneof(
  fc.record({ kind: fc.constant('register' as const), broker, life: fc.nat({ max: 3 }) }),
  fc.record({
    kind: fc.constant('heartbeat' as const),
    broker,
    wantFence: fc.boolean(),
    wantShutDown: fc.boolean(),
    lag: fc.nat({ max: 3 }),
  }),
  fc.record({ kind: fc.constant('pass' as const), ms: fc.nat({ max: 10_000 }) }),
  fc.record({
    kind: fc.constant('create' as const),
    topic,
    brokers,
    partitions: fc.nat({ max: 2 }),
  }),
  fc.record({ kind: fc.constant('delete' as const), topic }),
  fc.record({ kind: fc.constant('grow' as const), topic, count: fc.nat({ max: 5 }) }),
  fc.record({ kind: fc.constant('isr' as const), topic, brokers }),
  fc.record({ kind: fc.constant('reassign' as const), topic, brokers: fc.option(brokers) }),
  fc.record({ kind: fc.constant('elect' as const), electionType: fc.nat({ max: 1 }) }),
  fc.record({
    kind: fc.constant('unclean' as const),
    topic,
    value: fc.constantFrom('true', 'false'),
  }),
  fc.record({ kind: fc.constant('unregister' as const), broker }),
  fc.record({ kind: fc.constant('take-over' as const) }),
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function carryOut(story: Story, each: Step): void {
  switch (each.kind) {
    case 'register':
      story.register(each.broker, { incarnationId: uuid(100 * each.broker + each.life) });
      return;
    case 'heartbeat': {
      const { wantFence, wantShutDown, lag } = each;
      const currentMetadataOffset = story.records.length - 1 - lag;
      story.heartbeat(each.broker, { wantFence, wantShutDown, currentMetadataOffset });
      return;
    }
    case 'pass':
      story.pass(each.ms);
      return;
    case 'create':
      story.ask(CreateTopics, {
        topics: [
          {
            name: each.topic,
            numPartitions: -1,
            replicationFactor: -1,
            configs: [],
            assignments: Array.from({ length: each.partitions + 1 }, (_, partitionIndex) => ({
              partitionIndex,
              brokerIds: each.brokers,
            })),
          },
        ],
      });
      return;
    case 'delete':
      story.ask(DeleteTopics, { topicNames: [each.topic], timeoutMs: 1 }, 5);
      return;
    case 'grow': {
      const topics = [{ name: each.topic, count: each.count, assignments: null }];
      story.ask(CreatePartitions, { topics, timeoutMs: 1, validateOnly: false });
      return;
    }
    case 'isr':
      alterIsr(story, each.topic, each.brokers);
      return;
    case 'reassign':
      story.ask(AlterPartitionReassignments, {
        topics: [{ name: each.topic, partitions: [{ partitionIndex: 0, replicas: each.brokers }] }],
      });
      return;
    case 'elect':
      story.ask(ElectLeaders, { electionType: each.electionType, topicPartitions: null });
      return;
    case 'unclean':
      story.ask(IncrementalAlterConfigs, {
        resources: [
          {
            resourceType: 2,
            resourceName: each.topic,
            configs: [
              { name: 'unclean.leader.election.enable', configOperation: 0, value: each.value },
            ],
          },
        ],
        validateOnly: false,
      });
      return;
    case 'unregister':
      story.ask(UnregisterBroker, { brokerId: each.broker });
      return;
    case 'take-over':
      return;
  }
}

/** The leader of the topic's first partition proposes these members, as far as they hold it. */
function alterIsr(story: Story, name: string, members: readonly number[]): void {
  const topicOf = story.image.topicByName(name);
  const partition = topicOf?.partitions.get(0);
  if (topicOf === undefined || partition === undefined || partition.leader < 0) return;
  const { leader, leaderEpoch, partitionEpoch, replicas } = partition;
  const isr = new Set([leader, ...members.filter((node) => replicas.includes(node))]);
  story.ask(AlterPartition, {
    brokerId: leader,
    brokerEpoch: story.image.broker(leader)?.epoch ?? -1,
    topics: [
      {
        topicId: topicOf.id,
        partitions: [
          {
            partitionIndex: 0,
            leaderEpoch,
            partitionEpoch,
            newIsrWithEpochs: [...isr].map((brokerId) => ({ brokerId, brokerEpoch: -1 })),
          },
        ],
      },
    ],
  });
}

function* partitionsOf(image: Image): Iterable<[string, Partition]> {
  for (const each of image.topics()) {
    for (const [index, partition] of each.partitions.entries()) {
      yield [`${each.id}:${index}`, partition];
    }
  }
}

/** What must be true of every partition whatever happened. */
function checkPartitions(before: Image, after: Image): void {
  const old = new Map(partitionsOf(before));
  for (const [name, partition] of partitionsOf(after)) {
    const { leader, isr, replicas, directories, addingReplicas, removingReplicas } = partition;
    expect(directories.length).toBe(replicas.length);
    expect(new Set(replicas).size).toBe(replicas.length);
    expect(isr.length).toBeGreaterThan(0);
    expect(isr.every((node) => replicas.includes(node))).toBe(true);
    expect([...addingReplicas, ...removingReplicas].every((node) => replicas.includes(node))).toBe(
      true,
    );
    if (leader >= 0) {
      expect(isr).toContain(leader);
      const led = after.broker(leader);
      expect(led !== undefined && isActive(led)).toBe(true);
    }
    const was = old.get(name);
    if (was === undefined) continue;
    expect(partition.leaderEpoch).toBeGreaterThanOrEqual(was.leaderEpoch);
    expect(partition.partitionEpoch).toBeGreaterThanOrEqual(was.partitionEpoch);
    if (partition.leader !== was.leader) {
      expect(partition.leaderEpoch).toBeGreaterThan(was.leaderEpoch);
    }
    const isClean = !partition.isRecovering || was.isRecovering;
    const changed = partition.leaderEpoch === was.leaderEpoch + 1 && leader >= 0;
    if (isClean && changed && was.leader !== leader && !partition.isRecovering) {
      // Who leads cleanly was in sync before, or joined with this very change.
      expect([...was.isr, ...isr]).toContain(leader);
    }
  }
}

test('whatever happens, partitions keep their promises and the log tells the same story', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let story = new Story().up(1, 2, 3, 4);
      for (const each of steps) {
        const before = story.image;
        if (each.kind === 'take-over') story = story.takenOver();
        else carryOut(story, each);
        checkPartitions(before, story.image);
      }
      const replayed = imageOf(
        story.records.map((record) => decodeMetadataRecord(encodeMetadataRecord(record))),
      );
      expect(changes(story.image, replayed)).toBe(0);
      const reloaded = imageOf([...snapshotRecords(story.image)]);
      expect(changes(story.image, reloaded)).toBe(0);
    }),
    { numRuns: 300 },
  );
});

function changes(one: Image, other: Image): number {
  const { before: _, producerIds, ...sets } = diff(one, other);
  return Object.values(sets).reduce((sum, { size }) => sum + size, Number(producerIds));
}

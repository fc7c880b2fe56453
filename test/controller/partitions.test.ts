import { elect } from '../../src/controller/elections';
import { changePartition, type PartitionRules } from '../../src/controller/partitions';
import type { Partition } from '../../src/metadata/topics';
import { AlterPartition } from '../../src/protocol/apis/alter-partition';
import { AlterPartitionReassignments } from '../../src/protocol/apis/alter-partition-reassignments';
import { AssignReplicasToDirs } from '../../src/protocol/apis/assign-replicas-to-dirs';
import { ElectLeaders } from '../../src/protocol/apis/elect-leaders';
import { IncrementalAlterConfigs } from '../../src/protocol/apis/incremental-alter-configs';
import { ListPartitionReassignments } from '../../src/protocol/apis/list-partition-reassignments';
import { UpdateFeatures } from '../../src/protocol/apis/update-features';
import { Errors, errorName } from '../../src/protocol/errors';
import { uuid } from '../metadata/records';
import { Story } from './story';

const partition = (more: Partial<Partition> = {}): Partition => ({
  replicas: [1, 2, 3],
  directories: [uuid(1), uuid(2), uuid(3)],
  isr: [1, 2, 3],
  removingReplicas: [],
  addingReplicas: [],
  elr: [],
  lastKnownElr: [],
  leader: 1,
  isRecovering: false,
  leaderEpoch: 4,
  partitionEpoch: 7,
  ...more,
});

const rules = (
  more: Partial<PartitionRules> & { alive?: readonly number[] } = {},
): PartitionRules => ({
  metadataVersion: 33,
  elrIsEnabled: false,
  minInsyncReplicas: 2,
  isAcceptable: (node) => (more.alive ?? [1, 2, 3]).includes(node),
  defaultDirectory: (node) => uuid(node),
  ...more,
});

describe('an election', () => {
  const result = (
    kind: 'preferred' | 'online' | 'unclean',
    alive: readonly number[],
    more: Partial<Partition> = {},
    elr: readonly number[] = [],
  ) => {
    const of = partition(more);
    return elect({
      kind,
      partition: of,
      targetReplicas: of.replicas,
      targetIsr: of.isr,
      targetElr: elr,
      isAcceptable: (node) => alive.includes(node),
      elrIsEnabled: true,
    });
  };

  test.each([
    ['keeps a leader that is alive', 'online', [1, 2, 3], { leader: 2 }, 2, false],
    ['takes the first in sync otherwise', 'online', [2, 3], {}, 2, false],
    ['never takes one out of sync', 'online', [3], { isr: [1, 2] }, -1, false],
    ['takes anyone alive if it may be unclean', 'unclean', [3], { isr: [1, 2] }, 3, true],
    ['prefers the first replica', 'preferred', [1, 2, 3], { leader: 2 }, 1, false],
    [
      'keeps the leader if the preferred is not in sync',
      'preferred',
      [1, 2],
      { leader: 2, isr: [2] },
      2,
      false,
    ],
    [
      'takes the last known leader when nobody is left',
      'online',
      [2],
      { isr: [], leader: -1, lastKnownElr: [2] },
      2,
      true,
    ],
    [
      'does not guess between two last known',
      'online',
      [2, 3],
      { isr: [], leader: -1, lastKnownElr: [2, 3] },
      -1,
      false,
    ],
    [
      'nor one that is no replica any more',
      'online',
      [1, 2, 3],
      { replicas: [1, 3], isr: [], leader: -1, lastKnownElr: [2] },
      -1,
      false,
    ],
  ] as const)('%s', (_, kind, alive, more, leader, isUnclean) => {
    expect(result(kind, alive, more)).toEqual({ leader, isUnclean });
  });

  test('takes an eligible leader replica only when the ISR is empty', () => {
    expect(result('online', [3], { isr: [], leader: -1 }, [3])).toEqual({
      leader: 3,
      isUnclean: false,
    });
    expect(result('online', [3], { isr: [1], leader: -1 }, [3])).toEqual({
      leader: -1,
      isUnclean: false,
    });
  });
});

describe('the change of a partition', () => {
  test('is none when nothing changes', () => {
    expect(changePartition(partition(), {}, rules())).toBeUndefined();
  });

  test('a shrunk ISR raises no leader epoch, but did before metadata.version 12', () => {
    expect(changePartition(partition(), { isr: [1, 2] }, rules())).toEqual({ isr: [1, 2] });
    const old = rules({ metadataVersion: 11 });
    expect(changePartition(partition(), { isr: [1, 2] }, old)).toEqual({ isr: [1, 2], leader: 1 });
  });

  test('an ISR that would be empty stays, as the memory of who holds everything', () => {
    const lonely = partition({ isr: [1] });
    expect(changePartition(lonely, { isr: [] }, rules({ alive: [] }))).toEqual({ leader: -1 });
  });

  test('an unclean leader is alone in the ISR and recovering', () => {
    const change = changePartition(
      partition({ isr: [1] }),
      { isr: [], election: 'unclean' },
      rules({ alive: [3] }),
    );
    expect(change).toEqual({ leader: 3, isr: [3], isRecovering: true });
  });

  test('with ELR, who leaves a small ISR stays eligible', () => {
    const elr = rules({ elrIsEnabled: true, alive: [1] });
    expect(changePartition(partition({ isr: [1, 2] }), { isr: [1] }, elr)).toEqual({
      isr: [1],
      elr: [2],
    });
    const none = rules({ elrIsEnabled: true, alive: [] });
    expect(changePartition(partition({ isr: [1], elr: [2] }), { isr: [] }, none)).toEqual({
      isr: [],
      elr: [1, 2],
      leader: -1,
      lastKnownElr: [1],
    });
    const back = rules({ elrIsEnabled: true, alive: [2] });
    const gone = partition({ isr: [], elr: [1, 2], leader: -1, lastKnownElr: [1] });
    expect(changePartition(gone, {}, back)).toEqual({
      leader: 2,
      isr: [2],
      elr: [1],
      lastKnownElr: [],
    });
  });

  test('a replica that a reassignment takes away is not eligible to lead', () => {
    const moving = partition({
      replicas: [2, 3, 1],
      isr: [1],
      elr: [3],
      leader: 1,
      removingReplicas: [1],
      addingReplicas: [2],
    });
    const moved = changePartition(moving, { isr: [1, 2] }, rules({ elrIsEnabled: true }));
    expect(moved).toMatchObject({ replicas: [2, 3], isr: [2], leader: 2 });
    expect(moved?.elr ?? moving.elr).toEqual([3]);
  });

  test.each([
    [
      'called off',
      { replicas: [1, 2, 3], addingReplicas: [1] },
      { replicas: [2, 3], addingReplicas: [] },
    ],
    ['already gone', { replicas: [2, 3] }, {}],
  ])('nor is one whose place is %s', (_why, place, target) => {
    const before = partition({ ...place, isr: [2, 3], elr: [1], leader: 2 });
    const change = changePartition(before, { ...target, isr: [2] }, rules({ elrIsEnabled: true }));
    expect(change?.elr).toEqual([3]);
  });

  test('with ELR, an unclean shutdown ends eligibility', () => {
    const elr = rules({ elrIsEnabled: true, alive: [1] });
    const target = { isr: [1], mayHaveLostRecords: [2] };
    expect(changePartition(partition({ isr: [1, 2] }), target, elr)).toEqual({ isr: [1] });
  });
});

describe('AlterPartition', () => {
  const setUp = (): Story => {
    const story = new Story().up(1, 2, 3);
    story.topic('t', [1, 2, 3]);
    return story;
  };
  type Change = {
    leaderEpoch?: number;
    partitionEpoch?: number;
    leaderRecoveryState?: number;
    isr?: readonly (readonly [number, number])[];
  };
  const alter = (story: Story, change: Change, brokerId = 1, version = 3) => {
    const topicId = story.image.topicByName('t')?.id ?? '';
    const { isr = [], leaderEpoch = 0, partitionEpoch = 0, leaderRecoveryState = 0 } = change;
    const answer = story.ask(
      AlterPartition,
      {
        brokerId,
        brokerEpoch: story.image.broker(brokerId)?.epoch ?? -1,
        topics: [
          {
            topicId,
            partitions: [
              {
                partitionIndex: 0,
                leaderEpoch,
                partitionEpoch,
                leaderRecoveryState,
                newIsr: isr.map(([node]) => node),
                newIsrWithEpochs: isr.map(([node, brokerEpoch]) => ({
                  brokerId: node,
                  brokerEpoch,
                })),
              },
            ],
          },
        ],
      },
      version,
    );
    return answer.topics[0]?.partitions[0];
  };

  test('changes the ISR and tells the new partition epoch', () => {
    const story = setUp();
    expect(
      alter(story, {
        isr: [
          [1, -1],
          [2, -1],
        ],
      }),
    ).toMatchObject({
      errorCode: 0,
      leaderId: 1,
      leaderEpoch: 0,
      isr: [1, 2],
      partitionEpoch: 1,
    });
    expect(story.partition('t')).toMatchObject({ isr: [1, 2], partitionEpoch: 1 });
  });

  test.each<[string, Change, number, string]>([
    ['an asker ahead by leader epoch', { leaderEpoch: 1, isr: [[1, -1]] }, 1, 'NOT_CONTROLLER'],
    [
      'an asker ahead by partition epoch',
      { partitionEpoch: 1, isr: [[1, -1]] },
      1,
      'NOT_CONTROLLER',
    ],
    ['an old leader epoch', { leaderEpoch: -1, isr: [[1, -1]] }, 1, 'FENCED_LEADER_EPOCH'],
    ['one that is not the leader', { isr: [[2, -1]] }, 2, 'INVALID_REQUEST'],
    ['an old partition epoch', { partitionEpoch: -1, isr: [[1, -1]] }, 1, 'INVALID_UPDATE_VERSION'],
    ['an empty ISR', {}, 1, 'INVALID_REQUEST'],
    [
      'a stranger in the ISR',
      {
        isr: [
          [1, -1],
          [9, -1],
        ],
      },
      1,
      'INVALID_REQUEST',
    ],
    [
      'someone twice',
      {
        isr: [
          [1, -1],
          [1, -1],
        ],
      },
      1,
      'INVALID_REQUEST',
    ],
    ['an ISR without the leader', { isr: [[2, -1]] }, 1, 'INVALID_REQUEST'],
    ['a recovery that is none', { isr: [[1, -1]], leaderRecoveryState: 1 }, 1, 'INVALID_REQUEST'],
    [
      'a member of another life',
      {
        isr: [
          [1, -1],
          [2, 99],
        ],
      },
      1,
      'INELIGIBLE_REPLICA',
    ],
  ])('refuses %s', (_, change, broker, code) => {
    expect(errorName(alter(setUp(), change, broker)?.errorCode ?? 0)).toBe(code);
  });

  test('a fenced member is not eligible', () => {
    const story = setUp();
    story.heartbeat(3, { wantFence: true });
    const answer = alter(story, {
      isr: [
        [1, -1],
        [2, -1],
        [3, -1],
      ],
      partitionEpoch: 1,
    });
    expect(errorName(answer?.errorCode ?? 0)).toBe('INELIGIBLE_REPLICA');
  });

  test('version 2 names brokers without their epochs', () => {
    const story = setUp();
    expect(
      alter(
        story,
        {
          isr: [
            [1, 0],
            [3, 0],
          ],
        },
        1,
        2,
      ),
    ).toMatchObject({ errorCode: 0, isr: [1, 3] });
  });

  test('a stale broker is refused whole', () => {
    const story = setUp();
    const answer = story.ask(AlterPartition, { brokerId: 1, brokerEpoch: 0, topics: [] });
    expect(errorName(answer.errorCode)).toBe('STALE_BROKER_EPOCH');
  });
});

describe('reassignment', () => {
  const setUp = (): Story => {
    const story = new Story().up(1, 2, 3);
    story.topic('t', [1, 2]);
    return story;
  };
  const reassign = (
    story: Story,
    replicas: readonly number[] | null,
    mayChange = true,
    index = 0,
  ) =>
    story.ask(AlterPartitionReassignments, {
      allowReplicationFactorChange: mayChange,
      topics: [{ name: 't', partitions: [{ partitionIndex: index, replicas }] }],
    }).responses[0]?.partitions[0];
  const isr = (story: Story, brokerId: number, members: readonly number[]) => {
    const now = story.partition('t');
    return story.ask(AlterPartition, {
      brokerId,
      brokerEpoch: story.image.broker(brokerId)?.epoch ?? -1,
      topics: [
        {
          topicId: story.image.topicByName('t')?.id ?? '',
          partitions: [
            {
              partitionIndex: 0,
              leaderEpoch: now.leaderEpoch,
              partitionEpoch: now.partitionEpoch,
              newIsrWithEpochs: members.map((node) => ({ brokerId: node, brokerEpoch: -1 })),
            },
          ],
        },
      ],
    }).topics[0]?.partitions[0];
  };

  test('that takes the place of another ends, though replicas of that one come and go', () => {
    for (const target of [[2], [1], [3], [3, 1], [1, 2]]) {
      const story = setUp();
      reassign(story, [3, 2]);
      reassign(story, target);
      const { replicas, leader } = story.partition('t');
      isr(story, leader, replicas);
      expect(story.partition('t')).toMatchObject({
        replicas: target,
        addingReplicas: [],
        removingReplicas: [],
      });
    }
  });

  test('is shown while under way, and ends when the new replicas are in sync', () => {
    const story = setUp();
    expect(reassign(story, [3, 2])?.errorCode).toBe(0);
    expect(story.partition('t')).toMatchObject({
      replicas: [3, 2, 1],
      addingReplicas: [3],
      removingReplicas: [1],
      leader: 1,
      leaderEpoch: 0,
    });
    const listed = story.ask(ListPartitionReassignments, { topics: null });
    expect(listed.topics).toEqual([
      {
        name: 't',
        partitions: [
          { partitionIndex: 0, replicas: [3, 2, 1], addingReplicas: [3], removingReplicas: [1] },
        ],
      },
    ]);
    const answer = isr(story, 1, [1, 2, 3]);
    expect(errorName(answer?.errorCode ?? 0)).toBe('NEW_LEADER_ELECTED');
    expect(story.partition('t')).toMatchObject({
      replicas: [3, 2],
      isr: [2, 3],
      addingReplicas: [],
      removingReplicas: [],
      leader: 3,
      leaderEpoch: 1,
    });
    expect(story.ask(ListPartitionReassignments, { topics: null }).topics).toEqual([]);
  });

  test('that only changes the order is done at once', () => {
    const story = setUp();
    reassign(story, [2, 1]);
    expect(story.partition('t')).toMatchObject({ replicas: [2, 1], leader: 1, addingReplicas: [] });
  });

  test('is taken back by null', () => {
    const story = setUp();
    reassign(story, [3, 2]);
    expect(reassign(story, null)?.errorCode).toBe(0);
    expect(story.partition('t')).toMatchObject({
      replicas: [2, 1],
      isr: [1, 2],
      addingReplicas: [],
      removingReplicas: [],
    });
    expect(errorName(reassign(story, null)?.errorCode ?? 0)).toBe('NO_REASSIGNMENT_IN_PROGRESS');
  });

  test.each([
    ['an unknown broker', [9], true, 0, 'INVALID_REPLICA_ASSIGNMENT'],
    [
      'another number of replicas where that is not allowed',
      [1],
      false,
      0,
      'INVALID_REPLICATION_FACTOR',
    ],
    ['an unknown partition', [1], true, 5, 'UNKNOWN_TOPIC_OR_PARTITION'],
  ] as const)('to %s is refused', (_, replicas, mayChange, index, code) => {
    const answer = reassign(setUp(), replicas, mayChange, index);
    expect(errorName(answer?.errorCode ?? 0)).toBe(code);
  });
});

describe('ElectLeaders', () => {
  const elected = (story: Story, electionType: number, partitions = [0]) =>
    story
      .ask(ElectLeaders, { electionType, topicPartitions: [{ topic: 't', partitions }] })
      .replicaElectionResults.flatMap(({ partitionResult }) => partitionResult)
      .map(({ errorCode }) => errorName(errorCode));

  const moved = (): Story => {
    const story = new Story().up(1, 2);
    story.topic('t', [1, 2]);
    story.heartbeat(1, { wantFence: true });
    return story;
  };

  test('moves leadership to the preferred leader once it is in sync', () => {
    const story = moved();
    expect(elected(story, 0)).toEqual(['PREFERRED_LEADER_NOT_AVAILABLE']);
    story.heartbeat(1);
    const { leaderEpoch, partitionEpoch } = story.partition('t');
    story.ask(AlterPartition, {
      brokerId: 2,
      brokerEpoch: story.image.broker(2)?.epoch ?? -1,
      topics: [
        {
          topicId: story.image.topicByName('t')?.id ?? '',
          partitions: [
            {
              partitionIndex: 0,
              leaderEpoch,
              partitionEpoch,
              newIsrWithEpochs: [{ brokerId: 2 }, { brokerId: 1 }],
            },
          ],
        },
      ],
    });
    expect(elected(story, 0)).toEqual(['NONE']);
    expect(story.partition('t').leader).toBe(1);
    expect(elected(story, 0, [0, 4])).toEqual([
      'ELECTION_NOT_NEEDED',
      'UNKNOWN_TOPIC_OR_PARTITION',
    ]);
  });

  test('from time to time leadership goes back by itself', () => {
    const story = new Story().up(1, 2);
    story.topic('t', [1, 2]);
    story.heartbeat(1, { wantShutDown: true });
    expect(story.partition('t').leader).toBe(2);
    const settled = new Story().up(1, 2);
    const reassigned = settled.topic('t', [1, 2]);
    settled.ask(AlterPartitionReassignments, {
      topics: [{ name: 't', partitions: [{ partitionIndex: 0, replicas: [2, 1] }] }],
    });
    expect(settled.partition('t').leader).toBe(1);
    for (let beat = 0; beat < 61; beat += 1) {
      settled.pass(5000);
      settled.heartbeat(1);
      settled.heartbeat(2);
    }
    expect(reassigned).not.toBe('');
    expect(settled.partition('t').leader).toBe(2);
  });

  test('unclean election takes whoever is alive, only when there is no leader', () => {
    const story = new Story().up(1, 2);
    story.topic('t', [1, 2]);
    story.heartbeat(2, { wantFence: true });
    story.heartbeat(1, { wantFence: true });
    expect(story.partition('t')).toMatchObject({ leader: -1, isr: [1] });
    story.heartbeat(2);
    expect(story.partition('t').leader).toBe(-1);
    expect(elected(story, 1)).toEqual(['NONE']);
    expect(story.partition('t')).toMatchObject({ leader: 2, isr: [2], isRecovering: true });
    expect(elected(story, 1)).toEqual(['ELECTION_NOT_NEEDED']);
  });

  test('where a topic allows it, an unclean leader comes by itself', () => {
    const story = new Story().up(1, 2);
    story.topic('t', [1, 2]);
    story.heartbeat(2, { wantFence: true });
    story.heartbeat(1, { wantFence: true });
    story.heartbeat(2);
    story.ask(IncrementalAlterConfigs, {
      resources: [
        {
          resourceType: 2,
          resourceName: 't',
          configs: [{ name: 'unclean.leader.election.enable', configOperation: 0, value: 'true' }],
        },
      ],
      validateOnly: false,
    });
    for (let beat = 0; beat < 61; beat += 1) {
      story.pass(5000);
      story.heartbeat(2);
    }
    expect(story.partition('t')).toMatchObject({ leader: 2, isRecovering: true });
  });

  test('an unknown kind is refused', () => {
    const story = moved();
    expect(story.ask(ElectLeaders, { electionType: 7, topicPartitions: [] }).errorCode).toBe(
      Errors.INVALID_REQUEST,
    );
  });
});

describe('AssignReplicasToDirs', () => {
  const assign = (story: Story, directory: string, index = 0, broker = 1) =>
    story.ask(AssignReplicasToDirs, {
      brokerId: broker,
      brokerEpoch: story.image.broker(broker)?.epoch ?? -1,
      directories: [
        {
          id: directory,
          topics: [
            {
              topicId: story.image.topicByName('t')?.id ?? '',
              partitions: [{ partitionIndex: index }],
            },
          ],
        },
      ],
    }).directories[0]?.topics[0]?.partitions[0]?.errorCode;

  test('notes the folder; in one that is offline the replica leads nothing', () => {
    const story = new Story().up(2, 3);
    story.register(1, { logDirs: [uuid(2001), uuid(3001)] });
    story.heartbeat(1);
    story.topic('t', [1, 2]);
    expect(story.partition('t').directories[0]).toBe('AAAAAAAAAAAAAAAAAAAAAQ');
    expect(assign(story, uuid(3001))).toBe(0);
    expect(story.partition('t')).toMatchObject({
      directories: [uuid(3001), uuid(2002)],
      leader: 1,
    });
    expect(assign(story, uuid(9999))).toBe(0);
    expect(story.partition('t')).toMatchObject({ leader: 2, isr: [2] });
    expect(errorName(assign(story, uuid(3001), 7) ?? 0)).toBe('UNKNOWN_TOPIC_OR_PARTITION');
    expect(errorName(assign(story, uuid(2003), 0, 3) ?? 0)).toBe('NOT_LEADER_OR_FOLLOWER');
  });

  test.each([
    ['is not eligible: it begins empty', [uuid(3001)], []],
    ['stays eligible where it moved', [uuid(2001), uuid(3001)], [1]],
  ])('a replica in place of one in a folder that is gone %s', (_what, now, elr) => {
    const feature = 'eligible.leader.replicas.version';
    const features = [
      { name: 'metadata.version', minSupportedVersion: 7, maxSupportedVersion: 33 },
      { name: 'kraft.version', minSupportedVersion: 0, maxSupportedVersion: 1 },
      { name: feature, minSupportedVersion: 0, maxSupportedVersion: 1 },
    ];
    const story = new Story({ given: new Map([['min.insync.replicas', '2']]) });
    for (const id of [1, 2]) {
      story.register(id, { features, logDirs: [uuid(2000 + id), uuid(3000 + id)] });
      story.heartbeat(id);
    }
    story.ask(UpdateFeatures, {
      featureUpdates: [{ feature, maxVersionLevel: 1, upgradeType: 1 }],
    });
    story.topic('t', [1, 2]);
    assign(story, uuid(2001));
    assign(story, uuid(2002), 0, 2);
    story.heartbeat(1, { wantShutDown: true });
    expect(story.partition('t')).toMatchObject({ isr: [2], elr: [1], leader: 2 });
    const previousBrokerEpoch = story.image.broker(1)?.epoch ?? -1;
    story.heartbeat(1, { wantFence: true, wantShutDown: true });
    story.register(1, { features, logDirs: now, incarnationId: uuid(77), previousBrokerEpoch });
    expect(story.partition('t').elr).toEqual([1]);
    expect(assign(story, uuid(3001))).toBe(0);
    expect(story.partition('t')).toMatchObject({ isr: [2], elr, leader: 2 });
  });
});

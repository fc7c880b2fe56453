import { ZERO_UUID } from '../../src/base/ids';
import { metadataRecord } from '../../src/metadata/metadata-record';
import { memoryDisk } from '../../src/platform/memory-disk';
import type { AnyApi } from '../../src/protocol/api';
import { DeleteGroups } from '../../src/protocol/apis/delete-groups';
import { DescribeGroups } from '../../src/protocol/apis/describe-groups';
import { FindCoordinator } from '../../src/protocol/apis/find-coordinator';
import { Heartbeat } from '../../src/protocol/apis/heartbeat';
import { JoinGroup } from '../../src/protocol/apis/join-group';
import { LeaveGroup } from '../../src/protocol/apis/leave-group';
import { ListGroups } from '../../src/protocol/apis/list-groups';
import { OffsetCommit } from '../../src/protocol/apis/offset-commit';
import { OffsetDelete } from '../../src/protocol/apis/offset-delete';
import { OffsetFetch } from '../../src/protocol/apis/offset-fetch';
import { SyncGroup } from '../../src/protocol/apis/sync-group';
import { Errors } from '../../src/protocol/errors';
import { idOf, NODE_ID } from './data-broker';
import { GroupBroker, OFFSETS_TOPIC } from './group-broker';

const READ = { name: 'read', partitions: 2, id: idOf(7) };
const OFFSETS = { name: OFFSETS_TOPIC, partitions: 4, replicas: [NODE_ID, 2] };

const start = (disk = memoryDisk()) => GroupBroker.start([READ, { ...OFFSETS, isr: [1] }], disk);

const offset = (partitionIndex: number, committedOffset: bigint) => ({
  partitionIndex,
  committedOffset,
  committedMetadata: null,
});

describe('FindCoordinator', () => {
  test('makes the topic of groups and answers with a coordinator that works at once', async () => {
    const node = await GroupBroker.start([READ]);
    const found = await node.ask(FindCoordinator, 3, { key: 'g', keyType: 0 });
    expect(found).toMatchObject({ errorCode: 0, errorMessage: 'NONE', nodeId: 1, host: 'node' });
    const joined = await node.member('g');
    expect(joined.generationId).toBe(1);
    expect(node.created).toBe(1);
    expect(node.broker.publisher.image.topicByName(OFFSETS_TOPIC)?.partitions.length).toBe(4);
  });

  test('finds several at once from version 4 on', async () => {
    const node = await start();
    const found = await node.ask(FindCoordinator, 6, { keyType: 0, coordinatorKeys: ['a', 'b'] });
    expect(found.coordinators).toMatchObject([
      { key: 'a', nodeId: 1, host: 'node', port: 9092, errorCode: 0, errorMessage: '' },
      { key: 'b', nodeId: 1, host: 'node', port: 9092, errorCode: 0, errorMessage: '' },
    ]);
    expect(node.created).toBe(0);
  });

  test('refuses share groups and unknown types', async () => {
    const node = await start();
    for (const keyType of [2, 9]) {
      const one = await node.ask(FindCoordinator, 2, { key: 'g', keyType });
      expect(one).toMatchObject({ errorCode: Errors.INVALID_REQUEST, nodeId: -1, port: -1 });
      const many = await node.ask(FindCoordinator, 4, { keyType, coordinatorKeys: ['g'] });
      expect(many.coordinators).toMatchObject([{ key: 'g', errorCode: Errors.INVALID_REQUEST }]);
    }
  });

  test('has nobody to name while the partition has no leader', async () => {
    const node = await start();
    await node.lead(-1);
    const found = await node.ask(FindCoordinator, 0, { key: 'g' });
    expect(found).toMatchObject({ errorCode: Errors.COORDINATOR_NOT_AVAILABLE, nodeId: -1 });
  });
});

describe('a member', () => {
  test('joins, syncs, beats, leaves, and the group can be deleted', async () => {
    const node = await start();
    const { memberId, generationId } = await node.member('g');
    const beat = await node.ask(Heartbeat, 4, { groupId: 'g', generationId, memberId });
    expect(beat.errorCode).toBe(0);
    const listed = await node.ask(ListGroups, 5, {});
    expect(listed.groups).toMatchObject([{ groupId: 'g', groupState: 'Stable' }]);
    const described = await node.ask(DescribeGroups, 6, {
      groups: ['g', 'h'],
      includeAuthorizedOperations: true,
    });
    expect(described.groups).toMatchObject([
      { groupState: 'Stable', protocolData: 'range', authorizedOperations: 3400 },
      { errorCode: Errors.GROUP_ID_NOT_FOUND, errorMessage: 'Group h not found.' },
    ]);
    expect(described.groups[0]?.members[0]).toMatchObject({
      memberId,
      clientHost: expect.stringMatching(/^\//),
      memberAssignment: Buffer.from('mine'),
    });
    const busy = await node.ask(DeleteGroups, 3, { groupsNames: ['g', 'h', 'g'] });
    expect(busy.results).toMatchObject([
      { groupId: 'g', errorCode: Errors.NON_EMPTY_GROUP },
      { groupId: 'h', errorCode: Errors.GROUP_ID_NOT_FOUND },
    ]);
    const left = await node.ask(LeaveGroup, 5, {
      groupId: 'g',
      members: [{ memberId }, { memberId: 'nobody' }],
    });
    expect(left.members).toMatchObject([
      { memberId, errorCode: 0 },
      { memberId: 'nobody', errorCode: Errors.UNKNOWN_MEMBER_ID },
    ]);
    const gone = await node.ask(DeleteGroups, 0, { groupsNames: ['g'] });
    expect(gone.results).toMatchObject([{ groupId: 'g', errorCode: 0 }]);
    expect((await node.ask(ListGroups, 0, {})).groups).toEqual([]);
    expect(node.failures).toEqual([]);
  });

  test('is answered by one code when it leaves alone, before version 3', async () => {
    const node = await start();
    const { memberId } = await node.member('g');
    const unknown = await node.ask(LeaveGroup, 2, { groupId: 'g', memberId: 'nobody' });
    expect(unknown.errorCode).toBe(Errors.UNKNOWN_MEMBER_ID);
    const left = await node.ask(LeaveGroup, 0, { groupId: 'g', memberId });
    expect(left.errorCode).toBe(0);
  });

  test('must name its protocol in SyncGroup from version 5 on', async () => {
    const node = await start();
    const { memberId, generationId } = await node.member('g');
    const sync = { groupId: 'g', memberId, generationId, assignments: [] };
    const unnamed = await node.ask(SyncGroup, 5, sync);
    expect(unnamed.errorCode).toBe(Errors.INCONSISTENT_GROUP_PROTOCOL);
    const older = await node.ask(SyncGroup, 4, sync);
    expect(older).toMatchObject({ errorCode: 0, assignment: Buffer.from('mine') });
  });

  test('learns of no protocol as its version says it', async () => {
    const node = await start();
    const join = {
      groupId: '',
      sessionTimeoutMs: 10_000,
      memberId: '',
      protocolType: 'consumer',
      protocols: [{ name: 'range', metadata: Buffer.alloc(0) }],
    };
    const old = await node.ask(JoinGroup, 6, join);
    expect(old).toMatchObject({ errorCode: Errors.INVALID_GROUP_ID, protocolName: '' });
    const modern = await node.ask(JoinGroup, 7, join);
    expect(modern).toMatchObject({ errorCode: Errors.INVALID_GROUP_ID, protocolName: null });
  });
});

describe('offsets', () => {
  test('are committed and fetched by name and by id', async () => {
    const node = await start();
    const { memberId, generationId } = await node.member('g');
    const who = { groupId: 'g', memberId, generationIdOrMemberEpoch: generationId };
    const byName = await node.ask(OffsetCommit, 9, {
      ...who,
      topics: [
        { name: 'read', partitions: [offset(0, 5n), offset(7, 1n), offset(1, -2n)] },
        { name: 'nowhere', partitions: [offset(0, 1n)] },
      ],
    });
    expect(byName.topics).toMatchObject([
      {
        name: 'read',
        partitions: [
          { partitionIndex: 0, errorCode: 0 },
          { partitionIndex: 7, errorCode: Errors.UNKNOWN_TOPIC_OR_PARTITION },
          { partitionIndex: 1, errorCode: 0 },
        ],
      },
      { name: 'nowhere', partitions: [{ errorCode: Errors.UNKNOWN_TOPIC_OR_PARTITION }] },
    ]);
    const byId = await node.ask(OffsetCommit, 10, {
      ...who,
      topics: [
        { topicId: idOf(8), partitions: [offset(0, 1n)] },
        { topicId: idOf(7), partitions: [offset(0, 6n)] },
      ],
    });
    expect(byId.topics).toMatchObject([
      { topicId: idOf(8), partitions: [{ errorCode: Errors.UNKNOWN_TOPIC_ID }] },
      { topicId: idOf(7), partitions: [{ errorCode: 0 }] },
    ]);
    const old = await node.ask(OffsetFetch, 1, {
      groupId: 'g',
      topics: [{ name: 'read', partitionIndexes: [1, 0, 9] }],
    });
    expect(old.topics[0]?.partitions).toMatchObject([
      { partitionIndex: 1, committedOffset: -2n, metadata: '', errorCode: 0 },
      { partitionIndex: 0, committedOffset: 6n, metadata: '', errorCode: 0 },
      { partitionIndex: 9, committedOffset: -1n, metadata: '', errorCode: 0 },
    ]);
    const all = await node.ask(OffsetFetch, 7, { groupId: 'g', topics: null, requireStable: true });
    expect(all.topics[0]?.partitions).toHaveLength(2);
    const several = await node.ask(OffsetFetch, 10, {
      groups: [
        { groupId: 'g', topics: null },
        {
          groupId: 'g',
          topics: [
            { topicId: idOf(7), partitionIndexes: [0] },
            { topicId: idOf(8), partitionIndexes: [0] },
          ],
        },
        { groupId: 'nobody', topics: null },
      ],
    });
    expect(several.groups).toMatchObject([
      {
        topics: [{ topicId: idOf(7), partitions: [{ partitionIndex: 0 }, { partitionIndex: 1 }] }],
      },
      {
        topics: [
          { topicId: idOf(7), partitions: [{ committedOffset: 6n, errorCode: 0 }] },
          { topicId: idOf(8), partitions: [{ errorCode: Errors.UNKNOWN_TOPIC_ID }] },
        ],
      },
      { groupId: 'nobody', topics: [], errorCode: 0 },
    ]);
  });

  test('that are all for unknown topics do not trouble the group', async () => {
    const node = await start();
    const answer = await node.ask(OffsetCommit, 8, {
      groupId: 'g',
      topics: [{ name: 'nowhere', partitions: [offset(0, 1n)] }],
    });
    expect(answer.topics[0]?.partitions[0]?.errorCode).toBe(Errors.UNKNOWN_TOPIC_OR_PARTITION);
    expect((await node.ask(ListGroups, 5, {})).groups).toEqual([]);
  });

  test('can be forgotten where nobody reads', async () => {
    const node = await start();
    await node.ask(OffsetCommit, 8, {
      groupId: 'g',
      topics: [{ name: 'read', partitions: [offset(0, 1n)] }],
    });
    const answer = await node.ask(OffsetDelete, 0, {
      groupId: 'g',
      topics: [
        { name: 'read', partitions: [{ partitionIndex: 5 }, { partitionIndex: 0 }] },
        { name: 'nowhere', partitions: [{ partitionIndex: 0 }] },
      ],
    });
    expect(answer).toMatchObject({
      errorCode: 0,
      topics: [
        {
          partitions: [
            { partitionIndex: 5, errorCode: Errors.UNKNOWN_TOPIC_OR_PARTITION },
            { partitionIndex: 0, errorCode: 0 },
          ],
        },
        { partitions: [{ errorCode: Errors.UNKNOWN_TOPIC_OR_PARTITION }] },
      ],
    });
    const fetched = await node.ask(OffsetFetch, 2, { groupId: 'g', topics: null });
    expect(fetched.topics).toEqual([]);
  });

  test('go with the topic they are of', async () => {
    const node = await start();
    await node.ask(OffsetCommit, 8, {
      groupId: 'g',
      topics: [{ name: 'read', partitions: [offset(0, 1n)] }],
    });
    await node.broker.draw([metadataRecord('RemoveTopicRecord', 0, { topicId: idOf(7) })]);
    const fetched = await node.ask(OffsetFetch, 2, { groupId: 'g', topics: null });
    expect(fetched.topics).toEqual([]);
    expect(node.failures).toEqual([]);
  });
});

describe('a coordinator', () => {
  const commit = (node: GroupBroker, committedOffset: bigint) =>
    node.ask(OffsetCommit, 8, {
      groupId: 'g',
      topics: [{ name: 'read', partitions: [offset(0, committedOffset)] }],
    });
  const committed = async (node: GroupBroker) => {
    const topics = [{ name: 'read', partitionIndexes: [0] }];
    const { errorCode, topics: fetched } = await node.ask(OffsetFetch, 5, { groupId: 'g', topics });
    return errorCode === 0 ? fetched[0]?.partitions[0]?.committedOffset : errorCode;
  };

  test('finds groups and offsets again after a restart', async () => {
    const disk = memoryDisk();
    const before = await start(disk);
    const { memberId, generationId } = await before.member('h');
    for (let value = 1n; value <= 20n; value += 1n) await commit(before, value);
    before.groups.close();
    await before.broker.world.outcome(before.broker.logs.close(11));
    const after = await start(disk);
    expect(await committed(after)).toBe(20n);
    const beat = await after.ask(Heartbeat, 4, { groupId: 'h', generationId, memberId });
    expect(beat.errorCode).toBe(0);
    expect(after.broker.machine.lines.map((line) => line.event)).toContain(
      'coordinator has read its log',
    );
  });

  test('that reads its log for long asks clients to wait, and loses no member meanwhile', async () => {
    const disk = memoryDisk();
    const before = await start(disk);
    const { memberId, generationId } = await before.member('g');
    before.groups.close();
    await before.broker.world.outcome(before.broker.logs.close(11));
    const work: Iterator<unknown>[] = [];
    const slices = {
      run: (one: Iterator<unknown>, done: () => void) => {
        work.push(one);
        finish.push(done);
        return { cancel: () => {} };
      },
    };
    const finish: (() => void)[] = [];
    const after = await GroupBroker.start([READ, { ...OFFSETS, isr: [1] }], disk, slices);
    const beat = { groupId: 'g', generationId, memberId };
    expect(await after.ask(Heartbeat, 4, beat, 600)).toMatchObject({ errorCode: 0 });
    const listed = await after.ask(ListGroups, 5, {}, 600);
    expect(listed.errorCode).toBe(Errors.COORDINATOR_LOAD_IN_PROGRESS);
    const early = await after.ask(OffsetFetch, 5, { groupId: 'g', topics: null }, 600);
    expect(early.errorCode).toBe(Errors.COORDINATOR_LOAD_IN_PROGRESS);
    for (const one of work) while (one.next().done !== true);
    for (const done of finish) done();
    const late = await after.ask(OffsetFetch, 5, { groupId: 'g', topics: null });
    expect(late.errorCode).toBe(0);
    expect(await after.ask(Heartbeat, 4, beat)).toMatchObject({ errorCode: 0 });
  });

  test('ends with its leadership and comes back with it', async () => {
    const node = await start();
    await commit(node, 5n);
    await node.lead(2);
    expect(await committed(node)).toBe(Errors.NOT_COORDINATOR);
    const listed = await node.ask(ListGroups, 5, {});
    expect(listed).toMatchObject({ errorCode: 0, groups: [] });
    const join = await node.ask(JoinGroup, 3, {
      groupId: 'g',
      sessionTimeoutMs: 10_000,
      memberId: '',
      protocolType: 'consumer',
      protocols: [],
    });
    expect(join.errorCode).toBe(Errors.NOT_COORDINATOR);
    await node.lead(NODE_ID);
    await node.broker.world.settle();
    expect(await committed(node)).toBe(5n);
  });

  test('asks clients to wait when too few replicas are in sync', async () => {
    const node = await GroupBroker.start([
      READ,
      { ...OFFSETS, isr: [1], settings: { 'min.insync.replicas': '2' } },
    ]);
    const answer = await commit(node, 5n);
    expect(answer.topics[0]?.partitions[0]?.errorCode).toBe(Errors.COORDINATOR_NOT_AVAILABLE);
    expect(await committed(node)).toBe(-1n);
  });

  test('refuses a commit that is too large for a batch, and keeps what it had', async () => {
    const node = await GroupBroker.start([
      READ,
      { ...OFFSETS, isr: [1], settings: { 'max.message.bytes': '200' } },
    ]);
    await commit(node, 5n);
    const partitions = [0, 1].map((index) => ({
      ...offset(index, 6n),
      committedMetadata: 'x'.repeat(200),
    }));
    const topics = [{ name: 'read', partitions }];
    const answer = await node.ask(OffsetCommit, 8, { groupId: 'g', topics });
    expect(answer.topics[0]?.partitions[0]?.errorCode).toBe(Errors.UNKNOWN_SERVER_ERROR);
    expect(await committed(node)).toBe(5n);
  });
});

describe('every version that is served', () => {
  const requests: readonly (readonly [AnyApi, (version: number) => object])[] = [
    [FindCoordinator, (v) => (v < 4 ? { key: 'g' } : { coordinatorKeys: ['g'] })],
    [
      JoinGroup,
      (v) => ({
        groupId: `v${v}`,
        sessionTimeoutMs: 10_000,
        memberId: '',
        protocolType: 'consumer',
        protocols: [{ name: 'range', metadata: Buffer.alloc(0) }],
      }),
    ],
    [
      SyncGroup,
      (v) => ({
        groupId: 'v',
        generationId: 1,
        memberId: 'm',
        assignments: [],
        ...(v >= 5 ? { protocolType: 'consumer', protocolName: 'range' } : {}),
      }),
    ],
    [Heartbeat, () => ({ groupId: 'v', generationId: 1, memberId: 'm' })],
    [
      LeaveGroup,
      (v) =>
        v < 3 ? { groupId: 'v', memberId: 'm' } : { groupId: 'v', members: [{ memberId: 'm' }] },
    ],
    [
      OffsetCommit,
      (v) => ({
        groupId: 'v',
        topics: [
          { ...(v < 10 ? { name: 'read' } : { topicId: idOf(7) }), partitions: [offset(0, 1n)] },
        ],
      }),
    ],
    [
      OffsetFetch,
      (v) => {
        const named = v < 10 ? { name: 'read' } : { topicId: ZERO_UUID };
        const topics = [{ ...named, partitionIndexes: [0] }];
        return v < 8 ? { groupId: 'v', topics } : { groups: [{ groupId: 'v', topics }] };
      },
    ],
    [DescribeGroups, () => ({ groups: ['v', 'nobody'] })],
    [ListGroups, () => ({})],
    [DeleteGroups, () => ({ groupsNames: ['v'] })],
    [
      OffsetDelete,
      () => ({ groupId: 'v', topics: [{ name: 'read', partitions: [{ partitionIndex: 0 }] }] }),
    ],
  ];

  test.each(requests.map(([api, draft]) => [api.name, api, draft] as const))(
    '%s answers',
    async (_name, api, draft) => {
      const node = await start();
      await node.member('v');
      const [first, last] = api.served;
      for (let version = first; version <= last; version++) {
        const answer = await node.ask(api, version, draft(version) as never);
        expect(answer).toBeDefined();
      }
      expect(node.client.isClosed).toBe(false);
      expect(node.failures).toEqual([]);
    },
  );
});

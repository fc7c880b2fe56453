import { wallMs } from '../../src/base/times';
import type { Partition as Registration } from '../../src/metadata/topics';
import { memoryDisk } from '../../src/platform/memory-disk';
import { Errors } from '../../src/protocol/errors';
import { buildBatch } from '../../src/protocol/records/builder';
import type { IsrProposal } from '../../src/replication/isr-proposals';
import type { Peers } from '../../src/replication/leader';
import { Partition, type ReadRequest } from '../../src/replication/partition';
import { partitionSettings } from '../../src/replication/partition-settings';
import { ReplicationThrottle } from '../../src/replication/throttle';
import { Change, Waiting } from '../../src/replication/waiting';
import { LogContext } from '../../src/storage/log-context';
import { LogFolder } from '../../src/storage/log-folder';
import { createLog } from '../../src/storage/log-opening';
import { TestWorld } from '../support/world';

const SELF = 1;
const TOPIC_ID = 'AAAAAAAAAAAAAAAAAAAABQ';

function registration(more: Partial<Registration> = {}): Registration {
  return {
    replicas: [SELF],
    directories: [],
    isr: [SELF],
    removingReplicas: [],
    addingReplicas: [],
    elr: [],
    lastKnownElr: [],
    leader: SELF,
    isRecovering: false,
    leaderEpoch: 0,
    partitionEpoch: 0,
    ...more,
  };
}

function setUp(topicSettings: Readonly<Record<string, string>> = {}) {
  const world = new TestWorld();
  const disk = memoryDisk();
  const machine = world.machine('node', disk);
  const waiting = new Waiting(machine.clock);
  const context = new LogContext(machine, { producerIdExpirationMs: 86_400_000 });
  const folder = new LogFolder('/data', 'AAAAAAAAAAAAAAAAAAAAZA');
  const settings = partitionSettings((name) => topicSettings[name]);
  const at = { topic: 't', partition: 0 };
  const log = createLog(context, folder, at, '/data/t-0', TOPIC_ID, settings.log);
  const staleIds = new Set<number>();
  const proposals: IsrProposal[] = [];
  const throttle = { bytesPerSecond: Number.POSITIVE_INFINITY };
  const peers: Peers = {
    isAlive: () => true,
    isEligible: (_, brokerEpoch) => brokerEpoch !== undefined,
    isStale: (id) => staleIds.has(id),
  };
  const partition = new Partition(
    {
      nodeId: SELF,
      clock: machine.clock,
      logger: machine.log,
      waiting,
      peers,
      replicaLagTimeMaxMs: 30_000,
      brokerEpoch: () => 1,
      proposals: { propose: (proposal) => proposals.push(proposal) },
      readyToFetch: () => undefined,
      leaderThrottle: new ReplicationThrottle({
        clock: machine.clock,
        windowCount: 11,
        windowMs: 1000,
        bytesPerSecond: () => throttle.bytesPerSecond,
      }),
    },
    't',
    TOPIC_ID,
    0,
    settings,
    log,
  );
  const told: number[] = [];
  partition.watchers.observe((changes) => told.push(changes));
  const become = (more: Partial<Registration> = {}) =>
    partition.become(registration(more), machine.clock.monotonicMs());
  return { world, machine, partition, log, folder, told, become, staleIds, proposals, throttle };
}

const batch = (count: number, timestamp = 1000): Buffer =>
  buildBatch(
    Array.from({ length: count }, (_, index) => ({
      timestamp: timestamp + index,
      value: `v${index}`,
    })),
  );

const reading = (more: Partial<ReadRequest> = {}): ReadRequest => ({
  fetchOffset: 0n,
  leaderEpoch: -1,
  lastFetchedEpoch: -1,
  isLeaderRequired: true,
  maxBytes: 1_000_000,
  isAtLeastOneBatch: true,
  upTo: 'high-watermark',
  ...more,
});

test('the sole replica appends, commits and shows records in one step', () => {
  const { partition, become } = setUp();
  become();
  expect(partition.appendAsLeader(batch(3), true)).toMatchObject({
    kind: 'appended',
    baseOffset: 0,
  });
  expect(partition.appendAsLeader(batch(2), true)).toMatchObject({ baseOffset: 3, lastOffset: 4 });
  expect(partition).toMatchObject({ highWatermark: 5, lastStableOffset: 5, endOffset: 5 });
  expect(partition.settled(4)).toBe(Errors.NONE);
  const read = partition.read(reading());
  expect(read).toMatchObject({ errorCode: 0, highWatermark: 5, startOffset: 0 });
  expect(read.sizeInBytes).toBeGreaterThan(0);
  read.slice?.release();
});

test('whoever leads after an unclean election says so, unless there is no other replica', () => {
  const warnings = (replicas: readonly number[]) => {
    const { machine, become } = setUp();
    become({ replicas, isRecovering: true });
    return machine.lines.filter(({ level }) => level === 'warn').map(({ event }) => event);
  };
  expect(warnings([SELF])).toEqual([]);
  expect(warnings([SELF, 2])).toEqual(['it leads after an unclean election: records may be lost']);
});

test('whoever is not the leader appends nothing', () => {
  const { partition, become } = setUp();
  become({ leader: 2, replicas: [SELF, 2], isr: [SELF, 2] });
  expect(partition.appendAsLeader(batch(1), false)).toMatchObject({
    kind: 'refused',
    errorCode: Errors.NOT_LEADER_OR_FOLLOWER,
  });
  expect(partition.endOffset).toBe(0);
});

test('an all-acks write is refused before the append when too few replicas are in sync', () => {
  const { partition, become } = setUp({ 'min.insync.replicas': '2' });
  become({ replicas: [SELF, 2, 3], isr: [SELF] });
  expect(partition.appendAsLeader(batch(1), true)).toMatchObject({
    errorCode: Errors.NOT_ENOUGH_REPLICAS,
  });
  expect(partition.appendAsLeader(batch(1), false)).toMatchObject({ kind: 'appended' });
  expect(partition).toMatchObject({ endOffset: 1, highWatermark: 0 });
});

test("followers' fetches commit what they have, and who waits is told after the turn", async () => {
  const { world, partition, become, told } = setUp();
  become({ replicas: [SELF, 2], isr: [SELF, 2] });
  partition.appendAsLeader(batch(3), true);
  expect(partition.settled(2)).toBeUndefined();
  const replicaRead = (fetchOffset: bigint) =>
    partition.readAsReplica(2, {
      ...reading({ fetchOffset, upTo: 'end', leaderEpoch: 0 }),
      startOffset: 0,
      brokerEpoch: 5,
      isNoted: true,
    });
  const first = replicaRead(0n);
  expect(first).toMatchObject({ errorCode: 0, highWatermark: 0 });
  expect(first.sizeInBytes).toBeGreaterThan(0);
  first.slice?.release();
  await world.settle();
  told.length = 0;
  replicaRead(3n);
  expect(partition.highWatermark).toBe(3);
  expect(partition.settled(2)).toBe(Errors.NONE);
  expect(told).toEqual([]);
  await world.settle();
  expect(told).toEqual([Change.highWatermark | Change.lastStable]);
});

test('a committed write whose ISR has shrunk below the minimum says so', () => {
  const { partition, become } = setUp({ 'min.insync.replicas': '2' });
  become({ replicas: [SELF, 2], isr: [SELF, 2] });
  partition.appendAsLeader(batch(1), true);
  const request = {
    ...reading({ fetchOffset: 1n, upTo: 'end' }),
    startOffset: 0,
    brokerEpoch: 5,
    isNoted: true,
  };
  partition.readAsReplica(2, request);
  become({ replicas: [SELF, 2], isr: [SELF], partitionEpoch: 1 });
  expect(partition.settled(0)).toBe(Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND);
});

test('a shrunk ISR commits what only the lost replica lacked', () => {
  const { partition, become } = setUp();
  become({ replicas: [SELF, 2], isr: [SELF, 2] });
  partition.appendAsLeader(batch(3), true);
  expect(partition.highWatermark).toBe(0);
  become({ replicas: [SELF, 2], isr: [SELF], partitionEpoch: 1 });
  expect(partition.highWatermark).toBe(3);
});

test('a lower min.insync.replicas commits at once', () => {
  const { partition, become } = setUp({ 'min.insync.replicas': '2' });
  become({ replicas: [SELF, 2], isr: [SELF] });
  partition.appendAsLeader(batch(3), false);
  expect(partition.highWatermark).toBe(0);
  partition.applySettings(partitionSettings(() => undefined));
  expect(partition.highWatermark).toBe(3);
});

test('with flush.messages=1 nothing is committed before it is durable', async () => {
  const { world, partition, become } = setUp({ 'flush.messages': '1' });
  become();
  partition.appendAsLeader(batch(2), true);
  expect(partition.settled(1)).toBeUndefined();
  await world.advance(1000);
  expect(partition.settled(1)).toBe(Errors.NONE);
});

test('an older picture does not take a role back', () => {
  const { partition, become } = setUp();
  become({ leaderEpoch: 5, partitionEpoch: 9 });
  become({ leader: 2, leaderEpoch: 4, partitionEpoch: 8 });
  expect(partition).toMatchObject({ isLeader: true, leaderEpoch: 5 });
});

test.each([
  [{ leaderEpoch: 4 }, Errors.FENCED_LEADER_EPOCH],
  [{ leaderEpoch: 6 }, Errors.UNKNOWN_LEADER_EPOCH],
  [{ leaderEpoch: 5 }, Errors.NONE],
  [{ fetchOffset: 4n }, Errors.OFFSET_OUT_OF_RANGE],
  [{ fetchOffset: -1n }, Errors.OFFSET_OUT_OF_RANGE],
  [{ fetchOffset: 2n ** 63n - 1n }, Errors.OFFSET_OUT_OF_RANGE],
  [{ fetchOffset: 3n }, Errors.NONE],
  [{ lastFetchedEpoch: 9 }, Errors.OFFSET_OUT_OF_RANGE],
])('a read of %j answers %i', (more, errorCode) => {
  const { partition, become } = setUp();
  become({ leaderEpoch: 5 });
  partition.appendAsLeader(batch(3), true);
  const read = partition.read(reading(more));
  read.slice?.release();
  expect(read.errorCode).toBe(errorCode);
  if (errorCode !== Errors.NONE) expect(read).toMatchObject({ highWatermark: -1, sizeInBytes: 0 });
});

test('consumers do not see what is above the high watermark, nor does a follower role matter', () => {
  const { partition, become } = setUp();
  become({ replicas: [SELF, 2], isr: [SELF, 2] });
  partition.appendAsLeader(batch(3), false);
  expect(partition.read(reading())).toMatchObject({ errorCode: 0, sizeInBytes: 0 });
  const toTheEnd = partition.read(reading({ upTo: 'end' }));
  expect(toTheEnd.sizeInBytes).toBeGreaterThan(0);
  toTheEnd.slice?.release();
  become({ replicas: [SELF, 2], isr: [SELF, 2], leader: 2, leaderEpoch: 1, partitionEpoch: 1 });
  expect(partition.read(reading()).errorCode).toBe(Errors.NOT_LEADER_OR_FOLLOWER);
  expect(partition.read(reading({ isLeaderRequired: false })).errorCode).toBe(Errors.NONE);
});

test('a fetcher whose log departs is told where, and gets no bytes', () => {
  const { partition, become } = setUp();
  become({ leaderEpoch: 1 });
  partition.appendAsLeader(batch(3), true);
  become({ leaderEpoch: 4, partitionEpoch: 1 });
  partition.appendAsLeader(batch(3), true);
  expect(partition.read(reading({ fetchOffset: 5n, lastFetchedEpoch: 2 }))).toMatchObject({
    errorCode: 0,
    sizeInBytes: 0,
    divergingEpoch: { epoch: 1, endOffset: 3 },
  });
});

test('a replica that is not assigned, or of a life that is over, is refused', () => {
  const { partition, become, staleIds } = setUp();
  become({ replicas: [SELF, 2], isr: [SELF, 2] });
  const read = (id: number, leaderEpoch: number) =>
    partition.readAsReplica(id, {
      ...reading({ upTo: 'end', leaderEpoch }),
      startOffset: 0,
      brokerEpoch: 5,
      isNoted: true,
    }).errorCode;
  expect(read(3, 0)).toBe(Errors.UNKNOWN_LEADER_EPOCH);
  expect(read(3, -1)).toBe(Errors.NOT_LEADER_OR_FOLLOWER);
  staleIds.add(2);
  expect(read(2, 0)).toBe(Errors.NOT_LEADER_OR_FOLLOWER);
  staleIds.clear();
  expect(read(2, 0)).toBe(Errors.NONE);
});

test('offsets by timestamp stay below the bound of who asks', () => {
  const { partition, become } = setUp();
  become({ replicas: [SELF, 2], isr: [SELF, 2] });
  partition.appendAsLeader(batch(3, 1000), false);
  const leader = { leaderEpoch: -1, isLeaderRequired: true };
  const find = (timestamp: number, isolation: 'high-watermark' | undefined) =>
    partition.offsetForTimestamp(timestamp, isolation, leader);
  expect(find(-1, 'high-watermark')).toEqual({
    kind: 'ok',
    value: { offset: 0, timestamp: -1, leaderEpoch: 0 },
  });
  expect(find(-1, undefined)).toMatchObject({ value: { offset: 3 } });
  expect(find(-2, 'high-watermark')).toMatchObject({ value: { offset: 0 } });
  expect(find(1001, 'high-watermark')).toEqual({ kind: 'ok', value: undefined });
  expect(find(1001, undefined)).toMatchObject({ value: { offset: 1, timestamp: 1001 } });
  expect(find(-3, undefined)).toMatchObject({ value: { offset: 2, timestamp: 1002 } });
  expect(find(5000, undefined)).toEqual({ kind: 'ok', value: undefined });
});

test('a new leader does not tell the latest offset before its high watermark is of its own time', () => {
  const { partition, become } = setUp();
  become({ replicas: [SELF, 2], isr: [SELF, 2] });
  partition.appendAsLeader(batch(3), false);
  become({ replicas: [SELF, 2], isr: [SELF, 2], leaderEpoch: 1, partitionEpoch: 1 });
  const leader = { leaderEpoch: -1, isLeaderRequired: true };
  for (const timestamp of [-1, 5000]) {
    expect(partition.offsetForTimestamp(timestamp, 'high-watermark', leader)).toMatchObject({
      kind: 'refused',
      errorCode: Errors.OFFSET_NOT_AVAILABLE,
    });
  }
  expect(partition.offsetForTimestamp(-1, undefined, leader)).toMatchObject({ kind: 'ok' });
});

test('when retention moves the start of the log, who waits is told', async () => {
  const { world, partition, log, become, told } = setUp({ 'retention.ms': '1000' });
  become();
  partition.appendAsLeader(batch(5), true);
  await world.settle();
  told.length = 0;
  expect(log.deleteOldSegments(wallMs(1e12))).toBe(1);
  await world.settle();
  expect([partition.startOffset, told]).toEqual([5, [Change.logStart]]);
});

describe('deleting records', () => {
  test('moves the start of the log and tells who waits', async () => {
    const { world, partition, become, told } = setUp();
    become();
    partition.appendAsLeader(batch(5), true);
    await world.settle();
    told.length = 0;
    expect(partition.deleteRecords(2n)).toEqual({
      kind: 'ok',
      value: { lowWatermark: 2, required: 2 },
    });
    expect(partition.deleteRecords(-1n)).toMatchObject({ value: { required: 5 } });
    expect(partition.startOffset).toBe(5);
    await world.settle();
    expect(told).toEqual([Change.logStart]);
    expect(partition.read(reading({ fetchOffset: 4n })).errorCode).toBe(Errors.OFFSET_OUT_OF_RANGE);
  });

  test('an offset below the start changes nothing', () => {
    const { partition, become } = setUp();
    become();
    partition.appendAsLeader(batch(5), true);
    partition.deleteRecords(3n);
    expect(partition.deleteRecords(1n)).toMatchObject({ value: { lowWatermark: 3, required: 1 } });
    expect(partition.startOffset).toBe(3);
  });

  test.each([
    [{}, 6n, Errors.OFFSET_OUT_OF_RANGE],
    [{}, -2n, Errors.OFFSET_OUT_OF_RANGE],
    [{}, 2n ** 63n - 1n, Errors.OFFSET_OUT_OF_RANGE],
    [{ 'cleanup.policy': 'compact' }, 1n, Errors.POLICY_VIOLATION],
  ])('with %j to %i is refused', (topicSettings, offset, errorCode) => {
    const { partition, become } = setUp(topicSettings);
    become();
    partition.appendAsLeader(batch(5), true);
    expect(partition.deleteRecords(offset)).toMatchObject({ kind: 'refused', errorCode });
    expect(partition.startOffset).toBe(0);
  });

  test('waits for the slowest live follower', () => {
    const { partition, become } = setUp();
    become({ replicas: [SELF, 2], isr: [SELF, 2] });
    partition.appendAsLeader(batch(5), true);
    const fetch = (fetchOffset: bigint, startOffset: number) =>
      partition.readAsReplica(2, {
        ...reading({ fetchOffset, upTo: 'end' }),
        startOffset,
        brokerEpoch: 5,
        isNoted: true,
      });
    fetch(5n, 0);
    expect(partition.deleteRecords(4n)).toMatchObject({ value: { lowWatermark: 0, required: 4 } });
    fetch(5n, 4);
    expect(partition.lowWatermark).toBe(4);
  });
});

describe('a failing disk', () => {
  test('is answered as KAFKA_STORAGE_ERROR, whatever is asked', async () => {
    const { world, partition, folder, become, told } = setUp();
    become();
    partition.appendAsLeader(batch(2), true);
    folder.fail('trying it out', new Error('EIO'));
    await world.settle();
    expect(partition.isOffline).toBe(true);
    expect(told.at(-1) as number).toBeGreaterThanOrEqual(Change.role);
    const leader = { leaderEpoch: -1, isLeaderRequired: true };
    expect(
      [
        partition.appendAsLeader(batch(1), false),
        partition.read(reading()),
        partition.offsetForTimestamp(-2, 'high-watermark', leader),
        partition.endOffsetForEpoch(0, leader),
        partition.deleteRecords(1n),
        { errorCode: partition.settled(1) },
      ].map((answer) => ('errorCode' in answer ? answer.errorCode : answer.kind)),
    ).toEqual(Array.from({ length: 6 }, () => Errors.KAFKA_STORAGE_ERROR));
  });
});

test('measuring a place counts its bytes, and tells of what a read would refuse', () => {
  const { partition, become } = setUp();
  become();
  partition.appendAsLeader(batch(3), true);
  const all = partition.read(reading());
  all.slice?.release();
  expect(partition.measure(reading({ maxBytes: 1_000_000 }))).toBe(all.sizeInBytes);
  expect(partition.measure(reading({ maxBytes: 1 }))).toBe(1);
  expect(partition.measure(reading({ fetchOffset: 3n }))).toBe(0);
  expect(partition.measure(reading({ leaderEpoch: 9 }))).toBe(Number.POSITIVE_INFINITY);
  partition.deleteRecords(2n);
  expect(partition.measure(reading({ fetchOffset: 1n }))).toBe(Number.POSITIVE_INFINITY);
});

import { metadataRecord } from '../../src/metadata/metadata-record';
import { Fetch } from '../../src/protocol/apis/fetch';
import { Produce } from '../../src/protocol/apis/produce';
import { Errors } from '../../src/protocol/errors';
import { readBatchHeader } from '../../src/protocol/records/batch';
import { batchPositions } from '../../src/protocol/records/batches';
import { buildBatch } from '../../src/protocol/records/builder';
import type { Partition } from '../../src/replication/partition';
import { ReplicaCluster } from './replica-cluster';

const ALL = -1;
const LEADER = 1;

const batch = (count = 1, value = 'v'): Buffer =>
  buildBatch(
    Array.from({ length: count }, (_, index) => ({ timestamp: 1000 + index, value: value })),
  );

async function produce(
  cluster: ReplicaCluster,
  node: number,
  topic: string,
  records: Buffer,
  { acks = ALL, ms = 100, index = 0, timeoutMs = 30_000 } = {},
) {
  const client = await cluster.connect(node);
  const answer = await cluster.ask(
    client,
    Produce,
    9,
    {
      acks,
      timeoutMs,
      topicData: [{ name: topic, partitionData: [{ index, records }] }],
    },
    ms,
  );
  client.link.destroy();
  return answer.responses[0]?.partitionResponses[0];
}

/** The log's bytes. */
function bytesOf(partition: Partition): Buffer {
  const { log } = partition;
  const read = log?.readBytes(log.startOffset, { maxBytes: 1 << 30 });
  return read?.bytes ?? Buffer.alloc(0);
}

/** Base offset and leader epoch of each batch. */
const batchesOf = (partition: Partition): readonly (readonly [number, number])[] => {
  const bytes = bytesOf(partition);
  return batchPositions(bytes).map((at) => {
    const { baseOffset, leaderEpoch } = readBatchHeader(bytes, at);
    return [baseOffset, leaderEpoch] as const;
  });
};

test('followers copy the leader byte by byte, and an all-acks write is answered by their fetches', async () => {
  const cluster = await ReplicaCluster.start(3);
  cluster.createTopic('t', [{ replicas: [1, 2, 3] }]);
  await cluster.world.advance(50);
  expect(await produce(cluster, 1, 't', batch(3))).toMatchObject({ errorCode: 0, baseOffset: 0 });
  expect(await produce(cluster, 1, 't', batch(2))).toMatchObject({ errorCode: 0, baseOffset: 3 });
  const leader = cluster.node(1).partition('t');
  expect(leader.highWatermark).toBe(5);
  await cluster.world.advance(600);
  for (const id of [2, 3]) {
    const follower = cluster.node(id).partition('t');
    expect(bytesOf(follower).equals(bytesOf(leader))).toBe(true);
    expect(follower).toMatchObject({ endOffset: 5, highWatermark: 5 });
  }
});

test('the first all-acks write to a new partition does not wait out a long poll', async () => {
  const cluster = await ReplicaCluster.start(3);
  cluster.createTopic('old', [{ replicas: [1, 2, 3] }]);
  await cluster.world.advance(700);
  cluster.createTopic('new', [{ replicas: [1, 2, 3] }]);
  await cluster.world.advance(5);
  expect(await produce(cluster, 1, 'new', batch(), { ms: 20 })).toMatchObject({ errorCode: 0 });
  cluster.createTopic('newer', [{ replicas: [1, 2, 3] }]);
  await cluster.world.advance(1);
  // An express request may be on its way for the one before.
  expect(await produce(cluster, 1, 'newer', batch(), { ms: 60 })).toMatchObject({ errorCode: 0 });
});

test('a partition that came by express joins the session, and express falls silent', async () => {
  const cluster = await ReplicaCluster.start(2);
  cluster.createTopic('old', [{ replicas: [1, 2] }]);
  await cluster.world.advance(700);
  cluster.createTopic('new', [{ replicas: [1, 2] }]);
  await cluster.world.advance(2000);
  const sessions = cluster.node(1).services.fetchSessions;
  expect(sessions).toMatchObject({ sessionCount: 1, partitionCount: 2 });
  expect(await produce(cluster, 1, 'new', batch(), { ms: 5 })).toMatchObject({ errorCode: 0 });
  expect(await produce(cluster, 1, 'old', batch(), { ms: 5 })).toMatchObject({ errorCode: 0 });
});

test('a follower joins the in-sync replicas once it has caught up', async () => {
  const cluster = await ReplicaCluster.start(3);
  await cluster.node(3).kill();
  cluster.createTopic('t', [{ replicas: [1, 2, 3], isr: [1, 2] }]);
  await cluster.world.advance(50);
  expect(await produce(cluster, 1, 't', batch(10))).toMatchObject({ errorCode: 0 });
  cluster.register(3, 99);
  await cluster.node(3).start(99);
  await cluster.world.advance(200);
  expect(cluster.isrOf('t')).toEqual([1, 2, 3]);
  const [proposal] = cluster.proposed;
  expect(proposal?.topics[0]?.partitions[0]?.newIsrWithEpochs).toEqual([
    { brokerId: 1, brokerEpoch: 11 },
    { brokerId: 2, brokerEpoch: 12 },
    { brokerId: 3, brokerEpoch: 99 },
  ]);
  expect(cluster.node(3).partition('t').endOffset).toBe(10);
});

test('a fenced follower copies, and joins as soon as it is unfenced', async () => {
  const cluster = await ReplicaCluster.start(2);
  cluster.register(2, 12, true);
  cluster.createTopic('t', [{ replicas: [1, 2], isr: [1] }]);
  await cluster.world.advance(50);
  await produce(cluster, 1, 't', batch());
  await cluster.world.advance(100);
  expect(cluster.node(2).partition('t').endOffset).toBe(1);
  expect(cluster.proposed).toEqual([]);
  cluster.register(2, 12, false);
  await cluster.world.advance(600);
  expect(cluster.isrOf('t')).toEqual([1, 2]);
});

test('a follower that stays away leaves the in-sync replicas, and writes go on', async () => {
  const cluster = await ReplicaCluster.start(3, { replicaLagTimeMaxMs: 2000 });
  cluster.createTopic('t', [{ replicas: [1, 2, 3] }]);
  await cluster.world.advance(50);
  await cluster.node(3).kill();
  const answer = await produce(cluster, 1, 't', batch(), { ms: 4500 });
  expect(answer).toMatchObject({ errorCode: 0 });
  expect(cluster.isrOf('t')).toEqual([1, 2]);
});

test('below min.insync.replicas writes are refused before the append, and told of after it', async () => {
  const cluster = await ReplicaCluster.start(3, { replicaLagTimeMaxMs: 2000 });
  cluster.createTopic('t', [{ replicas: [1, 2, 3] }], { 'min.insync.replicas': '3' });
  await cluster.world.advance(50);
  await cluster.node(3).kill();
  const waiting = await produce(cluster, 1, 't', batch(), { ms: 4500, timeoutMs: 4000 });
  // Under the minimum the high watermark does not move, so nobody knows how it ends.
  expect(waiting).toMatchObject({ errorCode: Errors.REQUEST_TIMED_OUT });
  expect(cluster.isrOf('t')).toEqual([1, 2]);
  expect(await produce(cluster, 1, 't', batch())).toMatchObject({
    errorCode: Errors.NOT_ENOUGH_REPLICAS,
  });
  expect(cluster.node(1).partition('t')).toMatchObject({ endOffset: 1, highWatermark: 0 });
  cluster.register(3, 50);
  await cluster.node(3).start(50);
  await cluster.world.advance(300);
  expect(cluster.node(1).partition('t')).toMatchObject({ endOffset: 1, highWatermark: 1 });
  expect(await produce(cluster, 1, 't', batch())).toMatchObject({ errorCode: 0 });
});

test('after a failover the new leader goes on, and the old one gives up what only it had', async () => {
  const cluster = await ReplicaCluster.start(3);
  cluster.createTopic('t', [{ replicas: [1, 2, 3] }]);
  await cluster.world.advance(50);
  await produce(cluster, 1, 't', batch(4));
  // Nobody else gets these: the followers are gone while they are written.
  await cluster.node(2).kill();
  await cluster.node(3).kill();
  await produce(cluster, 1, 't', batch(3, 'lost'), { acks: LEADER });
  await cluster.node(1).kill();
  for (const id of [2, 3]) {
    cluster.register(id, 50 + id);
    await cluster.node(id).start(50 + id);
  }
  cluster.change('t', { leader: 2, isr: [2, 3] });
  await cluster.world.advance(50);
  expect(await produce(cluster, 2, 't', batch(2))).toMatchObject({ errorCode: 0, baseOffset: 4 });
  cluster.register(1, 60);
  await cluster.node(1).start(60);
  await cluster.world.advance(300);
  expect(cluster.isrOf('t')).toEqual([2, 3, 1]);
  expect(batchesOf(cluster.node(1).partition('t'))).toEqual([
    [0, 0],
    [4, 1],
  ]);
  expect(bytesOf(cluster.node(1).partition('t'))).toEqual(bytesOf(cluster.node(2).partition('t')));
});

test('a follower whose picture is ahead of its leader does not wait a second', async () => {
  const cluster = await ReplicaCluster.start(3);
  cluster.createTopic('t', [{ replicas: [1, 2, 3] }]);
  await cluster.world.advance(50);
  const before = cluster.records.length;
  cluster.change('t', { leader: 2 }, 0, [1, 3]);
  await cluster.world.advance(30);
  const late = cluster.records.slice(before);
  cluster.node(2).publish(late, cluster.image.offset);
  expect(await produce(cluster, 2, 't', batch(), { ms: 100 })).toMatchObject({ errorCode: 0 });
});

test('a follower far behind a log that was cut begins where the log begins', async () => {
  const cluster = await ReplicaCluster.start(2);
  cluster.createTopic('t', [{ replicas: [1, 2] }]);
  await cluster.world.advance(50);
  await produce(cluster, 1, 't', batch(2));
  await cluster.node(2).kill();
  cluster.register(2, 12, true);
  cluster.change('t', { isr: [1] });
  for (let i = 0; i < 3; i++) await produce(cluster, 1, 't', batch(10));
  expect(cluster.node(1).partition('t').deleteRecords(22n)).toMatchObject({ kind: 'ok' });
  await produce(cluster, 1, 't', batch(1));
  cluster.register(2, 40);
  await cluster.node(2).start(40);
  await cluster.world.advance(400);
  const follower = cluster.node(2).partition('t');
  // The batch that holds offset 22 came whole: it begins two records earlier.
  expect(batchesOf(follower)).toEqual([
    [22, 0],
    [32, 0],
  ]);
  expect(follower).toMatchObject({ startOffset: 22, endOffset: 33, highWatermark: 33 });
  expect(cluster.isrOf('t')).toEqual([1, 2]);
});

test('followers learn where the log starts, and the leader the low watermark from them', async () => {
  const cluster = await ReplicaCluster.start(2);
  cluster.createTopic('t', [{ replicas: [1, 2] }]);
  await cluster.world.advance(50);
  await produce(cluster, 1, 't', batch(10));
  cluster.node(1).partition('t').deleteRecords(4n);
  expect(cluster.node(1).partition('t').lowWatermark).toBe(0);
  await cluster.world.advance(1100);
  expect(cluster.node(2).partition('t').startOffset).toBe(4);
  expect(cluster.node(1).partition('t').lowWatermark).toBe(4);
});

test('under flush.messages=1 a follower claims only what is durable', async () => {
  const cluster = await ReplicaCluster.start(2);
  cluster.createTopic('t', [{ replicas: [1, 2] }], { 'flush.messages': '1' });
  await cluster.world.advance(50);
  for (let i = 0; i < 5; i++) {
    expect(await produce(cluster, 1, 't', batch())).toMatchObject({ errorCode: 0 });
  }
  const { log } = cluster.node(2).partition('t');
  expect(log?.flushedEndOffset).toBe(5);
});

test('a replica that is taken away is deleted, one that is added is filled and joins', async () => {
  const cluster = await ReplicaCluster.start(3);
  cluster.createTopic('t', [{ replicas: [1, 2] }]);
  await cluster.world.advance(50);
  await produce(cluster, 1, 't', batch(7));
  cluster.change('t', { replicas: [1, 2, 3] });
  await cluster.world.advance(200);
  expect(cluster.isrOf('t')).toEqual([1, 2, 3]);
  cluster.change('t', { replicas: [1, 3], isr: [1, 3] });
  await cluster.world.advance(50);
  expect(cluster.node(2).replicas.get('t', 0)).toBeUndefined();
  expect(cluster.node(3).partition('t').endOffset).toBe(7);
  expect(await produce(cluster, 1, 't', batch())).toMatchObject({ errorCode: 0 });
});

test('many partitions over several fetchers and leaders are all copied', async () => {
  const cluster = await ReplicaCluster.start(3, { fetchersPerLeader: 3 });
  const plans = Array.from({ length: 12 }, (_, index) => {
    const first = (index % 3) + 1;
    return { replicas: [first, (first % 3) + 1, ((first + 1) % 3) + 1] };
  });
  cluster.createTopic('t', plans);
  await cluster.world.advance(100);
  for (const [index, { replicas }] of plans.entries()) {
    const written = produce(cluster, replicas[0] ?? 1, 't', batch(index + 1), { index, ms: 60 });
    expect(await written).toMatchObject({ errorCode: 0 });
  }
  await cluster.world.advance(600);
  for (const [index] of plans.entries()) {
    for (const node of cluster.nodes) {
      expect(node.partition('t', index)).toMatchObject({
        endOffset: index + 1,
        highWatermark: index + 1,
      });
    }
  }
});

test('a large backlog is copied in bounded steps', async () => {
  const cluster = await ReplicaCluster.start(2);
  await cluster.node(2).kill();
  cluster.createTopic('t', [{ replicas: [1, 2], isr: [1] }]);
  await cluster.world.advance(50);
  const value = 'x'.repeat(500_000);
  for (let i = 0; i < 40; i++) {
    const written = await produce(cluster, 1, 't', batch(1, value), { ms: 5 });
    expect(written).toMatchObject({ errorCode: 0 });
  }
  cluster.register(2, 40);
  await cluster.node(2).start(40);
  await cluster.world.advance(1000);
  expect(cluster.node(2).partition('t').endOffset).toBe(40);
  expect(cluster.isrOf('t')).toEqual([1, 2]);
});

test('what the controller refuses is taken back, and proposed again', async () => {
  const cluster = await ReplicaCluster.start(2);
  cluster.refusing = () => Errors.INELIGIBLE_REPLICA;
  cluster.createTopic('t', [{ replicas: [1, 2], isr: [1] }]);
  await cluster.world.advance(100);
  expect(cluster.proposed.length).toBeGreaterThan(0);
  expect(cluster.node(1).partition('t').leader?.maximalIsr.has(2)).toBe(false);
  cluster.refusing = undefined;
  await cluster.world.advance(600);
  expect(cluster.isrOf('t')).toEqual([1, 2]);
});

test('a leader that is shut off is tried again, and found', async () => {
  const cluster = await ReplicaCluster.start(2);
  cluster.createTopic('t', [{ replicas: [1, 2] }]);
  await cluster.world.advance(50);
  await cluster.node(1).kill();
  await cluster.world.advance(3000);
  cluster.register(1, 70);
  await cluster.node(1).start(70);
  cluster.change('t', { leader: 1 });
  await cluster.world.advance(100);
  expect(await produce(cluster, 1, 't', batch())).toMatchObject({ errorCode: 0 });
  const lines = cluster.node(2).machine.lines.map(({ event }) => event);
  expect(lines.filter((event) => event === 'a leader cannot be reached')).toHaveLength(1);
  expect(lines).toContain('a leader is reached again');
});

test('a follower serves consumers up to its own high watermark', async () => {
  const cluster = await ReplicaCluster.start(2, { tellsHighWatermark: true });
  cluster.createTopic('t', [{ replicas: [1, 2] }]);
  await cluster.world.advance(50);
  await produce(cluster, 1, 't', batch(3));
  await cluster.world.advance(50);
  const client = await cluster.connect(2);
  const topicId = cluster.image.topicByName('t')?.id ?? '';
  const fetch = (fetchOffset: bigint) =>
    cluster.ask(client, Fetch, 13, {
      maxWaitMs: 0,
      minBytes: 1,
      topics: [{ topicId, partitions: [{ partition: 0, fetchOffset, partitionMaxBytes: 1000 }] }],
      forgottenTopicsData: [],
    });
  const answer = (await fetch(0n)).responses[0]?.partitions[0];
  expect(answer).toMatchObject({ errorCode: 0, highWatermark: 3 });
  expect(answer?.records?.length).toBeGreaterThan(0);
  const beyond = (await fetch(9n)).responses[0]?.partitions[0];
  expect(beyond).toMatchObject({ errorCode: Errors.OFFSET_OUT_OF_RANGE });
});

test('bytes that were damaged on the leader are not copied, and that is told', async () => {
  const cluster = await ReplicaCluster.start(2);
  await cluster.node(2).kill();
  cluster.createTopic('t', [{ replicas: [1, 2], isr: [1] }]);
  await cluster.world.advance(50);
  await produce(cluster, 1, 't', batch(3), { acks: LEADER });
  const file = cluster.node(1).disk.open('/data/t-0/00000000000000000000.log', 'write');
  file.write([Buffer.from([0xff])], file.length() - 2);
  cluster.register(2, 40);
  await cluster.node(2).start(40);
  await cluster.world.advance(3000);
  expect(cluster.node(2).partition('t').endOffset).toBe(0);
  const told = cluster.node(2).machine.lines.filter(({ level }) => level === 'warn');
  expect(told).toMatchObject([
    {
      event: 'a replica gets no records from its leader',
      fields: { reason: 'the batch at offset 0 has a wrong checksum' },
    },
  ]);
});

test('a leader without room for sessions is copied from all the same', async () => {
  const cluster = await ReplicaCluster.start(2, { maxFetchSessions: 0 });
  cluster.createTopic('t', [{ replicas: [1, 2] }, { replicas: [1, 2] }]);
  await cluster.world.advance(50);
  for (const index of [0, 1, 0, 1]) {
    expect(await produce(cluster, 1, 't', batch(2), { index })).toMatchObject({ errorCode: 0 });
  }
  expect(cluster.node(1).services.fetchSessions.sessionCount).toBe(0);
});

test('more connections to each leader are made when that is set, and partitions spread', async () => {
  const cluster = await ReplicaCluster.start(2);
  cluster.createTopic(
    't',
    Array.from({ length: 9 }, () => ({ replicas: [1, 2] })),
  );
  await cluster.world.advance(700);
  const sessions = cluster.node(1).services.fetchSessions;
  expect(sessions).toMatchObject({ sessionCount: 1, partitionCount: 9 });
  cluster.settings.fetchersPerLeader = 3;
  cluster.draw([
    metadataRecord('ConfigRecord', 0, {
      resourceType: 4,
      resourceName: '',
      name: 'num.replica.fetchers',
      value: '3',
    }),
  ]);
  await cluster.world.advance(1200);
  expect(sessions.sessionCount).toBe(3);
  for (let index = 0; index < 9; index++) {
    expect(await produce(cluster, 1, 't', batch(), { index })).toMatchObject({ errorCode: 0 });
  }
});

describe('consumers that name their rack', () => {
  const fetchAt = async (cluster: ReplicaCluster, node: number, rackId: string, offset = 0n) => {
    const client = await cluster.connect(node);
    const topicId = cluster.image.topicByName('t')?.id ?? '';
    const partition = { partition: 0, fetchOffset: offset, partitionMaxBytes: 1000 };
    const answer = await cluster.ask(client, Fetch, 13, {
      maxWaitMs: 400,
      minBytes: 1,
      topics: [{ topicId, partitions: [partition] }],
      forgottenTopicsData: [],
      rackId,
    });
    client.link.destroy();
    return answer.responses[0]?.partitions[0];
  };

  const started = async () => {
    const cluster = await ReplicaCluster.start(3, {
      tellsHighWatermark: true,
      replicaSelector: 'rack-aware',
    });
    cluster.createTopic('t', [{ replicas: [1, 2, 3] }]);
    await cluster.world.advance(50);
    await produce(cluster, 1, 't', batch(3));
    await cluster.world.advance(50);
    return cluster;
  };

  test('are sent to the replica in it, and read there all that is committed', async () => {
    const cluster = await started();
    const sent = await fetchAt(cluster, 1, 'rack-2');
    expect(sent).toMatchObject({ errorCode: 0, preferredReadReplica: 2, highWatermark: 3 });
    expect(sent?.records?.length).toBe(0);
    const read = await fetchAt(cluster, 2, 'rack-2');
    expect(read).toMatchObject({ errorCode: 0, preferredReadReplica: -1, highWatermark: 3 });
    expect(read?.records?.length).toBeGreaterThan(0);
  });

  test('read from the leader where it is theirs, nobody is, or nobody there is in sync', async () => {
    const cluster = await started();
    for (const rack of ['rack-1', 'rack-9', '']) {
      const read = await fetchAt(cluster, 1, rack);
      expect(read).toMatchObject({ errorCode: 0, preferredReadReplica: -1 });
      expect(read?.records?.length).toBeGreaterThan(0);
    }
    await cluster.node(2).kill();
    cluster.change('t', { isr: [1, 3] });
    await cluster.world.advance(10);
    expect(await fetchAt(cluster, 1, 'rack-2')).toMatchObject({ preferredReadReplica: -1 });
  });
});

test('throttled replicas that are not in sync are copied no faster than allowed, others are', async () => {
  const cluster = await ReplicaCluster.start(2, { throttleBytesPerSecond: 100_000 });
  await cluster.node(2).kill();
  const throttled = {
    'leader.replication.throttled.replicas': '*',
    'follower.replication.throttled.replicas': '*',
  };
  cluster.createTopic('slow', [{ replicas: [1, 2], isr: [1] }], throttled);
  cluster.createTopic('fast', [{ replicas: [1, 2], isr: [1] }]);
  cluster.register(2, 12, true);
  await cluster.world.advance(50);
  const value = 'x'.repeat(50_000);
  for (let i = 0; i < 60; i++) {
    await produce(cluster, 1, 'slow', batch(1, value), { ms: 5 });
    await produce(cluster, 1, 'fast', batch(1, value), { ms: 5 });
  }
  cluster.register(2, 40);
  await cluster.node(2).start(40);
  await cluster.world.advance(2000);
  expect(cluster.node(2).partition('fast').endOffset).toBe(60);
  // The first answer brings a megabyte at once; the rate is then waited out.
  expect(cluster.node(2).partition('slow').endOffset).toBeLessThan(25);
  await cluster.world.advance(14_000);
  expect(cluster.node(2).partition('slow').endOffset).toBeLessThan(60);
  await cluster.world.advance(20_000);
  expect(cluster.node(2).partition('slow').endOffset).toBe(60);
  expect([...cluster.isrOf('slow')].sort()).toEqual([1, 2]);
  // In sync it is not held back, whatever the rate: every all-acks write would wait for it.
  for (let i = 0; i < 40; i++) {
    expect(await produce(cluster, 1, 'slow', batch(1, value), { ms: 5 })).toMatchObject({
      errorCode: 0,
    });
  }
});

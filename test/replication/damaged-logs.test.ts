/** What was damaged on a disk, or by a leader, ends the fetching of that partition alone. */
import { InvariantError } from '../../src/base/invariant';
import { Produce } from '../../src/protocol/apis/produce';
import { Errors } from '../../src/protocol/errors';
import { setCrc } from '../../src/protocol/records/batch';
import { buildBatch } from '../../src/protocol/records/builder';
import { Following } from '../../src/replication/following';
import type { Fetched } from '../../src/replication/partition-types';
import { CorruptLogError } from '../../src/storage/errors';
import type { Log } from '../../src/storage/log';
import { StorageBench } from '../storage/support';
import { ReplicaCluster } from './replica-cluster';

const batchAt = (baseOffset: number, leaderEpoch = 0): Buffer =>
  buildBatch([{ timestamp: 1, value: `value ${baseOffset}` }], { baseOffset, leaderEpoch });

/** What the leader writes next, in epoch 1. */
const MARKER = {
  producerId: 7,
  producerEpoch: 0,
  isTransactional: true,
  isControl: true,
  baseOffset: 5,
  leaderEpoch: 1,
};

const DIVERGED: Fetched = {
  errorCode: Errors.NONE,
  highWatermark: 0,
  startOffset: 0,
  records: null,
  divergingEpoch: { epoch: 0, endOffset: 4 },
};

/** A follower with five batches of epoch 0, in segments of two. */
function setUp() {
  const bench = new StorageBench();
  const log = bench.create({ segmentBytes: 2 * batchAt(0).length });
  for (let offset = 0; offset < 5; offset++) log.appendAsFollower(batchAt(offset));
  const follow = (leaderEpoch: number): Following =>
    new Following({
      log,
      leaderId: 2,
      leaderEpoch,
      watchers: { changed: () => undefined },
      logger: bench.machine.log,
    });
  const errors = () => bench.machine.lines.filter(({ level }) => level === 'error');
  return { bench, log, follow, errors };
}

function take(following: Following, fetched: Fetched) {
  const position = following.position();
  if (position === undefined) throw new Error('it cannot fetch now');
  return following.take(position, fetched);
}

/** Nothing there is a batch any more; returns how to undo that. */
function damage({ disk }: StorageBench, log: Log, baseOffset: number): () => void {
  const path = `${log.path}/${String(baseOffset).padStart(20, '0')}.log`;
  const before = Buffer.from(disk.readFile(path));
  const write = (bytes: Buffer): void => {
    const file = disk.open(path, 'write');
    file.write([bytes], 0);
    file.close();
  };
  write(Buffer.alloc(before.length));
  return () => write(before);
}

test('damage where the log is to be cut ends that term, with one line, and changes nothing', () => {
  const { bench, log, follow, errors } = setUp();
  const following = follow(1);
  const mend = damage(bench, log, 2);
  const cut = { ...DIVERGED, divergingEpoch: { epoch: 0, endOffset: 3 } };
  expect(take(following, cut)).toEqual({ kind: 'damaged' });
  expect(following.position()).toBeUndefined();
  expect(errors()).toMatchObject([
    { event: 'a replica gets no more records in this leader epoch: its log is damaged' },
  ]);
  expect(log).toMatchObject({ endOffset: 5, segmentCount: 3, failure: undefined });
  mend();
  const next = follow(2);
  expect(take(next, cut)).toEqual({ kind: 'truncated' });
  expect(next.position()).toMatchObject({ fetchOffset: 3 });
});

test.each([
  ['key', Buffer.alloc(2), Buffer.alloc(6)],
  ['value', Buffer.alloc(4), Buffer.alloc(1)],
])('a marker whose %s is cut short is not appended, and asked for again', (_, key, value) => {
  const { log, follow } = setUp();
  const records = buildBatch([{ timestamp: 1, key, value }], MARKER);
  const fetched = { ...DIVERGED, divergingEpoch: { epoch: -1, endOffset: -1 }, records };
  const following = follow(1);
  expect(take(following, fetched)).toMatchObject({
    kind: 'failed',
    errorCode: Errors.CORRUPT_MESSAGE,
  });
  expect(log.endOffset).toBe(5);
  expect(following.position()).toMatchObject({ fetchOffset: 5 });
});

test('so is a marker that is no record at all', () => {
  const { log, follow } = setUp();
  const [key, value] = [Buffer.alloc(4), Buffer.alloc(6)];
  const records = buildBatch([{ timestamp: 1, key, value }], MARKER);
  // The record claims to be longer than its batch.
  records[61] = 0x7e;
  setCrc(records, 0);
  const fetched = { ...DIVERGED, divergingEpoch: { epoch: -1, endOffset: -1 }, records };
  expect(take(follow(1), fetched)).toMatchObject({ kind: 'failed' });
  expect(log.endOffset).toBe(5);
});

test('a bug of our own is no damage', () => {
  const { log, follow } = setUp();
  const following = follow(1);
  log.truncateTo = () => {
    throw new InvariantError('a bug');
  };
  expect(() => take(following, DIVERGED)).toThrow(InvariantError);
});

const produceTo = async (cluster: ReplicaCluster, index: number) => {
  const client = await cluster.connect(1);
  const records = buildBatch([{ timestamp: 1, value: 'v' }]);
  const topicData = [{ name: 't', partitionData: [{ index, records }] }];
  const answer = await cluster.ask(client, Produce, 9, { acks: -1, timeoutMs: 5000, topicData });
  client.link.destroy();
  return answer.responses[0]?.partitionResponses[0];
};

describe('a follower one of whose logs is damaged', () => {
  const setUpCluster = async () => {
    const cluster = await ReplicaCluster.start(2);
    cluster.createTopic('t', [{ replicas: [1, 2] }, { replicas: [1, 2] }]);
    await cluster.world.advance(50);
    for (const index of [0, 1]) expect(await produceTo(cluster, index)).toMatchObject(OK);
    return { cluster, follower: cluster.node(2) };
  };
  const OK = { errorCode: Errors.NONE };

  test('goes on with the others, and with that one once it has another leader', async () => {
    const { cluster, follower } = await setUpCluster();
    const { log } = follower.partition('t');
    // What only it has is to be cut off in the next term.
    log?.appendAsFollower(batchAt(1));
    const path = '/data/t-0/00000000000000000000.log';
    const before = Buffer.from(follower.disk.readFile(path));
    const file = follower.disk.open(path, 'write');
    file.write([Buffer.alloc(before.length)], 0);
    cluster.change('t', { leader: 1, isr: [1] });
    await cluster.world.advance(3000);
    const told = follower.machine.lines.filter(({ level }) => level === 'error');
    expect(told.map(({ fields }) => fields)).toMatchObject([{ topic: 't', partition: 0 }]);
    expect(await produceTo(cluster, 1)).toMatchObject(OK);
    expect(follower.partition('t', 1).endOffset).toBe(2);
    file.write([before], 0);
    cluster.change('t', { leader: 1 });
    await cluster.world.advance(300);
    expect(await produceTo(cluster, 0)).toMatchObject(OK);
    expect(follower.partition('t').endOffset).toBe(2);
    expect(cluster.isrOf('t')).toEqual([1, 2]);
  });

  test('has no role there where the damage is met as it takes it', async () => {
    const { cluster, follower } = await setUpCluster();
    const { log } = follower.partition('t');
    if (log === undefined) throw new Error('it is offline');
    log.truncateTo = () => {
      throw new CorruptLogError('no batch');
    };
    cluster.change('t', { leader: 1, isr: [1] });
    await cluster.world.advance(300);
    expect(follower.partition('t').following).toBeUndefined();
    expect(await produceTo(cluster, 1)).toMatchObject(OK);
  });
});

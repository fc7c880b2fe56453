import { diskError } from '../../src/platform/disk-error';
import type { Disk, DiskFile, OpenMode } from '../../src/platform/platform';
import { StorageError } from '../../src/storage/errors';
import { voterOf, WireCluster } from './wire-cluster';

/** Three nodes; one is down, and what it would go on from is only in checkpoints of the others. */
async function withOneFarBehind() {
  const settings = {
    maxRecordBytesBetweenSnapshots: 2000,
    maxRetentionBytes: 4000,
    logSegmentBytes: 2000,
    fetchSnapshotMaxBytes: 500,
  };
  const cluster = await WireCluster.start({ nodes: 3, voters: 3, settings });
  const follower = [1, 2, 3].find((id) => id !== cluster.leader.id) as number;
  await cluster.stop(follower);
  for (let i = 0; i < 100; i++) {
    cluster.append(`text-${i}-${'x'.repeat(80)}`);
    await cluster.world.advance(50);
  }
  expect(cluster.leader.driver.startOffset).toBeGreaterThan(20);
  return { cluster, follower };
}

/** From now on that operation of the disk fails for whatever is to become a checkpoint. */
function refuseCheckpoints(disk: Disk, failing: 'open' | 'write' | 'sync' | 'rename'): void {
  const open = disk.open.bind(disk);
  const rename = disk.rename.bind(disk);
  const isPart = (path: string): boolean => path.endsWith('.checkpoint.part');
  const fail = (path: string): never => {
    throw diskError('EIO', failing, path);
  };
  Object.assign(disk, {
    open: (path: string, mode: OpenMode): DiskFile => {
      if (!isPart(path)) return open(path, mode);
      if (failing === 'open') return fail(path);
      const file = open(path, mode);
      if (failing === 'write') Object.assign(file, { write: () => fail(path) });
      if (failing === 'sync') Object.assign(file, { sync: async () => fail(path) });
      return file;
    },
    rename: (from: string, to: string): void =>
      failing === 'rename' && isPart(from) ? fail(from) : rename(from, to),
  });
}

describe('three nodes over the wire', () => {
  test('elect a leader whose records all of them are told', async () => {
    const cluster = await WireCluster.start({ nodes: 3, voters: 3 });
    cluster.append('a', 'b');
    await cluster.world.advance(1000);
    expect(cluster.texts).toEqual({ 1: 'a b', 2: 'a b', 3: 'a b' });
    const { leader } = cluster;
    for (const { driver } of cluster.nodes.values()) {
      expect(driver.leader.leaderId).toBe(leader.id);
      expect(driver.highWatermark).toBe(driver.endOffset);
    }
  });

  test('elect another when the leader stops in order, within its hand-over', async () => {
    const cluster = await WireCluster.start({ nodes: 3, voters: 3 });
    cluster.append('a');
    await cluster.world.advance(100);
    const first = cluster.leader.id;
    await cluster.stop(first);
    await cluster.world.advance(300);
    expect(cluster.leader.id).not.toBe(first);
    cluster.append('b');
    await cluster.start(first);
    await cluster.world.advance(3000);
    expect(cluster.texts).toEqual({ 1: 'a b', 2: 'a b', 3: 'a b' });
  });

  test('hold the majority when one is away, and bring it up to date later', async () => {
    const cluster = await WireCluster.start({ nodes: 3, voters: 3 });
    const follower = [1, 2, 3].find((id) => id !== cluster.leader.id) as number;
    await cluster.stop(follower);
    for (let i = 0; i < 20; i++) cluster.append(`text-${i}`);
    await cluster.world.advance(3000);
    await cluster.start(follower);
    await cluster.world.advance(5000);
    expect(new Set(Object.values(cluster.texts)).size).toBe(1);
    expect(cluster.node(follower).owner.texts).toHaveLength(20);
  });

  test('give one that fell far behind a checkpoint', async () => {
    const { cluster, follower } = await withOneFarBehind();
    const { owner } = await cluster.start(follower);
    await cluster.world.advance(5000);
    expect(owner.told.filter((line) => line.startsWith('snapshot'))).toHaveLength(1);
    expect(owner.texts).toEqual(cluster.leader.owner.texts);
    cluster.append('last');
    await cluster.world.advance(1000);
    expect(owner.texts.at(-1)).toBe('last');
  });

  test.each(['open', 'write', 'sync', 'rename'] as const)(
    'lose one that cannot keep a checkpoint (%s fails): its log folder is offline',
    async (operation) => {
      const { cluster, follower } = await withOneFarBehind();
      refuseCheckpoints(cluster.disks.get(follower) as Disk, operation);
      const { owner } = await cluster.start(follower);
      await cluster.world.advance(5000);
      expect(owner.failure).toBeInstanceOf(StorageError);
      expect(owner.told.filter((line) => line.startsWith('failed'))).toHaveLength(1);
      expect(owner.failure?.message).toMatch(/^using .data.__cluster_metadata-0 failed: EIO/);
    },
  );

  test('tell the leader what they act on, and acknowledge without having acted', async () => {
    const cluster = await WireCluster.start({ nodes: 3, voters: 3, isToldWhatIsApplied: true });
    const { leader } = cluster;
    const [acting, idle] = [...cluster.nodes.values()].filter(({ id }) => id !== leader.id);
    cluster.append('a');
    cluster.append('b');
    await cluster.world.advance(1000);
    const committed = leader.driver.highWatermark;
    expect(committed).toBe(leader.driver.endOffset);
    cluster.fetches.splice(0);
    acting?.driver.applied(committed - 1);
    await cluster.world.advance(1000);
    const toldBy = (id: number | undefined) =>
      cluster.fetches.flatMap(({ request: { replica, highWatermark, fetchOffset } }) =>
        replica.id === id ? [{ highWatermark, fetchOffset }] : [],
      );
    const told = toldBy(idle?.id);
    // At most one in 100 ms, since the leader has an answer ready each time.
    expect(told.length).toBeGreaterThan(5);
    expect(told.length).toBeLessThanOrEqual(10);
    for (const each of told) expect(each).toEqual({ highWatermark: 0, fetchOffset: committed });
    cluster.fetches.splice(0);
    acting?.driver.applied(committed);
    await cluster.world.advance(1000);
    expect(toldBy(acting?.id)[0]).toEqual({ highWatermark: committed, fetchOffset: committed });
    // It has nothing to learn, so the leader keeps its Fetch as long as it may wait.
    expect(toldBy(acting?.id)).toHaveLength(2);
  });

  test('go on from their disks after all of them were stopped', async () => {
    const cluster = await WireCluster.start({ nodes: 3, voters: 3 });
    cluster.append('a');
    await cluster.world.advance(1000);
    for (const id of [1, 2, 3]) await cluster.stop(id);
    for (const id of [1, 2, 3]) await cluster.start(id);
    await cluster.world.advance(5000);
    cluster.append('b');
    await cluster.world.advance(1000);
    expect(cluster.texts).toEqual({ 1: 'a b', 2: 'a b', 3: 'a b' });
  });

  test('are followed by a broker that never votes', async () => {
    const cluster = await WireCluster.start({ nodes: 4, voters: 3, brokers: [4] });
    cluster.append('a');
    await cluster.world.advance(1000);
    expect(cluster.node(4).owner.texts).toEqual(['a']);
    const status = cluster.leader.driver.status();
    expect(status?.observers.map(({ key }) => key.id)).toEqual([4]);
    expect(status?.voters.every(({ endOffset }) => endOffset === status.highWatermark)).toBe(true);
  });
});

describe('a dynamic quorum over the wire', () => {
  test('takes in a voter that has caught up, and lets one go', async () => {
    const cluster = await WireCluster.start({ nodes: 2, voters: 1, isDynamic: true });
    cluster.append('a');
    await cluster.world.advance(1000);
    expect(cluster.node(2).owner.texts).toEqual(['a']);
    const { key: voter, endpoints } = voterOf(2);
    const added = await cluster.world.outcome(
      cluster.node(1).driver.request({
        kind: 'add-voter',
        clusterId: 'cluster',
        timeoutMs: 1000,
        voter,
        endpoints,
        isAnsweredWhenCommitted: true,
      }),
    );
    expect(added).toEqual({ kind: 'add-voter', error: 'NONE' });
    expect([...cluster.node(2).driver.voters.keys()]).toEqual([1, 2]);
    const removed = await cluster.world.outcome(
      cluster.node(1).driver.request({
        kind: 'remove-voter',
        clusterId: 'cluster',
        voter: voterOf(1).key,
      }),
    );
    expect(removed).toEqual({ kind: 'remove-voter', error: 'NONE' });
    await cluster.world.advance(5000);
    expect(cluster.leader.id).toBe(2);
    cluster.append('b');
    await cluster.world.advance(2000);
    expect(cluster.texts).toEqual({ 1: 'a b', 2: 'a b' });
  });

  test('is joined by a controller that is told to join', async () => {
    const settings = { autoJoinIsEnabled: true };
    const cluster = await WireCluster.start({ nodes: 3, voters: 1, isDynamic: true, settings });
    await cluster.world.advance(20_000);
    expect([...cluster.leader.driver.voters.keys()].sort()).toEqual([1, 2, 3]);
  });
});

test('a static quorum is made dynamic once every voter told its directory', async () => {
  const cluster = await WireCluster.start({ nodes: 3, voters: 3 });
  await cluster.world.advance(10_000);
  expect(cluster.leader.driver.upgradeKraftVersion(1, true)).toBe('NONE');
  expect(cluster.leader.driver.kraftVersion).toBe(0);
  expect(cluster.leader.driver.upgradeKraftVersion(1, false)).toBe('NONE');
  await cluster.world.advance(2000);
  for (const { driver } of cluster.nodes.values()) {
    expect(driver.kraftVersion).toBe(1);
    expect(driver.voters.get(2)).toEqual(voterOf(2));
  }
});

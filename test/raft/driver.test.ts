import { OperatorError } from '../../src/base/operator-error';
import { memoryDisk } from '../../src/platform/memory-disk';
import type { Disk } from '../../src/platform/platform';
import { QuorumDriver } from '../../src/raft/driver';
import { DEFAULT_QUORUM_SETTINGS, type QuorumSettings } from '../../src/raft/driver-options';
import { NotLeaderError } from '../../src/raft/quorum-log';
import { encodeSnapshot, listSnapshots } from '../../src/raft/snapshots';
import { decodeVoteFile } from '../../src/raft/vote-file';
import { voterSet } from '../../src/raft/voters';
import { LogFolder } from '../../src/storage/log-folder';
import { type TestMachine, TestWorld } from '../support/world';
import { TextOwner, textSerde } from './text-log';

const DIRECTORY = 'mABQqJbFRSGbaoaJnXTEKA';
const ENDPOINT = { name: 'CONTROLLER', host: 'localhost', port: 9093 };
const LOG = '/data/__cluster_metadata-0';

interface Node {
  readonly machine: TestMachine;
  readonly owner: TextOwner;
  readonly driver: QuorumDriver<string>;
}

interface Options {
  readonly settings?: Partial<QuorumSettings>;
  readonly isDynamic?: boolean;
  readonly folder?: LogFolder;
}

async function start(
  world: TestWorld,
  disk: Disk,
  { settings, isDynamic = false, folder = new LogFolder('/data', DIRECTORY) }: Options = {},
): Promise<Node> {
  const machine = world.machine('one', disk);
  const owner = new TextOwner();
  const driver = await world.outcome(
    QuorumDriver.open({
      platform: machine,
      folder,
      clusterId: 'cluster',
      nodeId: 1,
      isController: true,
      listenerName: 'CONTROLLER',
      endpoints: [ENDPOINT],
      staticVoters: isDynamic ? [] : [{ id: 1, host: 'localhost', port: 9093 }],
      bootstrapServers: [],
      settings: { ...DEFAULT_QUORUM_SETTINGS, ...settings },
      serde: textSerde,
      listener: owner,
      transport: undefined,
    }),
  );
  await world.advance(100);
  return { machine, owner, driver };
}

function writeBootstrap(disk: Disk, records: readonly string[]): void {
  disk.makeFolder(LOG);
  const parts = encodeSnapshot({
    serde: textSerde,
    epoch: 0,
    lastContainedLogTimestampMs: 0 as never,
    nowMs: 0 as never,
    kraftVersion: 1,
    voters: voterSet([
      {
        key: { id: 1, directoryId: DIRECTORY },
        endpoints: [ENDPOINT],
        minKraftVersion: 0,
        maxKraftVersion: 1,
      },
    ]),
    records: [records],
  });
  const file = disk.open(`${LOG}/00000000000000000000-0000000000.checkpoint`, 'create');
  let position = 0;
  for (const part of parts) {
    file.write([part], position);
    position += part.length;
  }
  file.close();
}

const newData = (): Disk => {
  const disk = memoryDisk();
  disk.makeFolder('/data');
  return disk;
};

test('a sole voter leads at once, and what it appends is committed once durable', async () => {
  const world = new TestWorld();
  const { owner, driver } = await start(world, newData());
  expect(owner.told).toEqual([
    'leader of epoch 1: nobody',
    '0-0 of epoch 1: (control)',
    'high watermark 1',
    'caught up',
    'leader of epoch 1: self',
  ]);
  expect(driver.append(1, ['a', 'b'])).toEqual({ baseOffset: 1, lastOffset: 2 });
  expect(driver.append(1, ['c'])).toEqual({ baseOffset: 3, lastOffset: 3 });
  expect(driver.highWatermark).toBe(1);
  await world.advance(100);
  expect(driver.highWatermark).toBe(4);
  expect(owner.told.slice(5)).toEqual([
    '1-2 of epoch 1: a b',
    '3-3 of epoch 1: c',
    'high watermark 4',
  ]);
});

test('an idle sole voter writes nothing and sets no timer', async () => {
  const world = new TestWorld();
  const disk = newData();
  const { driver } = await start(world, disk);
  const before = driver.endOffset;
  await world.advance(3_600_000);
  expect(driver.endOffset).toBe(before);
});

test('nobody appends in an epoch that it does not lead', async () => {
  const world = new TestWorld();
  const { driver } = await start(world, newData());
  expect(() => driver.append(2, ['a'])).toThrow(NotLeaderError);
  driver.resign(1);
  expect(() => driver.append(1, ['a'])).toThrow(NotLeaderError);
});

test('one that resigned leads again, one epoch on', async () => {
  const world = new TestWorld();
  const { owner, driver } = await start(world, newData());
  driver.resign(1);
  await world.advance(5000);
  expect(owner.told.slice(5)).toEqual([
    'leader of epoch 1: nobody',
    'leader of epoch 3: nobody',
    '1-1 of epoch 3: (control)',
    'high watermark 2',
    'leader of epoch 3: self',
  ]);
});

test('a restart finds everything again and leads a new epoch', async () => {
  const world = new TestWorld();
  const disk = newData();
  const first = await start(world, disk);
  first.driver.append(1, ['a', 'b']);
  await world.advance(100);
  await world.outcome(first.driver.close());
  const second = await start(world, disk);
  expect(second.owner.told).toEqual([
    'leader of epoch 2: nobody',
    '0-0 of epoch 1: (control)',
    '1-2 of epoch 1: a b',
    '3-3 of epoch 2: (control)',
    'high watermark 4',
    'caught up',
    'leader of epoch 2: self',
  ]);
  expect(decodeVoteFile(disk.readFile(`${LOG}/quorum-state`))).toMatchObject({
    epoch: 2,
    leaderId: 1,
    kraftVersion: 0,
  });
});

test.each([
  '',
  '{"leaderId":1,"lead',
  '\0\0\0\0',
  '[]',
  '{"data_version":7}',
  '{"data_version":1,"leaderId":1,"votedId":-1,"leaderEpoch":"one"}',
])('a damaged vote file %j ends the start with a sentence that names the file', async (bytes) => {
  const world = new TestWorld();
  const disk = memoryDisk();
  const first = await start(world, disk);
  await world.outcome(first.driver.close());
  await world.outcome(disk.replace(`${LOG}/quorum-state`, Buffer.from(bytes)));
  const failed = await start(world, disk).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(OperatorError);
  expect(String(failed)).toContain(`${LOG}/quorum-state is damaged`);
});

test('a dynamic quorum writes its voters from the checkpoint into the log, once', async () => {
  const world = new TestWorld();
  const disk = newData();
  writeBootstrap(disk, ['metadata.version 33']);
  const first = await start(world, disk, { isDynamic: true });
  expect(first.driver.bootstrapRecords()).toEqual(['metadata.version 33']);
  expect(first.owner.told).toEqual([
    'leader of epoch 1: nobody',
    '0-2 of epoch 1: (control)',
    'high watermark 3',
    'caught up',
    'leader of epoch 1: self',
  ]);
  expect(first.driver.kraftVersion).toBe(1);
  await world.outcome(first.driver.close());
  const second = await start(world, disk, { isDynamic: true });
  expect(second.owner.told.at(-4)).toBe('3-3 of epoch 2: (control)');
});

test('snapshots are made as records gather, and cut the log', async () => {
  const world = new TestWorld();
  const disk = newData();
  const settings = {
    maxRecordBytesBetweenSnapshots: 2000,
    maxRetentionBytes: 6000,
    logSegmentBytes: 2000,
  };
  const { owner, driver } = await start(world, disk, { settings });
  for (let i = 0; i < 100; i++) {
    driver.append(1, [`text-${i}-${'x'.repeat(100)}`]);
    await world.advance(50);
  }
  expect(driver.startOffset).toBeGreaterThan(50);
  await world.advance(120_000);
  const files = listSnapshots(disk, LOG);
  expect(files.length).toBeLessThan(5);
  expect(files.every(({ state }) => state === 'complete')).toBe(true);
  await world.outcome(driver.close());
  const second = await start(world, disk, { settings });
  expect(second.owner.told[1]).toMatch(/^snapshot \d+-1: text-0-/);
  expect(second.owner.texts).toEqual(owner.texts);
});

test('a snapshot waits while its owner has none to give', async () => {
  const world = new TestWorld();
  const disk = newData();
  const { owner, driver } = await start(world, disk, {
    settings: { maxRecordBytesBetweenSnapshots: 1 },
  });
  owner.canSnapshot = false;
  driver.append(1, ['a']);
  await world.advance(100);
  expect(listSnapshots(disk, LOG)).toEqual([]);
  owner.canSnapshot = true;
  driver.append(1, ['b']);
  await world.advance(100);
  expect(listSnapshots(disk, LOG)).toMatchObject([{ id: { offset: 3, epoch: 1 } }]);
});

test('a folder that fails ends the part of its node in the quorum', async () => {
  const world = new TestWorld();
  const disk = newData();
  const folder = new LogFolder('/data', DIRECTORY);
  const { owner, driver } = await start(world, disk, { folder });
  const waiting = driver.request({
    kind: 'fetch',
    clusterId: null,
    replica: { id: 7, directoryId: undefined },
    epoch: 1,
    fetchOffset: 1,
    lastFetchedEpoch: 1,
    highWatermark: Number.POSITIVE_INFINITY,
    maxWaitMs: 500,
    maxBytes: 1000,
  });
  const failure = folder.fail('writing', new Error('the disk is full'));
  await world.advance(10);
  expect(await waiting).toEqual({ kind: 'refused', error: 'KAFKA_STORAGE_ERROR' });
  expect(owner.told.slice(5)).toEqual([
    'leader of epoch 1: nobody',
    'failed: writing failed: the disk is full',
  ]);
  expect(() => driver.append(1, ['a'])).toThrow(failure);
});

/** What becomes of replicas on a broker with two log folders when one of them has failed. */
import type { Uuid } from '../../src/base/ids';
import { Image } from '../../src/metadata/image';
import { ImageBuilder } from '../../src/metadata/image-builder';
import { type MetadataRecord, metadataRecord } from '../../src/metadata/metadata-record';
import { DIRECTORY_UNASSIGNED } from '../../src/metadata/topics';
import { diskError } from '../../src/platform/disk-error';
import { memoryDisk } from '../../src/platform/memory-disk';
import type { Disk } from '../../src/platform/platform';
import { Errors } from '../../src/protocol/errors';
import { buildBatch } from '../../src/protocol/records/builder';
import type { Partition } from '../../src/replication/partition';
import { partitionSettings } from '../../src/replication/partition-settings';
import { Replicas } from '../../src/replication/replicas';
import { Waiting } from '../../src/replication/waiting';
import type { LogFolder } from '../../src/storage/log-folder';
import { Logs } from '../../src/storage/logs';
import { writeMetaProperties } from '../../src/storage/meta-properties';
import { type TestMachine, TestWorld } from '../support/world';

const SELF = 1;
const FOLDERS = ['/a', '/b'] as const;
const [A, B] = ['AAAAAAAAAAAAAAAAAAAAZA', 'AAAAAAAAAAAAAAAAAAAAZQ'] as const;
const [OLD, NEW] = ['AAAAAAAAAAAAAAAAAAAABQ', 'AAAAAAAAAAAAAAAAAAAABg'] as const;
const DAY_MS = 86_400_000;
const LEADING = { leaderEpoch: -1, isLeaderRequired: true };

/** A broker alone that lives once or more on its disk, with pictures that the test draws. */
class TwoFolders {
  readonly world = new TestWorld();
  readonly machine: TestMachine;
  logs!: Logs;
  replicas!: Replicas;
  #image = Image.empty;
  #offset = 0;

  constructor(disk: Disk = memoryDisk()) {
    this.machine = this.world.machine('node', disk);
  }

  static async start(disk?: Disk): Promise<TwoFolders> {
    const broker = new TwoFolders(disk);
    for (const [index, path] of FOLDERS.entries()) {
      broker.machine.disk.makeFolder(path);
      const directoryId = index === 0 ? A : B;
      const properties = { clusterId: 'c', nodeId: SELF, directoryId };
      await broker.world.outcome(writeMetaProperties(broker.machine.disk, path, properties));
    }
    await broker.open();
    return broker;
  }

  async open(): Promise<void> {
    const { clock, log: logger } = this.machine;
    this.logs = new Logs(this.machine, {
      folders: FOLDERS,
      settingsOf: () => partitionSettings(() => undefined).log,
      producerIdExpirationMs: DAY_MS,
      retentionCheckIntervalMs: DAY_MS,
      recoveryPointCheckpointIntervalMs: DAY_MS,
      startOffsetCheckpointIntervalMs: DAY_MS,
      highWatermarkCheckpointIntervalMs: DAY_MS,
      producerIdExpirationCheckIntervalMs: DAY_MS,
      onFolderOffline: ({ path }) => this.replicas.folderFailed(path),
    });
    this.logs.lock();
    await this.world.outcome(this.logs.open());
    this.replicas = new Replicas({
      nodeId: SELF,
      logs: this.logs,
      clock,
      logger,
      waiting: new Waiting(clock),
      replicaLagTimeMaxMs: 30_000,
      settingsOf: () => partitionSettings(() => undefined),
    });
    this.#image = Image.empty;
  }

  async restart(): Promise<void> {
    this.replicas.close();
    await this.world.outcome(this.logs.close(1));
    await this.open();
  }

  async draw(records: readonly MetadataRecord[]): Promise<void> {
    const builder = new ImageBuilder(this.#image);
    for (const record of records) builder.apply(record);
    this.#offset += records.length;
    const built = builder.build({ offset: this.#offset, epoch: 1, timestampMs: 0 });
    this.#image = built.image;
    this.replicas.apply(built.image, built.delta);
    await this.world.settle();
  }

  folder(path: string): LogFolder {
    const folder = this.logs.folders.find((one) => one.path === path);
    if (folder === undefined) throw new Error(`there is no ${path}`);
    return folder;
  }

  async fail(path: string): Promise<void> {
    this.folder(path).fail('trying it out', new Error('EIO'));
    await this.world.settle();
  }

  get partition(): Partition {
    const partition = this.replicas.get('t', 0);
    if (partition === undefined) throw new Error('t-0 is not held');
    return partition;
  }

  append(): unknown {
    return this.partition.appendAsLeader(buildBatch([{ timestamp: 1, value: 'v' }]), true);
  }
}

const made = (topicId: Uuid, directory: Uuid, leaderEpoch = 0): MetadataRecord[] => [
  metadataRecord('TopicRecord', 0, { name: 't', topicId }),
  metadataRecord('PartitionRecord', 1, {
    partitionId: 0,
    topicId,
    replicas: [SELF],
    isr: [SELF],
    removingReplicas: [],
    addingReplicas: [],
    leader: SELF,
    leaderEpoch,
    partitionEpoch: 0,
    directories: [directory],
  }),
];

const deleted = (topicId: Uuid) => [metadataRecord('RemoveTopicRecord', 0, { topicId })];

const moved = (topicId: Uuid, replica: number) => [
  metadataRecord('PartitionChangeRecord', 1, {
    topicId,
    partitionId: 0,
    replicas: [replica],
    isr: [replica],
    leader: replica,
    directories: [DIRECTORY_UNASSIGNED],
  }),
];

describe('once the folder of a partition is offline', () => {
  const setUp = async () => {
    const broker = await TwoFolders.start();
    await broker.draw(made(OLD, A));
    expect(broker.append()).toMatchObject({ kind: 'appended' });
    await broker.fail('/a');
    expect(broker.partition.check(LEADING)).toBe(Errors.KAFKA_STORAGE_ERROR);
    return broker;
  };

  test('a topic made again under its name leads from the other folder', async () => {
    const broker = await setUp();
    await broker.draw(deleted(OLD));
    await broker.draw(made(NEW, DIRECTORY_UNASSIGNED));
    expect(broker.append()).toMatchObject({ kind: 'appended', baseOffset: 0 });
    expect(broker.partition.log?.path).toBe('/b/t-0');
    // The dead disk is left alone.
    expect(broker.machine.disk.exists('/a/t-0')).toBe(true);
  });

  test.each([
    ['works again', false],
    ['fails again before the first picture', true],
  ])('the topic made again is found in the other one when the first %s', async (_, isFailing) => {
    const broker = await setUp();
    await broker.draw([...deleted(OLD), ...made(NEW, B)]);
    expect(broker.append()).toMatchObject({ kind: 'appended', baseOffset: 0 });
    await broker.restart();
    if (isFailing) await broker.fail('/a');
    await broker.draw(made(NEW, B));
    expect(broker.append()).toMatchObject({ kind: 'appended', baseOffset: 1 });
    expect(broker.partition.log?.path).toBe('/b/t-0');
  });

  test('so it does when both are in one picture', async () => {
    const broker = await setUp();
    await broker.draw([...deleted(OLD), ...made(NEW, DIRECTORY_UNASSIGNED)]);
    expect(broker.append()).toMatchObject({ kind: 'appended', baseOffset: 0 });
  });

  test('a replica that goes away and comes back begins anew in the other folder', async () => {
    const broker = await setUp();
    await broker.draw(moved(OLD, 2));
    expect(broker.replicas.get('t', 0)).toBeUndefined();
    await broker.draw(moved(OLD, SELF));
    expect(broker.append()).toMatchObject({ kind: 'appended', baseOffset: 0 });
    expect(broker.partition.log?.path).toBe('/b/t-0');
  });

  test('its topic in another leader epoch is no reason to begin anew', async () => {
    const broker = await setUp();
    await broker.draw([
      metadataRecord('PartitionChangeRecord', 1, { topicId: OLD, partitionId: 0, leader: SELF }),
    ]);
    expect(broker.partition.check(LEADING)).toBe(Errors.KAFKA_STORAGE_ERROR);
  });
});

describe('a folder that fails before the first picture', () => {
  const setUp = async () => {
    const broker = await TwoFolders.start();
    await broker.draw(made(OLD, A));
    await broker.restart();
    await broker.fail('/a');
    return broker;
  };

  test('leaves its partitions offline', async () => {
    const broker = await setUp();
    await broker.draw(made(OLD, A));
    expect(broker.partition.check(LEADING)).toBe(Errors.KAFKA_STORAGE_ERROR);
  });

  test('does not hold back a topic that has the name of one in it', async () => {
    const broker = await setUp();
    await broker.draw(made(NEW, DIRECTORY_UNASSIGNED));
    expect(broker.append()).toMatchObject({ kind: 'appended', baseOffset: 0 });
    expect(broker.partition.log?.path).toBe('/b/t-0');
  });
});

test('a stray that cannot be set aside takes its folder offline, not the node', async () => {
  const disk = memoryDisk();
  const broker = await TwoFolders.start(disk);
  await broker.draw(made(OLD, A));
  await broker.restart();
  const { rename } = disk;
  disk.rename = (from, to) => {
    if (from === '/a/t-0') throw diskError('EIO', 'rename', from);
    rename.call(disk, from, to);
  };
  await broker.draw(made(NEW, DIRECTORY_UNASSIGNED));
  expect(broker.folder('/a').isOffline).toBe(true);
  expect(broker.append()).toMatchObject({ kind: 'appended', baseOffset: 0 });
  expect(broker.partition.log?.path).toBe('/b/t-0');
});

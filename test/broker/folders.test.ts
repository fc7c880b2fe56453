import { formatIfNew, logFolders } from '../../src/broker/folders';
import { type Properties, Settings } from '../../src/broker/settings';
import { soleNodeProperties } from '../../src/broker/sole-node';
import { StartError } from '../../src/broker/start-error';
import { silentLogger } from '../../src/platform/logger';
import type { Disk, Platform } from '../../src/platform/platform';
import { readMetaProperties } from '../../src/storage/meta-properties';
import { Machine } from '../simulation/engine/machine';
import type { CrashKind } from '../simulation/engine/simulated-disk';
import { TestWorld } from '../support/world';

const CONTROLLER = {
  name: 'CONTROLLER',
  host: 'localhost',
  port: 9093,
  address: 'localhost:9093',
  isForControllers: true,
};

function settingsWith(changes: Record<string, string> = {}): Settings {
  const sole: Properties = soleNodeProperties({
    nodeId: 1,
    host: 'localhost',
    port: 9092,
    controllerPort: 9093,
    advertisedHost: undefined,
    dataFolder: '/data',
  });
  return new Settings(new Map([...sole, ...Object.entries(changes)]));
}

function setUp() {
  const world = new TestWorld();
  const machine = world.machine('one');
  const start = (changes: Record<string, string> = {}) => {
    const settings = settingsWith(changes);
    return world.outcome(formatIfNew(machine, settings, logFolders(settings), CONTROLLER));
  };
  const refusal = async (changes: Record<string, string> = {}): Promise<string> => {
    const error: unknown = await start(changes).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (error instanceof StartError) return error.message;
    throw new Error('it was not refused', { cause: error });
  };
  return { disk: machine.disk, start, refusal };
}

const write = (disk: Disk, path: string): void => {
  const file = disk.open(path, 'create');
  file.write([Buffer.from('x')], 0);
  file.close();
};

describe('which folders a node has', () => {
  test('log.dirs wins over log.dir, and the first holds the metadata log', () => {
    const settings = settingsWith({ 'log.dir': '/old', 'log.dirs': '/a,/b' });
    expect(logFolders(settings)).toEqual({ all: ['/a', '/b'], metadata: '/a' });
  });

  test('metadata.log.dir is one of them, named once', () => {
    const elsewhere = settingsWith({ 'log.dirs': '/a,/b', 'metadata.log.dir': '/m' });
    expect(logFolders(elsewhere)).toEqual({ all: ['/a', '/b', '/m'], metadata: '/m' });
    const among = settingsWith({ 'log.dirs': '/a,/b', 'metadata.log.dir': '/b' });
    expect(logFolders(among)).toEqual({ all: ['/a', '/b'], metadata: '/b' });
  });
});

describe('a node that is a cluster of its own', () => {
  test('formats its empty folders, all with one cluster id', async () => {
    const { disk, start } = setUp();
    await start({ 'log.dirs': '/a,/b' });
    const [a, b] = ['/a', '/b'].map((folder) => readMetaProperties(disk, folder));
    expect(a?.clusterId).toMatch(/^[\w-]{22}$/);
    expect(b?.clusterId).toBe(a?.clusterId);
    expect(b?.directoryId).not.toBe(a?.directoryId);
  });

  test('leaves formatted folders as they are', async () => {
    const { disk, start } = setUp();
    await start();
    const before = readMetaProperties(disk, '/data');
    await start();
    expect(readMetaProperties(disk, '/data')).toEqual(before);
  });

  test('takes a folder where a file system keeps its lost+found for empty', async () => {
    const { disk, start } = setUp();
    disk.makeFolder('/data/lost+found');
    await start();
    expect(readMetaProperties(disk, '/data')?.nodeId).toBe(1);
  });

  test('refuses a folder with something else in it', async () => {
    const { disk, refusal } = setUp();
    disk.makeFolder('/data');
    write(disk, '/data/thesis.txt');
    expect(await refusal()).toMatch(/^\/data is not formatted and not new: .*ottla storage format/);
  });

  test('refuses a metadata log that has lost its meta.properties', async () => {
    const { disk, refusal } = setUp();
    disk.makeFolder('/data/__cluster_metadata-0');
    write(disk, '/data/__cluster_metadata-0/00000000000000000000.log');
    expect(await refusal()).toMatch(/not formatted and not new/);
  });

  test('gives an empty folder that was added the cluster id of the others', async () => {
    const { disk, start } = setUp();
    await start();
    await start({ 'log.dirs': '/data,/added' });
    expect(readMetaProperties(disk, '/added')?.clusterId).toBe(
      readMetaProperties(disk, '/data')?.clusterId,
    );
  });

  test('is one still when its controller.quorum settings name itself', async () => {
    const { disk, start } = setUp();
    await start({ 'controller.quorum.bootstrap.servers': 'localhost:9093' });
    expect(readMetaProperties(disk, '/data')).toBeDefined();
    const voter = setUp();
    await voter.start({ 'controller.quorum.voters': '1@localhost:9093' });
    expect(readMetaProperties(voter.disk, '/data')).toBeDefined();
  });

  test('is one still when they name it as others are told to, as in Kafka’s own file', async () => {
    const { disk, start } = setUp();
    await start({
      listeners: 'PLAINTEXT://:9092,CONTROLLER://:9093',
      'advertised.listeners': 'PLAINTEXT://localhost:9092, CONTROLLER://localhost:9093',
      'controller.quorum.bootstrap.servers': 'localhost:9093',
    });
    expect(readMetaProperties(disk, '/data')).toBeDefined();
  });
});

test.each([
  ['controller.quorum.voters', '1@localhost:9093,2@elsewhere:9093'],
  ['controller.quorum.bootstrap.servers', 'localhost:9093,elsewhere:9093'],
])('a node of a cluster with others is told to format its folder (%s)', async (name, value) => {
  const { disk, refusal } = setUp();
  expect(await refusal({ [name]: value })).toMatch(/others: run `ottla storage format`/);
  expect(disk.exists('/data')).toBe(false);
});

/** A first start that ends at some operation of the disk, and the next one. */
class TwoStarts {
  readonly #world = new TestWorld();
  readonly #machine = new Machine(this.#world.simulation, this.#world.networks, 'one', 1);
  readonly #settings = settingsWith({ 'log.dirs': '/data/a,/data/metadata' });

  async start(crash?: { readonly kind: CrashKind; readonly at: number }): Promise<Platform> {
    const { platform, life } = this.#machine.boot(silentLogger);
    const { disk } = this.#machine;
    if (crash !== undefined) {
      disk?.crashAt(crash.at, (doPart) => this.#machine.crash(crash.kind, doPart));
    }
    const folders = { ...logFolders(this.#settings), metadata: '/data/metadata' };
    let isDone = false;
    const formatting = formatIfNew(platform, this.#settings, folders, CONTROLLER);
    formatting.then(
      () => {
        isDone = true;
      },
      () => {
        isDone = true;
      },
    );
    const { simulation } = this.#world;
    await simulation.run(simulation.nowMs + 60_000, () => isDone || life.isOver);
    if (!life.isOver) await formatting;
    return platform;
  }

  get operations(): number {
    return this.#machine.disk?.operations ?? 0;
  }

  end(): void {
    this.#machine.crash('process-crash');
  }
}

test.each<CrashKind>(['process-crash', 'power-loss'])(
  'a first start that ends in a %s anywhere is made good by the next one',
  async (kind) => {
    const whole = new TwoStarts();
    await whole.start();
    const total = whole.operations;
    expect(total).toBeGreaterThan(10);
    for (let at = 0; at < total; at++) {
      const starts = new TwoStarts();
      await starts.start({ kind, at });
      starts.end();
      const { disk } = await starts.start();
      const [a, metadata] = ['/data/a', '/data/metadata'].map((one) =>
        readMetaProperties(disk, one),
      );
      expect(metadata?.clusterId).toBeDefined();
      expect(a?.clusterId).toBe(metadata?.clusterId);
    }
  },
);

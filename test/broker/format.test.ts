import {
  FormatError,
  type FormatOptions,
  formatFolders,
  parseFeatures,
  parseInitialControllers,
  randomUuid,
  storageInfo,
} from '../../src/broker/format';
import { metadataRecordSerde } from '../../src/metadata/metadata-record';
import { silentLogger } from '../../src/platform/logger';
import { isUuid } from '../../src/protocol/ids';
import { SnapshotReader } from '../../src/raft/snapshots';
import { readMetaProperties } from '../../src/storage/meta-properties';
import { Machine } from '../simulation/engine/machine';
import { TestWorld } from '../support/world';

const OPTIONS: FormatOptions = {
  folders: ['/data'],
  metadataFolder: '/data',
  nodeId: 1,
  clusterId: 'UpcnC5bXRUuvqj4GcDvAow',
  isController: true,
  hasStaticVoters: false,
  controllerListenerName: 'CONTROLLER',
  initial: { kind: 'standalone', host: 'localhost', port: 9093 },
  ignoreFormatted: false,
  releaseVersion: undefined,
  features: new Map(),
};
const CHECKPOINT = '/data/__cluster_metadata-0/00000000000000000000-0000000000.checkpoint';

function setUp() {
  const world = new TestWorld();
  const machine = world.machine('one');
  const format = (changes: Partial<FormatOptions> = {}) =>
    world.outcome(formatFolders(machine, { ...OPTIONS, ...changes }));
  const refusal = async (changes: Partial<FormatOptions>): Promise<string> => {
    const error: unknown = await format(changes).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (error instanceof FormatError) return error.message;
    throw new Error('it was not refused', { cause: error });
  };
  const checkpoint = (path = CHECKPOINT) => {
    const reader = new SnapshotReader(machine.disk, path, { offset: 0, epoch: 0 });
    const features = [...reader.batches(metadataRecordSerde)]
      .flat()
      .map(({ type, value }) => [type, value]);
    reader.close();
    return { quorum: reader.head.quorum, features };
  };
  return { machine, format, refusal, checkpoint };
}

describe('a folder is formatted', () => {
  test('standalone: this node is the only voter, known by the id of its directory', async () => {
    const { machine, format, checkpoint } = setUp();
    const { lines, formatted } = await format();
    expect(formatted).toEqual(['/data']);
    expect(lines).toEqual([
      'Formatting dynamic metadata voter directory /data with metadata.version 4.4-IV2.',
    ]);
    const properties = readMetaProperties(machine.disk, '/data');
    expect(properties).toMatchObject({ clusterId: OPTIONS.clusterId, nodeId: 1 });
    const { quorum, features } = checkpoint();
    expect(quorum.kraftVersion).toEqual({ offset: -1, level: 1 });
    expect([...(quorum.voters?.set.values() ?? [])]).toEqual([
      {
        key: { id: 1, directoryId: properties?.directoryId },
        endpoints: [{ name: 'CONTROLLER', host: 'localhost', port: 9093 }],
        minKraftVersion: 0,
        maxKraftVersion: 1,
      },
    ]);
    expect(features[0]).toEqual([
      'FeatureLevelRecord',
      { name: 'metadata.version', featureLevel: 33 },
    ]);
  });

  test('static: nothing is said of voters', async () => {
    const { format, checkpoint } = setUp();
    await format({ hasStaticVoters: true, initial: undefined });
    expect(checkpoint().quorum).toEqual({});
  });

  test('to join later: kraft.version alone', async () => {
    const { format, checkpoint } = setUp();
    await format({ initial: { kind: 'none' } });
    expect(checkpoint().quorum).toEqual({ kraftVersion: { offset: -1, level: 1 } });
  });

  test('with initial controllers: every node has the directory id that was named for it', async () => {
    const { machine, format, checkpoint } = setUp();
    const controllers = parseInitialControllers(
      '1@one:9093:JEXY6aqzQY-32P5TStzaFg,2@[::1]:9094:MvDxzVmcRsaTz33bUuRU6A',
    );
    await format({ initial: { kind: 'initial', controllers } });
    expect(readMetaProperties(machine.disk, '/data')?.directoryId).toBe('JEXY6aqzQY-32P5TStzaFg');
    expect([...(checkpoint().quorum.voters?.set.keys() ?? [])]).toEqual([1, 2]);
  });

  test('for a mere broker: no checkpoint', async () => {
    const { machine, format } = setUp();
    await format({ isController: false, initial: undefined });
    expect(machine.disk.exists(CHECKPOINT)).toBe(false);
    expect(readMetaProperties(machine.disk, '/data')).toBeDefined();
  });

  test('among others, each with an id of its own and only one with metadata', async () => {
    const { machine, format } = setUp();
    const folders = ['/b', '/a', '/data'];
    const { lines } = await format({ folders });
    expect(lines).toHaveLength(3);
    expect(machine.disk.exists('/a/__cluster_metadata-0')).toBe(false);
    const ids = folders.map((folder) => readMetaProperties(machine.disk, folder)?.directoryId);
    expect(new Set(ids).size).toBe(3);
  });

  test('for an older release', async () => {
    const { format, checkpoint } = setUp();
    await format({ releaseVersion: '4.0' });
    expect(checkpoint().features[0]).toEqual([
      'FeatureLevelRecord',
      { name: 'metadata.version', featureLevel: 25 },
    ]);
  });
});

describe('formatting is refused', () => {
  test('where it was done before, unless told to pass over that', async () => {
    const { format, refusal } = setUp();
    await format();
    expect(await refusal({})).toContain('already formatted');
    expect(await refusal({ ignoreFormatted: true, clusterId: 'another' })).toContain('cluster.id');
    expect(await refusal({ ignoreFormatted: true, nodeId: 2 })).toContain('node.id');
    expect((await format({ ignoreFormatted: true })).formatted).toEqual([]);
    const more = await format({ ignoreFormatted: true, folders: ['/data', '/more'] });
    expect(more.formatted).toEqual(['/more']);
  });

  test.each<[string, Partial<FormatOptions>, string]>([
    ['static voters and standalone', { hasStaticVoters: true }, 'controller.quorum.voters'],
    ['no word on the voters', { initial: undefined }, '--standalone'],
    ['standalone on a broker', { isController: false }, 'process.roles'],
    ['metadata elsewhere', { metadataFolder: '/other' }, 'metadata.log.dir'],
    ['an unknown release', { releaseVersion: '9.9' }, '9.9'],
    ['an unknown feature', { features: new Map([['nonsense', 1]]) }, 'nonsense'],
    ['a level beyond', { features: new Map([['metadata.version', 99]]) }, '99'],
    ['kraft.version 0, dynamic', { features: new Map([['kraft.version', 0]]) }, 'kraft.version'],
    [
      'kraft.version 1 before its release',
      { features: new Map([['kraft.version', 1]]), releaseVersion: '3.7' },
      'needs metadata.version 3.9-IV0',
    ],
    [
      'two releases',
      { features: new Map([['metadata.version', 33]]), releaseVersion: '4.4' },
      '--release-version',
    ],
  ])('for %s', async (_, changes, words) => {
    const { machine, refusal } = setUp();
    expect(await refusal(changes)).toContain(words);
    expect(machine.disk.exists('/data/meta.properties')).toBe(false);
  });

  test.each(['1@host', '1@host:9093', 'x@host:1:JEXY6aqzQY-32P5TStzaFg', '1@host:1:short', ''])(
    'for the controller "%s"',
    (text) => expect(() => parseInitialControllers(text)).toThrow(FormatError),
  );

  test('for an id that is named twice', () => {
    const text = '1@a:1:JEXY6aqzQY-32P5TStzaFg,1@b:1:MvDxzVmcRsaTz33bUuRU6A';
    expect(() => parseInitialControllers(text)).toThrow('the id 1 twice');
  });

  test('for a feature without a level', () => {
    expect(parseFeatures(['group.version = 1'])).toEqual(new Map([['group.version', 1]]));
    expect(() => parseFeatures(['group.version'])).toThrow(FormatError);
  });
});

test('a folder interrupted before its meta.properties counts as empty and is formatted anew', async () => {
  const { machine, format, checkpoint } = setUp();
  await format();
  machine.disk.remove('/data/meta.properties');
  expect((await format()).formatted).toEqual(['/data']);
  const id = readMetaProperties(machine.disk, '/data')?.directoryId;
  expect(checkpoint().quorum.voters?.set.get(1)?.key.directoryId).toBe(id);
});

test('info names what is formatted, missing, foreign and mismatched', async () => {
  const { machine, format } = setUp();
  await format();
  await format({ folders: ['/other'], metadataFolder: '/other', nodeId: 2 });
  machine.disk.makeFolder('/empty');
  machine.disk.open('/file', 'create').close();
  const { lines, hasProblems } = storageInfo(machine.disk, [
    '/data',
    '/other',
    '/empty',
    '/file',
    '/missing',
  ]);
  expect(hasProblems).toBe(true);
  expect(lines.filter((line) => !line.startsWith('Found metadata'))).toEqual([
    'Found log directories:',
    '  /data',
    '  /empty',
    '  /other',
    '',
    '',
    'Found problems:',
    '  /empty is not formatted.',
    '  /file is not a directory',
    '  /missing does not exist',
    '  Mismatched node IDs between storage directories.',
    '',
  ]);
  expect(storageInfo(machine.disk, ['/data']).hasProblems).toBe(false);
});

test('random ids are uuids that no command line takes for a flag', () => {
  const { machine } = setUp();
  for (let i = 0; i < 200; i++) {
    const id = randomUuid(machine.random);
    expect(isUuid(id)).toBe(true);
    expect(id).not.toMatch(/^-/);
  }
});

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'a formatted folder survives a power loss, with the parents made for it (chance %i)',
  async (seed) => {
    const world = new TestWorld(seed);
    const machine = new Machine(world.simulation, world.networks, 'one', 1);
    const folders = ['/var/lib/ottla/data'];
    const options = { ...OPTIONS, folders, metadataFolder: '/var/lib/ottla/data' };
    await world.outcome(formatFolders(machine.boot(silentLogger).platform, options));
    machine.crash('power-loss');
    const { disk } = machine.boot(silentLogger).platform;
    const [folder = ''] = folders;
    expect(disk.exists(`${folder}/__cluster_metadata-0/${CHECKPOINT.split('/').at(-1)}`)).toBe(
      true,
    );
    expect(readMetaProperties(disk, folder)?.nodeId).toBe(1);
  },
);

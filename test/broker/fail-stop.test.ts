import { InvariantError } from '../../src/base/invariant';
import { diskError } from '../../src/platform/disk-error';
import { memoryDisk } from '../../src/platform/memory-disk';
import type { Disk } from '../../src/platform/platform';
import type { RequestDraft } from '../../src/protocol/api';
import { FindCoordinator } from '../../src/protocol/apis/find-coordinator';
import { JoinGroup } from '../../src/protocol/apis/join-group';
import { ListOffsets } from '../../src/protocol/apis/list-offsets';
import { Produce } from '../../src/protocol/apis/produce';
import { Errors } from '../../src/protocol/errors';
import { buildBatch } from '../../src/protocol/records/builder';
import { RawClient } from '../server/raw-client';
import { startSoleNode } from '../support/sole-node';
import { TestWorld } from '../support/world';

interface BreakableDisk {
  readonly disk: Disk;
  breakNow(): void;
}

type Operation = 'write' | 'read' | 'sync' | 'replace';

/** A disk on which, once told to, that operation on files of that name fails with that error. */
function breakableDisk(
  failure: Error,
  operation: Operation = 'write',
  name = '__cluster_metadata',
): BreakableDisk {
  const disk = memoryDisk();
  const open = disk.open.bind(disk);
  const replace = disk.replace.bind(disk);
  let isBroken = false;
  const attempt = (what: Operation, path: string): void => {
    if (isBroken && what === operation && path.includes(name)) throw failure;
  };
  disk.open = (path, mode) => {
    const file = open(path, mode);
    const write = file.write.bind(file);
    const read = file.read.bind(file);
    const sync = file.sync.bind(file);
    file.write = (parts, position) => {
      attempt('write', path);
      write(parts, position);
    };
    file.read = (into, at, length, position) => {
      attempt('read', path);
      return read(into, at, length, position);
    };
    file.sync = async () => {
      attempt('sync', path);
      await sync();
    };
    return file;
  };
  disk.replace = async (path, bytes) => {
    attempt('replace', path);
    await replace(path, bytes);
  };
  return {
    disk,
    breakNow: () => {
      isBroken = true;
    },
  };
}

async function startOn(world: TestWorld, disk: Disk, others: Record<string, string> = {}) {
  const machine = world.machine('one', disk);
  return { broker: await startSoleNode(world, machine, others), machine };
}

test('a bug in the metadata log ends the node’s part: nobody is served, `failed` rejects', async () => {
  const world = new TestWorld();
  const { disk, breakNow } = breakableDisk(new InvariantError('one and one is two'));
  const { broker, machine } = await startOn(world, disk);
  breakNow();
  const creating = broker.createTopics([{ name: 'topic', settings: new Map() }]);
  creating.catch(() => undefined);
  const failure: unknown = await world.outcome(broker.failed).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(InvariantError);
  expect(machine.lines.map(({ event }) => event)).toContain('this node gives up: a bug was found');
  let closed = 0;
  const { network } = world.machine('client');
  network.connect(
    { host: 'one', port: 9092 },
    {
      opened: () => undefined,
      buffer: () => Buffer.alloc(16),
      received: () => undefined,
      ended: () => undefined,
      closed: () => {
        closed++;
      },
    },
  );
  await world.advance(1000);
  expect(closed).toBe(1);
});

test('a sole node whose metadata log found its disk full is stopped within a second', async () => {
  const world = new TestWorld();
  const { disk, breakNow } = breakableDisk(diskError('ENOSPC', 'write', '/data'));
  const { broker, machine } = await startOn(world, disk);
  breakNow();
  broker.createTopics([{ name: 'topic', settings: new Map() }]).catch(() => undefined);
  await world.advance(100);
  let isStopped = false;
  const stopping = broker.stop().then(() => {
    isStopped = true;
  });
  await world.advance(1000);
  expect(isStopped).toBe(true);
  await stopping;
  expect(machine.lines.map(({ event }) => event)).not.toContain(
    'this node gives up: a bug was found',
  );
});

test('without its metadata log a node serves nothing from its other folders either', async () => {
  const world = new TestWorld();
  const { disk, breakNow } = breakableDisk(diskError('ENOSPC', 'write', '/data'));
  const { broker } = await startOn(world, disk, { 'log.dirs': '/data,/other' });
  await world.outcome(broker.createTopics([{ name: 'topic', partitions: 2, settings: new Map() }]));
  const folders = ['/data', '/other'].map((folder) =>
    disk.list(folder).some(({ name }) => name.startsWith('topic-')),
  );
  expect(folders).toEqual([true, true]);
  const client = new RawClient(world.machine('client').network, 'one', 9092);
  const errors = async (): Promise<readonly number[]> => {
    client.send(Produce, 11, produced('x', [0, 1]));
    await world.advance(1000);
    const [topic] = client.answer(Produce, 11).responses;
    return topic?.partitionResponses.map(({ errorCode }) => errorCode) ?? [];
  };
  expect(await errors()).toEqual([Errors.NONE, Errors.NONE]);
  breakNow();
  broker.createTopics([{ name: 'another', settings: new Map() }]).catch(() => undefined);
  await world.advance(100);
  expect(await errors()).toEqual([Errors.KAFKA_STORAGE_ERROR, Errors.KAFKA_STORAGE_ERROR]);
  await world.outcome(broker.stop());
});

const GIVES_UP = 'this node gives up: a bug was found';
const CLEAN = '/data/.kafka_cleanshutdown';

const produced = (value: string, partitions = [0]): RequestDraft<typeof Produce> => ({
  transactionalId: null,
  acks: 1,
  timeoutMs: 1000,
  topicData: [
    {
      name: 'topic',
      partitionData: partitions.map((index) => ({
        index,
        records: buildBatch([{ timestamp: 1, value }]),
      })),
    },
  ],
});

const lookedUp: RequestDraft<typeof ListOffsets> = {
  replicaId: -1,
  topics: [{ name: 'topic', partitions: [{ partitionIndex: 0, timestamp: 1n }] }],
};

const joined: RequestDraft<typeof JoinGroup> = {
  groupId: 'group',
  sessionTimeoutMs: 10_000,
  rebalanceTimeoutMs: 10_000,
  memberId: '',
  protocolType: 'consumer',
  protocols: [{ name: 'range', metadata: Buffer.alloc(4) }],
};

/** A node with a topic of one record and a group's coordinator, and a client connected to it. */
async function inUse({ disk, breakNow }: BreakableDisk) {
  const world = new TestWorld();
  const { broker, machine } = await startOn(world, disk);
  const settings = new Map([['flush.messages', '1']]);
  await world.outcome(broker.createTopics([{ name: 'topic', settings }]));
  const client = new RawClient(world.machine('client').network, 'one', 9092);
  client.send(Produce, 11, produced('first'));
  client.send(FindCoordinator, 4, { keyType: 0, coordinatorKeys: ['group'] });
  await world.advance(1000);
  expect(client.answers()).toHaveLength(2);
  return { world, broker, machine, client, disk, breakNow };
}

type InUse = Awaited<ReturnType<typeof inUse>>;
const NOTHING = (): void => undefined;

const PLACES: readonly [string, Operation, string, (node: InUse) => unknown][] = [
  ['an append', 'write', '/topic-0/', ({ client }) => client.send(Produce, 11, produced('x'))],
  ['a look-up', 'read', '/topic-0/', ({ client }) => client.send(ListOffsets, 7, lookedUp)],
  ['an fsync', 'sync', '/topic-0/', ({ client }) => client.send(Produce, 11, produced('x'))],
  [
    'a coordinator',
    'write',
    '__consumer_offsets',
    ({ client }) => client.send(JoinGroup, 3, joined),
  ],
  ['the upkeep', 'replace', 'checkpoint', ({ client }) => client.send(Produce, 11, produced('x'))],
  [
    'the controller',
    'write',
    '__cluster_metadata',
    ({ broker }) => {
      broker.createTopics([{ name: 'other', settings: new Map() }]).catch(NOTHING);
    },
  ],
];

describe.each(PLACES)('a bug met by %s', (_what, operation, name, meet) => {
  test('ends the node: one line, nobody is served, nothing is marked as clean', async () => {
    const bug = new InvariantError('one and one is two');
    const node = await inUse(breakableDisk(bug, operation, name));
    const { world, broker, machine, client, disk, breakNow } = node;
    breakNow();
    meet(node);
    expect(await world.outcome(broker.failed.catch((error: unknown) => error))).toBe(bug);
    expect(machine.lines.filter(({ event }) => event === GIVES_UP)).toHaveLength(1);
    await world.advance(1000);
    expect(client.isClosed).toBe(true);
    const late = new RawClient(world.machine('late').network, 'one', 9092);
    await world.advance(1000);
    await world.outcome(broker.stop(), 5000);
    expect(late.isClosed).toBe(true);
    expect(disk.exists(CLEAN)).toBe(false);
  });
});

test('a slip in one request that is no failing invariant costs its connection alone', async () => {
  const slip = new TypeError('nothing is not a function');
  const breakable = breakableDisk(slip, 'read', '/topic-0/');
  const { world, broker, machine, client, disk, breakNow } = await inUse(breakable);
  const other = new RawClient(world.machine('other').network, 'one', 9092);
  breakNow();
  client.send(ListOffsets, 7, lookedUp);
  await world.advance(1000);
  expect(client.isClosed).toBe(true);
  other.send(Produce, 11, produced('second'));
  await world.advance(1000);
  expect(other.answer(Produce, 11).responses[0]?.partitionResponses[0]?.errorCode).toBe(0);
  expect(machine.lines.map(({ event }) => event)).not.toContain(GIVES_UP);
  await world.outcome(broker.stop());
  expect(disk.exists(CLEAN)).toBe(true);
});

import { InvariantError } from '../../src/base/invariant';
import { soleNodeProperties } from '../../src/broker/sole-node';
import { startNode } from '../../src/broker/start-node';
import { diskError } from '../../src/platform/disk-error';
import { memoryDisk } from '../../src/platform/memory-disk';
import type { Disk } from '../../src/platform/platform';
import { TestWorld } from '../support/world';

/** A disk on which, once told to, a write to the metadata log fails with that error. */
function breakableDisk(failure: Error): { readonly disk: Disk; breakNow(): void } {
  const disk = memoryDisk();
  const open = disk.open.bind(disk);
  let isBroken = false;
  disk.open = (path, mode) => {
    const file = open(path, mode);
    const write = file.write.bind(file);
    file.write = (parts, position) => {
      if (isBroken && path.includes('__cluster_metadata')) {
        throw failure;
      }
      write(parts, position);
    };
    return file;
  };
  return {
    disk,
    breakNow: () => {
      isBroken = true;
    },
  };
}

async function startOn(world: TestWorld, disk: Disk) {
  const machine = world.machine('one', disk);
  const properties = soleNodeProperties({
    nodeId: 1,
    host: 'one',
    port: 9092,
    controllerPort: 9093,
    advertisedHost: undefined,
    dataFolder: '/data',
  });
  const broker = await world.outcome(
    startNode({ platform: machine, properties, localHost: () => 'one' }),
  );
  return { broker, machine };
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

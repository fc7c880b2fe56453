import { InvariantError } from '../../src/base/invariant';
import { soleNodeProperties } from '../../src/broker/sole-node';
import { startNode } from '../../src/broker/start-node';
import { memoryDisk } from '../../src/platform/memory-disk';
import type { Disk } from '../../src/platform/platform';
import { TestWorld } from '../support/world';

/** A disk on which, once told to, a write to the metadata log meets a bug of ours. */
function breakableDisk(): { readonly disk: Disk; breakNow(): void } {
  const disk = memoryDisk();
  const open = disk.open.bind(disk);
  let isBroken = false;
  disk.open = (path, mode) => {
    const file = open(path, mode);
    const write = file.write.bind(file);
    file.write = (parts, position) => {
      if (isBroken && path.includes('__cluster_metadata')) {
        throw new InvariantError('one and one is two');
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

test('a bug in the metadata log ends the node’s part: nobody is served, `failed` rejects', async () => {
  const world = new TestWorld();
  const { disk, breakNow } = breakableDisk();
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

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../src/platform/logger';
import { memoryDisk } from '../../src/platform/memory-disk';
import { nodeDisk } from '../../src/platform/node-disk';
import { Machine } from '../simulation/engine/machine';
import { TestWorld } from '../support/world';
import { diskContract } from './disk-contract';

diskContract('the real disk', () => {
  const root = mkdtempSync(join(tmpdir(), 'ottla-disk-'));
  return {
    disk: nodeDisk(),
    root,
    wait: (promise) => promise,
    close: () => rmSync(root, { recursive: true, force: true }),
  };
});

diskContract('the disk in memory', () => {
  const disk = memoryDisk();
  disk.makeFolder('/data');
  return { disk, root: '/data', wait: (promise) => promise, close: () => undefined };
});

diskContract('the simulated disk', () => {
  const world = new TestWorld();
  const machine = new Machine(world.simulation, world.networks, 'node', 1);
  const { disk } = machine.boot(silentLogger).platform;
  disk.makeFolder('/data');
  return { disk, root: '/data', wait: (promise) => world.outcome(promise), close: () => undefined };
});

const hasProc = existsSync('/proc/self');
(hasProc ? test : test.skip)(
  'a folder that the system lets nobody make is an error, at once',
  () => {
    expect(() => nodeDisk().makeFolder('/proc/no-such-folder')).toThrow('ENOENT');
    expect(() => nodeDisk().makeFolder('/proc/no-such-folder/within')).toThrow('ENOENT');
  },
);

test('a disk in memory is full at its capacity, and has room again for what was removed', () => {
  const disk = memoryDisk(1000);
  const file = disk.open('/a', 'create');
  file.write([Buffer.alloc(600)], 0);
  expect(() => file.write([Buffer.alloc(600)], 600)).toThrow('ENOSPC');
  expect(() => file.truncate(1001)).toThrow('ENOSPC');
  file.write([Buffer.alloc(600, 1)], 0);
  file.truncate(100);
  file.write([Buffer.alloc(900)], 100);
  disk.remove('/a');
  const other = disk.open('/b', 'create');
  expect(() => other.write([Buffer.alloc(1)], 0)).toThrow('ENOSPC');
  file.close();
  other.write([Buffer.alloc(1000)], 0);
  expect(other.length()).toBe(1000);
});

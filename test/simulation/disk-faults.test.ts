import { silentLogger } from '../../src/platform/logger';
import type { Disk } from '../../src/platform/platform';
import { TestWorld } from '../support/world';
import { Machine } from './engine/machine';
import type { SimulatedDisk } from './engine/simulated-disk';

const SEEDS = Array.from({ length: 60 }, (_, seed) => seed);

class Case {
  readonly world: TestWorld;
  readonly machine: Machine;
  disk: Disk;

  constructor(seed: number) {
    this.world = new TestWorld(seed);
    this.machine = new Machine(this.world.simulation, this.world.networks, 'one', 1);
    this.disk = this.machine.boot(silentLogger).platform.disk;
  }

  crash(kind: 'process-crash' | 'power-loss'): void {
    this.machine.crash(kind);
    this.disk = this.machine.boot(silentLogger).platform.disk;
  }

  get simulated(): SimulatedDisk {
    return this.machine.disk as SimulatedDisk;
  }

  write(path: string, text: string, position = 0): void {
    const file = this.disk.open(path, 'create');
    file.write([Buffer.from(text)], position);
    file.close();
  }

  async sync(path: string): Promise<void> {
    const file = this.disk.open(path, 'write');
    await this.world.outcome(file.sync());
    file.close();
  }

  read(path: string): string | undefined {
    return this.disk.exists(path) ? this.disk.readFile(path).toString() : undefined;
  }
}

test('a process crash loses nothing that was written', () => {
  for (const seed of SEEDS) {
    const one = new Case(seed);
    one.disk.makeFolder('/a/b');
    one.write('/a/b/c', 'written');
    one.disk.rename('/a/b/c', '/a/d');
    one.crash('process-crash');
    expect(one.read('/a/d')).toBe('written');
    expect(one.disk.list('/a/b')).toEqual([]);
  }
});

test('a power loss never takes what was synced, name and all', async () => {
  for (const seed of SEEDS) {
    const one = new Case(seed);
    one.write('/a', 'synced');
    await one.sync('/a');
    await one.world.outcome(one.disk.syncFolder('/'));
    one.write('/a', ' and more', 6);
    one.crash('power-loss');
    expect(one.read('/a')?.slice(0, 6)).toBe('synced');
  }
});

test('a power loss may take what was not synced, or a part of it, or nothing', () => {
  const outcomes = new Set<string>();
  for (const seed of SEEDS) {
    const one = new Case(seed);
    one.write('/a', 'x'.repeat(20_000));
    one.crash('power-loss');
    const text = one.read('/a');
    if (text === undefined) outcomes.add('no name');
    else if (text === '') outcomes.add('no bytes');
    else if (text === 'x'.repeat(20_000)) outcomes.add('all');
    else if (text.includes('\0')) outcomes.add('a hole');
    else outcomes.add('a shorter file');
  }
  expect([...outcomes].sort()).toEqual(['a hole', 'a shorter file', 'all', 'no bytes', 'no name']);
});

test('a power loss tears pages between sectors', async () => {
  let torn = 0;
  for (const seed of SEEDS) {
    const one = new Case(seed);
    one.write('/a', 'o'.repeat(4096));
    await one.sync('/a');
    await one.world.outcome(one.disk.syncFolder('/'));
    one.write('/a', 'n'.repeat(4096));
    one.crash('power-loss');
    const text = one.read('/a') as string;
    const kept = text.lastIndexOf('n') + 1;
    expect(text).toBe('n'.repeat(kept) + 'o'.repeat(4096 - kept));
    expect(kept % 512).toBe(0);
    if (kept > 0 && kept < 4096) torn += 1;
  }
  expect(torn).toBeGreaterThan(0);
});

test('what was written while an fsync ran is not covered by it', async () => {
  let lost = 0;
  for (const seed of SEEDS) {
    const one = new Case(seed);
    const file = one.disk.open('/a', 'create');
    file.write([Buffer.from('before')], 0);
    const synced = file.sync();
    file.write([Buffer.from('during')], 5000);
    await one.world.outcome(synced);
    await one.world.outcome(one.disk.syncFolder('/'));
    one.crash('power-loss');
    expect(one.read('/a')?.startsWith('before')).toBe(true);
    if (one.read('/a')?.includes('during') === false) lost += 1;
  }
  expect(lost).toBeGreaterThan(0);
});

test('a rename survives a power loss whole or not at all', async () => {
  const outcomes = new Set<string | undefined>();
  for (const seed of SEEDS) {
    const one = new Case(seed);
    one.write('/old', 'old');
    one.write('/new', 'new');
    await one.sync('/old');
    await one.sync('/new');
    await one.world.outcome(one.disk.syncFolder('/'));
    one.disk.rename('/new', '/old');
    one.crash('power-loss');
    outcomes.add(`${one.read('/old')} ${one.read('/new')}`);
  }
  expect([...outcomes].sort()).toEqual(['new undefined', 'old new']);
});

test('a replaced file survives a power loss as it was before or after, however early', async () => {
  const outcomes = new Set<string | undefined>();
  for (const seed of SEEDS) {
    const one = new Case(seed);
    await one.world.outcome(one.disk.replace('/a', Buffer.from('before')));
    let isDone = false;
    one.disk.replace('/a', Buffer.from('after')).then(
      () => {
        isDone = true;
      },
      () => undefined,
    );
    await one.world.advance(seed / 10);
    one.crash('power-loss');
    const text = one.read('/a');
    if (isDone) expect(text).toBe('after');
    outcomes.add(text);
  }
  expect([...outcomes].sort()).toEqual(['after', 'before']);
});

test('a process can die in any of its disk operations, before, within or after it', () => {
  const outcomes = new Set<string | undefined>();
  for (const seed of SEEDS) {
    const one = new Case(seed);
    one.write('/a', '');
    one.simulated.crashAt(1, (doPart) => one.machine.crash('process-crash', doPart));
    one.write('/a', 'first');
    one.write('/a', 'second', 5);
    one.write('/a', 'third', 11);
    one.disk = one.machine.boot(silentLogger).platform.disk;
    outcomes.add(one.read('/a'));
  }
  expect(outcomes).toContain('first');
  expect(outcomes).toContain('firstsecond');
  expect([...outcomes].some((text) => /^firstsec?o?n?$/.test(text ?? ''))).toBe(true);
  for (const text of outcomes) expect('firstsecond'.startsWith(text ?? '')).toBe(true);
});

test('an operation fails when that was set, a failed write having written a part', async () => {
  const lengths = new Set<number>();
  for (const seed of SEEDS) {
    const one = new Case(seed);
    const file = one.disk.open('/a', 'create');
    one.simulated.failAt(1, 'write', 'EIO');
    file.write([Buffer.from('good')], 0);
    expect(() => file.write([Buffer.alloc(100)], 4)).toThrow('EIO: i/o error, write');
    lengths.add(file.length());
    one.simulated.failAt(0, 'sync', 'EIO');
    const failed = file.sync().then(
      () => 'synced',
      (error: NodeJS.ErrnoException) => error.code,
    );
    expect(await one.world.outcome(failed)).toBe('EIO');
    // Final, as on the real disk: nothing is tried again.
    await expect(one.world.outcome(file.sync())).rejects.toThrow('EIO');
    one.simulated.failAt(0, 'name', 'ENOSPC');
    expect(() => one.disk.open('/b', 'create')).toThrow('ENOSPC');
    one.disk.open('/b', 'create');
  }
  expect(lengths.size).toBeGreaterThan(10);
});

test('a full disk refuses what needs more room, and nothing else', () => {
  const one = new Case(1);
  one.write('/a', 'four');
  one.simulated.setFull(true);
  one.write('/a', 'FOUR');
  expect(() => one.write('/a', 'more', 4)).toThrow('ENOSPC');
  expect(() => one.write('/b', '')).toThrow('ENOSPC');
  one.disk.rename('/a', '/c');
  one.simulated.calm();
  one.write('/c', ' again', 4);
  expect(one.read('/c')).toBe('FOUR again');
});

test('a slow disk takes its time for an fsync, until it is calm', async () => {
  const one = new Case(1);
  one.write('/a', 'slow');
  const took = async (): Promise<number> => {
    const startMs = one.world.simulation.nowMs;
    await one.sync('/a');
    return one.world.simulation.nowMs - startMs;
  };
  one.simulated.slow(10_000);
  expect(await took()).toBeGreaterThan(400);
  one.simulated.calm();
  expect(await took()).toBeLessThan(200);
});

test('a lock ends with the process that holds it', () => {
  const one = new Case(1);
  expect(one.disk.lock('/.lock')).toBeDefined();
  expect(one.disk.lock('/.lock')).toBeUndefined();
  one.crash('process-crash');
  expect(one.disk.lock('/.lock')).toBeDefined();
});

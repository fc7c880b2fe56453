import { Faults } from '../../src/embed/faults';
import { Life } from '../../src/embed/life';
import { lifePlatform } from '../../src/embed/life-platform';
import type { Link, Platform } from '../../src/platform/platform';
import { TestWorld } from '../support/world';

/** Two nodes of one process, over a world whose time is moved by hand. */
class Nodes {
  readonly world = new TestWorld();
  readonly faults = new Faults();
  readonly machine = this.world.machine('here');
  readonly lives = [new Life(this.machine.clock), new Life(this.machine.clock)] as const;
  readonly one = this.#node(0);
  readonly other = this.#node(1);
  /** What the other node, which listens, has received. */
  received = '';
  /** Who has seen the end of the connection. */
  readonly closed: string[] = [];

  #node(index: 0 | 1): Platform {
    return lifePlatform(this.machine, this.lives[index], index + 1, this.faults);
  }

  /** A connection from the one to the other. */
  async connect(): Promise<Link> {
    const into = Buffer.alloc(100);
    this.faults.place(2, 4000);
    await this.world.outcome(
      this.other.network.listen({ host: 'localhost', port: 4000 }, () => ({
        buffer: () => into,
        received: (length) => {
          this.received += into.toString('utf8', 0, length);
        },
        ended: () => void this.closed.push('other'),
        closed: () => undefined,
      })),
    );
    const link = this.one.network.connect(
      { host: 'localhost', port: 4000 },
      {
        buffer: () => Buffer.alloc(100),
        received: () => undefined,
        ended: () => undefined,
        closed: () => void this.closed.push('one'),
      },
    );
    await this.world.advance(10);
    return link;
  }
}

describe('a life that is frozen', () => {
  test('stands still: its clock, and what is due', async () => {
    const { world, one, lives } = new Nodes();
    const fired: number[] = [];
    const gaps: number[] = [];
    one.clock.onGap((gapMs) => void gaps.push(gapMs));
    const startMs = one.clock.monotonicMs();
    one.clock.setTimer(1_000, () => void fired.push(world.simulation.nowMs));
    await world.advance(500);
    lives[0].freeze();
    await world.advance(5_000);
    expect(one.clock.monotonicMs() - startMs).toBe(500);
    lives[0].thaw();
    await world.advance(0);
    // As much as a loaded machine might take counts as time that passed.
    expect(one.clock.monotonicMs() - startMs).toBe(750);
    expect(gaps).toEqual([5_000]);
    expect(fired).toEqual([]);
    await world.advance(1_000);
    expect(fired[0]).toBeGreaterThanOrEqual(5_750);
    expect(fired[0]).toBeLessThan(5_800);
  });

  test('is told what was sent to it once it is thawed', async () => {
    const nodes = new Nodes();
    const link = await nodes.connect();
    nodes.lives[1].freeze();
    link.write(Buffer.from('hello'));
    await nodes.world.advance(1_000);
    expect(nodes.received).toBe('');
    nodes.lives[1].thaw();
    await nodes.world.advance(100);
    expect(nodes.received).toBe('hello');
  });
});

describe('a life that is over', () => {
  test('does nothing more, and its connections break', async () => {
    const nodes = new Nodes();
    await nodes.connect();
    let hasFired = false;
    nodes.one.clock.setTimer(10, () => {
      hasFired = true;
    });
    nodes.lives[0].end();
    await nodes.world.advance(1_000);
    expect(hasFired).toBe(false);
    expect(nodes.closed).toEqual(['other']);
  });

  test('writes nothing more, and leaves its lock to the next', async () => {
    const { world, one, other, lives } = new Nodes();
    one.disk.makeFolder('/data');
    const lock = one.disk.lock('/data/.lock');
    expect(lock).toBeDefined();
    expect(other.disk.lock('/data/.lock')).toBeUndefined();
    const file = one.disk.open('/data/file', 'create');
    file.write([Buffer.from('kept')], 0);
    lives[0].end();
    expect(() => file.write([Buffer.from('lost')], 0)).toThrow('the node was killed');
    let isTold = false;
    void file.sync().then(() => {
      isTold = true;
    });
    await world.advance(100);
    expect(isTold).toBe(false);
    expect(other.disk.readFile('/data/file').toString()).toBe('kept');
    expect(other.disk.lock('/data/.lock')).toBeDefined();
  });
});

describe('nodes that are cut off from each other', () => {
  test('hear nothing until they are not, then all that was sent, in order', async () => {
    const nodes = new Nodes();
    const link = await nodes.connect();
    link.write(Buffer.from('a'));
    await nodes.world.advance(10);
    nodes.faults.cut(1, 2);
    link.write(Buffer.from('b'));
    link.write(Buffer.from('c'));
    await nodes.world.advance(10_000);
    expect(nodes.received).toBe('a');
    nodes.faults.mend(1, 2);
    await nodes.world.advance(10);
    expect(nodes.received).toBe('abc');
    expect(nodes.closed).toEqual([]);
  });

  test('do not learn that the other has hung up before they are not', async () => {
    const nodes = new Nodes();
    const link = await nodes.connect();
    nodes.faults.cut(1, 2);
    link.destroy();
    await nodes.world.advance(1_000);
    expect(nodes.closed).toEqual(['one']);
    nodes.faults.mend(1, 2);
    await nodes.world.advance(10);
    expect(nodes.closed).toEqual(['one', 'other']);
  });

  test('connect only when they are not', async () => {
    const nodes = new Nodes();
    await nodes.connect();
    nodes.faults.cut(1, 2);
    let isOpen = false;
    nodes.one.network.connect(
      { host: 'localhost', port: 4000 },
      {
        opened: () => {
          isOpen = true;
        },
        buffer: () => Buffer.alloc(1),
        received: () => undefined,
        ended: () => undefined,
        closed: () => undefined,
      },
    );
    await nodes.world.advance(1_000);
    expect(isOpen).toBe(false);
    nodes.faults.mend(1, 2);
    await nodes.world.advance(100);
    expect(isOpen).toBe(true);
  });
});

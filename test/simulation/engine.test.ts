import fc from 'fast-check';
import { silentLogger } from '../../src/platform/logger';
import { TestWorld } from '../support/world';
import { EventQueue } from './engine/event-queue';
import { Machine, USUAL_TRAITS } from './engine/machine';
import { Stream } from './engine/seeds';

test('a stream is a function of its seed and name, and no stream moves another', () => {
  const draw = (seed: number, name: string): number[] => {
    const stream = new Stream(seed, name);
    return Array.from({ length: 5 }, () => stream.next());
  };
  expect(draw(1, 'network')).toEqual(draw(1, 'network'));
  expect(draw(1, 'network')).not.toEqual(draw(1, 'faults'));
  expect(draw(1, 'network')).not.toEqual(draw(2, 'network'));
});

test('streams spread over what they are asked for', () => {
  const stream = new Stream(7, 'spread');
  const counts = Array.from({ length: 10 }, () => 0);
  for (let draw = 0; draw < 10_000; draw += 1) {
    const value = stream.below(10);
    counts[value] = (counts[value] ?? 0) + 1;
  }
  for (const count of counts) expect(count).toBeGreaterThan(800);
  expect(stream.chance(0)).toBe(false);
  expect(stream.chance(1)).toBe(true);
});

test('the queue gives events by time, then in the order in which they were added', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(20), { nil: undefined })), (steps) => {
      const queue = new EventQueue<{ atUs: number; order: number }>();
      let waiting: { atUs: number; order: number }[] = [];
      steps.forEach((atUs, order) => {
        if (atUs !== undefined) {
          const event = { atUs, order };
          queue.add(event);
          waiting.push(event);
        } else {
          waiting = waiting.sort((a, b) => a.atUs - b.atUs || a.order - b.order);
          expect(queue.peek()).toBe(waiting[0]);
          expect(queue.take()).toBe(waiting.shift());
        }
        expect(queue.size).toBe(waiting.length);
      });
    }),
  );
});

test('all promises settle after an event and before the next', async () => {
  const world = new TestWorld();
  const { clock } = world.machine('one');
  const order: string[] = [];
  const hops = async (name: string): Promise<void> => {
    order.push(`${name} begins`);
    clock.afterTurn(() => order.push(`${name} after turn`));
    for (let hop = 0; hop < 20; hop += 1) await undefined;
    order.push(`${name} ends`);
  };
  clock.setTimer(10, () => void hops('first'));
  clock.setTimer(10, () => void hops('second'));
  await world.advance(20);
  expect(order).toEqual([
    ...['first begins', 'first ends', 'first after turn'],
    ...['second begins', 'second ends', 'second after turn'],
  ]);
});

test('timers run at their time, and wall clocks of machines may differ', async () => {
  const world = new TestWorld();
  const { clock } = world.machine('one');
  const traits = { ...USUAL_TRAITS, wallSkewMs: 1500 };
  const other = new Machine(world.simulation, world.networks, 'two', 2, traits).boot(silentLogger);
  const startMs = clock.monotonicMs();
  const startWallMs = clock.wallMs();
  await world.outcome(clock.sleep(95));
  expect(clock.monotonicMs() - startMs).toBeGreaterThanOrEqual(95);
  expect(clock.monotonicMs() - startMs).toBeLessThanOrEqual(105);
  expect(clock.wallMs() - startWallMs).toBe(clock.monotonicMs() - startMs);
  expect(other.platform.clock.wallMs() - clock.wallMs()).toBe(1500);
  const timer = clock.setTimer(50, () => {
    throw new Error('it was cancelled');
  });
  timer.cancel();
  await world.advance(100);
});

test('a wall clock can jump, and the monotonic one never does', async () => {
  const world = new TestWorld();
  const machine = new Machine(world.simulation, world.networks, 'one', 1);
  const { clock } = machine.boot(silentLogger).platform;
  const [wallMs, monotonicMs] = [clock.wallMs(), clock.monotonicMs()];
  machine.setWallSkew(-60_000);
  expect(clock.wallMs() - wallMs).toBe(-60_000);
  expect(clock.monotonicMs()).toBe(monotonicMs);
});

test('a stopped process hears of its sockets, then of the gap, then of its timers', async () => {
  const world = new TestWorld();
  const machine = new Machine(world.simulation, world.networks, 'one', 1, {
    ...USUAL_TRAITS,
    timerLatenessUs: 0,
  });
  const { platform, life } = machine.boot(silentLogger);
  const client = world.machine('client');
  const events: string[] = [];
  platform.clock.onGap((gapMs) => events.push(`gap of ${gapMs}`));
  const memory = Buffer.alloc(100);
  await world.outcome(
    platform.network.listen({ host: 'one', port: 1 }, () => ({
      buffer: () => memory,
      received: (length) => events.push(memory.toString('latin1', 0, length)),
      ended: () => undefined,
      closed: () => undefined,
    })),
  );
  const link = client.network.connect(
    { host: 'one', port: 1 },
    {
      buffer: () => memory,
      received: () => undefined,
      ended: () => undefined,
      closed: () => undefined,
    },
  );
  await world.advance(100);
  const startMs = platform.clock.monotonicMs();
  platform.clock.setTimer(500, () => events.push('timer'));
  life.pause();
  link.write(Buffer.from('heartbeat'));
  await world.advance(60_000);
  expect(events).toEqual([]);
  life.resume();
  await world.advance(10);
  expect(events).toEqual(['heartbeat', 'gap of 60000', 'timer']);
  // The wheel's clock leaves out what goes beyond 250 ms.
  expect(platform.clock.monotonicMs() - startMs).toBeLessThanOrEqual(250 + 10);
});

test('a doomed process runs to the end of its turn, but nothing of it is seen any more', async () => {
  const world = new TestWorld();
  const machine = new Machine(world.simulation, world.networks, 'one', 1);
  const { platform } = machine.boot(silentLogger);
  const receivedBytes: number[] = [];
  const client = world.machine('client');
  const memory = Buffer.alloc(1000);
  const quiet = { buffer: () => memory, ended: () => undefined, closed: () => undefined };
  await world.outcome(
    client.network.listen({ host: 'client', port: 1 }, () => ({
      ...quiet,
      received: (length) => receivedBytes.push(length),
    })),
  );
  const link = platform.network.connect(
    { host: 'client', port: 1 },
    { ...quiet, received: () => undefined },
  );
  await world.advance(100);
  const after: string[] = [];
  platform.clock.setTimer(10, () => {
    const file = platform.disk.open('/a', 'create');
    file.write([Buffer.from('before')], 0);
    machine.crash('process-crash');
    file.write([Buffer.from('after!')], 0);
    void file.sync().then(() => after.push('synced'));
    link.write(Buffer.from('sent after death'));
    platform.clock.setTimer(0, () => after.push('timer'));
    platform.clock.nextTurn(() => after.push('turn'));
    platform.clock.afterTurn(() => after.push('after turn'));
    after.push('end of turn');
  });
  await world.advance(1000);
  expect(after).toEqual(['end of turn']);
  expect(receivedBytes).toEqual([]);
  expect(machine.boot(silentLogger).platform.disk.readFile('/a').toString()).toBe('before');
});

test('two runs of one seed leave the same trace, and of two seeds not', async () => {
  const traceOf = async (seed: number): Promise<string> => {
    const world = new TestWorld(seed);
    const machine = new Machine(world.simulation, world.networks, 'one', 1);
    const { clock, random, disk } = machine.boot(silentLogger).platform;
    for (let round = 0; round < 20; round += 1) {
      const file = disk.open('/a', 'create');
      file.write([random.bytes(random.below(100))], 0);
      await world.outcome(Promise.all([file.sync(), clock.sleep(random.below(50))]));
    }
    return world.simulation.traceHash;
  };
  expect(await traceOf(1)).toBe(await traceOf(1));
  expect(await traceOf(1)).not.toBe(await traceOf(2));
});

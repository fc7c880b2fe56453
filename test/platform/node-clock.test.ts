import { connect, createServer } from 'node:net';
import timers from 'node:timers';
import { nodeClock } from '../../src/platform/node-clock';
import { eventually } from '../support/eventually';

/** Stops this thread, and with it the loop. */
const block = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
};

const realSleep = (ms: number): Promise<void> =>
  new Promise((resolve) => void timers.setTimeout(resolve, ms));

test('a timer fires once, not before its time, and not after it was cancelled', async () => {
  const clock = nodeClock();
  const startMs = clock.monotonicMs();
  const fired: number[] = [];
  for (const delayMs of [0, 15, 50, 250]) {
    clock.setTimer(delayMs, () => {
      expect(clock.monotonicMs() - startMs).toBeGreaterThanOrEqual(delayMs);
      fired.push(delayMs);
    });
  }
  clock.setTimer(30, () => fired.push(-1)).cancel();
  await clock.sleep(300);
  expect(fired).toEqual([0, 15, 50, 250]);
});

test('a timer set for sooner than the others wakes the clock in time', async () => {
  const clock = nodeClock();
  const fired: string[] = [];
  clock.setTimer(150, () => fired.push('late'));
  await realSleep(5);
  clock.setTimer(10, () => fired.push('soon'));
  await eventually(() => fired.length > 0);
  expect(fired).toEqual(['soon']);
  await eventually(() => fired.length > 1);
});

test('after-turn callbacks run when promises have settled, before the next turn', async () => {
  const clock = nodeClock();
  const order: string[] = [];
  await new Promise<void>((resolve) => {
    clock.nextTurn(() => {
      order.push('next turn');
      resolve();
    });
    clock.afterTurn(() => {
      order.push('after turn');
      clock.afterTurn(() => order.push('after that'));
      void Promise.resolve().then(() => order.push('its promise'));
    });
    void (async () => {
      for (let hop = 0; hop < 5; hop += 1) await undefined;
      order.push('promises');
    })();
  });
  expect(order).toEqual(['promises', 'after turn', 'its promise', 'after that', 'next turn']);
});

test('time in which the loop did not run is left out, told, and polled after', async () => {
  const clock = nodeClock();
  const events: string[] = [];
  const gaps: number[] = [];
  clock.onGap((gapMs) => {
    events.push('gap');
    gaps.push(gapMs);
  });
  const server = createServer((socket) => void socket.on('data', () => events.push('bytes')));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const client = connect({ host: '127.0.0.1', port });
  client.write('hello');
  await eventually(() => events.length === 1);

  const startMs = clock.monotonicMs();
  const startRawMs = performance.now();
  clock.setTimer(100, () => events.push('timer'));
  client.write('came in time');
  block(700);
  const atWakingMs = clock.monotonicMs() - startMs;
  await eventually(() => events.includes('timer'));
  expect(events).toEqual(['bytes', 'bytes', 'gap', 'timer']);
  expect(gaps[0]).toBeGreaterThan(550);
  // 100 to the timer and 250 that are tolerated count; the rest does not.
  expect(atWakingMs).toBeLessThanOrEqual(100 + 10 + 250 + 1);
  expect(performance.now() - startRawMs).toBeGreaterThanOrEqual(700);
  // From here on time counts again.
  const againMs = clock.monotonicMs();
  await clock.sleep(50);
  expect(clock.monotonicMs() - againMs).toBeGreaterThanOrEqual(50);
  client.destroy();
  server.close();
});

test('a callback that blocks the loop takes no time from the timers behind it', async () => {
  const clock = nodeClock();
  const startMs = clock.monotonicMs();
  let gaps = 0;
  clock.onGap(() => {
    gaps += 1;
  });
  clock.setTimer(10, () => block(600));
  let firedAtMs = 0;
  clock.setTimer(500, () => {
    firedAtMs = clock.monotonicMs() - startMs;
  });
  const startRawMs = performance.now();
  await eventually(() => firedAtMs > 0);
  expect(firedAtMs).toBeGreaterThanOrEqual(500);
  expect(performance.now() - startRawMs).toBeGreaterThanOrEqual(600 + 500 - 250 - 20);
  expect(gaps).toBeGreaterThan(0);
});

test('waiting with nothing to do is no gap', async () => {
  const clock = nodeClock();
  let gaps = 0;
  clock.onGap(() => {
    gaps += 1;
  });
  const startMs = clock.monotonicMs();
  await realSleep(400);
  expect(clock.monotonicMs() - startMs).toBeGreaterThanOrEqual(399);
  await clock.sleep(20);
  expect(gaps).toBe(0);
});

describe('with fake timers', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  test('installed before the clock is loaded, it runs all the same', async () => {
    let isolated: typeof import('../../src/platform/node-clock') | undefined;
    jest.isolateModules(() => {
      isolated = require('../../src/platform/node-clock');
    });
    await expectRunning((isolated as NonNullable<typeof isolated>).nodeClock());
  });

  test('installed after the clock was loaded, it runs all the same', async () => {
    await expectRunning(nodeClock());
  });

  async function expectRunning(clock: ReturnType<typeof nodeClock>): Promise<void> {
    const frozenMs = Date.now();
    const startWallMs = clock.wallMs();
    const startMs = clock.monotonicMs();
    await clock.sleep(30);
    await new Promise<void>((resolve) => clock.afterTurn(resolve));
    await new Promise<void>((resolve) => clock.nextTurn(resolve));
    expect(clock.monotonicMs() - startMs).toBeGreaterThanOrEqual(30);
    expect(clock.wallMs() - startWallMs).toBeGreaterThanOrEqual(29);
    expect(Date.now()).toBe(frozenMs);
  }
});

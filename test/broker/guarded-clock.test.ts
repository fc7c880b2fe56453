import { guardedClock } from '../../src/broker/guarded-clock';
import type { Clock } from '../../src/platform/platform';
import { TestWorld } from '../support/world';

const slip = new TypeError('nothing is not a function');
const throwing = (): never => {
  throw slip;
};

const WAYS: Readonly<Record<string, (clock: Clock) => void>> = {
  'a timer': (clock) => void clock.setTimer(10, throwing),
  'the end of a turn': (clock) => clock.afterTurn(throwing),
  'the next turn': (clock) => clock.nextTurn(throwing),
};

test.each(Object.entries(WAYS))(
  'what is thrown in %s is told, and thrown no further',
  async (_way, set) => {
    const world = new TestWorld();
    const { clock } = world.machine('one');
    const told: unknown[] = [];
    set(guardedClock(clock, (error) => told.push(error)));
    await world.advance(100);
    expect(told).toEqual([slip]);
  },
);

test('time is that of the clock, and a timer that is cancelled never fires', async () => {
  const world = new TestWorld();
  const { clock } = world.machine('one');
  const guarded = guardedClock(clock, throwing);
  let fired = 0;
  const count = (): void => {
    fired += 1;
  };
  guarded.setTimer(50, count).cancel();
  guarded.setTimer(50, count);
  await world.outcome(guarded.sleep(100));
  expect(fired).toBe(1);
  expect(guarded.monotonicMs()).toBe(clock.monotonicMs());
  expect(guarded.wallMs()).toBe(clock.wallMs());
});

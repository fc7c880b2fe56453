import { monotonicMs } from '../../src/base/times';
import type { Timer } from '../../src/platform/platform';
import { Change, type Outcome, Waiting } from '../../src/replication/waiting';

/** A clock in whose turns the test decides. */
class HandClock {
  #afterTurn: (() => void)[] = [];
  #timers: { atMs: number; callback: () => void }[] = [];
  nowMs = 0;

  afterTurn(callback: () => void): void {
    this.#afterTurn.push(callback);
  }

  setTimer(delayMs: number, callback: () => void): Timer {
    const timer = { atMs: this.nowMs + delayMs, callback };
    this.#timers.push(timer);
    const cancel = () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
    return { cancel };
  }

  get timerCount(): number {
    return this.#timers.length;
  }

  endTurn(): void {
    for (let next = this.#afterTurn.shift(); next !== undefined; next = this.#afterTurn.shift()) {
      next();
    }
  }

  pass(ms: number): void {
    this.nowMs = monotonicMs(this.nowMs + ms);
    const due = this.#timers.filter((timer) => timer.atMs <= this.nowMs);
    this.#timers = this.#timers.filter((timer) => timer.atMs > this.nowMs);
    for (const timer of due) timer.callback();
    this.endTurn();
  }
}

function setUp() {
  const clock = new HandClock();
  const waiting = new Waiting(clock);
  const outcomes: Outcome[] = [];
  const ended = (outcome: Outcome) => void outcomes.push(outcome);
  return { clock, waiting, outcomes, ended };
}

test('a waiter ends after the turn in which its need is met, never inside the change', () => {
  const { clock, waiting, outcomes, ended } = setUp();
  const place = waiting.place();
  let bytes = 0;
  const waiter = waiting.waiter(10, 500, ended);
  waiter.watch(place, Change.highWatermark, () => bytes);
  waiter.begin();
  bytes = 9;
  place.changed(Change.highWatermark);
  clock.endTurn();
  expect(outcomes).toEqual([]);
  bytes = 10;
  place.changed(Change.highWatermark);
  expect(outcomes).toEqual([]);
  clock.endTurn();
  expect(outcomes).toEqual(['given']);
  expect(waiting.count).toBe(0);
  expect(place.size).toBe(0);
  expect(clock.timerCount).toBe(0);
});

test('what several places give adds up', () => {
  const { clock, waiting, outcomes, ended } = setUp();
  const places = [waiting.place(), waiting.place(), waiting.place()];
  const given = [0, 0, 0];
  const waiter = waiting.waiter(6, 500, ended);
  places.forEach((place, index) => {
    waiter.watch(place, Change.end, () => given[index] ?? 0);
  });
  waiter.begin();
  places.forEach((place, index) => {
    given[index] = 2;
    expect(outcomes).toEqual([]);
    place.changed(Change.end);
    clock.endTurn();
  });
  expect(outcomes).toEqual(['given']);
});

test('a place that gives less than before takes it from the sum', () => {
  const { clock, waiting, outcomes, ended } = setUp();
  const one = waiting.place();
  const other = waiting.place();
  let oneGives = 5;
  let otherGives = 0;
  const waiter = waiting.waiter(8, 500, ended);
  waiter.watch(one, Change.end, () => oneGives);
  waiter.watch(other, Change.end, () => otherGives);
  waiter.begin();
  oneGives = 0;
  one.changed(Change.end);
  otherGives = 5;
  other.changed(Change.end);
  clock.endTurn();
  expect(outcomes).toEqual([]);
  oneGives = 3;
  one.changed(Change.end);
  clock.endTurn();
  expect(outcomes).toEqual(['given']);
});

test('a need that is met when the wait begins ends it after the turn', () => {
  const { clock, waiting, outcomes, ended } = setUp();
  const waiter = waiting.waiter(1, 500, ended);
  waiter.watch(waiting.place(), Change.end, () => 0);
  waiter.watch(waiting.place(), Change.end, () => Number.POSITIVE_INFINITY);
  waiter.begin();
  expect(outcomes).toEqual([]);
  clock.endTurn();
  expect(outcomes).toEqual(['given']);
});

test('the deadline ends a wait exactly when it is due', () => {
  const { clock, waiting, outcomes, ended } = setUp();
  const place = waiting.place();
  const waiter = waiting.waiter(1, 500, ended);
  waiter.watch(place, Change.end, () => 0);
  waiter.begin();
  clock.pass(499);
  expect(outcomes).toEqual([]);
  clock.pass(1);
  expect(outcomes).toEqual(['late']);
  place.changed(Change.end);
  clock.pass(1000);
  expect(outcomes).toEqual(['late']);
});

test('a change that a waiter does not watch for is not measured', () => {
  const { clock, waiting, ended } = setUp();
  const place = waiting.place();
  const measured = jest.fn(() => 0);
  const waiter = waiting.waiter(1, 500, ended);
  waiter.watch(place, Change.highWatermark | Change.role, measured);
  waiter.begin();
  measured.mockClear();
  place.changed(Change.end);
  clock.endTurn();
  expect(measured).toHaveBeenCalledTimes(0);
  place.changed(Change.end);
  place.changed(Change.role);
  clock.endTurn();
  expect(measured).toHaveBeenCalledTimes(1);
});

test('a cancelled waiter is never told and leaves nothing behind', () => {
  const { clock, waiting, outcomes, ended } = setUp();
  const place = waiting.place();
  const waiter = waiting.waiter(1, 500, ended);
  waiter.watch(place, Change.end, () => 1);
  waiter.begin();
  waiter.cancel();
  place.changed(Change.end);
  clock.pass(1000);
  expect(outcomes).toEqual([]);
  expect([waiting.count, place.size, clock.timerCount]).toEqual([0, 0, 0]);
});

test('ending one waiter may change places and begin waits; all of it is drained', () => {
  const { clock, waiting, outcomes, ended } = setUp();
  const place = waiting.place();
  let value = 0;
  const first = waiting.waiter(1, 500, () => {
    value = 2;
    place.changed(Change.end);
    const third = waiting.waiter(2, 500, ended);
    third.watch(place, Change.end, () => value);
    third.begin();
  });
  first.watch(place, Change.end, () => value);
  first.begin();
  const second = waiting.waiter(2, 500, ended);
  second.watch(place, Change.end, () => value);
  second.begin();
  value = 1;
  place.changed(Change.end);
  clock.endTurn();
  expect(outcomes).toEqual(['given', 'given']);
});

test('a waiter that throws when it ends strands nobody behind it', () => {
  const { clock, waiting, outcomes, ended } = setUp();
  const place = waiting.place();
  for (const end of [
    () => {
      throw new Error('no');
    },
    ended,
  ]) {
    const waiter = waiting.waiter(1, 500, end);
    waiter.watch(place, Change.end, () => 1);
    waiter.begin();
  }
  expect(() => clock.endTurn()).toThrow('no');
  clock.endTurn();
  expect(outcomes.length + waiting.count).toBe(1);
  clock.endTurn();
  expect(outcomes).toEqual(['given']);
});

test('an observer is told once a turn of all that changed', () => {
  const { clock, waiting } = setUp();
  const place = waiting.place();
  const told: number[] = [];
  const stop = place.observe((changes) => void told.push(changes));
  place.changed(Change.end);
  place.changed(Change.highWatermark);
  expect(told).toEqual([]);
  clock.endTurn();
  expect(told).toEqual([Change.end | Change.highWatermark]);
  stop();
  place.changed(Change.end);
  clock.endTurn();
  expect(told).toHaveLength(1);
});

test('watches that leave in any order leave the others in place', () => {
  const { clock, waiting, outcomes } = setUp();
  const place = waiting.place();
  const waiters = [0, 1, 2, 3].map((index) => {
    const waiter = waiting.waiter(1, 500, () => void outcomes.push(index as unknown as Outcome));
    let given = 0;
    waiter.watch(place, Change.end, () => given);
    waiter.begin();
    const give = () => {
      given = 1;
    };
    return { waiter, give };
  });
  waiters[1]?.waiter.cancel();
  for (const { give } of waiters) give();
  place.changed(Change.end);
  clock.endTurn();
  expect([...outcomes].sort()).toEqual([0, 2, 3]);
  expect(place.size).toBe(0);
});

test('a waiter that was cancelled before it begins never waits', () => {
  const { clock, waiting, ended } = setUp();
  const place = waiting.place();
  const waiter = waiting.waiter(1, 500, ended);
  waiter.watch(place, Change.end, () => 0);
  waiter.cancel();
  waiter.begin();
  expect([waiting.count, place.size, clock.timerCount]).toEqual([0, 0, 0]);
});

import fc from 'fast-check';
import { TimerWheel } from '../../src/platform/timer-wheel';

const never = (error: unknown): never => {
  throw error;
};

/** What a test does to the wheel: add for a distance, cancel the nth, or move on. */
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ add: fc.oneof(fc.nat(600), fc.nat(40_000), fc.nat(3_000_000)) }),
  },
  { weight: 1, arbitrary: fc.record({ cancel: fc.nat(50) }) },
  { weight: 2, arbitrary: fc.record({ move: fc.oneof(fc.nat(50), fc.nat(400), fc.nat(30_000)) }) },
);

test('every timer expires in its tick, in order of ticks, unless it was cancelled', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 21), fc.array(step, { maxLength: 60 }), (start, steps) => {
      const wheel = new TimerWheel(start);
      let now = start;
      const waiting = new Map<number, number>();
      const timers: { cancel(): void }[] = [];
      const expired: { id: number; tick: number }[] = [];
      for (const action of steps) {
        if ('add' in action) {
          const id = timers.length;
          const due = now + action.add;
          waiting.set(id, Math.max(due, now + 1));
          timers.push(wheel.add(due, () => expired.push({ id, tick: waiting.get(id) as number })));
        } else if ('cancel' in action) {
          timers[action.cancel]?.cancel();
          waiting.delete(action.cancel);
        } else {
          now += action.move;
          expired.length = 0;
          wheel.advance(now, never);
          const due = [...waiting].filter(([, tick]) => tick <= now).map(([id]) => id);
          expect(expired.map(({ id }) => id).sort((a, b) => a - b)).toEqual(due);
          const ticks = expired.map(({ tick }) => tick);
          expect(ticks).toEqual([...ticks].sort((a, b) => a - b));
          for (const id of due) waiting.delete(id);
        }
        expect(wheel.count).toBe(waiting.size);
      }
    }),
    { numRuns: 100 },
  );
});

test('a timer beyond the horizon of the wheel waits its whole time', () => {
  const wheel = new TimerWheel(0);
  const due = 2 ** 26 + 12_345;
  let expired = 0;
  wheel.add(due, () => {
    expired += 1;
  });
  wheel.advance(due - 1, never);
  expect(expired).toBe(0);
  wheel.advance(due, never);
  expect(expired).toBe(1);
});

test('a callback may add and cancel timers', () => {
  const wheel = new TimerWheel(0);
  const calls: string[] = [];
  const later = wheel.add(5, () => calls.push('cancelled'));
  wheel.add(3, () => {
    calls.push('first');
    later.cancel();
    wheel.add(0, () => calls.push('next tick'));
  });
  wheel.advance(3, never);
  expect(calls).toEqual(['first']);
  wheel.advance(4, never);
  expect(calls).toEqual(['first', 'next tick']);
  wheel.advance(10, never);
  expect(calls).toEqual(['first', 'next tick']);
  expect(wheel.count).toBe(0);
});

test('a callback that throws does not keep the others from being called', () => {
  const wheel = new TimerWheel(0);
  const failures: unknown[] = [];
  let called = 0;
  wheel.add(1, () => {
    throw new Error('mine');
  });
  wheel.add(1, () => {
    called += 1;
  });
  wheel.advance(1, (error) => failures.push(error));
  expect(failures).toEqual([new Error('mine')]);
  expect(called).toBe(1);
});

test('the next tick at which something may be due is never after the first that is', () => {
  fc.assert(
    fc.property(fc.nat(1000), fc.array(fc.nat(2000), { minLength: 1 }), (start, dues) => {
      const wheel = new TimerWheel(start);
      for (const due of dues) wheel.add(start + due, () => undefined);
      const first = Math.max(Math.min(...dues), 1);
      expect(wheel.ticksToNext(20)).toBeLessThanOrEqual(Math.max(first, 1));
      expect(wheel.ticksToNext(20)).toBeGreaterThan(0);
    }),
  );
});

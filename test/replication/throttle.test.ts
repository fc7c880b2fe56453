import { monotonicMs } from '../../src/base/times';
import {
  isThrottled,
  ReplicationThrottle,
  throttledReplicas,
} from '../../src/replication/throttle';

function setUp(bytesPerSecond: number) {
  const state = { nowMs: 0, bytesPerSecond };
  const throttle = new ReplicationThrottle({
    clock: { monotonicMs: () => monotonicMs(state.nowMs) },
    windowCount: 3,
    windowMs: 1000,
    bytesPerSecond: () => state.bytesPerSecond,
  });
  return { state, throttle };
}

test('more than the bound in a second is too much, until enough time has passed', () => {
  const { state, throttle } = setUp(1000);
  throttle.record(1000);
  expect(throttle.isExceeded).toBe(false);
  throttle.record(500);
  expect(throttle.isExceeded).toBe(true);
  // The pause named is at most a window: it is worth asking again then.
  expect(throttle.freeInMs()).toBe(500);
  state.nowMs = 1499;
  expect(throttle.isExceeded).toBe(true);
  state.nowMs = 1500;
  expect(throttle.isExceeded).toBe(false);
});

test('what lies more windows back than are kept is forgotten', () => {
  const { state, throttle } = setUp(10);
  throttle.record(1_000_000);
  state.nowMs = 2999;
  expect(throttle.isExceeded).toBe(true);
  state.nowMs = 3000;
  expect(throttle.isExceeded).toBe(false);
});

test('a long even flow at the bound passes, above it does not', () => {
  const flow = (bytes: number): boolean => {
    const { state, throttle } = setUp(1000);
    let wasExceeded = false;
    for (; state.nowMs < 10_000; state.nowMs += 100) {
      throttle.record(bytes);
      wasExceeded ||= throttle.isExceeded;
    }
    return wasExceeded;
  };
  expect(flow(90)).toBe(false);
  expect(flow(150)).toBe(true);
});

test('without a bound nothing is too much; the bound may change at any time', () => {
  const { state, throttle } = setUp(Number.POSITIVE_INFINITY);
  throttle.record(1e12);
  expect(throttle.isExceeded).toBe(false);
  state.bytesPerSecond = 1;
  expect(throttle.isExceeded).toBe(true);
});

test('replicas are named by partition and broker, or all', () => {
  const some = throttledReplicas('0:1, 2:3');
  expect([isThrottled(some, 0, 1), isThrottled(some, 2, 3)]).toEqual([true, true]);
  expect([isThrottled(some, 0, 3), isThrottled(some, 1, 1)]).toEqual([false, false]);
  expect(isThrottled(throttledReplicas('*'), 7, 7)).toBe(true);
  expect(isThrottled(throttledReplicas(''), 0, 1)).toBe(false);
});

import { monotonicMs } from '../../src/base/times';
import { SharedSlices } from '../../src/broker/slices';

/** A clock that moves 1 ms with each step of work, and turns that come when told. */
function start() {
  const turns: (() => void)[] = [];
  const trace: string[] = [];
  let nowMs = 0;
  const slices = new SharedSlices({
    monotonicMs: () => monotonicMs(nowMs),
    nextTurn: (callback) => turns.push(callback),
  });
  function* work(name: string, steps: number, failsAt = -1): Generator<void> {
    for (let step = 1; step <= steps; step++) {
      nowMs += 1;
      trace.push(`${name}${step}`);
      if (step === failsAt) throw new Error(`${name} failed`);
      yield;
    }
  }
  const run = (name: string, steps: number, failsAt?: number) =>
    slices.run(work(name, steps, failsAt), (error) =>
      trace.push(error === undefined ? `${name} done` : String(error)),
    );
  const turn = () => {
    trace.push('|');
    turns.shift()?.();
  };
  const finish = () => {
    while (turns.length > 0) turn();
    return trace.join(' ');
  };
  return { run, turn, finish, trace, turns };
}

test('short work is done within one turn', () => {
  const { run, finish } = start();
  run('a', 2);
  run('b', 1);
  expect(finish()).toBe('| a1 a2 a done b1 b done');
});

test('long work gives way after 10 ms, and others come first', () => {
  const { run, finish } = start();
  run('a', 12);
  run('b', 1);
  expect(finish()).toBe('| a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 | b1 b done a11 a12 a done');
});

test('work that fails says why and holds up nobody', () => {
  const { run, finish } = start();
  run('a', 3, 2);
  run('b', 1);
  expect(finish()).toBe('| a1 a2 Error: a failed b1 b done');
});

test('cancelled work never says that it is done', () => {
  const { run, turn, finish, turns } = start();
  const job = run('a', 20);
  turn();
  job.cancel();
  run('b', 1);
  expect(finish()).toBe('| a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 | b1 b done');
  expect(turns).toEqual([]);
});

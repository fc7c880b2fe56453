import type { Broker } from '../../src/broker/broker';
import { stopOnSignals } from '../../src/cli/signals';

let exits: (number | undefined)[];
beforeEach(() => {
  exits = [];
  jest.useFakeTimers();
  jest.spyOn(process, 'exit').mockImplementation(((code?: number) => {
    exits.push(code);
  }) as typeof process.exit);
});
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
  process.removeAllListeners('SIGTERM').removeAllListeners('SIGINT');
});

/** A node whose stop ends when it is told. */
function slowNode() {
  let stopped: () => void = () => undefined;
  const stopping = new Promise<void>((resolve) => {
    stopped = resolve;
  });
  return { broker: { stop: () => stopping } as unknown as Broker, stopped: () => stopped() };
}

describe('a node that is told to stop while it starts', () => {
  test('ends at once if it does not get there', () => {
    stopOnSignals();
    process.emit('SIGTERM');
    jest.advanceTimersByTime(60_000);
    expect(exits).toEqual([143]);
  });

  test('stops cleanly, however long that takes, once it got there', async () => {
    const signals = stopOnSignals();
    process.emit('SIGTERM');
    const { broker, stopped } = slowNode();
    signals.nodeRuns(broker);
    jest.advanceTimersByTime(60_000);
    expect(exits).toEqual([]);
    stopped();
    await jest.advanceTimersByTimeAsync(0);
    expect(exits).toEqual([0]);
  });
});

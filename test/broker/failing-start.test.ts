import { silentLogger } from '../../src/platform/logger';
import { startBrokerNode } from '../simulation/broker-node';
import { Machine } from '../simulation/engine/machine';
import type { DiskOperation, SimulatedDisk } from '../simulation/engine/simulated-disk';
import { TestWorld } from '../support/world';

const SCENARIO = {
  nodes: 1,
  crash: 'process-crash' as const,
  topics: [],
  producers: [],
  consumers: [],
  members: [],
  adminPausesMs: [],
  syncUs: 500,
  safetyMs: 0,
  meanFaultGapMs: 0,
};

function setUp() {
  const world = new TestWorld();
  const machine = new Machine(world.simulation, world.networks, 'node-1', 1);
  const start = async (prepare: (disk: SimulatedDisk) => void = () => undefined) => {
    const { platform } = machine.boot(silentLogger);
    prepare(machine.disk as SimulatedDisk);
    const started = startBrokerNode(platform, 1, SCENARIO).then(
      (node) => ({ node }),
      (error: unknown) => ({ error }),
    );
    return world.outcome(started, 300_000);
  };
  return { world, machine, start };
}

describe.each<[DiskOperation, 'EIO' | 'ENOSPC']>([
  ['write', 'ENOSPC'],
  ['sync', 'EIO'],
  ['name', 'EIO'],
])('when a %s fails with %s', (operation, code) => {
  test('whichever it is, a start ends, and the next one serves', async () => {
    let failures = 0;
    let at = 0;
    for (; at < 200; at += 1) {
      const { machine, start } = setUp();
      const outcome = await start((disk) => disk.failAt(at, operation, code));
      if ('error' in outcome) {
        failures += 1;
        expect(String(outcome.error)).toContain(code);
      }
      const hasHappened = (machine.disk as SimulatedDisk).failuresLeft === 0;
      machine.crash('process-crash');
      expect(await start()).toHaveProperty('node');
      if (!hasHappened) break;
    }
    // Past the last one of a start nothing fails any more.
    expect(at).toBeLessThan(200);
    expect(failures).toBeGreaterThan(0);
  });
});

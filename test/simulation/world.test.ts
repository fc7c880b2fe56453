import { Stream } from './engine/seeds';
import { runSeed } from './run-seed';
import { shrink } from './shrink';
import { type Flaw, startToyNode } from './toy-node';
import { describeFault, drawFaults, type Fault } from './world/faults';
import type { WorldOptions, WorldReport } from './world/world';

/** The toy's groups have one member, and it has no transactions; short worlds are fast. */
const LIMITS = {
  ...{ nodes: 1, maxMembers: 1, maxAdmins: 0, maxTransactors: 0 },
  ...{ minSafetyMs: 4000, maxSafetyMs: 8000 },
};

const worldOf = (seed: number, flaw: Flaw): WorldOptions => ({
  seed,
  limits: LIMITS,
  startNode: (platform, nodeId, scenario) => startToyNode(platform, nodeId, scenario, flaw),
});

const runToy = (seed: number, flaw: Flaw = 'none'): Promise<WorldReport> =>
  runSeed(worldOf(seed, flaw));

/** The first seed whose world finds the flaw. */
async function findFlaw(flaw: Flaw, seeds: number): Promise<WorldReport> {
  for (let seed = 1; seed <= seeds; seed += 1) {
    const report = await runToy(seed, flaw);
    if (report.failure !== undefined) return report;
  }
  throw new Error(`no seed up to ${seeds} has found the flaw "${flaw}"`);
}

test('a sound node passes, whatever strikes it', async () => {
  let crashes = 0;
  for (let seed = 1; seed <= 12; seed += 1) {
    const report = await runToy(seed);
    expect(report.failure).toBeUndefined();
    expect(report.counts.acknowledged).toBeGreaterThan(0);
    expect(report.counts.commits).toBeGreaterThan(0);
    crashes += report.crashes;
  }
  expect(crashes).toBeGreaterThan(5);
});

test('every kind of fault is drawn', () => {
  const plan = { nodes: 3, safetyMs: 300_000, meanGapMs: 1000 };
  const faults = drawFaults(new Stream(1, 'faults'), { ...plan, crashes: ['power-loss'] });
  expect([...new Set(faults.map(({ kind }) => kind))].sort()).toEqual([
    ...['clock-jump', 'crash', 'cut', 'disk-failure', 'disk-full', 'half-open'],
    ...['pause', 'reset', 'restart', 'slow', 'slow-disk'],
  ]);
  expect(faults.every(({ atMs }, index) => atMs >= (faults[index - 1]?.atMs ?? 0))).toBe(true);
  expect(faults.every((fault) => describeFault(fault).includes(fault.kind))).toBe(true);
});

test('two runs of one seed leave the same trace', async () => {
  for (let seed = 1; seed <= 4; seed += 1) {
    const [one, two] = [await runToy(seed), await runToy(seed)];
    expect(two.traceHash).toBe(one.traceHash);
    expect(two.events).toBe(one.events);
    expect(two.counts).toEqual(one.counts);
  }
});

test('a node that is not deterministic is found out by its trace', async () => {
  const traces = new Set<string>();
  for (let run = 0; run < 3; run += 1) {
    traces.add((await runToy(4, 'is-not-deterministic')).traceHash);
  }
  expect(traces.size).toBeGreaterThan(1);
});

test.each<[Flaw, number, RegExp]>([
  ['acknowledges-before-writing', 40, /at offset|OUT_OF_RANGE|OUT_OF_ORDER/],
  ['never-syncs', 60, /at offset|OUT_OF_RANGE|had committed/],
  ['shows-what-is-not-synced', 120, /at offset|OUT_OF_RANGE/],
  ['forgets-producers', 20, /is at offsets|OUT_OF_ORDER/],
  ['forgets-commits', 10, /had committed/],
  ['hangs', 10, /it took more than/],
  ['miscounts', 10, /at offset/],
])('a node that %s is found out within %i seeds', async (flaw, seeds, failure) => {
  const report = await findFlaw(flaw, seeds);
  expect(report.failure?.message).toMatch(failure);
});

test('a failing seed is shrunk to the faults that it takes, and these fail again', async () => {
  const failed = await findFlaw('forgets-commits', 10);
  const options = worldOf(failed.seed, 'forgets-commits');
  const { report } = await shrink(options, failed);
  expect(report.failure).toBeDefined();
  expect(report.faults.length).toBeLessThan(failed.faults.length);
  const recorded = JSON.parse(JSON.stringify(report.faults)) as readonly Fault[];
  const again = await runSeed({ ...options, faults: recorded });
  expect(again.failure?.message).toBe(report.failure?.message);
  expect(again.traceHash).toBe(report.traceHash);
});

test('an exception that nobody handles fails the seed', async () => {
  const report = await runSeed({
    ...worldOf(1, 'none'),
    startNode: async (platform, nodeId, scenario) => {
      const node = await startToyNode(platform, nodeId, scenario, 'none');
      platform.clock.setTimer(2000, () => {
        throw new Error('a callback failed');
      });
      return node;
    },
  });
  expect(report.failure?.message).toContain('a callback failed');
});

import { ModelCluster } from './model-cluster';

/** Runs one seed: trouble first, then peace, in which the quorum must become whole. */
function run(
  seed: number,
  shape: { nodes: number; voters: number; isDynamic: boolean },
): ModelCluster {
  const cluster = new ModelCluster({ seed, ...shape });
  for (let step = 0; step < 1500; step++) {
    cluster.step(50);
    if (cluster.below(6) === 0) cluster.disturb();
  }
  cluster.heal();
  for (let step = 0; step < 6000 && !cluster.isWhole(); step++) cluster.step(50);
  if (!cluster.isWhole()) throw new Error(`seed ${seed} stays broken:\n${cluster.describe()}`);
  return cluster;
}

const seeds = Array.from({ length: Number(process.env.RAFT_SEEDS ?? 25) }, (_, index) => index + 1);

describe('one leader an epoch, matching logs, nothing committed lost, whole again in peace', () => {
  test.each([
    ['of one', { nodes: 1, voters: 1, isDynamic: false }],
    ['of three', { nodes: 3, voters: 3, isDynamic: false }],
    ['of three with an observer', { nodes: 4, voters: 3, isDynamic: false }],
    ['of five', { nodes: 5, voters: 5, isDynamic: false }],
    ['of one, dynamic', { nodes: 2, voters: 1, isDynamic: true }],
    ['of changing voters', { nodes: 5, voters: 3, isDynamic: true }],
  ])('in a quorum %s', (_, shape) => {
    let committed = 0;
    let leaders = 0;
    for (const seed of seeds) {
      const cluster = run(seed, shape);
      committed += cluster.committed.length;
      leaders += cluster.leaders;
    }
    // The schedules must not be so harsh that nothing happens.
    expect(committed).toBeGreaterThan(seeds.length * 20);
    expect(leaders).toBeGreaterThan(seeds.length);
  });
});

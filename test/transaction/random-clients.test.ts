/** Whatever is delayed, repeated or lost, and whoever crashes: transactions stay whole. */
import { seededNumbers } from '../support/seeded-numbers';
import { type ModelOptions, TransactionModel } from '../support/transaction-model';

const STEPS = 300;
const SEEDS = 150;

const VERSION_2: ModelOptions = {
  partitions: 2,
  clients: ['a', 'a', 'b'],
  clientVersion: 2,
  feature: 2,
  hasLateRequests: true,
};

async function run(options: ModelOptions, seed: number): Promise<TransactionModel> {
  const next = seededNumbers(seed);
  const model = new TransactionModel(options);
  for (let step = 0; step < STEPS; step++) await model.step(next(1_000_000));
  await model.heal();
  return model;
}

/** The first seed with a problem, and how many transactions were committed before. */
async function search(options: ModelOptions, seeds: number) {
  let committed = 0;
  for (let seed = 0; seed < seeds; seed++) {
    const model = await run(options, seed);
    const problems = model.problems();
    if (problems.length > 0) return { found: { seed, problems }, committed };
    const transactions = model.clients.flatMap((client) => client.transactions);
    committed += transactions.filter(
      ({ outcome, acknowledged }) => outcome === 'committed' && acknowledged.length > 0,
    ).length;
  }
  return { found: undefined, committed };
}

test('under version 2 nothing is lost, torn, or seen that was aborted', async () => {
  const { found, committed } = await search(VERSION_2, SEEDS);
  expect(found).toBeUndefined();
  expect(committed).toBeGreaterThan(SEEDS);
});

test('nor while producers use up their epochs', async () => {
  const { found, committed } = await search({ ...VERSION_2, epochsLeft: 3 }, SEEDS);
  expect(found).toBeUndefined();
  expect(committed).toBeGreaterThan(SEEDS);
});

test.each([0, 1, 2])(
  'nor by clients of version 1 while no request arrives late, feature %i',
  async (feature) => {
    const options = { ...VERSION_2, clientVersion: 0, feature, hasLateRequests: false };
    const { found, committed } = await search(options, SEEDS);
    expect(found).toBeUndefined();
    expect(committed).toBeGreaterThan(SEEDS / 2);
  },
);

test('late requests tear transactions of version 1, which this search finds', async () => {
  const options = { ...VERSION_2, clientVersion: 0, feature: 1 };
  expect((await search(options, 1_000)).found).toBeDefined();
});

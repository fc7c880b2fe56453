/** Whatever is delayed, repeated or lost, and whoever crashes: transactions stay whole. */
import fc from 'fast-check';
import { type ModelOptions, TransactionModel } from '../support/transaction-model';

const choices = fc.array(fc.nat({ max: 1_000_000 }), { minLength: 100, maxLength: 400 });

async function run(options: ModelOptions, tape: readonly number[]): Promise<TransactionModel> {
  const model = new TransactionModel(options);
  for (const choice of tape) await model.step(choice);
  await model.heal();
  return model;
}

const VERSION_2: ModelOptions = {
  partitions: 2,
  clients: ['a', 'a', 'b'],
  clientVersion: 2,
  feature: 2,
  hasLateRequests: true,
};

const PARAMETERS = { seed: 4711, numRuns: 150, endOnFailure: false };

test('under version 2 nothing is lost, torn, or seen that was aborted', async () => {
  let transactions = 0;
  await fc.assert(
    fc.asyncProperty(choices, async (tape) => {
      const model = await run(VERSION_2, tape);
      transactions += model.clients.flatMap((client) => client.transactions).length;
      expect(model.problems()).toEqual([]);
    }),
    PARAMETERS,
  );
  expect(transactions).toBeGreaterThan(500);
});

test.each([1, 2])(
  'nor under version 1 while no request arrives late, feature %i',
  async (feature) => {
    const options = { ...VERSION_2, clientVersion: 0, feature, hasLateRequests: false };
    await fc.assert(
      fc.asyncProperty(choices, async (tape) => {
        expect((await run(options, tape)).problems()).toEqual([]);
      }),
      PARAMETERS,
    );
  },
);

test('requests that arrive late tear transactions of version 1, which this search finds', async () => {
  const options = { ...VERSION_2, clientVersion: 0, feature: 1 };
  const found = await fc.check(
    fc.asyncProperty(choices, async (tape) => {
      expect((await run(options, tape)).problems()).toEqual([]);
    }),
    { ...PARAMETERS, numRuns: 2_000, endOnFailure: true },
  );
  expect(found.failed).toBe(true);
});

import fc from 'fast-check';
import { place, type UsableBroker } from '../../src/controller/placement';

const broker = (id: number, rack: string | null = null, isFenced = false): UsableBroker => ({
  id,
  rack,
  isFenced,
});

const FIRST = { below: (_bound: number): number => 0 };

function replicasOf(
  brokers: readonly UsableBroker[],
  partitions: number,
  factor: number,
  chance = FIRST,
): readonly (readonly number[])[] {
  const placement = place(brokers, partitions, factor, chance);
  if (placement.kind === 'impossible') throw new Error(placement.message);
  return placement.replicas;
}

describe('placement', () => {
  test('goes around the racks, and within each around its brokers', () => {
    const brokers = ['a', 'b', 'c'].flatMap((rack, at) =>
      [0, 1, 2].map((n) => broker(at * 10 + n, rack)),
    );
    expect(replicasOf(brokers, 3, 3)).toEqual([
      [0, 10, 20],
      [11, 21, 1],
      [22, 2, 12],
    ]);
  });

  test('spreads leaders evenly over brokers without racks', () => {
    const leaders = replicasOf([broker(1), broker(2), broker(3)], 3, 1).map(([first]) => first);
    expect(leaders).toEqual([1, 2, 3]);
  });

  test('a fenced broker never leads, and is taken only when the others are used up', () => {
    const brokers = [broker(1, null, true), broker(2), broker(3)];
    for (const replicas of replicasOf(brokers, 6, 2)) expect(replicas).not.toContain(1);
    for (const [leader, ...others] of replicasOf(brokers, 6, 3)) {
      expect(leader).not.toBe(1);
      expect(others).toContain(1);
    }
  });

  test.each([
    [[broker(1)], 0, 'Invalid replication factor 0: the replication factor must be positive.'],
    [[broker(1, null, true)], 1, /All brokers are currently fenced/],
    [[broker(1)], 2, /The target replication factor of 2 cannot be reached because only 1 broker/],
  ])('is impossible with %j and %d replicas', (brokers, factor, message) => {
    const placement = place(brokers, 1, factor, FIRST);
    expect(placement).toMatchObject({
      kind: 'impossible',
      message: expect.stringMatching(message),
    });
  });

  test('whatever the cluster: distinct replicas, an unfenced leader, racks before repetition', () => {
    const cluster = fc
      .array(fc.record({ rack: fc.constantFrom(null, 'a', 'b', 'c'), isFenced: fc.boolean() }), {
        minLength: 1,
        maxLength: 9,
      })
      .map((brokers) => brokers.map((each, id) => ({ id, ...each })))
      .filter((brokers) => brokers.some(({ isFenced }) => !isFenced));
    fc.assert(
      fc.property(cluster, fc.nat(), fc.integer(), (brokers, wanted, seed) => {
        const factor = 1 + (wanted % brokers.length);
        let state = seed >>> 0;
        const below = (bound: number): number => {
          state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
          return state % bound;
        };
        const fenced = new Set(brokers.filter(({ isFenced }) => isFenced).map(({ id }) => id));
        const racks = new Set(brokers.filter(({ isFenced }) => !isFenced).map(({ rack }) => rack));
        for (const replicas of replicasOf(brokers, 12, factor, { below })) {
          expect(replicas.length).toBe(factor);
          expect(new Set(replicas).size).toBe(factor);
          expect(fenced.has(replicas[0] ?? -1)).toBe(false);
          if (fenced.size > 0) continue;
          const used = new Set(replicas.map((id) => brokers[id]?.rack));
          expect(used.size).toBe(Math.min(factor, racks.size));
        }
      }),
      { numRuns: 200 },
    );
  });
});

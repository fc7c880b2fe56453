/**
 * Bugs planted into the real broker from outside, by patching a method: `src/` has no flag for
 * them. The search has to find each; what it took is recorded and replayed by `planted.test.ts`.
 */
import type { Scenario } from '../world/scenario';
import type { Story } from '../world/world';

export interface Plant {
  readonly name: string;
  /** How many nodes the worlds have in which it is looked for. */
  readonly nodes: number;
  /** Makes of what a seed draws a world in which the bug has more occasions to show. */
  tailor?(scenario: Scenario): Scenario;
  /** Plants it into this process; gives what takes it out again. */
  plant(): () => void;
}

/** A world in which a planted bug shows, and which passes without it. */
export interface PlantedStory extends Story {
  readonly plant: string;
  /** The seeds it took to find it. */
  readonly seedsSearched: number;
  /** What was seen. */
  readonly failure: string;
}

/** Replaces a method by what `wrap` makes of it; gives what puts the original back. */
export function patch<Owner extends object, Name extends keyof Owner>(
  owner: Owner,
  name: Name,
  wrap: (original: Owner[Name]) => Owner[Name],
): () => void {
  const original = owner[name];
  owner[name] = wrap(original);
  return () => {
    owner[name] = original;
  };
}

/** Runs `work` with the bug planted. */
export async function withPlanted<Value>(plant: Plant, work: () => Promise<Value>): Promise<Value> {
  const takeOut = plant.plant();
  try {
    return await work();
  } finally {
    takeOut();
  }
}

/** Looks for a planted bug, seed by seed, and records the first world in which it shows. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runSeed } from '../run-seed';
import { shrink } from '../shrink';
import type { WorldOptions } from '../world/world';
import { type Plant, type PlantedStory, withPlanted } from './plant';

export const PLANTED_STORIES = join(__dirname, 'stories');

/**
 * The story of the first world that fails with the bug and passes without it, its faults as few as
 * do; undefined if no world is one.
 */
export async function findPlanted(
  plant: Plant,
  worlds: Iterable<WorldOptions>,
): Promise<PlantedStory | undefined> {
  let seedsSearched = 0;
  for (const options of worlds) {
    seedsSearched += 1;
    const found = await withPlanted(plant, async () => {
      const report = await runSeed(options);
      return report.failure === undefined ? undefined : (await shrink(options, report)).report;
    });
    if (found?.failure === undefined) continue;
    const { seed, scenario, faults, failure } = found;
    const without = await runSeed({ ...options, scenario, faults });
    if (without.failure !== undefined) continue;
    return { plant: plant.name, seedsSearched, failure: failure.message, seed, scenario, faults };
  }
  return undefined;
}

/** Writes it where `planted.test.ts` replays it; gives the path. */
export function recordPlanted(story: PlantedStory): string {
  mkdirSync(PLANTED_STORIES, { recursive: true });
  const path = join(PLANTED_STORIES, `${story.plant}.json`);
  writeFileSync(path, `${JSON.stringify(story, undefined, 2)}\n`);
  return path;
}

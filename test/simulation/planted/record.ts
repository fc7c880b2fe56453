/** Looks for a planted bug, seed by seed, and records the first world in which it shows. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Stream } from '../engine/seeds';
import { runSeed } from '../run-seed';
import { shrink } from '../shrink';
import { drawScenario, USUAL_LIMITS } from '../world/scenario';
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
  for (const drawn of worlds) {
    seedsSearched += 1;
    const options = tailored(plant, drawn);
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

function tailored(plant: Plant, options: WorldOptions): WorldOptions {
  if (plant.tailor === undefined) return options;
  const limits = { ...USUAL_LIMITS, nodes: plant.nodes };
  const drawn = drawScenario(new Stream(options.seed, 'scenario'), limits);
  return { ...options, scenario: plant.tailor(drawn) };
}

/** Writes it where `planted.test.ts` replays it; gives the path. */
export function recordPlanted(story: PlantedStory): string {
  mkdirSync(PLANTED_STORIES, { recursive: true });
  const path = join(PLANTED_STORIES, `${story.plant}.json`);
  writeFileSync(path, `${JSON.stringify(story, undefined, 2)}\n`);
  return path;
}

/**
 * Each planted bug is found again by what the search recorded of it, and nothing else is wrong
 * there. A schedule goes stale when `src/` changes: `npm run simulate -- --plant NAME --record`
 * finds and records another.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startBrokerNode } from './broker-node';
import { type PlantedStory, withPlanted } from './planted/plant';
import { PLANTS, plantOf } from './planted/plants';
import { PLANTED_STORIES } from './planted/record';
import { runSeed } from './run-seed';

const stories = readdirSync(PLANTED_STORIES).map(
  (name): PlantedStory => JSON.parse(readFileSync(join(PLANTED_STORIES, name), 'utf8')),
);

test('the search has found every planted bug', () => {
  expect(stories.map(({ plant }) => plant).sort()).toEqual(PLANTS.map(({ name }) => name).sort());
});

test.each(stories)('a node that $plant is found out', async (story) => {
  const options = { ...story, startNode: startBrokerNode };
  const planted = await withPlanted(plantOf(story.plant), () => runSeed(options));
  expect(planted.failure?.message).toBe(story.failure);
  expect((await runSeed(options)).failure).toBeUndefined();
});

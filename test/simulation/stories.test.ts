/** Worlds in which the real broker once failed, shrunk to what it took. They stay. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startBrokerNode } from './broker-node';
import { runSeed } from './run-seed';
import type { Story } from './world/world';

const FOLDER = join(__dirname, 'stories');

const stories = readdirSync(FOLDER).map((name): Story & { readonly title: string } =>
  JSON.parse(readFileSync(join(FOLDER, name), 'utf8')),
);

test.each(stories)('$title, and nothing is lost', async (story) => {
  const report = await runSeed({ ...story, startNode: startBrokerNode });
  expect(report.failure).toBeUndefined();
  expect(report.counts.acknowledged).toBeGreaterThan(0);
});

test('a world of the real broker repeats exactly', async () => {
  const [story] = stories;
  const options = { ...(story as Story), startNode: startBrokerNode };
  const [one, two] = [await runSeed(options), await runSeed(options)];
  expect(two.traceHash).toBe(one.traceHash);
  expect(two.events).toBe(one.events);
});

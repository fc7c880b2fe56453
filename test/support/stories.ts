/**
 * Stories: text files in which lines that begin with `> ` are inputs and the lines after each are
 * what came of it. A story fails when anything else comes of it. `STORIES=write` writes what came
 * into the files; the difference is then for the reader to judge.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Carries out one input and returns what came of it, a line each. */
export type Teller = (input: string) => Promise<readonly string[]>;

/** Makes one test of every story in the folder; its first line, `# …`, is the test's name. */
export function tellStories(folder: string, begin: () => Teller): void {
  const names = readdirSync(folder).filter((name) => name.endsWith('.story'));
  if (names.length === 0) throw new Error(`${folder} has no stories`);
  for (const name of names) {
    const path = join(folder, name);
    const written = readFileSync(path, 'utf8');
    for (const story of written.split(/^(?=# )/m)) {
      test(`${titleOf(story)} (${basename(path)})`, async () => {
        const told = await tell(story, begin());
        if (process.env.STORIES === 'write') replaceIn(path, story, told);
        else expect(told).toBe(story);
      });
    }
  }
}

async function tell(story: string, teller: Teller): Promise<string> {
  const told: string[] = [];
  for (const line of story.split('\n')) {
    const isInput = line.startsWith('> ');
    if (isInput || line.startsWith('#') || line === '') told.push(line);
    if (isInput) told.push(...(await teller(line.slice(2))).map((outcome) => `  ${outcome}`));
  }
  return told.join('\n');
}

function titleOf(story: string): string {
  const first = story.split('\n', 1)[0] ?? '';
  if (!first.startsWith('# ')) throw new Error(`a story begins with "# ", not with "${first}"`);
  return first.slice(2);
}

function replaceIn(path: string, story: string, told: string): void {
  writeFileSync(
    path,
    readFileSync(path, 'utf8').replace(story, () => told),
  );
}

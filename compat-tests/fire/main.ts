/** `npm run fire`: see USAGE in `options.ts`. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandLine } from '../support/command-line';
import { temporaryFolder } from '../support/ottla';
import type { FireClient } from './clients';
import { fire } from './fire';
import { parseOptions, USAGE } from './options';

const say = (line: string): void => {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
};

// Nodes and workers are killed when this process exits.
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

main().catch((error) => {
  say(`FAILED ${error instanceof Error ? error.stack : error}`);
  process.exit(1);
});

async function main(): Promise<void> {
  const typed = commandLine(USAGE, parseOptions);
  const clients = await available(typed.clients);
  if (clients.length === 0) return;
  execFileSync(process.execPath, ['scripts/build.js'], { stdio: 'inherit' });
  const folder = typed.folder === undefined ? temporaryFolder() : keptFolder(typed.folder);
  say(
    `${clients.map(({ name }) => name).join(', ')} on ${typed.nodes} nodes for ` +
      `${typed.seconds} s, transaction.version ${typed.transactionVersion}, seed ${typed.seed}`,
  );
  const { figures, violations } = await fire({
    ...typed,
    clients,
    folder: folder.path,
    say,
  });
  for (const line of figures) say(line);
  if (violations.length === 0) {
    say('exactly once');
    folder.end();
    process.exit(0);
  }
  for (const line of violations) say(`VIOLATION ${line}`);
  writeFileSync(join(folder.path, 'violations.txt'), violations.join('\n'));
  say(`what nodes and workers left is in ${folder.path}`);
  process.exit(1);
}

function keptFolder(path: string): ReturnType<typeof temporaryFolder> {
  mkdirSync(path, { recursive: true });
  return { path, end: () => undefined };
}

async function available(wanted: readonly FireClient[]): Promise<readonly FireClient[]> {
  const found: FireClient[] = [];
  for (const client of wanted) {
    const reason = await client.missing();
    if (reason === undefined) found.push(client);
    else say(`${client.name} skipped, since ${reason}`);
  }
  return found;
}

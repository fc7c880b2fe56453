/**
 * `npm run fire -- --client kafkajs|librdkafka|java [--client …] [--transaction-version 1|2]
 * [--nodes 1|3] [--minutes M | --seconds S] [--seed S] [--rate RECORDS]
 * [--folder KEPT]`
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { temporaryFolder } from '../support/ottla';
import { CLIENTS, type FireClient } from './clients';
import { fire } from './fire';

const { values } = parseArgs({
  options: {
    client: { type: 'string', multiple: true, default: ['kafkajs'] },
    'transaction-version': { type: 'string', default: '2' },
    nodes: { type: 'string', default: '3' },
    minutes: { type: 'string' },
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    rate: { type: 'string', default: '100' },
    folder: { type: 'string' },
  },
});

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
  const clients = await available(values.client);
  if (clients.length === 0) return;
  execFileSync(process.execPath, ['scripts/build.js'], { stdio: 'inherit' });
  const transactionVersion = values['transaction-version'] === '1' ? 1 : 2;
  const seconds = values.minutes === undefined ? values.seconds : Number(values.minutes) * 60;
  const options = {
    clients,
    transactionVersion,
    nodes: Number(values.nodes),
    seconds: Number(seconds),
    seed: Number(values.seed),
    rate: Number(values.rate),
  } as const;
  const folder = values.folder === undefined ? temporaryFolder() : keptFolder(values.folder);
  say(
    `${clients.map(({ name }) => name).join(', ')} on ${options.nodes} nodes for ` +
      `${options.seconds} s, transaction.version ${transactionVersion}, seed ${options.seed}`,
  );
  const { figures, violations } = await fire({ ...options, folder: folder.path, say });
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

async function available(names: readonly string[]): Promise<readonly FireClient[]> {
  const found: FireClient[] = [];
  for (const name of names) {
    const client = CLIENTS.find((each) => each.name === name);
    if (client === undefined) throw new Error(`${name}: know ${CLIENTS.map((each) => each.name)}`);
    const reason = await client.missing();
    if (reason === undefined) found.push(client);
    else say(`${name} skipped, since ${reason}`);
  }
  return found;
}

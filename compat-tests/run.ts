/**
 * Runs the suites of foreign clients: `npm run compat [-- kcat java …]`. A suite whose tools are
 * missing is skipped with a line that says so. Closes with `N passed, N failed, N skipped`.
 */
import { execFileSync } from 'node:child_process';
import { suite as cluster } from './cluster/suite';
import { suite as crash } from './crash/suite';
import { suite as embed } from './embed/suite';
import { suites as fire } from './fire/suite';
import { suite as java } from './java/suite';
import { suite as kcat } from './kcat/suite';
import { suite as librdkafka } from './librdkafka/suite';
import { suite as mixed } from './mixed/suite';
import { commandLine } from './support/command-line';
import { startOttla, temporaryFolder } from './support/ottla';
import type { ForeignSuite, OwnBrokersSuite } from './support/suite';
import { suite as torture } from './torture/suite';

const SUITES: readonly (ForeignSuite | OwnBrokersSuite)[] = [
  crash,
  torture,
  cluster,
  embed,
  kcat,
  librdkafka,
  java,
  mixed,
  ...fire,
];
const USAGE = `npm run compat -- [SUITE …]

  all of them, or those named: ${[...new Set(SUITES.map(({ name }) => name))].join(', ')}`;
const tally = { passed: 0, failed: 0, skipped: 0 };

void main(commandLine(USAGE, suitesNamed));

/** The suites that were named, or all; undefined asks for help. Throws at a name that none has. */
function suitesNamed(names: readonly string[]): typeof SUITES | undefined {
  if (names.includes('--help')) return undefined;
  const known = SUITES.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`there is no suite '${unknown}'`);
  return SUITES.filter(({ name }) => names.length === 0 || names.includes(name));
}

async function main(suites: typeof SUITES): Promise<void> {
  execFileSync(process.execPath, ['scripts/build.js'], { stdio: 'inherit' });
  for (const suite of suites) {
    const reason = await suite.missing();
    if (reason === undefined) {
      if (suite.broker === 'shared') await runShared(suite);
      else for (const one of suite.cases) await runCase(suite.name, one.name, () => one.run());
      continue;
    }
    tally.skipped += suite.cases.length;
    say(`${suite.name}: ${suite.cases.length} skipped, since ${reason}`);
  }
  say(`${tally.passed} passed, ${tally.failed} failed, ${tally.skipped} skipped`);
  // A client that still tries, after a case that failed, would keep the process running.
  process.exit(tally.failed === 0 ? 0 : 1);
}

async function runShared(suite: ForeignSuite): Promise<void> {
  const folder = temporaryFolder();
  const ottla = await startOttla(folder.path);
  try {
    for (const one of suite.cases) await runCase(suite.name, one.name, () => one.run(ottla));
    await runCase(suite.name, 'the broker logged no warning', async () => {
      const printed = ottla.server.output.split('\n').slice(1).join('\n').trim();
      if (printed !== '') throw new Error(printed);
    });
  } finally {
    await ottla.stop();
    folder.end();
  }
}

async function runCase(suite: string, name: string, body: () => Promise<void>): Promise<void> {
  const startedAt = Date.now();
  try {
    await body();
    tally.passed++;
    say(`${suite}: ${name} (${Date.now() - startedAt} ms)`);
  } catch (error) {
    tally.failed++;
    say(`${suite}: FAILED ${name}\n${error instanceof Error ? error.message : String(error)}`);
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

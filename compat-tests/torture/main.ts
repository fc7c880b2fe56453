/** `npm run torture`: a storm on real processes, with a line that tells how it goes. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandLine } from '../support/command-line';
import { parseOptions, USAGE } from './options';
import { printed, replayCommand } from './report';
import { type Progress, Storm } from './storm';

void main();

async function main(): Promise<void> {
  const typed = commandLine(USAGE, parseOptions);
  const folder = typed.folder ?? mkdtempSync(join(tmpdir(), 'ottla-torture-'));
  mkdirSync(folder, { recursive: true });
  const options = { ...typed, folder };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));
  execFileSync(process.execPath, ['scripts/build.js'], { stdio: 'inherit' });
  say(`${replayCommand(options)}, in ${folder}`);
  const storm = new Storm(options);
  const isTerminal = process.stdout.isTTY === true;
  const timer = setInterval(
    () =>
      process.stdout.write(
        isTerminal ? `\r\x1b[K${line(storm.progress)}` : `${line(storm.progress)}\n`,
      ),
    isTerminal ? 500 : 10_000,
  );
  const report = await storm.run();
  clearInterval(timer);
  if (isTerminal) say('');
  say(printed(report));
  const file = join(folder, 'report.json');
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
  const isWell = report.violationCount === 0;
  if (isWell && typed.folder === undefined) rmSync(folder, { recursive: true });
  else say(`report, log lines and data: ${folder}`);
  // A client of kafkajs that still tries would keep the process running for ever.
  process.exit(isWell ? 0 : 1);
}

function line({ elapsedMs, ledger, faults, nodes, stage }: Progress): string {
  const consumed = ledger.groups.map(({ name, consumed }) => `${name} ${consumed}`).join(', ');
  const rebalances = ledger.groups.reduce((sum, group) => sum + group.rebalances, 0);
  return [
    `${Math.round(elapsedMs / 1_000)} s`,
    stage,
    `${ledger.acknowledged} acknowledged`,
    `consumed: ${consumed}`,
    `${rebalances} joins`,
    `${faults} faults`,
    nodes.map(({ id, state }) => `${id} ${state}`).join(', '),
    `longest pause ${(ledger.longestPauseMs / 1_000).toFixed(1)} s`,
  ].join(' | ');
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

#!/usr/bin/env node
/** The command `ottla`: finds the subcommand, runs it, and turns its failure into an exit code. */
import { startCommand } from './commands/start';
import { parseStart } from './commands/start-options';
import { report } from './output';

void main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<void> {
  try {
    await run(args);
  } catch (error) {
    process.exitCode = report(error);
  }
}

/** `start` is read without yargs, which alone costs more time than the broker's start. */
async function run(args: readonly string[]): Promise<void> {
  const options = args[0] === 'start' ? parseStart(args.slice(1)) : undefined;
  if (options !== undefined) {
    await startCommand(options);
    return;
  }
  const commands: typeof import('./commands') = require('./commands');
  await commands.runWithYargs(args);
}

#!/usr/bin/env node
/** The command `ottla`: finds the subcommand, runs it, and turns its failure into an exit code. */
import { FormatError } from '../broker/format';
import { StartError } from '../broker/start-error';
import { parseStart, startCommand } from './commands/start';
import { ExitError, printError, USAGE } from './output';

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
  const { runWithYargs } = require('./commands') as typeof import('./commands');
  await runWithYargs(args);
}

function report(error: unknown): number {
  if (error instanceof ExitError) {
    printError(error.message);
    return error.exitCode;
  }
  if (error instanceof StartError || error instanceof FormatError) {
    printError(`ottla: ${error.message}`);
    return USAGE;
  }
  printError(`ottla: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return 1;
}

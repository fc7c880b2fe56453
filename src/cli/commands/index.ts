/** All subcommands as yargs knows them: for help, for mistakes, and for those that are not `start`. */
import type { Argv } from 'yargs';
import { ExitError, USAGE } from '../output';
import { startCommand } from './start';
import { START_OPTIONS, type StartOptions } from './start-options';
import { randomUuidCommand, storageFormat, storageInfoCommand } from './storage';

export async function runWithYargs(args: readonly string[]): Promise<void> {
  const yargs = require('yargs/yargs') as (args: readonly string[]) => Argv;
  const { version } = require('../../../package.json') as { readonly version: string };
  await yargs(args)
    .scriptName('ottla')
    .usage('$0 <command>\n\nA broker that speaks Kafka’s wire protocol.')
    .command('start [file]', 'run a node', startFlags, (argv) => startCommand(argv as StartOptions))
    .command('storage', 'make log folders ready, and look at them', storage)
    .demandCommand(1, 'ottla: say which command, for example `ottla start`.')
    .strict()
    // `--no-initial-controllers` is a flag of its own.
    .parserConfiguration({ 'boolean-negation': false })
    .version(version)
    .help()
    .fail((message, error) => {
      throw error ?? new ExitError(USAGE, `${message}\nSee \`ottla --help\`.`);
    })
    .parseAsync();
}

function startFlags(yargs: Argv): Argv {
  yargs.positional('file', { type: 'string', describe: 'server.properties, as Kafka has it' });
  for (const [name, option] of Object.entries(START_OPTIONS)) {
    const { type, describe } = option;
    yargs.option(name, { type, describe, array: 'multiple' in option });
  }
  return yargs;
}

function storage(yargs: Argv): Argv {
  return yargs
    .command(
      'format',
      'make the log folders of a node ready',
      (flags) =>
        flags
          .option('config', {
            alias: 'c',
            type: 'string',
            demandOption: true,
            describe: 'properties',
          })
          .option('cluster-id', {
            alias: 't',
            type: 'string',
            demandOption: true,
            describe: 'its id',
          })
          .option('standalone', { alias: 's', type: 'boolean', describe: 'alone in its quorum' })
          .option('initial-controllers', {
            alias: 'I',
            type: 'string',
            describe: 'the first voters: id@host:port:directory-id,…',
          })
          .option('no-initial-controllers', {
            alias: 'N',
            type: 'boolean',
            describe: 'joins a quorum later',
          })
          .option('ignore-formatted', {
            alias: 'g',
            type: 'boolean',
            describe: 'leave those alone',
          })
          .option('release-version', { alias: 'r', type: 'string', describe: 'of the cluster' })
          .option('feature', { alias: 'f', type: 'string', array: true, describe: 'name=level' }),
      (argv) => storageFormat(argv),
    )
    .command(
      'info',
      'show the log folders of a node',
      (flags) => flags.option('config', { alias: 'c', type: 'string', demandOption: true }),
      (argv) => storageInfoCommand(argv.config),
    )
    .command('random-uuid', 'print an id for a cluster or a folder', {}, () => randomUuidCommand())
    .demandCommand(1, 'ottla: say what to do with the storage, for example `ottla storage info`.');
}

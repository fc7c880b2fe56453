/**
 * All subcommands as yargs knows them: for help, for mistakes, and for those that are not `start`.
 */
import type { Argv } from 'yargs';
import { ExitError, USAGE } from '../output';
import { CLUSTER_OPTIONS, type ClusterOptions, clusterCommand } from './cluster';
import { startCommand } from './start';
import { START_OPTIONS, type StartOptions } from './start-options';
import { type FormatFlags, randomUuidCommand, storageFormat, storageInfoCommand } from './storage';

export async function runWithYargs(args: readonly string[]): Promise<void> {
  const yargs = require('yargs/yargs') as (args: readonly string[]) => Argv;
  const { version } = require('../../../package.json') as { readonly version: string };
  await yargs(args)
    .scriptName('ottla')
    .usage('$0 <command>\n\nA broker that speaks Kafka’s wire protocol.')
    .command('start [file]', 'run a node', startFlags, (argv) => startCommand(argv as StartOptions))
    .command('cluster', 'run several nodes on this machine', clusterFlags, (argv) =>
      clusterCommand(argv as ClusterOptions),
    )
    .command('storage', 'make log folders ready, and look at them', storage)
    .demandCommand(1, 'ottla: say which command, for example `ottla start`.')
    .strict()
    // `--no-initial-controllers` is a flag of its own.
    .parserConfiguration({ 'boolean-negation': false })
    .version(version)
    .help()
    .detectLocale(false)
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

const clusterFlags = (yargs: Argv): Argv => yargs.options(CLUSTER_OPTIONS);

function storage(yargs: Argv): Argv {
  return yargs
    .command('format', 'make the log folders of a node ready', formatFlags, (argv) =>
      storageFormat(argv as unknown as FormatFlags),
    )
    .command('info', 'show the log folders of a node', configFlag, (argv) =>
      storageInfoCommand(String(argv.config)),
    )
    .command('random-uuid', 'print an id for a cluster or a folder', {}, () => randomUuidCommand())
    .demandCommand(1, 'ottla: say what to do with the storage, for example `ottla storage info`.');
}

/** The flags of Kafka's own tool, `--add-scram` excepted. */
function formatFlags(yargs: Argv): Argv {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  return configFlag(yargs).options({
    'cluster-id': { ...text, alias: 't', demandOption: true, describe: 'the id of its cluster' },
    standalone: { ...flag, alias: 's', describe: 'it is alone in the quorum for now' },
    'initial-controllers': {
      ...text,
      alias: 'I',
      describe: 'the first voters: id@host:port:directory-id,…',
    },
    'no-initial-controllers': { ...flag, alias: 'N', describe: 'it joins a quorum later' },
    'ignore-formatted': { ...flag, alias: 'g', describe: 'leave formatted folders alone' },
    'release-version': { ...text, alias: 'r', describe: 'the release whose features are used' },
    feature: { ...text, alias: 'f', array: true, describe: 'a feature, name=level' },
  });
}

const configFlag = (yargs: Argv): Argv =>
  yargs.option('config', {
    alias: 'c',
    type: 'string',
    demandOption: true,
    describe: 'server.properties of the node',
  });

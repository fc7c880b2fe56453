/** The options of `ottla start`: what they are called, and how they become a node's properties. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Properties } from '../../broker/settings';
import { soleNodeProperties } from '../../broker/sole-node';
import { ExitError, USAGE } from '../output';
import { readProperties } from '../properties-file';

/** As typed; absent where it was not given. */
export interface StartOptions {
  readonly file?: string;
  readonly port?: string;
  readonly host?: string;
  readonly 'advertised-host'?: string;
  readonly data?: string;
  readonly memory?: boolean;
  readonly set?: readonly string[];
  readonly 'node-id'?: string;
  readonly 'log-level'?: string;
  readonly json?: boolean;
  readonly 'stop-at-eof'?: boolean;
}

/** For `node:util` here and for the help text of yargs. */
export const START_OPTIONS = {
  port: { type: 'string', describe: 'port for clients; 0 takes a free one (9092)' },
  host: { type: 'string', describe: 'name or address to listen on (localhost)' },
  'advertised-host': { type: 'string', describe: 'name that clients are told to connect to' },
  data: { type: 'string', describe: 'folder of the logs (./ottla-data)' },
  memory: { type: 'boolean', describe: 'keep everything in memory' },
  set: { type: 'string', multiple: true, describe: 'a setting, key=value; may be repeated' },
  'node-id': { type: 'string', describe: 'number of this node (1)' },
  'log-level': { type: 'string', describe: 'debug, info, warn, error or silent (info)' },
  json: { type: 'boolean', describe: 'say that it is ready as one JSON object' },
  'stop-at-eof': { type: 'boolean', describe: 'stop cleanly when standard input ends' },
} as const;

/** Where the files of a node without a disk lie. */
const MEMORY_FOLDER = '/ottla';
const MOST_NODE_ID = 2 ** 31 - 1;

/** Undefined where yargs has to explain what is wrong, or was asked for help. */
export function parseStart(args: readonly string[]): StartOptions | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: START_OPTIONS,
      allowPositionals: true,
    });
    if (positionals.length > 1) return undefined;
    return { ...values, ...(positionals[0] === undefined ? {} : { file: positionals[0] }) };
  } catch {
    return undefined;
  }
}

/** Throws ExitError for options that do not fit, and for a file that cannot be read. */
export function propertiesOf(options: StartOptions): Properties {
  if (options.memory === true && options.data !== undefined) {
    throw new ExitError(USAGE, 'ottla: give --data or --memory, not both.');
  }
  const properties = new Map(
    options.file === undefined ? soleNode(options) : fileWithOptions(options.file, options),
  );
  for (const [name, value] of settingsOf(options.set ?? [])) properties.set(name, value);
  return properties;
}

/** The settings of `--set key=value`. Throws ExitError. */
export function settingsOf(pairs: readonly string[]): Properties {
  return new Map(
    pairs.map((pair) => {
      const equals = pair.indexOf('=');
      if (equals < 1) throw new ExitError(USAGE, `ottla: --set wants key=value, not '${pair}'.`);
      return [pair.slice(0, equals), pair.slice(equals + 1)] as const;
    }),
  );
}

/** The number that a flag was given. Throws ExitError. */
export function wholeNumber(flag: string, text: string, most: number, least = 0): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most)) {
    throw new ExitError(
      USAGE,
      `ottla: ${flag} wants a number from ${least} to ${most}, not '${text}'.`,
    );
  }
  return value;
}

function soleNode(options: StartOptions): Properties {
  const port = wholeNumber('--port', options.port ?? '9092', 65_535);
  return soleNodeProperties({
    nodeId: wholeNumber('--node-id', options['node-id'] ?? '1', MOST_NODE_ID),
    host: options.host ?? 'localhost',
    port,
    // Kafka's own pair of ports; beside any other port the controller takes a free one.
    controllerPort: port === 9092 ? 9093 : 0,
    advertisedHost: options['advertised-host'],
    dataFolder: options.memory === true ? MEMORY_FOLDER : resolve(options.data ?? 'ottla-data'),
  });
}

/** Flags that stand beside a file win over it; those that would fight with its listeners do not. */
function fileWithOptions(file: string, options: StartOptions): Properties {
  const properties = new Map(readProperties(file));
  for (const flag of ['port', 'host', 'advertised-host'] as const) {
    if (options[flag] !== undefined) {
      throw new ExitError(USAGE, `ottla: --${flag} does not go with a file: set listeners in it.`);
    }
  }
  if (options['node-id'] !== undefined) {
    const nodeId = wholeNumber('--node-id', options['node-id'], MOST_NODE_ID);
    properties.set('node.id', String(nodeId));
    properties.delete('broker.id');
  }
  if (options.memory === true) {
    properties.set('log.dirs', MEMORY_FOLDER);
    properties.delete('metadata.log.dir');
  } else if (options.data !== undefined) {
    properties.set('log.dirs', resolve(options.data));
  }
  return properties;
}

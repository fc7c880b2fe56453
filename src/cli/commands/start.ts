/** `ottla start`: runs one node until it is told to stop. */
import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Broker } from '../../broker/broker';
import { workerFile } from '../../broker/offload-tasks';
import type { Properties } from '../../broker/settings';
import { soleNodeProperties } from '../../broker/sole-node';
import { startNode } from '../../broker/start-node';
import { memoryDisk } from '../../platform/memory-disk';
import { nodePlatform } from '../../platform/node';
import { preferFastestCrc32c } from '../../protocol/records/crc32c';
import { BUG, ExitError, printError, printLine, USAGE } from '../output';

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
}

/** The options of `start`, for `node:util` here and for the help text of yargs. */
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
} as const;

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
/** A clean stop of so many partitions is quick enough to need no word. */
const QUIET_STOP_PARTITIONS = 100;

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

/** Starts the node, says so, and stops it at SIGTERM or SIGINT. */
export async function startCommand(options: StartOptions): Promise<void> {
  const level = LOG_LEVELS.find((known) => known === (options['log-level'] ?? 'info'));
  if (level === undefined) {
    throw new ExitError(USAGE, `ottla: --log-level is one of ${LOG_LEVELS.join(', ')}.`);
  }
  const platform = nodePlatform({ level, workerFile });
  const disk = options.memory === true ? memoryDisk() : platform.disk;
  let broker: Broker | undefined;
  const stop = stopOnSignals(() => broker);
  broker = await startNode({
    platform: { ...platform, disk },
    properties: propertiesOf(options),
    localHost,
  });
  printLine(readyLine(broker, options.json === true));
  // Only now, since loading it takes a while.
  preferFastestCrc32c();
  if (stop.isAsked) await stop.now();
  broker.failed.catch((error: unknown) => {
    printError(`ottla: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(BUG);
  });
}

function propertiesOf(options: StartOptions): Properties {
  const properties = new Map(
    options.file === undefined ? soleNode(options) : readProperties(options.file),
  );
  if (options.file !== undefined) overrideFile(properties, options);
  for (const pair of options.set ?? []) {
    const equals = pair.indexOf('=');
    if (equals < 1) throw new ExitError(USAGE, `ottla: --set wants key=value, not '${pair}'.`);
    properties.set(pair.slice(0, equals), pair.slice(equals + 1));
  }
  return properties;
}

function soleNode(options: StartOptions): Properties {
  const port = wholeNumber('--port', options.port ?? '9092', 65_535);
  return soleNodeProperties({
    nodeId: wholeNumber('--node-id', options['node-id'] ?? '1', 2 ** 31 - 1),
    host: options.host ?? 'localhost',
    port,
    // Kafka's own pair of ports; beside any other port the controller takes a free one.
    controllerPort: port === 9092 ? 9093 : 0,
    advertisedHost: options['advertised-host'],
    dataFolder: options.memory === true ? '/ottla' : resolve(options.data ?? 'ottla-data'),
  });
}

/** Flags that stand beside a file win over it; those that would fight with its listeners do not. */
function overrideFile(properties: Map<string, string>, options: StartOptions): void {
  for (const flag of ['port', 'host', 'advertised-host'] as const) {
    if (options[flag] !== undefined) {
      throw new ExitError(USAGE, `ottla: --${flag} does not go with a file: set listeners in it.`);
    }
  }
  if (options['node-id'] !== undefined) {
    properties.set('node.id', String(wholeNumber('--node-id', options['node-id'], 2 ** 31 - 1)));
  }
  if (options.memory === true) properties.set('log.dirs', '/ottla');
  else if (options.data !== undefined) properties.set('log.dirs', resolve(options.data));
}

/** Reads a file of Java properties. */
export function readProperties(file: string): Properties {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ExitError(USAGE, `ottla: cannot read the properties file: ${reason}`);
  }
  const { parse } = require('dot-properties') as typeof import('dot-properties');
  return new Map(
    Object.entries(parse(text)).map(([name, value]) => [name, String(value)] as const),
  );
}

function wholeNumber(flag: string, text: string, most: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= most)) {
    throw new ExitError(USAGE, `ottla: ${flag} wants a number from 0 to ${most}, not '${text}'.`);
  }
  return value;
}

function readyLine(broker: Broker, isJson: boolean): string {
  const clients = broker.listeners.filter((listener) => !listener.isForControllers);
  if (!isJson) {
    return `ottla ready on ${clients.map(({ host, port }) => `${host}:${port}`).join(', ')}`;
  }
  const listeners = broker.listeners.map(({ name, host, port }) => ({ name, host, port }));
  return JSON.stringify({
    ready: true,
    nodeId: broker.nodeId,
    clusterId: broker.clusterId,
    bootstrapServers: clients.map(({ host, port }) => `${host}:${port}`).join(','),
    listeners,
    pid: process.pid,
  });
}

/** The first signal stops cleanly, the second ends the process at once. */
function stopOnSignals(broker: () => Broker | undefined): {
  readonly isAsked: boolean;
  now(): Promise<void>;
} {
  let isAsked = false;
  const now = async (): Promise<void> => {
    const running = broker();
    if (running === undefined) return;
    try {
      await running.stop((closed, total) => {
        if (total > QUIET_STOP_PARTITIONS) printError(`ottla: ${closed} of ${total} logs closed`);
      });
      process.exit(0);
    } catch (error) {
      printError(`ottla: ${error instanceof Error ? error.message : String(error)}`);
      process.exit(1);
    }
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (isAsked) process.exit(130);
      isAsked = true;
      void now();
    });
  }
  return {
    get isAsked() {
      return isAsked;
    },
    now,
  };
}

/** The first address of this machine that others can reach; its loopback name if there is none. */
function localHost(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const reachable = addresses.find(({ internal, family }) => !internal && family === 'IPv4');
  return reachable?.address ?? 'localhost';
}

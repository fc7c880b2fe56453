/** `ottla start`: runs one node until it is told to stop. */
import { networkInterfaces } from 'node:os';
import type { BoundListener } from '../../broker/bind';
import type { Broker } from '../../broker/broker';
import { isAlone } from '../../broker/folders';
import { workerFile } from '../../broker/offload-tasks';
import { Settings } from '../../broker/settings';
import { startNode } from '../../broker/start-node';
import { memoryDisk } from '../../platform/memory-disk';
import { nodePlatform } from '../../platform/node';
import { preferFastestCrc32c } from '../../protocol/records/crc32c';
import { ExitError, printLine, reportCrash, USAGE } from '../output';
import { type Signals, stopOnSignals } from '../signals';
import { propertiesOf, type StartOptions } from './start-options';

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** Starts the node, says so, and stops it at SIGTERM or SIGINT. */
export async function startCommand(options: StartOptions): Promise<void> {
  const level = LOG_LEVELS.find((known) => known === (options['log-level'] ?? 'info'));
  if (level === undefined) {
    throw new ExitError(USAGE, `ottla: --log-level is one of ${LOG_LEVELS.join(', ')}.`);
  }
  const properties = propertiesOf(options);
  if (options.memory === true && !isAlone(new Settings(properties))) {
    throw new ExitError(
      USAGE,
      `ottla: ${options.file ?? '--set'} names other nodes, and --memory is for a cluster of one.`,
    );
  }
  const signals = stopOnSignals();
  if (options['stop-at-eof'] === true) stopAtEof(signals);
  const platform = nodePlatform({ level, workerFile });
  const disk = options.memory === true ? memoryDisk() : platform.disk;
  const broker = await holdingProcess(() =>
    startNode({ platform: { ...platform, disk }, properties, localHost }),
  );
  process.on('uncaughtException', (error) => process.exit(reportCrash(error)));
  broker.failed.catch((error: unknown) => process.exit(reportCrash(error)));
  printLine(readyLine(broker, options.json === true));
  signals.nodeRuns(broker);
  // Only now, since loading it takes a while.
  preferFastestCrc32c();
}

/**
 * A node's timers hold no process, and one that waits for others may have no connection. What is
 * held ends with `process.exit`, unless the start fails.
 */
async function holdingProcess(start: () => Promise<Broker>): Promise<Broker> {
  const hold = setInterval(() => undefined, 2 ** 30);
  try {
    return await start();
  } catch (error) {
    clearInterval(hold);
    throw error;
  }
}

function stopAtEof(signals: Signals): void {
  const { stdin } = process;
  stdin.on('end', () => signals.stop()).resume();
  // A start that fails ends the process all the same. A file, and /dev/null, hold no process.
  if ('unref' in stdin) stdin.unref();
}

function readyLine(broker: Broker, isJson: boolean): string {
  const clients = addresses(broker.listeners.filter((listener) => !listener.isForControllers));
  if (!isJson) return `ottla ready on ${clients || addresses(broker.listeners)}`;
  return JSON.stringify({
    ready: true,
    nodeId: broker.nodeId,
    clusterId: broker.clusterId,
    bootstrapServers: clients,
    listeners: broker.listeners.map(({ name, host, port }) => ({ name, host, port })),
    pid: process.pid,
  });
}

const addresses = (listeners: readonly BoundListener[]): string =>
  listeners.map(({ address }) => address).join(',');

/** An address of this machine that others can reach; its loopback name if there is none. */
function localHost(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const reachable = addresses.filter(
    ({ internal, address }) => !internal && !address.startsWith('fe80:'),
  );
  const first = reachable.find(({ family }) => family === 'IPv4') ?? reachable[0];
  return first?.address ?? 'localhost';
}

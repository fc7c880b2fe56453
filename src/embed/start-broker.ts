/**
 * A broker inside the caller's process, for tests: in memory, on a free port, gone when stopped.
 */
import { resolve } from 'node:path';
import type { Broker } from '../broker/broker';
import { workerFile } from '../broker/offload-tasks';
import { soleNodeProperties } from '../broker/sole-node';
import { startNode } from '../broker/start-node';
import { keepingAlive } from '../platform/keep-alive';
import { memoryDisk } from '../platform/memory-disk';
import { nodePlatform } from '../platform/node';
import { createTopics, type TopicOptions, textEntries } from './topics';

export interface StartBrokerOptions {
  /** Created before `startBroker` resolves; a text is a topic with default settings. */
  readonly topics?: readonly (string | TopicOptions)[];
  /** 0, the default, takes a free one. */
  readonly port?: number;
  /** A name or address to listen on; `localhost` (IPv4 and IPv6) by default. */
  readonly host?: string;
  /** A folder that keeps the data; by default it lives in memory and is gone with the broker. */
  readonly dataFolder?: string;
  /** 1 by default. */
  readonly nodeId?: number;
  /** Broker settings by Kafka's names, `{ 'num.partitions': 3 }` for one. */
  readonly settings?: Readonly<Record<string, string | number | boolean>>;
  /** Log lines on standard error from this level on; `silent` by default. */
  readonly logLevel?: 'debug' | 'info' | 'warn' | 'error' | 'silent';
}

/** A running broker. */
export interface RunningBroker extends AsyncDisposable {
  /** `host:port` of each listener for clients, as kafkajs's `brokers` takes them. */
  readonly brokers: string[];
  /** The same as one text, as Java's `bootstrap.servers` takes it. */
  readonly bootstrapServers: string;
  readonly host: string;
  readonly port: number;
  readonly clusterId: string;
  /** Rejects if the broker has to give up through a fault of its own; never resolves. */
  readonly failed: Promise<never>;
  createTopics(topics: readonly (string | TopicOptions)[]): Promise<void>;
  /** Stops cleanly; connections are closed. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Starts a broker in this process and resolves once it serves. It installs no signal handlers,
 * never ends the process, and nothing of it keeps the process alive once it runs.
 * Rejects with an Error whose message is a sentence (a taken port, a wrong setting, a locked
 * folder).
 */
export function startBroker(options: StartBrokerOptions = {}): Promise<RunningBroker> {
  return keepingAlive(() => start(options));
}

async function start(options: StartBrokerOptions): Promise<RunningBroker> {
  const platform = nodePlatform({
    level: options.logLevel ?? 'silent',
    workerFile,
    keepsProcessAlive: false,
  });
  const disk = options.dataFolder === undefined ? memoryDisk() : platform.disk;
  const node = await startNode({
    platform: { ...platform, disk },
    properties: new Map([
      ...soleNodeProperties({
        nodeId: options.nodeId ?? 1,
        host: options.host ?? 'localhost',
        port: options.port ?? 0,
        controllerPort: 0,
        advertisedHost: undefined,
        dataFolder: options.dataFolder === undefined ? '/ottla' : resolve(options.dataFolder),
      }),
      ...textEntries(options.settings),
    ]),
    localHost: () => 'localhost',
  });
  try {
    await createTopics(node, options.topics ?? []);
  } catch (error) {
    await node.stop();
    throw error;
  }
  return running(node);
}

function running(node: Broker): RunningBroker {
  const clients = node.listeners.filter((listener) => !listener.isForControllers);
  const brokers = clients.map(({ address }) => address);
  const stop = (): Promise<void> => keepingAlive(() => node.stop());
  return {
    brokers,
    bootstrapServers: brokers.join(','),
    host: clients[0]?.host ?? 'localhost',
    port: clients[0]?.port ?? 0,
    clusterId: node.clusterId,
    failed: node.failed,
    createTopics: (topics) => keepingAlive(() => createTopics(node, topics)),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

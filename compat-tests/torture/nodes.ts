/** The nodes: real processes of the shipped command, each with a folder and a place of its own. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '../../src/embed/ports';
import { nodePlatform } from '../../src/platform/node';
import { COMMAND, formatOttla } from '../support/ottla';
import type { Door, Links } from './links';

/** A node that was told to end, or started, may take so long, in milliseconds. */
const STOP_WITHIN_MS = 60_000;
const SERVE_WITHIN_MS = 90_000;

/** A replica that cuts back what it knows to be committed; nobody here loses power. */
const CUT_COMMITTED = /^\{"level":"warn".*"event":"a log is cut back /;

export type NodeState = 'up' | 'starting' | 'down' | 'stopping' | 'frozen';

interface Ports {
  readonly client: number;
  /** Where the node itself listens for other brokers, and where these find it. */
  readonly broker: number;
  readonly brokerDoor: number;
  readonly controller: number;
  readonly controllerDoor: number;
}
const PORTS_A_NODE = 5;

/** Makes the folders of a new cluster ready. */
export async function makeNodes(options: {
  readonly count: number;
  readonly folder: string;
  readonly profile: string;
  readonly links: Links;
  /** Told of what no node may do. */
  readonly violated: (sentence: string) => void;
}): Promise<StormNode[]> {
  const { count, folder, profile, links, violated } = options;
  mkdirSync(folder, { recursive: true });
  const { network, random } = nodePlatform();
  const free = await freePorts(network, random, PORTS_A_NODE * count);
  const plans = Array.from({ length: count }, (_, index) => {
    const [client = 0, broker = 0, brokerDoor = 0, controller = 0, controllerDoor = 0] = free.slice(
      PORTS_A_NODE * index,
    );
    const ports: Ports = { client, broker, brokerDoor, controller, controllerDoor };
    return { id: index + 1, ports, directoryId: newId() };
  });
  const clusterId = newId();
  const controllers = plans
    .map(({ id, ports, directoryId }) => `${id}@${place(ports.controllerDoor)}:${directoryId}`)
    .join(',');
  const bootstrap = plans.map(({ ports }) => place(ports.controllerDoor)).join(',');
  const nodes: StormNode[] = [];
  for (const { id, ports } of plans) {
    const file = join(folder, `node-${id}.properties`);
    const data = join(folder, `node-${id}`);
    writeFileSync(file, propertiesOf(id, ports, data, bootstrap, profile));
    await formatOttla(file, clusterId, '--initial-controllers', controllers);
    const doors = [
      links.door(id, ports.brokerDoor, ports.broker),
      links.door(id, ports.controllerDoor, ports.controller),
    ];
    nodes.push(new StormNode({ id, port: ports.client, file, data, doors, violated }));
  }
  return nodes;
}

interface NodeOptions {
  readonly id: number;
  /** Where clients find it. */
  readonly port: number;
  readonly file: string;
  readonly data: string;
  readonly doors: readonly Door[];
  readonly violated: (sentence: string) => void;
}

export class StormNode {
  readonly id: number;
  readonly port: number;
  /** The folder of its logs. */
  readonly data: string;
  readonly #options: NodeOptions;
  #child: ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();
  #serves: Promise<void> = Promise.resolve();
  #giveUp: () => void = () => undefined;
  #state: NodeState = 'down';
  /** The most memory that it was seen with, in bytes. */
  mostMemory = 0;

  constructor(options: NodeOptions) {
    this.#options = options;
    this.id = options.id;
    this.port = options.port;
    this.data = options.data;
  }

  get state(): NodeState {
    return this.#state;
  }

  get logFile(): string {
    return `${this.data}.log`;
  }

  /** Begins a life; resolves once others can find it, not once it serves. */
  async start(): Promise<void> {
    this.#state = 'starting';
    for (const door of this.#options.doors) await door.open();
    const log = openSync(this.logFile, 'a');
    const args = [COMMAND, 'start', this.#options.file, '--json', '--log-level', 'info'];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', log] });
    closeSync(log);
    this.#child = child;
    RUNNING.add(child);
    this.#serves = new Promise((resolve) => {
      child.stdout?.once('data', () => {
        if (this.#state === 'starting') this.#state = 'up';
        resolve();
      });
      child.once('exit', () => resolve());
      this.#giveUp = resolve;
    });
    this.#ended = new Promise((resolve) => {
      child.once('exit', (exitCode, signal) => {
        RUNNING.delete(child);
        for (const door of this.#options.doors) door.close();
        const isExpected = signal === 'SIGKILL' || (this.#state === 'stopping' && exitCode === 0);
        if (!isExpected) {
          this.#options.violated(`node ${this.id} ended by itself: ${signal ?? exitCode}`);
        }
        this.#state = 'down';
        resolve();
      });
    });
  }

  /** Resolves once it serves, or has ended, or takes too long. */
  async serves(): Promise<void> {
    const timer = setTimeout(() => {
      this.#options.violated(`node ${this.id} did not serve within ${SERVE_WITHIN_MS} ms`);
      this.#giveUp();
    }, SERVE_WITHIN_MS);
    await this.#serves;
    clearTimeout(timer);
  }

  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.#ended;
  }

  /** Ends it in order. */
  async stop(): Promise<void> {
    if (this.#state === 'down') return;
    this.#state = 'stopping';
    this.#child?.kill('SIGTERM');
    const timer = setTimeout(() => {
      this.#options.violated(`node ${this.id} did not stop within ${STOP_WITHIN_MS} ms`);
      this.#child?.kill('SIGKILL');
    }, STOP_WITHIN_MS);
    await this.#ended;
    clearTimeout(timer);
  }

  /** It stands still until the function that this returns is called. */
  freeze(): () => void {
    const child = this.#child;
    const before = this.#state;
    child?.kill('SIGSTOP');
    this.#state = 'frozen';
    return () => {
      child?.kill('SIGCONT');
      if (this.#state === 'frozen') this.#state = before;
    };
  }

  /** Resident bytes; undefined while it does not run. */
  memory(): number | undefined {
    if (this.#child?.pid === undefined || this.#state === 'down') return undefined;
    try {
      const kibibytes = execFileSync('ps', ['-o', 'rss=', '-p', `${this.#child.pid}`]);
      const bytes = Number(kibibytes.toString()) * 1024;
      this.mostMemory = Math.max(this.mostMemory, bytes);
      return bytes;
    } catch {
      // It ended while it was asked for.
      return undefined;
    }
  }

  /** Lines in which it says that something went wrong within itself, or with what it stores. */
  complaints(): string[] {
    const lines = readFileSync(this.logFile, 'utf8').split('\n');
    return lines.filter(
      (line) =>
        line !== '' && (!/^\{"level":"(debug|info|warn)"/.test(line) || CUT_COMMITTED.test(line)),
    );
  }
}

/** None outlives this process. */
const RUNNING = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of RUNNING) child.kill('SIGKILL');
});

const place = (port: number): string => `127.0.0.1:${port}`;

/** An id of Kafka's kind that no command line takes for a flag. */
const newId = (): string => randomBytes(16).toString('base64url').replace(/^-/, 'A');

function propertiesOf(
  id: number,
  ports: Ports,
  data: string,
  bootstrap: string,
  profile: string,
): string {
  const listeners = (broker: number, controller: number): string =>
    [
      `PLAINTEXT://${place(ports.client)}`,
      `NODES://${place(broker)}`,
      `CONTROLLER://${place(controller)}`,
    ].join(',');
  return [
    'process.roles=broker,controller',
    `node.id=${id}`,
    `listeners=${listeners(ports.broker, ports.controller)}`,
    `advertised.listeners=${listeners(ports.brokerDoor, ports.controllerDoor)}`,
    'listener.security.protocol.map=PLAINTEXT:PLAINTEXT,NODES:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'inter.broker.listener.name=NODES',
    'controller.listener.names=CONTROLLER',
    `controller.quorum.bootstrap.servers=${bootstrap}`,
    `log.dirs=${data}`,
    'default.replication.factor=3',
    'min.insync.replicas=2',
    'offsets.topic.replication.factor=3',
    'transaction.state.log.replication.factor=3',
    'transaction.state.log.min.isr=2',
    'auto.create.topics.enable=false',
    'group.initial.rebalance.delay.ms=0',
    profile,
    '',
  ].join('\n');
}

/** The shipped command as a person runs it, in a folder of its own. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Finished, run, Server } from '../../compat-tests/support/process';

const COMMAND = resolve(__dirname, '../../dist/ottla.js');
/** Certificates that a machine adds for its network cost every process time that is not ours. */
const ENV = { NODE_EXTRA_CA_CERTS: '' };

/** Where the commands of one test run; servers still running at its end are killed. */
export class Workplace {
  readonly folder = mkdtempSync(join(tmpdir(), 'ottla-cli-'));
  readonly #servers: Server[] = [];
  readonly #clusters: Server[] = [];

  /** Runs `ottla …` to its end. */
  run(...args: readonly string[]): Promise<Finished> {
    return run(process.execPath, [COMMAND, ...args], { env: ENV, cwd: this.folder });
  }

  /** `ottla start …`, once it has said that it is ready. */
  async start(...args: readonly string[]): Promise<Server> {
    const server = this.launch(args);
    await server.until(/^(ottla ready on .*|\{"ready":true.*\})$/m);
    return server;
  }

  /** `ottla cluster …`, once it has said that it is ready. */
  async cluster(...args: readonly string[]): Promise<Server> {
    const command = [COMMAND, 'cluster', ...args];
    const server = new Server(process.execPath, command, ENV, this.folder);
    this.#clusters.push(server);
    await server.until(/^(ottla cluster ready on .*|\{"ready":true.*\})$/m);
    return server;
  }

  write(name: string, text: string): void {
    writeFileSync(this.path(name), text);
  }

  /** `ottla start …`, at once; `stdin` is an open file. */
  launch(args: readonly string[], stdin?: number): Server {
    const command = [COMMAND, 'start', ...args];
    const server = new Server(process.execPath, command, ENV, this.folder, stdin);
    this.#servers.push(server);
    return server;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  async end(): Promise<void> {
    // Nodes of a cluster end with their supervisor only if that is not killed.
    for (const cluster of this.#clusters) await cluster.stop();
    for (const server of this.#servers) await server.stop('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** What `--json` prints. */
export interface Ready {
  readonly nodeId: number;
  readonly clusterId: string;
  readonly bootstrapServers: string;
  readonly listeners: readonly {
    readonly name: string;
    readonly host: string;
    readonly port: number;
  }[];
  readonly pid: number;
}

export const readyOf = (server: Server): Ready => JSON.parse(server.stdout) as Ready;

export function portOf(server: Server): number {
  return Number(/:(\d+)\n$/.exec(server.stdout)?.[1]);
}

/** One log line, as JSON has it. */
export interface LogLine {
  readonly level: string;
  readonly event: string;
  readonly [field: string]: unknown;
}

export const logLines = (server: Server): LogLine[] =>
  server.stderr
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as LogLine);

/** Whether something accepts connections there. */
export function isOpen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

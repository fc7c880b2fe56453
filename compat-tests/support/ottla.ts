/** The shipped command as a process of its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runWell, Server } from './process';

export const COMMAND = resolve(__dirname, '../../dist/ottla.js');

export interface OttlaProcess {
  readonly bootstrapServers: string;
  readonly controllerServers: string;
  readonly clusterId: string;
  readonly folder: string;
  readonly server: Server;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts a node on free ports; `folder` keeps its data. */
export async function startOttla(
  folder: string,
  args: readonly string[] = [],
  port = 0,
): Promise<OttlaProcess> {
  const server = new Server(
    process.execPath,
    [
      COMMAND,
      'start',
      '--data',
      folder,
      '--port',
      `${port}`,
      '--json',
      '--log-level',
      'warn',
      ...args,
    ],
    { NODE_EXTRA_CA_CERTS: '' },
  );
  const [line] = await server.until(/^\{"ready":true.*\}$/m);
  const ready = JSON.parse(line) as Ready;
  const controller = ready.listeners.find(({ name }) => name === 'CONTROLLER');
  return {
    bootstrapServers: ready.bootstrapServers,
    controllerServers: `${controller?.host}:${controller?.port}`,
    clusterId: ready.clusterId,
    folder,
    server,
    stop: (signal) => server.stop(signal),
  };
}

/** Makes the folders of these properties ready for a cluster. */
export async function formatOttla(
  propertiesFile: string,
  clusterId: string,
  ...flags: readonly string[]
): Promise<void> {
  const args = [COMMAND, 'storage', 'format', '-t', clusterId, '-c', propertiesFile, ...flags];
  await runWell(process.execPath, args);
}

export interface OttlaCluster {
  /** `host:port` of each node. */
  readonly servers: readonly string[];
  readonly clusterId: string;
  /** Of `node-1`, `node-1.properties`, … */
  readonly folder: string;
  stop(): Promise<void>;
}

/** Starts three nodes on free ports by `ottla cluster`; `folder` keeps their data. */
export async function startOttlaCluster(
  folder: string,
  ...settings: string[]
): Promise<OttlaCluster> {
  const args = [COMMAND, 'cluster', '--data', folder, '--port', '0', '--json'];
  args.push(...settings.flatMap((setting) => ['--set', setting]));
  const server = new Server(process.execPath, args, { NODE_EXTRA_CA_CERTS: '' });
  const [line] = await server.until(/^\{"ready":true.*\}$/m);
  const { clusterId, bootstrapServers } = JSON.parse(line) as Ready;
  return { servers: bootstrapServers.split(','), clusterId, folder, stop: () => server.stop() };
}

/** Starts one node of a cluster with these properties; resolves once it serves. */
export async function startOttlaNode(propertiesFile: string): Promise<Server> {
  const args = [COMMAND, 'start', propertiesFile, '--json', '--log-level', 'warn'];
  const server = new Server(process.execPath, args);
  await server.until(/^\{"ready":true.*\}$/m);
  return server;
}

interface Ready {
  readonly bootstrapServers: string;
  readonly clusterId: string;
  readonly listeners: readonly {
    readonly name: string;
    readonly host: string;
    readonly port: number;
  }[];
}

/** A folder that is removed by `end`. */
export function temporaryFolder(): { readonly path: string; end(): void } {
  const path = mkdtempSync(join(tmpdir(), 'ottla-compat-'));
  return { path, end: () => rmSync(path, { recursive: true, force: true }) };
}

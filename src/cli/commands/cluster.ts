/** `ottla cluster`: several nodes on this machine, each a process, and their supervisor. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  type ClusterNodePlan,
  type ClusterPlan,
  clusterNodeProperties,
  formatClusterNode,
  planCluster,
  usualControllers,
} from '../../broker/cluster-nodes';
import type { Properties } from '../../broker/settings';
import { freePorts } from '../../embed/ports';
import { nodePlatform } from '../../platform/node';
import { ExitError, printLine, USAGE } from '../output';
import { readProperties, writeProperties } from '../properties-file';
import { Supervisor } from '../supervisor';
import { settingsOf, wholeNumber } from './start-options';

/** As typed; absent where it was not given. */
export interface ClusterOptions {
  readonly nodes?: string;
  readonly controllers?: string;
  readonly port?: string;
  readonly data?: string;
  readonly profile?: string;
  readonly set?: readonly string[];
  readonly 'log-level'?: string;
  readonly json?: boolean;
}

export const CLUSTER_OPTIONS = {
  nodes: { type: 'string', describe: 'how many nodes (3)' },
  controllers: { type: 'string', describe: 'how many of them are controllers too (3, else 1)' },
  port: { type: 'string', describe: 'first of the ports, two a node; 0 takes free ones (9092)' },
  data: { type: 'string', describe: 'folder of all nodes’ logs (./ottla-cluster)' },
  profile: { type: 'string', describe: 'file of properties that all nodes get' },
  set: { type: 'string', array: true, describe: 'a setting, key=value; may be repeated' },
  'log-level': { type: 'string', describe: 'debug, info, warn, error or silent (warn)' },
  json: { type: 'boolean', describe: 'say that it is ready as one JSON object' },
} as const;

const HOST = 'localhost';
const MOST_NODES = 100;
/** What the folder's cluster is made of, ports included: nodes know each other by them. */
const PLAN_FILE = 'cluster.json';

/** Starts the nodes, says so, and runs until a signal ends them. */
export async function clusterCommand(options: ClusterOptions): Promise<void> {
  const folder = resolve(options.data ?? 'ottla-cluster');
  const settings = new Map([
    ...(options.profile === undefined ? [] : readProperties(options.profile)),
    ...settingsOf(options.set ?? []),
  ]);
  const plan = await planIn(folder, options);
  const files = plan.nodes.map((node) => propertiesFile(folder, plan, node, settings));
  for (const node of plan.nodes) await formatClusterNode(nodePlatform(), plan, node);
  const supervisor = new Supervisor(options['log-level'] ?? 'warn');
  const started = plan.nodes.map((node, index) =>
    supervisor.start(node.nodeId, files[index] as string),
  );
  const pids = await Promise.all(started);
  for (const line of readyLines(plan, pids, options.json === true)) printLine(line);
}

/** The cluster that lives in the folder, or a new one. */
async function planIn(folder: string, options: ClusterOptions): Promise<ClusterPlan> {
  const file = join(folder, PLAN_FILE);
  const dataFolder = (nodeId: number) => join(folder, `node-${nodeId}`);
  if (existsSync(file)) {
    const held = JSON.parse(readFileSync(file, 'utf8')) as ClusterPlan;
    refuseOther(folder, held, options);
    return {
      ...held,
      nodes: held.nodes.map((node) => ({ ...node, dataFolder: dataFolder(node.nodeId) })),
    };
  }
  const nodes = wholeNumber('--nodes', options.nodes ?? '3', MOST_NODES, 1);
  const usual = String(usualControllers(nodes));
  const controllers = wholeNumber('--controllers', options.controllers ?? usual, nodes, 1);
  const { network, random } = nodePlatform();
  const first = wholeNumber('--port', options.port ?? '9092', 65_535 - 2 * nodes);
  const ports =
    first === 0
      ? await freePorts(network, random, 2 * nodes)
      : Array.from({ length: 2 * nodes }, (_, index) => first + index);
  const plan = planCluster(random, { brokers: nodes, controllers, host: HOST, ports, dataFolder });
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, `${JSON.stringify(plan, withoutFolders, 2)}\n`);
  return plan;
}

/** The folder may be moved, and its nodes with it: where they lie is not written down. */
const withoutFolders = (key: string, value: unknown): unknown =>
  key === 'dataFolder' ? undefined : value;

/** The same command starts a cluster and takes it up again; what it is made of stays as it is. */
function refuseOther(folder: string, held: ClusterPlan, options: ClusterOptions): void {
  const holds = {
    nodes: held.nodes.length,
    controllers: held.nodes.filter(({ isController }) => isController).length,
    port: held.nodes[0]?.port,
  };
  for (const flag of ['nodes', 'controllers', 'port'] as const) {
    const asked = options[flag] ?? String(holds[flag]);
    if (asked === String(holds[flag]) || (flag === 'port' && asked === '0')) continue;
    throw new ExitError(
      USAGE,
      `ottla: ${folder} holds a cluster already, with --${flag} ${holds[flag]}: ` +
        `leave out --${flag}, or name another folder.`,
    );
  }
}

/** Writes what a node is started with; what is in the file says all about it. */
function propertiesFile(
  folder: string,
  plan: ClusterPlan,
  node: ClusterNodePlan,
  settings: Properties,
): string {
  const file = join(folder, `node-${node.nodeId}.properties`);
  writeProperties(file, new Map([...clusterNodeProperties(plan, node), ...settings]));
  return file;
}

function readyLines(plan: ClusterPlan, pids: readonly number[], isJson: boolean): string[] {
  const bootstrapServers = plan.nodes.map(({ host, port }) => `${host}:${port}`).join(',');
  const nodes = plan.nodes.map((node, index) => ({ ...node, pid: pids[index] as number }));
  if (isJson) {
    const told = nodes.map(({ nodeId, host, port, controllerPort, dataFolder, pid, ...node }) => ({
      nodeId,
      host,
      port,
      ...(node.isController ? { controllerPort } : {}),
      dataFolder,
      pid,
    }));
    const { clusterId } = plan;
    return [
      JSON.stringify({ ready: true, clusterId, bootstrapServers, nodes: told, pid: process.pid }),
    ];
  }
  return [
    `ottla cluster ready on ${bootstrapServers}`,
    ...nodes.map(({ nodeId, host, port, isController, controllerPort, pid }) => {
      const controller = isController ? `, controller on ${controllerPort}` : '';
      return `  node ${nodeId}: ${host}:${port}${controller}, process ${pid}`;
    }),
  ];
}

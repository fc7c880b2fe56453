/** What the nodes of a cluster on one machine run with, where nobody wrote properties for them. */
import type { NodeId, Uuid } from '../base/ids';
import type { Platform } from '../platform/platform';
import { randomUuid } from './directory-ids';
import { formatFolders } from './format';
import type { InitialController } from './initial-controllers';
import type { Properties } from './settings';

export interface ClusterNodePlan {
  readonly nodeId: NodeId;
  readonly isController: boolean;
  /** A name or address that all nodes and clients reach it by. */
  readonly host: string;
  readonly port: number;
  readonly controllerPort: number;
  /** Absolute. */
  readonly dataFolder: string;
  readonly directoryId: Uuid;
}

export interface ClusterPlan {
  readonly clusterId: string;
  readonly nodes: readonly ClusterNodePlan[];
}

export interface ClusterSize {
  readonly brokers: number;
  /** The first of them are controllers too. */
  readonly controllers: number;
  readonly host: string;
  /** Two for each node. */
  readonly ports: readonly number[];
  readonly dataFolder: (nodeId: NodeId) => string;
}

/** How many brokers of a cluster of that size decide too: enough to do without one, if it can. */
export const usualControllers = (brokers: number): number => (brokers >= 3 ? 3 : 1);

/** A new cluster; nodes are counted from 1. */
export function planCluster(random: Platform['random'], size: ClusterSize): ClusterPlan {
  const { brokers, controllers, host, ports, dataFolder } = size;
  const nodes = Array.from({ length: brokers }, (_, index) => ({
    nodeId: index + 1,
    isController: index < controllers,
    host,
    port: ports[2 * index] as number,
    controllerPort: ports[2 * index + 1] as number,
    dataFolder: dataFolder(index + 1),
    directoryId: randomUuid(random),
  }));
  return { clusterId: randomUuid(random), nodes };
}

/** Kafka's defaults, but for what would need more nodes than there are, or waits for nothing. */
export function clusterNodeProperties(plan: ClusterPlan, node: ClusterNodePlan): Properties {
  const { nodeId, isController, host, port, controllerPort, dataFolder } = node;
  const replicas = String(Math.min(3, plan.nodes.length));
  const minInsyncReplicas = plan.nodes.length >= 3 ? '2' : '1';
  const client = `PLAINTEXT://${host}:${port}`;
  const controllers = plan.nodes.filter((each) => each.isController);
  return new Map([
    ['process.roles', isController ? 'broker,controller' : 'broker'],
    ['node.id', String(nodeId)],
    ['listeners', isController ? `${client},CONTROLLER://${host}:${controllerPort}` : client],
    ['controller.listener.names', 'CONTROLLER'],
    [
      'controller.quorum.bootstrap.servers',
      controllers.map((each) => `${each.host}:${each.controllerPort}`).join(','),
    ],
    ['log.dirs', dataFolder],
    ['default.replication.factor', replicas],
    ['min.insync.replicas', minInsyncReplicas],
    ['offsets.topic.replication.factor', replicas],
    ['transaction.state.log.replication.factor', replicas],
    ['transaction.state.log.min.isr', minInsyncReplicas],
    ['group.initial.rebalance.delay.ms', '0'],
    // Nodes that start together wait for nobody.
    ['controller.quorum.election.timeout.ms', '250'],
  ]);
}

/** Makes a node's folder ready, unless it is. */
export async function formatClusterNode(
  platform: Platform,
  plan: ClusterPlan,
  node: ClusterNodePlan,
): Promise<void> {
  const controllers: InitialController[] = plan.nodes
    .filter(({ isController }) => isController)
    .map(({ nodeId, host, controllerPort, directoryId }) => ({
      id: nodeId,
      host,
      port: controllerPort,
      directoryId,
    }));
  await formatFolders(platform, {
    folders: [node.dataFolder],
    metadataFolder: node.dataFolder,
    nodeId: node.nodeId,
    clusterId: plan.clusterId,
    isController: node.isController,
    hasStaticVoters: false,
    controllerListenerName: 'CONTROLLER',
    initial: node.isController ? { kind: 'initial', controllers } : undefined,
    ignoreFormatted: true,
    releaseVersion: undefined,
    features: new Map(),
  });
}

/** Nodes of the shipped command as processes on this machine, each killed and started by itself. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  clusterNodeProperties,
  formatClusterNode,
  planCluster,
  usualControllers,
} from '../../src/broker/cluster-nodes';
import { Channel, channelBuffers } from '../../src/client/channel';
import { nodePlatform } from '../../src/platform/node';
import type { AnyApi, RequestDraft, ResponseOf } from '../../src/protocol/api';
import { DescribeQuorum } from '../../src/protocol/apis/describe-quorum';
import { Metadata } from '../../src/protocol/apis/metadata';
import { freePort } from './apache-kafka';
import { startOttlaNode } from './ottla';
import type { Server } from './process';

const HOST = 'localhost';
const platform = nodePlatform();
const world = { ...platform, buffers: channelBuffers() };

export interface LocalNode {
  readonly nodeId: number;
  readonly port: number;
  readonly propertiesFile: string;
  /** Undefined while it is down. */
  server: Server | undefined;
}

export interface LocalClusterOptions {
  readonly nodes: number;
  /** Beside what `ottla cluster` gives its nodes. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Told of a node that ended by itself, with all it printed. */
  readonly died?: (nodeId: number, output: string) => void;
}

export class LocalCluster {
  readonly nodes: readonly LocalNode[];
  readonly #died: (nodeId: number, output: string) => void;

  private constructor(nodes: readonly LocalNode[], died: LocalClusterOptions['died']) {
    this.nodes = nodes;
    this.#died = died ?? (() => undefined);
  }

  /** Makes the nodes in `folder`, on free ports, and starts them; resolves once all serve. */
  static async start(folder: string, options: LocalClusterOptions): Promise<LocalCluster> {
    const { nodes: brokers, settings = {}, died } = options;
    const ports: number[] = [];
    while (ports.length < 2 * brokers) {
      const port = await freePort();
      if (!ports.includes(port)) ports.push(port);
    }
    const plan = planCluster(platform.random, {
      brokers,
      controllers: usualControllers(brokers),
      host: HOST,
      ports,
      dataFolder: (nodeId) => join(folder, `node-${nodeId}`),
    });
    const nodes: LocalNode[] = [];
    for (const node of plan.nodes) {
      const properties = [...clusterNodeProperties(plan, node), ...Object.entries(settings)];
      const propertiesFile = join(folder, `node-${node.nodeId}.properties`);
      writeFileSync(propertiesFile, properties.map((pair) => `${pair.join('=')}\n`).join(''));
      await formatClusterNode(platform, plan, node);
      const { nodeId, port } = node;
      nodes.push({ nodeId, port, propertiesFile, server: undefined });
    }
    const cluster = new LocalCluster(nodes, died);
    await Promise.all(nodes.map(({ nodeId }) => cluster.startNode(nodeId)));
    return cluster;
  }

  get bootstrapServers(): string {
    return this.nodes.map(({ port }) => `${HOST}:${port}`).join(',');
  }

  node(nodeId: number): LocalNode {
    const found = this.nodes.find((node) => node.nodeId === nodeId);
    if (found === undefined) throw new Error(`there is no node ${nodeId}`);
    return found;
  }

  /** Starts a node that is down; resolves once it serves. */
  async startNode(nodeId: number): Promise<void> {
    const node = this.node(nodeId);
    const server = await startOttlaNode(node.propertiesFile);
    node.server = server;
    void server.ended.then(() => {
      if (node.server !== server) return;
      node.server = undefined;
      this.#died(nodeId, server.output);
    });
  }

  /** SIGKILL; resolves once the process is gone. */
  async killNode(nodeId: number): Promise<void> {
    const node = this.node(nodeId);
    const { server } = node;
    node.server = undefined;
    await server?.stop('SIGKILL');
  }

  async stop(): Promise<void> {
    const running = this.nodes.map((node) => {
      const { server } = node;
      node.server = undefined;
      return server;
    });
    await Promise.all(running.map((server) => server?.stop()));
  }

  /** Asks one node, by default any that is up; rejects with a ChannelError if it does not answer. */
  async ask<A extends AnyApi>(
    api: A,
    version: number,
    request: RequestDraft<A>,
    nodeId?: number,
  ): Promise<ResponseOf<A>> {
    const up = this.nodes.find(({ server }) => server !== undefined)?.nodeId ?? 1;
    const { port } = this.node(nodeId ?? up);
    const channel = await Channel.connect(world, {
      host: HOST,
      port,
      clientId: 'compat',
      connectTimeoutMs: 5_000,
      requestTimeoutMs: 30_000,
    });
    try {
      return await channel.request(api, version, request);
    } finally {
      channel.close();
    }
  }

  /** The node that decides for the cluster; undefined while there is none. */
  async activeController(): Promise<number | undefined> {
    const { topics } = await this.ask(DescribeQuorum, 2, {
      topics: [{ topicName: '__cluster_metadata', partitions: [{ partitionIndex: 0 }] }],
    });
    const leaderId = topics[0]?.partitions[0]?.leaderId ?? -1;
    return leaderId === -1 ? undefined : leaderId;
  }

  /** What is wrong with the replicas: partitions without leader, or with too few in sync. */
  async ailing(): Promise<readonly string[]> {
    const { topics } = await this.ask(Metadata, 12, { topics: null });
    return topics.flatMap(({ name, partitions }) =>
      partitions
        .filter(
          ({ leaderId, replicaNodes, isrNodes }) =>
            leaderId === -1 || isrNodes.length < replicaNodes.length,
        )
        .map(({ partitionIndex, leaderId, isrNodes }) => {
          return `${name}-${partitionIndex}: leader ${leaderId}, in sync ${isrNodes}`;
        }),
    );
  }
}

/** What the nodes say about their cluster. */
import { Channel, channelBuffers } from '../../src/client/channel';
import { nodePlatform } from '../../src/platform/node';
import { DescribeQuorum } from '../../src/protocol/apis/describe-quorum';
import { Metadata } from '../../src/protocol/apis/metadata';
import type { StormNode } from './nodes';

/** A node that takes longer to answer is not asked on. */
const ANSWER_WITHIN_MS = 3_000;
const world = { ...nodePlatform(), buffers: channelBuffers() };

/** What keeps the cluster from being whole; undefined if nothing does, as every node sees it. */
export async function ailment(nodes: readonly StormNode[]): Promise<string | undefined> {
  const found = await Promise.all(nodes.map((node) => ailmentSeenBy(node, nodes.length)));
  return found.find((each) => each !== undefined);
}

async function ailmentSeenBy(node: StormNode, count: number): Promise<string | undefined> {
  if (node.state !== 'up') return `node ${node.id} is ${node.state}`;
  try {
    const { brokers, topics } = await ask(node, (channel) =>
      channel.request(Metadata, 12, {
        topics: null,
        allowAutoTopicCreation: false,
        includeTopicAuthorizedOperations: false,
      }),
    );
    if (brokers.length < count) return `node ${node.id} sees ${brokers.length} nodes unfenced`;
    for (const { name, partitions } of topics) {
      for (const { partitionIndex, leaderId, replicaNodes, isrNodes } of partitions) {
        const about = `node ${node.id} sees ${name}-${partitionIndex}`;
        if (leaderId < 0) return `${about} without a leader`;
        if (isrNodes.length < replicaNodes.length) {
          return `${about} in sync on ${isrNodes.join(' and ')} alone`;
        }
      }
    }
    return undefined;
  } catch (error) {
    return `node ${node.id} does not answer: ${error instanceof Error ? error.message : error}`;
  }
}

/** The active controller, as the first of the nodes that answers knows it. */
export async function activeController(nodes: readonly StormNode[]): Promise<number | undefined> {
  for (const node of nodes) {
    if (node.state !== 'up') continue;
    try {
      const { topics } = await ask(node, (channel) =>
        channel.request(DescribeQuorum, 2, {
          topics: [{ topicName: '__cluster_metadata', partitions: [{ partitionIndex: 0 }] }],
        }),
      );
      const leaderId = topics[0]?.partitions[0]?.leaderId ?? -1;
      if (leaderId >= 0) return leaderId;
    } catch {
      // The next one may know.
    }
  }
  return undefined;
}

async function ask<T>(node: StormNode, body: (channel: Channel) => Promise<T>): Promise<T> {
  const channel = await Channel.connect(world, {
    host: '127.0.0.1',
    port: node.port,
    clientId: 'torture',
    connectTimeoutMs: ANSWER_WITHIN_MS,
    requestTimeoutMs: ANSWER_WITHIN_MS,
  });
  try {
    return await body(channel);
  } finally {
    channel.close();
  }
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { Channel, channelBuffers } from '../../src/client/channel';
import { type RunningCluster, startCluster } from '../../src/embed/cluster';
import { startBroker } from '../../src/embed/start-broker';
import { nodePlatform } from '../../src/platform/node';
import type { AnyApi, RequestDraft, ResponseOf } from '../../src/protocol/api';
import { CreateTopics } from '../../src/protocol/apis/create-topics';
import { Metadata } from '../../src/protocol/apis/metadata';
import { Errors } from '../../src/protocol/errors';
import { eventually } from '../support/eventually';

const { clock, network } = nodePlatform({ keepsProcessAlive: false });

async function ask<A extends AnyApi>(
  port: number,
  api: A,
  body: RequestDraft<A>,
): Promise<ResponseOf<A>> {
  const channel = await Channel.connect(
    { clock, network, buffers: channelBuffers() },
    { host: 'localhost', port, clientId: 'me', connectTimeoutMs: 5000, requestTimeoutMs: 30_000 },
  );
  try {
    await channel.negotiate();
    return await channel.request(api, 'newest', body);
  } finally {
    channel.close();
  }
}

/** The ids of the brokers that a node takes for alive. */
const alive = async (port: number): Promise<readonly number[]> => {
  const { brokers } = await ask(port, Metadata, { topics: [] });
  return brokers.map(({ nodeId }) => nodeId).sort();
};

/** How many replicas of a topic are in sync, those of all partitions together. */
async function inSync(cluster: RunningCluster, name: string): Promise<number> {
  const [node] = cluster.nodes;
  const { topics } = await ask(node?.port as number, Metadata, { topics: [{ name }] });
  return (topics[0]?.partitions ?? []).reduce((sum, { isrNodes }) => sum + isrNodes.length, 0);
}

const others = (cluster: RunningCluster, nodeId: number) =>
  cluster.nodes.filter((node) => node.nodeId !== nodeId);

test('a listener that advertised.listeners leaves out is one of which clients are not told', async () => {
  const protocols = ['PLAINTEXT', 'INSIDE', 'CONTROLLER'].map((name) => `${name}:PLAINTEXT`);
  await using broker = await startBroker({
    settings: {
      listeners: 'PLAINTEXT://127.0.0.1:0,INSIDE://127.0.0.1:0,CONTROLLER://127.0.0.1:0',
      'listener.security.protocol.map': protocols.join(','),
      'advertised.listeners': 'PLAINTEXT://127.0.0.1:0',
    },
  });
  const ports = broker.brokers.map((address) => Number(address.split(':')[1]));
  expect(await Promise.all(ports.map(alive))).toEqual([[1], []]);
});

describe('a cluster in this process', () => {
  test('serves its topics on every broker, and stops', async () => {
    await using cluster = await startCluster({ topics: ['t', { topic: 'u', partitions: 6 }] });
    expect(cluster.brokers).toHaveLength(3);
    for (const { port } of cluster.nodes) {
      const { topics, clusterId } = await ask(port, Metadata, { topics: null });
      expect(clusterId).toBe(cluster.clusterId);
      const counts = topics.map(({ name, partitions }) => [name, partitions.length]);
      expect(new Map(counts as [string, number][])).toEqual(
        new Map(Object.entries({ t: 1, u: 6 })),
      );
      expect(topics[0]?.partitions[0]?.replicaNodes).toHaveLength(3);
    }
    await cluster.stop();
    await expect(alive(cluster.nodes[0]?.port as number)).rejects.toThrow();
  });

  test('goes on when its active controller is killed, and takes it back', async () => {
    await using cluster = await startCluster();
    const killed = await eventually(() => cluster.activeController);
    const [other] = others(cluster, killed.nodeId);
    killed.kill();
    expect(killed.state).toBe('stopped');
    const made = await ask(other?.port as number, CreateTopics, {
      topics: [
        { name: 'after', numPartitions: 1, replicationFactor: 2, assignments: [], configs: [] },
      ],
      timeoutMs: 30_000,
      validateOnly: false,
    });
    expect(made.topics).toMatchObject([{ errorCode: Errors.NONE }]);
    await eventually(async () => (await alive(other?.port as number)).length === 2);
    await killed.restart();
    expect(killed.state).toBe('running');
    await eventually(async () => (await alive(other?.port as number)).length === 3);
    const { topics } = await ask(killed.port, Metadata, { topics: [{ name: 'after' }] });
    expect(topics).toMatchObject([{ name: 'after', errorCode: Errors.NONE }]);
  });

  test('leaves out a broker that is frozen or cut off, until it is back', async () => {
    await using cluster = await startCluster({ settings: { 'broker.session.timeout.ms': 2500 } });
    const controller = await eventually(() => cluster.activeController);
    const [frozen, cut] = others(cluster, controller.nodeId);
    frozen?.pause();
    expect(frozen?.state).toBe('frozen');
    await eventually(
      async () => !(await alive(controller.port)).includes(frozen?.nodeId as number),
    );
    frozen?.resume();
    await eventually(async () => (await alive(controller.port)).length === 3);
    cut?.partition();
    await eventually(async () => !(await alive(controller.port)).includes(cut?.nodeId as number));
    cluster.heal();
    await eventually(async () => (await alive(cut?.port as number)).length === 3);
  });

  test('that cannot start says so, whatever its other nodes are at', async () => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'ottla-embed-'));
    writeFileSync(join(dataFolder, 'node-2'), 'no folder');
    try {
      await expect(startCluster({ dataFolder })).rejects.toThrow(/node-2/);
    } finally {
      rmSync(dataFolder, { recursive: true });
    }
  });

  test('whose node is ended while it starts, or creates topics, says so', async () => {
    await using cluster = await startCluster({ brokers: 1 });
    const node = cluster.node(1);
    const creating = cluster.createTopics(['t']);
    node.kill();
    await expect(creating).rejects.toThrow('Node 1 was ended before it had created the topics.');
    for (const end of [() => node.kill(), () => node.stop()]) {
      const starting = node.restart();
      const refused = expect(starting).rejects.toThrow('Node 1 was ended before it served.');
      await end();
      await refused;
      expect(node.state).toBe('stopped');
    }
    await node.restart();
    await cluster.createTopics(['u']);
  });

  test('starts no node that was told to end after it was told to start again', async () => {
    const cluster = await startCluster({ brokers: 1 });
    const node = cluster.node(1);
    for (const end of [() => node.kill(), () => node.stop(), () => cluster.stop()]) {
      const stopping = node.stop();
      const refused = expect(node.restart()).rejects.toThrow('Node 1 was ended before it served.');
      await Promise.all([stopping, end(), refused]);
      expect(node.state).toBe('stopped');
    }
  });

  test('stops a frozen node, and is stopped once all of its nodes are', async () => {
    const cluster = await startCluster({ brokers: 1 });
    const node = cluster.node(1);
    node.pause();
    const order: string[] = [];
    const nodeStops = node.stop().then(() => void order.push('node'));
    await cluster.stop().then(() => void order.push('cluster'));
    await nodeStops;
    expect(order).toEqual(['node', 'cluster']);
  });

  test('loses nothing that was acknowledged, and goes on serving a group, when brokers are killed in turn', async () => {
    await using cluster = await startCluster({ topics: [{ topic: 't', partitions: 3 }] });
    const kafka = new Kafka({
      brokers: cluster.brokers,
      logLevel: logLevel.NOTHING,
      retry: { initialRetryTime: 50, maxRetryTime: 200, retries: 100 },
    });
    const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1 });
    const consumer = kafka.consumer({ groupId: 'g', sessionTimeout: 6_000 });
    const read = new Set<string>();
    await Promise.all([producer.connect(), consumer.connect()]);
    await consumer.subscribe({ topic: 't', fromBeginning: true });
    await consumer.run({
      eachMessage: async ({ message }) => void read.add(String(message.value)),
    });
    const sent: string[] = [];
    // One partition at a time: kafkajs forgets the others when their leader moves to a broker that
    // has answered already.
    const send = async (word: string): Promise<void> => {
      for (const partition of [0, 1, 2]) {
        const values = Array.from({ length: 7 }, (_, at) => `${word}-${partition}-${at}`);
        const messages = values.map((value) => ({ partition, value }));
        await producer.send({ topic: 't', acks: -1, messages });
        sent.push(...values);
      }
    };
    try {
      await send('before');
      await eventually(() => read.size === sent.length, 20_000);
      for (const { nodeId } of cluster.nodes.slice(1)) {
        cluster.node(nodeId).kill();
        await send(`without-${nodeId}`);
        await cluster.node(nodeId).restart();
        // kafkajs looks for another coordinator only when its own, being back, sends it away.
        await eventually(() => sent.every((value) => read.has(value)), 20_000);
        await eventually(async () => (await inSync(cluster, 't')) === 9, 20_000);
      }
    } finally {
      await Promise.all([producer.disconnect(), consumer.disconnect()]);
    }
  }, 90_000);
});

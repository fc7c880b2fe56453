import { Channel, channelBuffers } from '../../src/client/channel';
import { type RunningCluster, startCluster } from '../../src/embed/cluster';
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

const others = (cluster: RunningCluster, nodeId: number) =>
  cluster.nodes.filter((node) => node.nodeId !== nodeId);

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
});

import { CreateTopics } from '../../src/protocol/apis/create-topics';
import { Metadata } from '../../src/protocol/apis/metadata';
import { Errors } from '../../src/protocol/errors';
import { BrokerCluster } from '../support/broker-cluster';

const THREE = ['broker,controller', 'broker,controller', 'broker,controller'] as const;

const topic = (name: string, replicationFactor = 3, numPartitions = 3) => ({
  topics: [{ name, numPartitions, replicationFactor, assignments: [], configs: [] }],
  timeoutMs: 30_000,
  validateOnly: false,
});

describe('three nodes', () => {
  test('become one cluster, in which a topic made at any node is known to all when it answers', async () => {
    const cluster = await BrokerCluster.start({ roles: THREE });
    for (const id of cluster.ids) {
      const name = `made-at-${id}`;
      const made = await cluster.ask(id, CreateTopics, topic(name));
      expect(made.topics).toMatchObject([{ name, errorCode: Errors.NONE }]);
      for (const broker of cluster.running) {
        const known = broker.quorum.publisher.image.topicByName(name);
        expect(known?.partitions.length).toBe(3);
      }
    }
    for (const id of cluster.ids) {
      const { brokers, topics } = await cluster.ask(id, Metadata, { topics: null });
      expect(brokers.map(({ nodeId }) => nodeId).sort()).toEqual([1, 2, 3]);
      expect(topics.map(({ name }) => name).sort()).toEqual([
        'made-at-1',
        'made-at-2',
        'made-at-3',
      ]);
    }
  });
});

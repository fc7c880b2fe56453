/** What a node knows when it comes back may be long outdated: it acts on nothing of it. */
import { CreateTopics } from '../../src/protocol/apis/create-topics';
import { Produce } from '../../src/protocol/apis/produce';
import { Errors } from '../../src/protocol/errors';
import { buildBatch } from '../../src/protocol/records/builder';
import { Replicas } from '../../src/replication/replicas';
import { BrokerCluster, type Roles } from '../support/broker-cluster';

/** So few that one large topic is enough for a checkpoint, and a small one is not. */
const settings = { 'metadata.log.max.record.bytes.between.snapshots': '4000' };

async function createTopic(cluster: BrokerCluster, name: string, partitions: number) {
  const made = await cluster.ask(1, CreateTopics, {
    topics: [
      { name, numPartitions: partitions, replicationFactor: 1, assignments: [], configs: [] },
    ],
    timeoutMs: 30_000,
  });
  expect(made.topics).toMatchObject([{ errorCode: Errors.NONE }]);
}

const hasCheckpoint = (cluster: BrokerCluster, id: number): boolean =>
  cluster.lines.some(({ nodeId, event }) => nodeId === id && event === 'metadata checkpoint made');

test.each<[string, readonly Roles[]]>([
  ['alone', ['broker,controller']],
  ['among others', ['broker,controller', 'broker,controller', 'broker,controller']],
])('a node %s keeps the logs of topics that are younger than its checkpoint', async (_, roles) => {
  const cluster = await BrokerCluster.start({ roles, settings });
  await createTopic(cluster, 'old', 60);
  await cluster.until(() => cluster.ids.every((id) => hasCheckpoint(cluster, id)));
  await createTopic(cluster, 'young', 1);
  const leaderId = cluster.broker(1).quorum.publisher.image.topicByName('young')?.partitions.get(0)
    ?.leader as number;
  const sent = await cluster.ask(leaderId, Produce, {
    acks: -1,
    timeoutMs: 5000,
    topicData: [
      {
        name: 'young',
        topicId: cluster.broker(1).quorum.publisher.image.topicByName('young')?.id as string,
        partitionData: [{ index: 0, records: buildBatch([{ timestamp: 0, value: 'kept' }], {}) }],
      },
    ],
  });
  expect(sent.responses[0]?.partitionResponses).toMatchObject([{ errorCode: Errors.NONE }]);
  cluster.kill(leaderId);
  await cluster.outcome(cluster.boot(leaderId));
  expect(cluster.broker(leaderId).replicas.get('young', 0)?.endOffset).toBe(1);
});

test.each<[string, readonly Roles[]]>([
  ['alone', ['broker,controller']],
  ['whose former session is not over', ['broker,controller', 'broker', 'broker']],
])('a node %s takes part only once it is registered anew', async (_, roles) => {
  const cluster = await BrokerCluster.start({ roles });
  await createTopic(cluster, 'led', 3);
  const id = roles.length;
  const former = cluster.broker(1).quorum.publisher.image.broker(id)?.epoch as number;
  const applied = jest.spyOn(Replicas.prototype, 'apply');
  cluster.kill(id);
  await cluster.outcome(cluster.boot(id));
  const { replicas } = cluster.broker(id);
  const epochs = applied.mock.calls
    .filter((_call, index) => applied.mock.contexts[index] === replicas)
    .map(([image]) => image.broker(id)?.epoch ?? -1);
  applied.mockRestore();
  expect(epochs.length).toBeGreaterThan(0);
  expect(Math.min(...epochs)).toBeGreaterThan(former);
});

import { CreateTopics } from '../../src/protocol/apis/create-topics';
import { Metadata } from '../../src/protocol/apis/metadata';
import { Produce } from '../../src/protocol/apis/produce';
import { Errors } from '../../src/protocol/errors';
import { buildBatch } from '../../src/protocol/records/builder';
import { BrokerCluster } from '../support/broker-cluster';

const THREE = ['broker,controller', 'broker,controller', 'broker,controller'] as const;

/** A node that serves clients. */
function anyBroker(cluster: BrokerCluster): number {
  const serving = cluster.running.find(({ listeners }) =>
    listeners.some(({ isForControllers }) => !isForControllers),
  );
  return serving?.nodeId ?? -1;
}

async function createTopic(
  cluster: BrokerCluster,
  name: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  const configs = Object.entries(settings).map(([key, value]) => ({ name: key, value }));
  const made = await cluster.ask(anyBroker(cluster), CreateTopics, {
    topics: [{ name, numPartitions: 1, replicationFactor: 3, assignments: [], configs }],
    timeoutMs: 30_000,
  });
  expect(made.topics).toMatchObject([{ errorCode: Errors.NONE }]);
}

/** What is known of the partition: by the active controller, or by the node of that id. */
const registration = (cluster: BrokerCluster, topic: string, nodeId?: number) => {
  const node = nodeId === undefined ? cluster.activeController : cluster.broker(nodeId);
  const image = node.quorum.publisher.image;
  const known = image.topicByName(topic)?.partitions.get(0);
  if (known === undefined) throw new Error(`${topic} is not known`);
  return known;
};

async function produce(
  cluster: BrokerCluster,
  leader: number,
  topic: string,
  value: string,
  acks = -1,
) {
  const records = buildBatch([{ timestamp: 1, value }]);
  const image = cluster.activeController.quorum.publisher.image;
  const topicId = image.topicByName(topic)?.id ?? '';
  const answer = await cluster.ask(leader, Produce, {
    acks,
    timeoutMs: 5_000,
    topicData: [{ name: topic, topicId, partitionData: [{ index: 0, records }] }],
  });
  return answer.responses[0]?.partitionResponses[0];
}

/** As a client: writes to whoever leads until it is acknowledged. Gives how long that took. */
async function produceSomehow(
  cluster: BrokerCluster,
  topic: string,
  value: string,
): Promise<number> {
  const startMs = cluster.simulation.nowMs;
  for (;;) {
    const known = await cluster.ask(anyBroker(cluster), Metadata, { topics: [{ name: topic }] });
    const leader = known.topics[0]?.partitions[0]?.leaderId ?? -1;
    const isUp = cluster.running.some(({ nodeId }) => nodeId === leader);
    const answered = isUp ? await produce(cluster, leader, topic, value) : undefined;
    if (answered?.errorCode === Errors.NONE) return cluster.simulation.nowMs - startMs;
    if (cluster.simulation.nowMs - startMs > 30_000) throw new Error('nobody takes it');
    await cluster.advance(10);
  }
}

test('an all-acks write is on three brokers when it is answered, and survives its leader', async () => {
  const cluster = await BrokerCluster.start({ roles: THREE });
  await createTopic(cluster, 't', { 'min.insync.replicas': '2' });
  expect(registration(cluster, 't').isr).toHaveLength(3);
  const { leader } = registration(cluster, 't');
  // The first one to a new partition does not wait out a follower's long poll.
  const startMs = cluster.simulation.nowMs;
  expect(await produce(cluster, leader, 't', 'one')).toMatchObject({ errorCode: 0, baseOffset: 0 });
  expect(cluster.simulation.nowMs - startMs).toBeLessThan(60);

  cluster.kill(leader);
  const tookMs = await produceSomehow(cluster, 't', 'two');
  expect(tookMs).toBeLessThan(1_500);
  await cluster.until(() => registration(cluster, 't').isr.length === 2);

  await cluster.outcome(cluster.boot(leader));
  await cluster.until(() => registration(cluster, 't').isr.length === 3);
  expect(await produceSomehow(cluster, 't', 'three')).toBeLessThan(200);
});

test('with two of three gone below the minimum nothing is acknowledged, and all goes on after', async () => {
  const cluster = await BrokerCluster.start({
    roles: ['controller', 'broker', 'broker', 'broker'],
  });
  await createTopic(cluster, 't', { 'min.insync.replicas': '2' });
  const { leader } = registration(cluster, 't');
  expect(await produce(cluster, leader, 't', 'one')).toMatchObject({ errorCode: 0 });
  const others = [2, 3, 4].filter((id) => id !== leader);
  for (const id of others) cluster.kill(id);
  await cluster.until(() => registration(cluster, 't', leader).isr.length === 1);
  expect(await produce(cluster, leader, 't', 'refused')).toMatchObject({
    errorCode: Errors.NOT_ENOUGH_REPLICAS,
  });
  for (const id of others) await cluster.outcome(cluster.boot(id));
  await cluster.until(() => registration(cluster, 't').isr.length === 3);
  expect(await produceSomehow(cluster, 't', 'two')).toBeLessThan(100);
});

test('what only a killed leader had is cut off when it comes back', async () => {
  const cluster = await BrokerCluster.start({
    roles: ['controller', 'broker', 'broker', 'broker'],
  });
  await createTopic(cluster, 't');
  const { leader } = registration(cluster, 't');
  await produce(cluster, leader, 't', 'kept');
  // Its followers hear nothing more of it, while it still takes writes.
  for (const id of [2, 3, 4])
    if (id !== leader) cluster.networks.cut(`host-${leader}`, `host-${id}`);
  expect(await produce(cluster, leader, 't', 'lost', 1)).toMatchObject({ baseOffset: 1 });
  cluster.kill(leader);
  await produceSomehow(cluster, 't', 'other');
  cluster.networks.heal();
  await cluster.outcome(cluster.boot(leader));
  await cluster.until(() => registration(cluster, 't').isr.length === 3);
  const cuts = cluster.lines.filter(({ event }) => event.startsWith('a log is cut back'));
  expect(cuts).toMatchObject([{ nodeId: leader, fields: { from: 2, to: 1 } }]);
});

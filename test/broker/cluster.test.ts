import { AddRaftVoter } from '../../src/protocol/apis/add-raft-voter';
import { CreateTopics } from '../../src/protocol/apis/create-topics';
import { DescribeQuorum } from '../../src/protocol/apis/describe-quorum';
import { Metadata } from '../../src/protocol/apis/metadata';
import { RemoveRaftVoter } from '../../src/protocol/apis/remove-raft-voter';
import { Errors } from '../../src/protocol/errors';
import { BrokerCluster, CONTROLLER_PORT } from '../support/broker-cluster';

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

  test('decide under another leader within seconds when the one that decided is killed', async () => {
    const cluster = await BrokerCluster.start({ roles: THREE });
    const killed = cluster.activeController.nodeId;
    const others = cluster.ids.filter((id) => id !== killed);
    cluster.kill(killed);
    const startMs = cluster.simulation.nowMs;
    const [asked = 0] = others;
    const made = await cluster.ask(asked, CreateTopics, topic('after', 2));
    expect(made.topics).toMatchObject([{ name: 'after', errorCode: Errors.NONE }]);
    expect(cluster.simulation.nowMs - startMs).toBeLessThan(1_500);
    expect(others).toContain(cluster.activeController.nodeId);
    await cluster.until(() => isFenced(cluster, asked, killed), 2_000);

    await cluster.outcome(cluster.boot(killed));
    await cluster.until(() => cluster.ids.every((id) => isUp(cluster, id, killed)));
    expect(cluster.broker(killed).quorum.publisher.image.topicByName('after')).toBeDefined();
  });

  test('fence a broker that was killed long before its session ends', async () => {
    const cluster = await BrokerCluster.start({ roles: THREE });
    const controller = cluster.activeController.nodeId;
    const killed = cluster.ids.find((id) => id !== controller) as number;
    cluster.kill(killed);
    const tookMs = await cluster.until(() => isFenced(cluster, controller, killed));
    expect(tookMs).toBeGreaterThan(400);
    expect(tookMs).toBeLessThan(700);
    await cluster.outcome(cluster.boot(killed));
    await cluster.until(() => isUp(cluster, controller, killed));
  });

  test('fence a broker that is frozen when its session ends, and take it back', async () => {
    const cluster = await BrokerCluster.start({ roles: THREE });
    const controller = cluster.activeController.nodeId;
    const frozen = cluster.ids.find((id) => id !== controller) as number;
    cluster.pause(frozen);
    const tookMs = await cluster.until(() => isFenced(cluster, controller, frozen));
    expect(tookMs).toBeGreaterThan(6_500);
    expect(tookMs).toBeLessThan(9_500);
    cluster.resume(frozen);
    await cluster.until(() => isUp(cluster, frozen, frozen));
  });

  test('hand over when the one that decides stops in order', async () => {
    const cluster = await BrokerCluster.start({ roles: THREE });
    await cluster.ask(1, CreateTopics, topic('t', 3, 6));
    const stopped = cluster.activeController.nodeId;
    const startMs = cluster.simulation.nowMs;
    await cluster.stop(stopped);
    expect(cluster.simulation.nowMs - startMs).toBeLessThan(1_500);
    for (const { quorum } of cluster.running) {
      const { partitions } = quorum.publisher.image.topicByName('t') ?? { partitions: [] };
      for (const { leader } of partitions) expect([-1, stopped]).not.toContain(leader);
    }
    const [asked = 0] = cluster.ids.filter((id) => id !== stopped);
    const made = await cluster.ask(asked, CreateTopics, topic('after', 2));
    expect(made.topics).toMatchObject([{ errorCode: Errors.NONE }]);
    expect(isFenced(cluster, asked, stopped)).toBe(true);
  });

  test('stop together in order without waiting for each other in vain', async () => {
    const cluster = await BrokerCluster.start({ roles: THREE });
    await cluster.ask(1, CreateTopics, topic('some'));
    const startMs = cluster.simulation.nowMs;
    await cluster.outcome(Promise.all(cluster.running.map((broker) => broker.stop())));
    expect(cluster.simulation.nowMs - startMs).toBeLessThan(4_000);
  });

  test('take a broker back at once that starts again before it was missed', async () => {
    const cluster = await BrokerCluster.start({ roles: THREE });
    const controller = cluster.activeController.nodeId;
    const killed = cluster.ids.find((id) => id !== controller) as number;
    const { epoch = -1 } = imageAt(cluster, controller).broker(killed) ?? {};
    cluster.kill(killed);
    const startMs = cluster.simulation.nowMs;
    await cluster.outcome(cluster.boot(killed));
    expect(cluster.simulation.nowMs - startMs).toBeLessThan(1_500);
    expect(imageAt(cluster, controller).broker(killed)?.epoch).toBeGreaterThan(epoch);
  });

  test('answer an admin call in a second where a broker is frozen, which holds it back no longer', async () => {
    const cluster = await BrokerCluster.start({ roles: THREE });
    const controller = cluster.activeController.nodeId;
    const [frozen = 0, asked = 0] = cluster.ids.filter((id) => id !== controller);
    cluster.pause(frozen);
    const startMs = cluster.simulation.nowMs;
    const made = await cluster.ask(asked, CreateTopics, topic('t', 2));
    expect(made.topics).toMatchObject([{ errorCode: Errors.NONE }]);
    const tookMs = cluster.simulation.nowMs - startMs;
    expect(tookMs).toBeGreaterThan(900);
    expect(tookMs).toBeLessThan(1_300);
  });

  test('decide under another leader when the one that decided is frozen, which gives in when it is back', async () => {
    const cluster = await BrokerCluster.start({ roles: THREE });
    const frozen = cluster.activeController.nodeId;
    const [asked = 0] = cluster.ids.filter((id) => id !== frozen);
    cluster.pause(frozen);
    const startMs = cluster.simulation.nowMs;
    const made = await cluster.ask(asked, CreateTopics, topic('after', 2));
    expect(made.topics).toMatchObject([{ errorCode: Errors.NONE }]);
    expect(cluster.simulation.nowMs - startMs).toBeLessThan(6_000);
    await cluster.advance(20_000);
    cluster.resume(frozen);
    const fencedByIt = () =>
      cluster.lines.filter(({ nodeId, event }) => nodeId === frozen && event === 'broker fenced');
    await cluster.until(() => imageAt(cluster, frozen).topicByName('after') !== undefined);
    await cluster.until(() => cluster.ids.every((id) => isUp(cluster, asked, id)));
    expect(cluster.activeController.nodeId).not.toBe(frozen);
    expect(fencedByIt()).toEqual([]);
  });

  test('keep a broker whose connections swallow what is sent', async () => {
    const cluster = await BrokerCluster.start({ roles: THREE });
    const controller = cluster.activeController.nodeId;
    const broker = cluster.ids.find((id) => id !== controller) as number;
    cluster.swallow(broker);
    await cluster.advance(30_000);
    expect(cluster.lines.filter(({ event }) => event === 'broker fenced')).toEqual([]);
    expect(cluster.activeController.nodeId).toBe(controller);
  });

  test('refuse an admin call in time where nobody decides', async () => {
    const cluster = await BrokerCluster.start({ roles: THREE });
    const [asked = 0, ...killed] = cluster.ids;
    for (const id of killed) cluster.kill(id);
    const startMs = cluster.simulation.nowMs;
    const made = await cluster.ask(asked, CreateTopics, topic('t', 1));
    expect(made.topics).toMatchObject([{ errorCode: Errors.REQUEST_TIMED_OUT }]);
    expect(cluster.simulation.nowMs - startMs).toBeGreaterThan(29_000);
  });

  test('do not decide without a majority, and go on when it is there again', async () => {
    const cluster = await BrokerCluster.start({ roles: THREE });
    const controller = cluster.activeController.nodeId;
    cluster.cutOff(controller);
    const [asked = 0] = cluster.ids.filter((id) => id !== controller);
    const made = await cluster.ask(asked, CreateTopics, topic('elsewhere', 1));
    expect(made.topics).toMatchObject([{ errorCode: Errors.NONE }]);
    const image = cluster.broker(controller).quorum.publisher.image;
    expect(image.topicByName('elsewhere')).toBeUndefined();
    cluster.networks.heal();
    await cluster.until(() => imageAt(cluster, controller).topicByName('elsewhere') !== undefined);
    await cluster.until(() => isUp(cluster, controller, controller));
  });
});

describe('nodes with one role each', () => {
  const ROLES = ['controller', 'controller', 'controller', 'broker', 'broker'] as const;

  test('form a cluster of static voters, which brokers follow', async () => {
    const cluster = await BrokerCluster.start({ roles: ROLES });
    const made = await cluster.ask(5, CreateTopics, topic('t', 2));
    expect(made.topics).toMatchObject([{ errorCode: Errors.NONE }]);
    const { brokers } = await cluster.ask(4, Metadata, { topics: null });
    expect(brokers.map(({ nodeId }) => nodeId).sort()).toEqual([4, 5]);
    await cluster.until(() => registeredControllers(cluster, 4).length === 3);
    const killed = cluster.activeController.nodeId;
    cluster.kill(killed);
    const later = await cluster.ask(4, CreateTopics, topic('later', 2));
    expect(later.topics).toMatchObject([{ errorCode: Errors.NONE }]);
  });

  test('say what they wait for, and give up in time, where no controller runs', async () => {
    const cluster = await BrokerCluster.start({ roles: ['controller', 'broker'] });
    cluster.kill(1);
    await cluster.stop(2);
    const starting = cluster.boot(2);
    await expect(cluster.outcome(starting, 120_000)).rejects.toThrow(
      /No active controller was found/,
    );
    const told = cluster.lines.filter(({ event }) =>
      event.includes('waits for an active controller'),
    );
    expect(told.length).toBeGreaterThan(3);
  });

  test('form a cluster with a dynamic quorum', async () => {
    const cluster = await BrokerCluster.start({ roles: ROLES, isDynamic: true });
    const made = await cluster.ask(5, CreateTopics, topic('t', 2));
    expect(made.topics).toMatchObject([{ errorCode: Errors.NONE }]);
    expect([...cluster.broker(4).quorum.driver.voters.keys()].sort()).toEqual([1, 2, 3]);
    expect(cluster.broker(4).quorum.driver.kraftVersion).toBe(1);
  });

  test('change the voters of a dynamic quorum as they are asked to at any broker', async () => {
    const cluster = await BrokerCluster.start({ roles: ROLES, isDynamic: true, joining: [3] });
    const directoryId = cluster.directoryId(3);
    const added = await cluster.ask(5, AddRaftVoter, {
      clusterId: cluster.broker(5).clusterId,
      timeoutMs: 30_000,
      voterId: 3,
      voterDirectoryId: directoryId,
      listeners: [{ name: 'CONTROLLER', host: 'host-3', port: CONTROLLER_PORT }],
    });
    expect(added.errorCode).toBe(Errors.NONE);
    const described = await cluster.ask(4, DescribeQuorum, {
      topics: [{ topicName: '__cluster_metadata', partitions: [{ partitionIndex: 0 }] }],
    });
    const voters = described.topics[0]?.partitions[0]?.currentVoters ?? [];
    expect(voters.map(({ replicaId }) => replicaId).sort()).toEqual([1, 2, 3]);
    const removed = await cluster.ask(4, RemoveRaftVoter, {
      clusterId: cluster.broker(4).clusterId,
      voterId: 3,
      voterDirectoryId: directoryId,
    });
    expect(removed.errorCode).toBe(Errors.NONE);
    await cluster.until(() => !cluster.broker(4).quorum.driver.voters.has(3));
  });

  test('a controller that may join a dynamic quorum becomes a voter by itself', async () => {
    const cluster = await BrokerCluster.start({
      roles: ROLES,
      isDynamic: true,
      joining: [3],
      settings: { 'controller.quorum.auto.join.enable': 'true' },
    });
    await cluster.until(() => cluster.broker(4).quorum.driver.voters.has(3));
    expect(cluster.broker(3).quorum.driver.isVoter).toBe(true);
  });
});

const imageAt = (cluster: BrokerCluster, id: number) => cluster.broker(id).quorum.publisher.image;

/** Whether node `at` takes the broker for fenced. */
const isFenced = (cluster: BrokerCluster, at: number, broker: number): boolean =>
  imageAt(cluster, at).broker(broker)?.isFenced === true;

const isUp = (cluster: BrokerCluster, at: number, broker: number): boolean =>
  imageAt(cluster, at).broker(broker)?.isFenced === false;

const registeredControllers = (cluster: BrokerCluster, at: number): readonly number[] => [
  ...imageAt(cluster, at).controllers.keys(),
];

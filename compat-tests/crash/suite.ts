/** The shipped command killed and frozen under a steady load of stock kafkajs. */
import { deepStrictEqual, ok } from 'node:assert';
import { type Consumer, Kafka, logLevel, type Producer } from 'kafkajs';
import { Channel, channelBuffers } from '../../src/client/channel';
import { nodePlatform } from '../../src/platform/node';
import { FindCoordinator } from '../../src/protocol/apis/find-coordinator';
import { OffsetCommit } from '../../src/protocol/apis/offset-commit';
import { OffsetFetch } from '../../src/protocol/apis/offset-fetch';
import { freePort } from '../support/apache-kafka';
import { type OttlaProcess, startOttla, temporaryFolder } from '../support/ottla';
import type { OwnBrokersSuite } from '../support/suite';

/** How often the node is killed; `CRASH_KILLS=50` for the long run. */
const KILLS = Number(process.env.CRASH_KILLS ?? 8);
/** How long the process stands still; its members' sessions last 6 s. */
const FREEZE_MS = Number(process.env.CRASH_FREEZE_MS ?? 10_000);
const TOPIC = 'steady';
const GROUP = 'committers';
const PARTITIONS = [0, 1, 2, 3];

export const suite: OwnBrokersSuite = {
  name: 'crash',
  broker: 'own',
  missing: async () => undefined,
  cases: [
    {
      name: `every acknowledged record and commit outlives ${KILLS} kills`,
      run: killAgainAndAgain,
    },
    { name: `no member loses its session to a freeze of ${FREEZE_MS} ms`, run: freeze },
  ],
};

async function killAgainAndAgain(): Promise<void> {
  const folder = temporaryFolder();
  const port = await freePort();
  let node = await startOttla(folder.path, [], port);
  const kafka = clientOf(node);
  const load = new SteadyLoad(kafka.producer({ idempotent: true, maxInFlightRequests: 1 }));
  try {
    const admin = kafka.admin();
    await admin.connect();
    await admin.createTopics({ topics: [{ topic: TOPIC, numPartitions: PARTITIONS.length }] });
    await admin.disconnect();
    const sending = load.run();
    for (let kill = 0; kill < KILLS; kill++) {
      await load.until(load.acknowledged + 40 + 13 * (kill % 7));
      await commit(port, kill + 1);
      await node.stop('SIGKILL');
      node = await startOttla(folder.path, [], port);
      deepStrictEqual(await committed(port), kill + 1, `the commit before kill ${kill + 1}`);
    }
    await load.until(load.acknowledged + 40);
    load.isOver = true;
    await sending;
    await load.check(kafka.consumer({ groupId: 'checker', maxWaitTimeInMs: 100 }));
  } finally {
    load.isOver = true;
    await node.stop();
    folder.end();
  }
}

const clientOf = (node: OttlaProcess): Kafka =>
  new Kafka({
    brokers: [node.bootstrapServers],
    logLevel: logLevel.NOTHING,
    retry: { initialRetryTime: 20, maxRetryTime: 200, retries: 200 },
  });

/** One record after another to every partition, and what was acknowledged of them. */
class SteadyLoad {
  acknowledged = 0;
  isOver = false;
  /** By partition: the value at each acknowledged offset. */
  readonly #acknowledged = PARTITIONS.map(() => new Map<string, string>());
  #note: () => void = () => undefined;

  constructor(private readonly producer: Producer) {}

  async run(): Promise<void> {
    await this.producer.connect();
    for (let at = 0; !this.isOver; at++) {
      const value = `value ${at}`;
      const answers = await this.producer.send({
        topic: TOPIC,
        acks: -1,
        messages: PARTITIONS.map((partition) => ({ partition, value })),
      });
      for (const { partition, baseOffset } of answers) {
        this.#acknowledged[partition]?.set(String(baseOffset), value);
        this.acknowledged++;
      }
      this.#note();
    }
    await this.producer.disconnect();
  }

  /** Resolves once so many records are acknowledged in all. */
  until(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#note = () => this.acknowledged >= count && resolve();
      this.#note();
    });
  }

  /** Every acknowledged record is there once, in order, at its offset, and nothing else is. */
  async check(consumer: Consumer): Promise<void> {
    const read = PARTITIONS.map(() => new Map<string, string>());
    const total = this.acknowledged;
    let count = 0;
    await consumer.connect();
    await consumer.subscribe({ topic: TOPIC, fromBeginning: true });
    await new Promise<void>((resolve, reject) => {
      consumer
        .run({
          eachMessage: async ({ partition, message }) => {
            read[partition]?.set(message.offset, `${message.value}`);
            if (++count === total) resolve();
          },
        })
        .catch(reject);
    });
    await consumer.disconnect();
    for (const partition of PARTITIONS) {
      deepStrictEqual(
        [...(read[partition] ?? [])],
        [...(this.#acknowledged[partition] ?? [])],
        `partition ${partition}`,
      );
    }
  }
}

async function freeze(): Promise<void> {
  const folder = temporaryFolder();
  const node = await startOttla(folder.path);
  try {
    await freezeUnderMember(node);
  } finally {
    await node.stop();
    folder.end();
  }
}

/** A member whose broker stands still for longer than the member's session. */
async function freezeUnderMember(node: OttlaProcess): Promise<void> {
  const kafka = clientOf(node);
  const consumer = kafka.consumer({
    groupId: 'frozen',
    sessionTimeout: 6000,
    heartbeatInterval: 500,
    maxWaitTimeInMs: 100,
  });
  let generations = 0;
  const joined = new Promise<void>((resolve) => {
    consumer.on(consumer.events.GROUP_JOIN, () => {
      generations++;
      resolve();
    });
  });
  let onHeartbeat = (): void => undefined;
  consumer.on(consumer.events.HEARTBEAT, () => onHeartbeat());
  const heartbeat = (): Promise<void> =>
    new Promise((resolve) => {
      onHeartbeat = resolve;
    });
  await consumer.connect();
  await consumer.subscribe({ topic: 'frozen', fromBeginning: true });
  await consumer.run({ eachMessage: async () => undefined });
  await joined;
  await heartbeat();
  node.server.signal('SIGSTOP');
  await new Promise((resolve) => setTimeout(resolve, FREEZE_MS));
  node.server.signal('SIGCONT');
  for (let at = 0; at < 4; at++) await heartbeat();
  await consumer.disconnect();
  ok(generations === 1, `the member joined ${generations} times`);
}

const platform = nodePlatform();

async function withChannel<T>(port: number, body: (channel: Channel) => Promise<T>): Promise<T> {
  const channel = await Channel.connect(
    { ...platform, buffers: channelBuffers() },
    {
      host: '127.0.0.1',
      port,
      clientId: 'crash',
      connectTimeoutMs: 5000,
      requestTimeoutMs: 30_000,
    },
  );
  try {
    return await body(channel);
  } finally {
    channel.close();
  }
}

const commit = (port: number, committedOffset: number): Promise<void> =>
  withChannel(port, async (channel) => {
    await channel.request(FindCoordinator, 4, { coordinatorKeys: [GROUP] });
    const partition = { partitionIndex: 0, committedOffset: BigInt(committedOffset) };
    const { topics } = await channel.request(OffsetCommit, 8, {
      groupId: GROUP,
      generationIdOrMemberEpoch: -1,
      memberId: '',
      topics: [{ name: TOPIC, partitions: [{ ...partition, committedMetadata: '' }] }],
    });
    deepStrictEqual(topics[0]?.partitions[0]?.errorCode, 0);
  });

const committed = (port: number): Promise<number> =>
  withChannel(port, async (channel) => {
    const { groups } = await channel.request(OffsetFetch, 8, {
      groups: [{ groupId: GROUP, topics: [{ name: TOPIC, partitionIndexes: [0] }] }],
    });
    return Number(groups[0]?.topics[0]?.partitions[0]?.committedOffset);
  });

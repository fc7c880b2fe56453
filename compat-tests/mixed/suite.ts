/** One cluster of brokers of both kinds: Apache Kafka 4.4 as controller and broker, two of ours. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  freePort,
  kafkaProperties,
  kafkaTool,
  missingKafka,
  startKafka,
  untilOpen,
} from '../support/apache-kafka';
import { formatOttla, startOttlaNode, temporaryFolder } from '../support/ottla';
import type { Server } from '../support/process';
import type { OwnBrokersSuite } from '../support/suite';

/** What we do not serve yet is not finalized. */
const LEVELS = [
  'metadata.version=33',
  ...['share', 'streams', 'group'].map((feature) => `${feature}.version=0`),
];
const PARTITIONS = 3;
const IDS = [1, 2, 3] as const;

export const suite: OwnBrokersSuite = {
  name: 'mixed',
  broker: 'own',
  missing: missingKafka,
  cases: [
    {
      name: 'brokers of both kinds copy from each other, survive each other, and hand over',
      run: async () => {
        const folder = temporaryFolder();
        const cluster = new MixedCluster(folder.path);
        try {
          await cluster.start();
          await copyEachOther(cluster);
          await surviveAKilledOne(cluster);
          await moveReplicas(cluster);
        } finally {
          await cluster.stop();
          folder.end();
        }
      },
    },
  ],
};

async function copyEachOther(cluster: MixedCluster): Promise<void> {
  await cluster.topics('--create', '--topic', 't', ...copies(PARTITIONS, 'min.insync.replicas=3'));
  const leaders = await cluster.leaders('t');
  deepStrictEqual([...leaders].sort(), [...IDS]);
  await cluster.produce('t', 30_000);
  deepStrictEqual(await cluster.inSync('t'), [3, 3, 3]);
  cluster.assertSame('t');
}

async function surviveAKilledOne(cluster: MixedCluster): Promise<void> {
  await cluster.topics('--create', '--topic', 'u', ...copies(PARTITIONS, 'min.insync.replicas=2'));
  const writing = cluster.produce('u', 60_000, 10_000);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  await cluster.kill(3);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await cluster.boot(3);
  await writing;
  await cluster.untilInSync('u');
  cluster.assertSame('u');
  strictEqual(await cluster.recordCount('u'), 60_000);
}

async function moveReplicas(cluster: MixedCluster): Promise<void> {
  const file = join(cluster.folder, 'move.json');
  const moveTo = async (assignment: readonly (readonly number[])[]): Promise<void> => {
    const partitions = assignment.map((replicas, partition) => ({
      topic: 'u',
      partition,
      replicas,
    }));
    writeFileSync(file, JSON.stringify({ version: 1, partitions }));
    const execute = ['--execute', '--throttle', '50000000'];
    await cluster.reassign(file, ...execute);
    for (;;) {
      const told = await cluster.reassign(file, '--verify');
      if (!told.includes('is still in progress')) {
        strictEqual(told.match(/is completed/g)?.length, assignment.length);
        return;
      }
    }
  };
  await moveTo([[2, 3], [3], [1, 2]]);
  await moveTo([
    [1, 2, 3],
    [2, 3, 1],
    [3, 1, 2],
  ]);
  await cluster.untilInSync('u');
  cluster.assertSame('u');
}

const copies = (partitions: number, config: string): string[] => [
  ...['--partitions', `${partitions}`, '--replication-factor', '3', '--config', config],
];

class MixedCluster {
  readonly #servers = new Map<number, Server>();
  readonly #ports = new Map<number, number>();

  constructor(readonly folder: string) {}

  get #bootstrapServers(): string {
    return [...this.#ports.values()].map((port) => `localhost:${port}`).join(',');
  }

  async start(): Promise<void> {
    const controllerPort = await freePort();
    for (const id of IDS) this.#ports.set(id, await freePort());
    const clusterId = randomBytes(16).toString('base64url').replace(/^-/, 'A');
    await this.#startKafka(controllerPort, clusterId);
    for (const id of [2, 3]) {
      writeFileSync(this.#file(id), this.#properties(id, controllerPort));
      await formatOttla(this.#file(id), clusterId);
      await this.boot(id);
    }
  }

  async #startKafka(controllerPort: number, clusterId: string): Promise<void> {
    const port = this.#ports.get(1) ?? 0;
    const place = { folder: this.#data(1), port, controllerPort, hasStaticVoters: true };
    writeFileSync(this.#file(1), kafkaProperties(place));
    const features = LEVELS.flatMap((level) => ['--feature', level]);
    const format = ['format', '-t', clusterId, '-c', this.#file(1), ...features];
    await kafkaTool('kafka.tools.StorageTool', format);
    const kafka = startKafka(this.#file(1));
    this.#servers.set(1, kafka);
    await untilOpen(port, kafka);
  }

  #properties(id: number, controllerPort: number): string {
    return [
      'process.roles=broker',
      `node.id=${id}`,
      `controller.quorum.voters=1@localhost:${controllerPort}`,
      `listeners=PLAINTEXT://localhost:${this.#ports.get(id)}`,
      'controller.listener.names=CONTROLLER',
      'listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT',
      `log.dirs=${this.#data(id)}`,
      '',
    ].join('\n');
  }

  async boot(id: number): Promise<void> {
    this.#servers.set(id, await startOttlaNode(this.#file(id)));
  }

  async kill(id: number): Promise<void> {
    await this.#servers.get(id)?.stop('SIGKILL');
  }

  async stop(): Promise<void> {
    // Brokers first: they hand over to the controller's.
    for (const id of [3, 2, 1]) await this.#servers.get(id)?.stop();
  }

  topics(...args: readonly string[]): Promise<string> {
    return this.#tool('org.apache.kafka.tools.TopicCommand', args);
  }

  reassign(file: string, ...args: readonly string[]): Promise<string> {
    const all = ['--reassignment-json-file', file, ...args];
    return this.#tool('org.apache.kafka.tools.reassign.ReassignPartitionsCommand', all);
  }

  async produce(topic: string, count: number, perSecond = -1): Promise<void> {
    const told = await this.#tool('org.apache.kafka.tools.ProducerPerformance', [
      ...['--topic', topic, '--throughput', `${perSecond}`],
      ...['--num-records', `${count}`, '--record-size', '200'],
      ...['--command-property', 'acks=all'],
    ]);
    match(told, new RegExp(`^${count} records sent`, 'm'));
  }

  async recordCount(topic: string): Promise<number> {
    const told = await this.#tool('org.apache.kafka.tools.GetOffsetShell', ['--topic', topic]);
    const ends = told
      .trim()
      .split('\n')
      .map((line) => Number(line.split(':')[2]));
    return ends.reduce((sum, end) => sum + end, 0);
  }

  async leaders(topic: string): Promise<readonly number[]> {
    return (await this.#described(topic)).map(({ leader }) => leader);
  }

  /** How many replicas of each partition are in sync. */
  async inSync(topic: string): Promise<readonly number[]> {
    return (await this.#described(topic)).map(({ isr }) => isr.length);
  }

  async untilInSync(topic: string): Promise<void> {
    for (let attempt = 0; attempt < 20; attempt++) {
      if ((await this.inSync(topic)).every((count) => count === IDS.length)) return;
    }
    throw new Error(`not all are in sync:\n${await this.topics('--describe', '--topic', topic)}`);
  }

  async #described(topic: string): Promise<readonly { leader: number; isr: readonly string[] }[]> {
    const told = await this.topics('--describe', '--topic', topic);
    return [...told.matchAll(/Partition: \d+\s+Leader: (\S+)\s.*?Isr: (\S*)/g)].map(
      ([, leader, isr = '']) => ({ leader: Number(leader), isr: isr.split(',') }),
    );
  }

  /** Every replica's log has the same bytes. */
  assertSame(topic: string): void {
    for (let partition = 0; partition < PARTITIONS; partition++) {
      const [first, ...others] = IDS.map((id) =>
        logBytes(`${this.#data(id)}/${topic}-${partition}`),
      );
      ok(first !== undefined && first.length > 0);
      for (const other of others) ok(first.equals(other), `${topic}-${partition} differs`);
    }
  }

  /** Some warn while brokers come and go, and must do their job all the same. */
  #tool(className: string, args: readonly string[]): Promise<string> {
    const all = ['--bootstrap-server', this.#bootstrapServers, ...args];
    return kafkaTool(className, all, { toleratesWarnings: true, timeoutMs: 120_000 });
  }

  #file = (id: number): string => join(this.folder, `${id}.properties`);
  #data = (id: number): string => join(this.folder, `data-${id}`);
}

function logBytes(folder: string): Buffer {
  const segments = readdirSync(folder).filter((name) => name.endsWith('.log'));
  return Buffer.concat(segments.sort().map((name) => readFileSync(join(folder, name))));
}

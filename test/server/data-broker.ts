/**
 * A node that serves the data path: the real server, handlers, replicas and logs over a disk in
 * memory, with a picture that the test draws.
 */
import type { TopicPartition, Uuid } from '../../src/base/ids';
import { Image } from '../../src/metadata/image';
import { ImageBuilder } from '../../src/metadata/image-builder';
import { type MetadataRecord, metadataRecord } from '../../src/metadata/metadata-record';
import { Publisher } from '../../src/metadata/publisher';
import { memoryDisk } from '../../src/platform/memory-disk';
import type { Disk } from '../../src/platform/platform';
import type { AnyApi, RequestDraft, ResponseOf } from '../../src/protocol/api';
import { type ErrorCode, Errors } from '../../src/protocol/errors';
import { FetchSessions } from '../../src/replication/fetch-sessions';
import { partitionSettings } from '../../src/replication/partition-settings';
import { Replicas } from '../../src/replication/replicas';
import { Waiting } from '../../src/replication/waiting';
import { handlers } from '../../src/server/handlers';
import { Registry } from '../../src/server/registry';
import { Server } from '../../src/server/server';
import type { Services } from '../../src/server/services';
import type {
  TransactionalProducer,
  TransactionChecks,
} from '../../src/server/transaction-services';
import { Logs } from '../../src/storage/logs';
import { writeMetaProperties } from '../../src/storage/meta-properties';
import { type TestMachine, TestWorld } from '../support/world';
import { RawClient } from './raw-client';

export const NODE_ID = 1;
const PORT = 9092;
const DAY_MS = 86_400_000;

export interface TopicPlan {
  readonly name: string;
  readonly partitions?: number;
  readonly id?: Uuid;
  readonly replicas?: readonly number[];
  readonly isr?: readonly number[];
  readonly leader?: number;
  readonly settings?: Readonly<Record<string, string>>;
}

interface Asked {
  readonly how: 'add' | 'verify';
  readonly producer: TransactionalProducer;
  readonly partitions: readonly string[];
}

/** Answers questions about transactions as told, and as late as told. */
class ScriptedCoordinator implements TransactionChecks {
  /** Every question, the oldest first. */
  readonly asked: Asked[] = [];
  /** The code for each partition of a question. */
  says: (asked: Asked, partition: string) => ErrorCode = () => Errors.NONE;
  /** Answers that wait for this. */
  waitsFor: Promise<void> = Promise.resolve();

  async check(
    how: 'add' | 'verify',
    producer: TransactionalProducer,
    partitions: readonly TopicPartition[],
  ): Promise<readonly ErrorCode[]> {
    const names = partitions.map(({ topic, partition }) => `${topic}-${partition}`);
    const asked = { how, producer, partitions: names };
    this.asked.push(asked);
    const codes = names.map((name) => this.says(asked, name));
    await this.waitsFor;
    return codes;
  }
}

export class DataBroker {
  readonly server: Server;
  readonly replicas: Replicas;
  readonly services: Services;
  readonly publisher: Publisher;
  /** Whom the node asks about transactions. */
  readonly coordinator = new ScriptedCoordinator();
  readonly #settings = new Map<string, Readonly<Record<string, string>>>();
  #offset = 0;

  private constructor(
    readonly world: TestWorld,
    readonly machine: TestMachine,
    readonly logs: Logs,
    private readonly clients: TestMachine,
  ) {
    const { clock, log: logger, random, network, offload } = machine;
    const waiting = new Waiting(clock);
    this.publisher = new Publisher((run) => clock.afterTurn(run));
    this.replicas = new Replicas({
      nodeId: NODE_ID,
      logs,
      clock,
      logger,
      waiting,
      replicaLagTimeMaxMs: 30_000,
      settingsOf: (topic) => partitionSettings((name) => this.#settings.get(topic)?.[name]),
    });
    this.publisher.subscribe((image, delta) => this.replicas.apply(image, delta));
    const registry = new Registry(handlers);
    this.services = {
      clock,
      logger,
      offload,
      disk: machine.disk,
      nodeId: NODE_ID,
      clusterId: 'test-cluster',
      settings: {
        fetchMaxBytes: 57_671_680,
        requestTimeoutMs: 30_000,
        transactionPartitionVerificationEnable: true,
        addPartitionsToTxnRetryBackoffMs: 20,
        addPartitionsToTxnRetryBackoffMaxMs: 100,
      },
      transactions: { checks: this.coordinator },
      picture: () => this.publisher.image,
      quorum: { kraftVersion: 1 },
      replicas: this.replicas,
      waiting,
      fetchSessions: new FetchSessions(
        { maxSessions: 1000, maxPartitions: 100_000, evictionMs: 120_000 },
        random,
        waiting,
      ),
      advertised: {
        apis: (kind: 'broker' | 'controller') => registry.advertised(kind),
        supportedFeatures: [],
      },
    } as unknown as Services;
    this.server = new Server({
      clock,
      network,
      logger,
      registry,
      services: this.services,
      limits: {
        maxFrameBytes: 104_857_600,
        maxQueuedBytes: 256 * 1024 * 1024,
        maxIdleMs: 600_000,
        maxConnections: 1000,
        maxConnectionsPerIp: 1000,
        maxConnectionsPerIpOverrides: new Map(),
      },
      overwritesLentBytes: true,
    });
  }

  static async start(topics: readonly TopicPlan[] = [], disk: Disk = memoryDisk()) {
    const world = new TestWorld();
    const machine = world.machine('node', disk);
    disk.makeFolder('/data');
    const properties = { clusterId: 'test-cluster', nodeId: NODE_ID, directoryId: idOf(99) };
    await world.outcome(writeMetaProperties(disk, '/data', properties));
    const logs = new Logs(machine, {
      folders: ['/data'],
      settingsOf: () => partitionSettings(() => undefined).log,
      producerIdExpirationMs: DAY_MS,
      retentionCheckIntervalMs: DAY_MS,
      recoveryPointCheckpointIntervalMs: DAY_MS,
      startOffsetCheckpointIntervalMs: DAY_MS,
      highWatermarkCheckpointIntervalMs: DAY_MS,
      producerIdExpirationCheckIntervalMs: DAY_MS,
    });
    logs.lock();
    await world.outcome(logs.open());
    const broker = new DataBroker(world, machine, logs, world.machine('client'));
    const listener = { name: 'PLAINTEXT', serves: 'broker' as const, host: 'node', port: PORT };
    await world.outcome(broker.server.listen(listener));
    // All in one: logs that the first picture does not know are set aside.
    const brokers = [registered(NODE_ID, 'node'), registered(2, 'other')];
    await broker.draw([...brokers, ...broker.recordsOf(topics)]);
    return broker;
  }

  /** The records are published as the next picture. */
  async draw(records: readonly MetadataRecord[]): Promise<void> {
    this.publish(records);
    await this.world.settle();
  }

  /** As `draw`, without letting the world go on; returns the picture's offset. */
  publish(records: readonly MetadataRecord[]): number {
    const builder = new ImageBuilder(this.publisher.image ?? Image.empty);
    for (const record of records) builder.apply(record);
    this.#offset += records.length;
    const { image, delta } = builder.build({ offset: this.#offset, epoch: 1, timestampMs: 0 });
    this.publisher.publish(image, delta);
    return this.#offset;
  }

  async createTopics(topics: readonly TopicPlan[]): Promise<void> {
    await this.draw(this.recordsOf(topics));
  }

  /** The records that make these topics, whose settings are known from now on. */
  recordsOf(topics: readonly TopicPlan[]): MetadataRecord[] {
    for (const plan of topics) this.#settings.set(plan.name, plan.settings ?? {});
    return topics.flatMap((plan, index) => topicRecords(plan, this.#offset + index));
  }

  idOf(topic: string): Uuid {
    return this.publisher.image.topicByName(topic)?.id ?? '';
  }

  /** A client that is connected. */
  async connect(): Promise<RawClient> {
    const client = new RawClient(this.clients.network, 'node', PORT);
    await this.world.advance(1);
    return client;
  }

  /** Sends a request and gives the answer that comes within `ms`. */
  async ask<A extends AnyApi>(
    client: RawClient,
    api: A,
    version: number,
    request: RequestDraft<A>,
    ms = 100,
  ): Promise<ResponseOf<A>> {
    client.send(api, version, request);
    await this.world.advance(ms);
    return client.answer(api, version);
  }
}

/** A uuid that ends with the number. */
export function idOf(number: number): Uuid {
  const bytes = Buffer.alloc(16, 1);
  bytes.writeInt32BE(number, 12);
  return bytes.toString('base64url');
}

function topicRecords(plan: TopicPlan, number: number): MetadataRecord[] {
  const topicId = plan.id ?? idOf(1000 + number);
  const replicas = plan.replicas ?? [NODE_ID];
  const partitions = Array.from({ length: plan.partitions ?? 1 }, (_, partitionId) =>
    metadataRecord('PartitionRecord', 1, {
      partitionId,
      topicId,
      replicas,
      isr: plan.isr ?? replicas,
      removingReplicas: [],
      addingReplicas: [],
      leader: plan.leader ?? NODE_ID,
      leaderEpoch: 0,
      partitionEpoch: 0,
      directories: replicas.map(() => idOf(99)),
    }),
  );
  return [metadataRecord('TopicRecord', 0, { name: plan.name, topicId }), ...partitions];
}

function registered(brokerId: number, host: string): MetadataRecord {
  return metadataRecord('RegisterBrokerRecord', 3, {
    brokerId,
    brokerEpoch: 10 + brokerId,
    incarnationId: idOf(brokerId),
    endPoints: [{ name: 'PLAINTEXT', host, port: PORT, securityProtocol: 0 }],
    features: [],
    rack: null,
    fenced: false,
    logDirs: [idOf(99)],
  });
}

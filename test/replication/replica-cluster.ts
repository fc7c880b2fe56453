/**
 * Brokers that replicate in one world of tests: the real server, handlers, logs, replicas and
 * fetchers of each, over disks in memory and a simulated network. The picture is drawn by the test;
 * what leaders propose about in-sync replicas is taken into it after a moment, unless the test
 * says otherwise.
 */
import type { LeaderEpoch, NodeId, Uuid } from '../../src/base/ids';
import { channelBuffers } from '../../src/client/channel';
import { Image } from '../../src/metadata/image';
import { ImageBuilder } from '../../src/metadata/image-builder';
import { type MetadataRecord, metadataRecord } from '../../src/metadata/metadata-record';
import { Publisher } from '../../src/metadata/publisher';
import { memoryDisk } from '../../src/platform/memory-disk';
import type { Disk } from '../../src/platform/platform';
import type { AnyApi, RequestDraft, RequestOf, ResponseOf } from '../../src/protocol/api';
import { AlterPartition } from '../../src/protocol/apis/alter-partition';
import { complete } from '../../src/protocol/codec';
import { Errors } from '../../src/protocol/errors';
import { FetchSessions } from '../../src/replication/fetch-sessions';
import { ReplicaFetchers } from '../../src/replication/fetchers';
import type { Partition } from '../../src/replication/partition';
import { partitionSettings } from '../../src/replication/partition-settings';
import { Replicas } from '../../src/replication/replicas';
import { ReplicationThrottle } from '../../src/replication/throttle';
import { Waiting } from '../../src/replication/waiting';
import { handlers } from '../../src/server/handlers';
import { Registry } from '../../src/server/registry';
import { Server } from '../../src/server/server';
import type { Services } from '../../src/server/services';
import { Logs } from '../../src/storage/logs';
import { writeMetaProperties } from '../../src/storage/meta-properties';
import { RawClient } from '../server/raw-client';
import { type TestMachine, TestWorld } from '../support/world';

const PORT = 9092;
const DAY_MS = 86_400_000;
const CLUSTER = 'test-cluster';
/** How long the controller takes to decide. */
const DECIDING_MS = 2;

export interface ClusterSettings {
  readonly replicaLagTimeMaxMs: number;
  /** May change; draw a setting of brokers then. */
  fetchersPerLeader: number;
  readonly maxFetchSessions: number;
  readonly waitMaxMs: number;
  readonly tellsHighWatermark: boolean;
  readonly replicaSelector: 'rack-aware' | undefined;
  readonly throttleBytesPerSecond: number;
}

const USUAL: ClusterSettings = {
  replicaLagTimeMaxMs: 30_000,
  fetchersPerLeader: 1,
  maxFetchSessions: 1000,
  waitMaxMs: 500,
  tellsHighWatermark: false,
  replicaSelector: undefined,
  throttleBytesPerSecond: Number.POSITIVE_INFINITY,
};

export interface PartitionPlan {
  readonly replicas: readonly NodeId[];
  readonly isr?: readonly NodeId[];
  readonly leader?: NodeId;
}

/** A uuid that ends with the number. */
function idOf(number: number): Uuid {
  const bytes = Buffer.alloc(16, 1);
  bytes.writeInt32BE(number, 12);
  return bytes.toString('base64url');
}

export class ReplicaNode {
  /** Of the broker's present life. */
  brokerEpoch = 0;
  replicas!: Replicas;
  services!: Services;
  #server!: Server;
  #logs!: Logs;
  #fetchers!: ReplicaFetchers;
  #publisher!: Publisher;
  /** The last picture that was handed to the publisher. */
  #drawn = Image.empty;
  #isUp = false;

  constructor(
    readonly cluster: ReplicaCluster,
    readonly id: NodeId,
    readonly disk: Disk,
  ) {}

  machine!: TestMachine;

  get isUp(): boolean {
    return this.#isUp;
  }

  partition(topic: string, index = 0): Partition {
    const partition = this.replicas.get(topic, index);
    if (partition === undefined) throw new Error(`${topic}-${index} is not on ${this.id}`);
    return partition;
  }

  /** What its picture is. */
  get image(): Image {
    return this.#publisher.image;
  }

  /** The first start, or another one on the same disk. */
  async start(brokerEpoch: number, withFetchers = true): Promise<void> {
    this.brokerEpoch = brokerEpoch;
    const { world } = this.cluster;
    this.machine = world.machine(`node-${this.id}`, this.disk);
    if (!this.disk.exists('/data')) {
      this.disk.makeFolder('/data');
      const properties = { clusterId: CLUSTER, nodeId: this.id, directoryId: idOf(100 + this.id) };
      await world.outcome(writeMetaProperties(this.disk, '/data', properties));
    }
    this.#publisher = new Publisher((run) => this.machine.clock.afterTurn(run));
    await this.#openLogs();
    this.#makeReplicas();
    await this.#serve();
    this.#isUp = true;
    if (this.cluster.image.offset >= 0) this.publishWhole();
    if (withFetchers) this.#fetchers.start();
  }

  startFetching(): void {
    this.#fetchers.start();
  }

  async #openLogs(): Promise<void> {
    this.#logs = new Logs(this.machine, {
      folders: ['/data'],
      settingsOf: (topic) => this.cluster.settingsOf(topic).log,
      producerIdExpirationMs: DAY_MS,
      retentionCheckIntervalMs: DAY_MS,
      recoveryPointCheckpointIntervalMs: DAY_MS,
      startOffsetCheckpointIntervalMs: DAY_MS,
      highWatermarkCheckpointIntervalMs: 5000,
      producerIdExpirationCheckIntervalMs: DAY_MS,
    });
    this.#logs.lock();
    await this.cluster.world.outcome(this.#logs.open());
  }

  #makeReplicas(): void {
    const { clock, log: logger } = this.machine;
    const { settings } = this.cluster;
    const waiting = new Waiting(clock);
    const throttle = () =>
      new ReplicationThrottle({
        clock,
        windowCount: 11,
        windowMs: 1000,
        bytesPerSecond: () => settings.throttleBytesPerSecond,
      });
    this.replicas = new Replicas({
      nodeId: this.id,
      logs: this.#logs,
      clock,
      logger,
      waiting,
      replicaLagTimeMaxMs: settings.replicaLagTimeMaxMs,
      settingsOf: (topic) => this.cluster.settingsOf(topic),
      cluster: {
        controller: {
          askForNode: (api, draft) => this.cluster.controller(this, api, draft),
        },
        brokerEpoch: () => this.brokerEpoch,
        leaderThrottle: throttle(),
      },
    });
    this.#fetchers = this.#makeFetchers(throttle());
    this.#publisher.subscribe((image, delta) => this.replicas.apply(image, delta));
    this.#publisher.subscribe((image, delta) => this.#fetchers.apply(image, delta));
    this.services = this.#makeServices(waiting);
  }

  #makeFetchers(throttle: ReplicationThrottle): ReplicaFetchers {
    const { clock, log: logger } = this.machine;
    const { settings } = this.cluster;
    return new ReplicaFetchers({
      nodeId: this.id,
      brokerEpoch: () => this.brokerEpoch,
      replicas: this.replicas,
      clock,
      logger,
      world: { ...this.machine, buffers: channelBuffers() },
      peers: {
        connectTimeoutMs: 1000,
        requestTimeoutMs: 30_000,
        reconnectBackoffMs: 50,
        reconnectBackoffMaxMs: 1000,
      },
      listenerName: 'PLAINTEXT',
      fetchersPerLeader: () => settings.fetchersPerLeader,
      settings: {
        waitMaxMs: settings.waitMaxMs,
        minBytes: 1,
        responseMaxBytes: 10 * 1024 * 1024,
        partitionMaxBytes: 1024 * 1024,
        backoffMs: 1000,
        socketTimeoutMs: 30_000,
      },
      picture: () => this.#publisher.image,
      throttle,
      tellsHighWatermark: settings.tellsHighWatermark,
      failed: (error) => {
        throw error;
      },
    });
  }

  #makeServices(waiting: Waiting): Services {
    const { clock, log: logger, random, offload } = this.machine;
    const { settings } = this.cluster;
    return {
      clock,
      logger,
      offload,
      nodeId: this.id,
      clusterId: CLUSTER,
      quorum: { kraftVersion: 1 },
      settings: { fetchMaxBytes: 57_671_680, replicaSelector: settings.replicaSelector },
      picture: () => this.#publisher.image,
      replicas: this.replicas,
      waiting,
      fetchSessions: new FetchSessions(
        { maxSessions: settings.maxFetchSessions, maxPartitions: 100_000, evictionMs: 120_000 },
        random,
        waiting,
      ),
    } as unknown as Services;
  }

  async #serve(): Promise<void> {
    const { clock, log: logger, network } = this.machine;
    const registry = new Registry(handlers);
    const advertised = {
      apis: (kind: 'broker' | 'controller') => registry.advertised(kind),
      supportedFeatures: [],
    };
    this.#server = new Server({
      clock,
      network,
      logger,
      registry,
      services: { ...this.services, advertised },
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
    const listener = {
      name: 'PLAINTEXT',
      serves: 'broker' as const,
      host: `node-${this.id}`,
      port: PORT,
    };
    await this.cluster.world.outcome(this.#server.listen(listener));
  }

  /** The whole picture at once, as after a start. */
  publishWhole(): void {
    const { image } = this.cluster;
    const builder = new ImageBuilder(Image.empty);
    for (const record of this.cluster.records) builder.apply(record);
    const { offset, epoch, provenance } = image;
    const built = builder.build({ offset, epoch, timestampMs: provenance.timestampMs });
    this.#drawn = built.image;
    this.#publisher.publish(built.image, built.delta);
  }

  publish(records: readonly MetadataRecord[], offset: number): void {
    if (!this.#isUp) return;
    const builder = new ImageBuilder(this.#drawn);
    for (const record of records) builder.apply(record);
    const { image, delta } = builder.build({ offset, epoch: 1, timestampMs: 0 });
    this.#drawn = image;
    this.#publisher.publish(image, delta);
  }

  /** The process dies: what was written stays on its disk, nothing is said any more. */
  async kill(): Promise<void> {
    this.#isUp = false;
    const closed = this.#server.close();
    const stopped = this.#fetchers.stop();
    this.replicas.close();
    await this.cluster.world.outcome(Promise.all([closed, stopped]));
    // Locks go with a process; the logs are left as they are.
    this.#logs.unlock();
    for (const partition of this.replicas.all()) partition.log?.abandon();
  }
}

export class ReplicaCluster {
  readonly world = new TestWorld();
  readonly nodes: ReplicaNode[];
  readonly settings: ClusterSettings;
  /** All that was drawn, in order. */
  readonly records: MetadataRecord[] = [];
  image = Image.empty;
  /** What leaders have proposed. */
  readonly proposed: RequestOf<typeof AlterPartition>[] = [];
  /** Answers a proposal instead of taking it; undefined: take it. */
  refusing: ((partition: { readonly topicId: Uuid }) => number | undefined) | undefined;
  readonly #topicSettings = new Map<string, Readonly<Record<string, string>>>();
  #offset = -1;
  #client: TestMachine;

  private constructor(count: number, settings: Partial<ClusterSettings>) {
    this.settings = { ...USUAL, ...settings };
    this.nodes = Array.from(
      { length: count },
      (_, index) => new ReplicaNode(this, index + 1, memoryDisk()),
    );
    this.#client = this.world.machine('client');
  }

  static async start(count: number, settings: Partial<ClusterSettings> = {}) {
    const cluster = new ReplicaCluster(count, settings);
    cluster.draw([
      metadataRecord('FeatureLevelRecord', 0, { name: 'metadata.version', featureLevel: 29 }),
      ...cluster.nodes.map(({ id }) => registered(id, 10 + id)),
    ]);
    for (const node of cluster.nodes) await node.start(10 + node.id);
    return cluster;
  }

  node(id: NodeId): ReplicaNode {
    const node = this.nodes[id - 1];
    if (node === undefined) throw new Error(`there is no node ${id}`);
    return node;
  }

  settingsOf(topic: string) {
    return partitionSettings((name) => this.#topicSettings.get(topic)?.[name]);
  }

  /** Into everybody's picture, or first of all into that of `only`. */
  draw(records: readonly MetadataRecord[], only?: readonly NodeId[]): void {
    const builder = new ImageBuilder(this.image);
    for (const record of records) builder.apply(record);
    this.#offset += records.length;
    this.records.push(...records);
    this.image = builder.build({ offset: this.#offset, epoch: 1, timestampMs: 0 }).image;
    for (const node of this.nodes) {
      if (only === undefined || only.includes(node.id)) node.publish(records, this.#offset);
    }
  }

  /** Makes a topic, without letting time pass. */
  createTopic(
    name: string,
    partitions: readonly PartitionPlan[],
    settings: Readonly<Record<string, string>> = {},
  ): void {
    this.#topicSettings.set(name, settings);
    const topicId = idOf(1000 + this.#offset);
    this.draw([
      metadataRecord('TopicRecord', 0, { name, topicId }),
      ...partitions.map(({ replicas, isr, leader }, partitionId) =>
        metadataRecord('PartitionRecord', 1, {
          partitionId,
          topicId,
          replicas,
          isr: isr ?? replicas,
          removingReplicas: [],
          addingReplicas: [],
          leader: leader ?? replicas[0] ?? -1,
          leaderEpoch: 0,
          partitionEpoch: 0,
          directories: replicas.map((id) => idOf(100 + id)),
        }),
      ),
    ]);
  }

  /** Changes a partition's registration in everybody's picture, or in that of `only` for now. */
  change(
    topic: string,
    change: {
      readonly leader?: NodeId;
      readonly isr?: readonly NodeId[];
      readonly replicas?: readonly NodeId[];
    },
    index = 0,
    only?: readonly NodeId[],
  ): void {
    const topicId = this.image.topicByName(topic)?.id ?? '';
    const { replicas, ...rest } = change;
    const directories = replicas?.map((id) => idOf(100 + id));
    const all = replicas === undefined ? rest : { ...rest, replicas, directories };
    this.draw(
      [metadataRecord('PartitionChangeRecord', 1, { topicId, partitionId: index, ...all })],
      only,
    );
  }

  /** A broker's present life, fenced or not. */
  register(id: NodeId, brokerEpoch: number, isFenced = false): void {
    this.draw([registered(id, brokerEpoch, isFenced)]);
  }

  /** The leader as the picture has it. */
  leaderOf(topic: string, index = 0): ReplicaNode {
    return this.node(this.image.topicByName(topic)?.partitions.get(index)?.leader ?? -1);
  }

  isrOf(topic: string, index = 0): readonly NodeId[] {
    return this.image.topicByName(topic)?.partitions.get(index)?.isr ?? [];
  }

  epochOf(topic: string, index = 0): LeaderEpoch {
    return this.image.topicByName(topic)?.partitions.get(index)?.leaderEpoch ?? -1;
  }

  /** What the active controller answers. */
  async controller<A extends AnyApi>(
    asker: ReplicaNode,
    api: A,
    draft: RequestDraft<A>,
  ): Promise<ResponseOf<A>> {
    if ((api as AnyApi) !== AlterPartition) throw new Error(`${api.name} is not asked here`);
    const request = complete(api.request, draft) as RequestOf<typeof AlterPartition>;
    this.proposed.push(request);
    await this.#client.clock.sleep(DECIDING_MS);
    const topics = request.topics.map(({ topicId, partitions }) => ({
      topicId,
      partitions: partitions.map((asked) => ({
        partitionIndex: asked.partitionIndex,
        leaderId: asker.id,
        leaderEpoch: asked.leaderEpoch,
        isr: asked.newIsrWithEpochs.map(({ brokerId }) => brokerId),
        ...this.#decide(topicId, asked),
      })),
    }));
    return complete(api.response, { errorCode: 0, topics } as never) as ResponseOf<A>;
  }

  #decide(
    topicId: Uuid,
    asked: RequestOf<typeof AlterPartition>['topics'][number]['partitions'][number],
  ): { errorCode: number; partitionEpoch: number } {
    const now = this.image.topicById(topicId)?.partitions.get(asked.partitionIndex);
    if (now === undefined) return { errorCode: Errors.UNKNOWN_TOPIC_ID, partitionEpoch: 0 };
    const refused = this.refusing?.({ topicId });
    if (refused !== undefined) return { errorCode: refused, partitionEpoch: now.partitionEpoch };
    if (asked.leaderEpoch < now.leaderEpoch) {
      return { errorCode: Errors.FENCED_LEADER_EPOCH, partitionEpoch: 0 };
    }
    if (asked.partitionEpoch < now.partitionEpoch) {
      return { errorCode: Errors.INVALID_UPDATE_VERSION, partitionEpoch: 0 };
    }
    const isr = asked.newIsrWithEpochs.map(({ brokerId }) => brokerId);
    this.draw([
      metadataRecord('PartitionChangeRecord', 1, {
        topicId,
        partitionId: asked.partitionIndex,
        isr,
      }),
    ]);
    return { errorCode: Errors.NONE, partitionEpoch: now.partitionEpoch + 1 };
  }

  /** A client that is connected to that node. */
  async connect(id: NodeId): Promise<RawClient> {
    const client = new RawClient(this.#client.network, `node-${id}`, PORT);
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

function registered(brokerId: NodeId, brokerEpoch: number, fenced = false): MetadataRecord {
  return metadataRecord('RegisterBrokerRecord', 3, {
    brokerId,
    brokerEpoch,
    incarnationId: idOf(brokerEpoch),
    endPoints: [{ name: 'PLAINTEXT', host: `node-${brokerId}`, port: PORT, securityProtocol: 0 }],
    features: [],
    rack: `rack-${brokerId}`,
    fenced,
    logDirs: [idOf(100 + brokerId)],
  });
}

/**
 * A tiny node for testing the simulator itself: one log file a partition, groups of one member,
 * and flaws that can be planted, each of which some checker has to find.
 */
import type { DiskFile, Platform } from '../../src/platform/platform';
import type { RequestOf } from '../../src/protocol/api';
import * as apis from '../../src/protocol/apis';
import { Errors } from '../../src/protocol/errors';
import { type ServedRequest, serveFrames } from '../support/frame-server';
import { ToyPartition } from './toy-partition';
import { CLIENT_PORT, nodeName, type RunningNode } from './world/node';
import type { Scenario } from './world/scenario';

export type Flaw =
  | 'none'
  /** The write happens a little after the answer. */
  | 'acknowledges-before-writing'
  /** Nothing waits for an fsync. */
  | 'never-syncs'
  /** Consumers see what a power loss can still take away. */
  | 'shows-what-is-not-synced'
  /** After a restart every batch is new. */
  | 'forgets-producers'
  /** Commits stay in memory. */
  | 'forgets-commits'
  /** One answer now and then stays away for ever. */
  | 'hangs'
  /** A record is given another offset than was said. */
  | 'miscounts'
  /** Depends on the real time, so that no seed repeats. */
  | 'is-not-deterministic';

const FOLDER = '/toy';

/** Starts the node on its platform's disk. */
export async function startToyNode(
  platform: Platform,
  nodeId: number,
  scenario: Scenario,
  flaw: Flaw,
): Promise<RunningNode> {
  const { disk, network } = platform;
  disk.makeFolder(FOLDER);
  await disk.syncFolder('/');
  const node = new ToyNode(platform, nodeId, scenario, flaw);
  await node.open();
  const address = { host: nodeName(nodeId), port: CLIENT_PORT };
  const listening = await serveFrames(network, address, (request) => {
    node.serve(request).catch((error: unknown) => {
      platform.log.error('A request failed', { error });
      request.link.destroy();
    });
  });
  return { stop: () => listening.close() };
}

class ToyNode {
  readonly #platform: Platform;
  readonly #nodeId: number;
  readonly #flaw: Flaw;
  readonly #syncs: boolean;
  readonly #partitions = new Map<string, ToyPartition>();
  readonly #offsets = new Map<string, number>();
  #offsetsFile: DiskFile | undefined;
  #member = '';
  #generation = 0;
  #requests = 0;

  constructor(platform: Platform, nodeId: number, scenario: Scenario, flaw: Flaw) {
    this.#platform = platform;
    this.#nodeId = nodeId;
    this.#flaw = flaw;
    this.#syncs = scenario.crash === 'power-loss' && flaw !== 'never-syncs';
    this.#generation = Math.floor(platform.clock.wallMs() / 100) & 0xffffff;
  }

  async open(): Promise<void> {
    const { disk } = this.#platform;
    for (const { name } of disk.list(FOLDER)) {
      if (name.endsWith('.log')) await this.#openPartition(name.slice(0, -4));
    }
    this.#offsetsFile = disk.open(`${FOLDER}/offsets`, 'create');
    const lines = disk.readFile(`${FOLDER}/offsets`).toString().split('\n');
    let length = 0;
    for (const line of lines.slice(0, -1)) {
      const [key, offset, check] = line.split(' ');
      if (check !== '.') break;
      this.#offsets.set(key as string, Number(offset));
      length += line.length + 1;
    }
    this.#offsetsFile.truncate(length);
    // What a crash left in the page cache is shown again, so it has to be durable first.
    await this.#offsetsFile.sync();
    await disk.syncFolder(FOLDER);
  }

  async serve(request: ServedRequest): Promise<void> {
    this.#requests += 1;
    if (this.#flaw === 'hangs' && this.#requests > 500) return;
    if (this.#flaw === 'is-not-deterministic' && process.hrtime()[1] % 1000 < 500) {
      await this.#platform.clock.sleep(10);
    }
    switch (request.api) {
      case apis.Metadata:
        return this.#metadata(request);
      case apis.CreateTopics:
        return this.#createTopics(request);
      case apis.InitProducerId: {
        const producerId = this.#platform.random.below(2 ** 31);
        return request.answer({ errorCode: 0, producerId, producerEpoch: 0 });
      }
      case apis.Produce:
        return this.#produce(request);
      case apis.Fetch:
        return this.#fetch(request);
      case apis.ListOffsets:
        return this.#listOffsets(request);
      default:
        return this.#serveGroup(request);
    }
  }

  async #serveGroup(request: ServedRequest): Promise<void> {
    const { memberId = '' } = request.body as { memberId?: string };
    const errorCode = memberId === this.#member ? Errors.NONE : Errors.UNKNOWN_MEMBER_ID;
    switch (request.api) {
      case apis.FindCoordinator: {
        const place = { nodeId: this.#nodeId, host: nodeName(this.#nodeId), port: CLIENT_PORT };
        return request.answer({ errorCode: 0, ...place });
      }
      case apis.JoinGroup:
        return this.#join(request);
      case apis.SyncGroup: {
        const { assignments } = request.body as RequestOf<typeof apis.SyncGroup>;
        const assignment = assignments[0]?.assignment ?? Buffer.alloc(0);
        return request.answer({ errorCode, assignment });
      }
      case apis.Heartbeat:
        return request.answer({ errorCode });
      case apis.LeaveGroup:
        this.#member = '';
        return request.answer({ errorCode: 0, members: [] });
      case apis.OffsetCommit:
        return this.#commit(request);
      case apis.OffsetFetch:
        return this.#fetchOffsets(request);
      default:
        throw new Error(`the toy node does not serve ${request.api.name}`);
    }
  }

  async #openPartition(key: string): Promise<ToyPartition> {
    const file = this.#platform.disk.open(`${FOLDER}/${key}.log`, 'create');
    const partition = new ToyPartition(file, this.#flaw === 'forgets-producers');
    await file.sync();
    await this.#platform.disk.syncFolder(FOLDER);
    this.#partitions.set(key, partition);
    return partition;
  }

  async #createTopics(request: ServedRequest): Promise<void> {
    const { topics } = request.body as RequestOf<typeof apis.CreateTopics>;
    for (const { name, numPartitions } of topics) {
      for (let index = 0; index < numPartitions; index += 1) {
        if (!this.#partitions.has(`${name}-${index}`))
          await this.#openPartition(`${name}-${index}`);
      }
    }
    const results = topics.map(({ name }) => ({
      name,
      errorCode: 0,
      errorMessage: null,
      configs: null,
    }));
    request.answer({ topics: results });
  }

  #metadata(request: ServedRequest): void {
    const { topics } = request.body as RequestOf<typeof apis.Metadata>;
    const nodes = [this.#nodeId];
    const broker = { nodeId: this.#nodeId, host: nodeName(this.#nodeId), port: CLIENT_PORT };
    request.answer({
      brokers: [broker],
      controllerId: this.#nodeId,
      topics: (topics ?? []).map(({ name }) => ({
        errorCode: 0,
        name,
        partitions: [...this.#partitions.keys()]
          .filter((key) => key.startsWith(`${name}-`))
          .map((key) => ({
            errorCode: 0,
            partitionIndex: Number(key.slice(key.lastIndexOf('-') + 1)),
            leaderId: this.#nodeId,
            replicaNodes: nodes,
            isrNodes: nodes,
            offlineReplicas: [],
          })),
      })),
    });
  }

  async #produce(request: ServedRequest): Promise<void> {
    const { topicData } = request.body as RequestOf<typeof apis.Produce>;
    const topic = topicData[0] as (typeof topicData)[number];
    const { index, records } = topic.partitionData[0] as (typeof topic.partitionData)[number];
    const answer = (errorCode: number, baseOffset: number): void => {
      const partitionResponses = [{ index, errorCode, baseOffset, recordErrors: [] }];
      request.answer({ responses: [{ name: topic.name, partitionResponses }] });
    };
    const partition = this.#partitions.get(`${topic.name}-${index}`);
    if (partition === undefined || records === null) {
      return answer(Errors.UNKNOWN_TOPIC_OR_PARTITION, -1);
    }
    try {
      let base = partition.known(records);
      if (base === undefined) {
        if (!partition.isInSequence(records)) {
          return answer(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, -1);
        }
        const appended = partition.append(records);
        base = appended.base;
        if (this.#flaw === 'acknowledges-before-writing') {
          answer(Errors.NONE, base);
          appended.write();
          partition.visibleEnd = partition.end;
          return;
        }
        appended.write();
      }
      const { end } = partition;
      if (!this.#syncs || this.#flaw === 'shows-what-is-not-synced') partition.visibleEnd = end;
      if (this.#syncs) await partition.file.sync();
      partition.visibleEnd = Math.max(partition.visibleEnd, end);
      answer(
        Errors.NONE,
        this.#flaw === 'miscounts' && this.#requests % 100 === 0 ? base + 1 : base,
      );
    } catch (error) {
      this.#platform.log.warn('A write failed', { error });
      answer(Errors.KAFKA_STORAGE_ERROR, -1);
    }
  }

  async #fetch(request: ServedRequest): Promise<void> {
    const { topics, maxWaitMs } = request.body as RequestOf<typeof apis.Fetch>;
    const topic = topics[0] as (typeof topics)[number];
    const asked = topic.partitions[0] as (typeof topic.partitions)[number];
    const partition = this.#partitions.get(`${topic.topic}-${asked.partition}`);
    const offset = Number(asked.fetchOffset);
    if (partition !== undefined && offset >= partition.visibleEnd) {
      await this.#platform.clock.sleep(maxWaitMs);
    }
    let errorCode: number = Errors.NONE;
    if (partition === undefined) errorCode = Errors.UNKNOWN_TOPIC_OR_PARTITION;
    else if (offset > partition.visibleEnd) errorCode = Errors.OFFSET_OUT_OF_RANGE;
    const records = (partition?.batches ?? [])
      .filter((one) => one.end > offset && one.end <= (partition?.visibleEnd ?? 0))
      .slice(0, 20)
      .map((one) => one.bytes);
    const result = {
      partitionIndex: asked.partition,
      errorCode,
      highWatermark: partition?.visibleEnd ?? -1,
      abortedTransactions: null,
      records: errorCode === Errors.NONE ? Buffer.concat(records) : null,
    };
    request.answer({ responses: [{ topic: topic.topic, partitions: [result] }] });
  }

  #listOffsets(request: ServedRequest): void {
    const { topics } = request.body as RequestOf<typeof apis.ListOffsets>;
    const topic = topics[0] as (typeof topics)[number];
    const { partitionIndex } = topic.partitions[0] as (typeof topic.partitions)[number];
    const partition = this.#partitions.get(`${topic.name}-${partitionIndex}`);
    const errorCode = partition === undefined ? Errors.UNKNOWN_TOPIC_OR_PARTITION : Errors.NONE;
    const result = { partitionIndex, errorCode, offset: partition?.visibleEnd ?? -1 };
    request.answer({ topics: [{ name: topic.name, partitions: [result] }] });
  }

  #join(request: ServedRequest): void {
    const { protocols } = request.body as RequestOf<typeof apis.JoinGroup>;
    const { name: protocolName, metadata } = protocols[0] as (typeof protocols)[number];
    this.#member = `member-${this.#platform.random.below(2 ** 31)}`;
    this.#generation += 1;
    request.answer({
      errorCode: 0,
      generationId: this.#generation,
      protocolName,
      leader: this.#member,
      memberId: this.#member,
      members: [{ memberId: this.#member, metadata }],
    });
  }

  async #commit(request: ServedRequest): Promise<void> {
    const { groupId, topics, memberId } = request.body as RequestOf<typeof apis.OffsetCommit>;
    const topic = topics[0] as (typeof topics)[number];
    const { partitionIndex, committedOffset } = topic
      .partitions[0] as (typeof topic.partitions)[number];
    let errorCode: number = memberId === this.#member ? Errors.NONE : Errors.UNKNOWN_MEMBER_ID;
    const key = `${groupId}/${topic.name}-${partitionIndex}`;
    const file = this.#offsetsFile as DiskFile;
    if (errorCode === Errors.NONE) {
      try {
        if (this.#flaw !== 'forgets-commits') {
          file.write([Buffer.from(`${key} ${committedOffset} .\n`)], file.length());
          if (this.#syncs) await file.sync();
        }
        this.#offsets.set(key, Number(committedOffset));
      } catch (error) {
        this.#platform.log.warn('A commit failed', { error });
        errorCode = Errors.COORDINATOR_NOT_AVAILABLE;
      }
    }
    request.answer({ topics: [{ name: topic.name, partitions: [{ partitionIndex, errorCode }] }] });
  }

  #fetchOffsets(request: ServedRequest): void {
    const { groupId, topics } = request.body as RequestOf<typeof apis.OffsetFetch>;
    request.answer({
      errorCode: 0,
      topics: (topics ?? []).map(({ name, partitionIndexes }) => ({
        name,
        partitions: partitionIndexes.map((partitionIndex) => ({
          partitionIndex,
          committedOffset: BigInt(this.#offsets.get(`${groupId}/${name}-${partitionIndex}`) ?? -1),
          metadata: '',
          errorCode: 0,
        })),
      })),
    });
  }
}

/** Requests with the least and the greatest number in each field that has one, to a whole node. */
import type { Broker } from '../../src/broker/broker';
import { TOPIC_CONFIGS } from '../../src/metadata/topic-configs';
import type { AnyApi, ApiListener, RequestDraft, ResponseOf } from '../../src/protocol/api';
import { AddOffsetsToTxn } from '../../src/protocol/apis/add-offsets-to-txn';
import { AddPartitionsToTxn } from '../../src/protocol/apis/add-partitions-to-txn';
import { CreateTopics } from '../../src/protocol/apis/create-topics';
import { DescribeProducers } from '../../src/protocol/apis/describe-producers';
import { FindCoordinator } from '../../src/protocol/apis/find-coordinator';
import { InitProducerId } from '../../src/protocol/apis/init-producer-id';
import { ListOffsets } from '../../src/protocol/apis/list-offsets';
import { Metadata } from '../../src/protocol/apis/metadata';
import { Produce } from '../../src/protocol/apis/produce';
import { setCrc } from '../../src/protocol/records/batch';
import { buildBatch } from '../../src/protocol/records/builder';
import { type FieldSpec, type FieldType, isPresent, type Shape } from '../../src/protocol/schema';
import { handlers } from '../../src/server/handlers';
import { servedVersions } from '../../src/server/registry';
import { startSoleNode } from '../support/sole-node';
import { type TestMachine, TestWorld } from '../support/world';
import { RawClient } from './raw-client';

const PORTS: Readonly<Record<ApiListener, number>> = { broker: 9092, controller: 9093 };

const integers = (bits: number): readonly number[] => [
  -(2 ** (bits - 1)),
  2 ** (bits - 1) - 1,
  -1,
  0,
];
const SAFE = Number.MAX_SAFE_INTEGER;

const EXTREMES: Readonly<Record<string, readonly (number | bigint)[]>> = {
  int8: integers(8),
  int16: integers(16),
  uint16: [0xffff, 0],
  int32: integers(32),
  int64: [-SAFE, SAFE, -1, 0],
  bigint64: [-(2n ** 63n), 2n ** 63n - 1n, -1n, 0n],
  float64: [-Number.MAX_VALUE, Number.MAX_VALUE, Number.POSITIVE_INFINITY, Number.NaN],
};

/** What fields are in a request that is served, where their kind does not say it. */
type Plain = Readonly<Record<string, unknown>>;

const PLAIN: Plain = {
  acks: 1,
  committedOffset: 1n,
  coordinatorKeys: 'group',
  generationId: -1,
  generationIdOrMemberEpoch: -1,
  groupId: 'group',
  groupInstanceId: null,
  groups: 'group',
  groupsNames: 'group',
  isolationLevel: 0,
  memberEpoch: -1,
  memberId: '',
  minBytes: 1,
  key: 'group',
  name: 'topic',
  partitionMaxBytes: 1000,
  protocolType: 'consumer',
  rebalanceTimeoutMs: 10_000,
  replicationFactor: 1,
  numPartitions: 1,
  records: buildBatch([{ timestamp: 1, value: 'value' }]),
  resourceName: '1',
  resourceType: 4,
  retentionTimeMs: -1n,
  sessionTimeoutMs: 10_000,
  timeoutMs: 1_000,
  topic: 'topic',
  topicName: 'topic',
  topicNames: 'topic',
  transactionTimeoutMs: 10_000,
};

/** What must differ for an API to go on. */
const PLAIN_OF: Readonly<Record<string, Plain>> = {
  CreateTopics: { name: 'new', assignments: [], configs: [] },
  DeleteTopics: { name: 'gone', topicNames: 'gone' },
  CreatePartitions: { assignments: [] },
  InitProducerId: { producerId: -1, producerEpoch: -1 },
  UnregisterBroker: { brokerId: 9 },
  IncrementalAlterConfigs: { configs: [] },
  AlterConfigs: { configs: [] },
};

/** The request with one element in every list; a number at `path` is replaced. */
function request(shape: Shape, version: number, plain: Plain, change?: Change, path = ''): object {
  const entries = Object.entries(shape).flatMap(([name, { spec }]) =>
    isPresent(spec, version)
      ? [[name, fieldOf(name, spec, spec.type, version, plain, change, `${path}/${name}`)]]
      : [],
  );
  return Object.fromEntries(entries);
}

interface Change {
  /** `undefined`: each number that has this extreme. */
  readonly path: string | undefined;
  readonly extreme: number;
}

function fieldOf(
  name: string,
  spec: FieldSpec,
  type: FieldType,
  version: number,
  plain: Plain,
  change: Change | undefined,
  path: string,
): unknown {
  if (Array.isArray(plain[name])) return plain[name];
  if (type.kind === 'struct') return request(type.shape, version, plain, change, path);
  if (type.kind === 'array') {
    return [fieldOf(name, spec, type.element, version, plain, change, path)];
  }
  const extreme = EXTREMES[type.kind]?.[change?.extreme ?? -1];
  if (extreme !== undefined && (change?.path ?? path) === path) return extreme;
  if (name in plain && typeof plain[name] !== 'number') return plain[name];
  const { value } = spec.explicitDefault ?? { value: undefined };
  switch (type.kind) {
    case 'bool':
      return value ?? false;
    case 'bigint64':
      return BigInt((plain[name] as number | undefined) ?? (value as bigint | undefined) ?? 0n);
    case 'uuid':
      return 'AAAAAAAAAAAAAAAAAAAAAA';
    case 'string':
      return value ?? '';
    case 'bytes':
      return Buffer.alloc(4);
    case 'records':
      return null;
    default:
      return plain[name] ?? value ?? 0;
  }
}

/** Where numbers stand in a request. */
function numbersIn(shape: Shape, version: number, path = ''): string[] {
  return Object.entries(shape).flatMap(([name, { spec }]) => {
    if (!isPresent(spec, version)) return [];
    let { type } = spec;
    while (type.kind === 'array') type = type.element;
    if (type.kind === 'struct') return numbersIn(type.shape, version, `${path}/${name}`);
    return type.kind in EXTREMES ? [`${path}/${name}`] : [];
  });
}

class Node {
  static async start(): Promise<Node> {
    const world = new TestWorld();
    const machine = world.machine('one');
    const broker = await startSoleNode(world, machine);
    const node = new Node(world, machine, broker);
    broker.failed.catch((error) => node.failures.push(error));
    return node;
  }

  readonly failures: unknown[] = [];
  readonly #clients: TestMachine;
  #transactions = 0;

  private constructor(
    private readonly world: TestWorld,
    private readonly machine: TestMachine,
    private readonly broker: Broker,
  ) {
    this.#clients = world.machine('client');
  }

  async ask<A extends AnyApi>(api: A, version: number, draft: RequestDraft<A>) {
    const client = new RawClient(this.#clients.network, 'one', PORTS.broker);
    client.send(api, version, draft);
    await this.world.advance(1_000);
    client.link.destroy();
    expect(this.mistakes).toEqual([]);
    return client.answer(api, version) as ResponseOf<A>;
  }

  get clusterId(): string {
    return this.broker.clusterId;
  }

  get brokerEpoch(): number {
    return this.broker.quorum.publisher.image.brokers.get(1)?.epoch ?? -1;
  }

  async stop(): Promise<void> {
    await this.world.outcome(this.broker.stop());
  }

  async createTopic(configs: readonly { name: string; value: string }[] = []): Promise<void> {
    await this.ask(CreateTopics, 5, {
      topics: [{ name: 'topic', numPartitions: 2, replicationFactor: 1, assignments: [], configs }],
      timeoutMs: 1_000,
    });
  }

  /** Sends, and does not care for the answers. */
  async send(api: AnyApi, listener: ApiListener, version: number, drafts: readonly object[]) {
    const clients = drafts.map((draft) => {
      const client = new RawClient(this.#clients.network, 'one', PORTS[listener]);
      client.send(api, version, draft as never);
      return client;
    });
    await this.world.advance(20);
    for (const client of clients) client.link.destroy();
  }

  async later(ms: number): Promise<void> {
    await this.world.advance(ms);
  }

  /** What went wrong through a mistake of our own. */
  get mistakes(): readonly unknown[] {
    return [...this.failures, ...this.machine.lines.filter(({ level }) => level === 'error')];
  }

  /** A producer whose transaction is open, and its part of a request. */
  async transaction(): Promise<Plain> {
    this.#transactions += 1;
    const transactionalId = `producer-${this.#transactions}`;
    const init = { transactionalId, transactionTimeoutMs: 10_000 };
    const { producerId, producerEpoch } = await this.ask(InitProducerId, 4, init);
    const producer = { transactionalId, producerId: BigInt(producerId), producerEpoch };
    await this.ask(AddPartitionsToTxn, 3, {
      v3AndBelowTransactionalId: transactionalId,
      v3AndBelowProducerId: producer.producerId,
      v3AndBelowProducerEpoch: producerEpoch,
      v3AndBelowTopics: [{ name: 'topic', partitions: [0] }],
    });
    await this.ask(AddOffsetsToTxn, 3, { ...producer, groupId: 'group' });
    return {
      ...producer,
      transactionalIds: transactionalId,
      v3AndBelowTransactionalId: transactionalId,
      v3AndBelowProducerId: producer.producerId,
      v3AndBelowProducerEpoch: producerEpoch,
    };
  }
}

test('no number in any field of any request makes the node give up', async () => {
  const node = await Node.start();
  await node.createTopic();
  const cluster = { clusterId: node.clusterId, brokerId: 1, brokerEpoch: node.brokerEpoch };
  for (const keyType of [0, 1]) {
    await node.ask(FindCoordinator, 4, { keyType, coordinatorKeys: ['any'] });
  }
  const { topics } = await node.ask(Metadata, 12, { topics: [{ name: 'topic' }] });
  const topicId = topics[0]?.topicId;
  for (const listener of ['broker', 'controller'] as const) {
    for (const handler of handlers) {
      const { api } = handler;
      if (!(handler.listeners ?? api.listeners).includes(listener)) continue;
      const [first, last] = servedVersions(handler);
      let before = '';
      for (let version = first; version <= last; version += 1) {
        const { shape } = api.request;
        const paths = numbersIn(shape, version);
        // Versions that differ in other things meet the same numbers.
        if (before === String(paths)) continue;
        before = String(paths);
        const isInTransaction = JSON.stringify(Object.keys(shape)).includes('ransaction');
        const producer = isInTransaction ? await node.transaction() : {};
        const plain = { ...PLAIN, topicId, ...cluster, ...producer, ...PLAIN_OF[api.name] };
        const drafts = [undefined, ...paths].flatMap((path) =>
          [0, 1, 2, 3].map((extreme) => request(shape, version, plain, { path, extreme })),
        );
        await node.send(api, listener, version, [request(shape, version, plain), ...drafts]);
        expect({ api: api.name, version, mistakes: node.mistakes }).toEqual({
          api: api.name,
          version,
          mistakes: [],
        });
      }
    }
  }
  await node.later(3_600_000);
  expect(node.mistakes).toEqual([]);
  await node.stop();
}, 60_000);

/** Where numbers stand in the header of a batch that a producer has a say in, with their bytes. */
const HEADER_NUMBERS: readonly (readonly [at: number, bytes: number])[] = [
  [0, 8],
  [12, 4],
  [21, 2],
  [23, 4],
  [27, 8],
  [35, 8],
  [43, 8],
  [51, 2],
  [53, 4],
  [57, 4],
];

function* batches(): Generator<Buffer> {
  let producerId = 5;
  for (const isIdempotent of [false, true]) {
    for (const [at, bytes] of HEADER_NUMBERS) {
      for (const extreme of EXTREMES.bigint64 as readonly bigint[]) {
        producerId += 1;
        const producer = { producerId, producerEpoch: 0, baseSequence: 0 };
        const records = [{ timestamp: 1, value: 'value' }];
        const batch = buildBatch(records, isIdempotent ? producer : {});
        const greatest = 2n ** BigInt(8 * bytes - 1) - 1n;
        const value = extreme > 0n ? greatest : extreme < -1n ? -greatest - 1n : extreme;
        if (bytes === 8) batch.writeBigInt64BE(value, at);
        else batch.writeIntBE(Number(value), at, bytes);
        setCrc(batch, 0);
        yield batch;
      }
    }
  }
}

test('no number in a batch makes the node give up', async () => {
  const node = await Node.start();
  // Times in the future are refused otherwise.
  await node.createTopic([
    { name: 'message.timestamp.after.max.ms', value: String(2n ** 63n - 1n) },
  ]);
  const drafts = [...batches()].map((records) => ({
    transactionalId: null,
    acks: -1,
    timeoutMs: 1_000,
    topicData: [{ name: 'topic', partitionData: [{ index: 0, records }] }],
  }));
  // Those that are idempotent are found to be there already.
  for (let round = 0; round < 2; round += 1) await node.send(Produce, 'broker', 12, drafts);
  await node.ask(DescribeProducers, 0, { topics: [{ name: 'topic', partitionIndexes: [0] }] });
  for (const timestamp of [-3n, ...(EXTREMES.bigint64 as readonly bigint[])]) {
    const partition = { partitionIndex: 0, timestamp };
    const topics = [{ name: 'topic', partitions: [partition] }];
    await node.ask(ListOffsets, 7, { replicaId: -1, topics });
  }
  await node.later(3_600_000);
  expect(node.mistakes).toEqual([]);
  await node.stop();
}, 60_000);

test('no number in the settings of a topic makes the node give up', async () => {
  const node = await Node.start();
  const values = ['-9223372036854775808', '9223372036854775807', '-2147483648', '2147483647'];
  const names = TOPIC_CONFIGS.definitions.map(({ name }) => name);
  const topics = names.flatMap((name) =>
    [...values, '-1', '0', '1'].map((value) => ({
      name: `${name}${value}`,
      numPartitions: 1,
      replicationFactor: 1,
      assignments: [],
      configs: [{ name, value }],
    })),
  );
  const { topics: created } = await node.ask(CreateTopics, 5, { topics, timeoutMs: 10_000 });
  const records = buildBatch([{ timestamp: 1, value: 'value' }]);
  const drafts = created
    .filter(({ errorCode }) => errorCode === 0)
    .map(({ name }) => ({
      transactionalId: null,
      acks: -1,
      timeoutMs: 1_000,
      topicData: [{ name, partitionData: [{ index: 0, records }] }],
    }));
  expect(drafts.length).toBeGreaterThan(names.length);
  for (let round = 0; round < 2; round += 1) await node.send(Produce, 'broker', 12, drafts);
  await node.later(3_600_000);
  expect(node.mistakes).toEqual([]);
  await node.stop();
}, 60_000);

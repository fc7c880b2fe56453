/** A client of a `GroupBroker` that writes within transactions, request by request. */
import type { RequestDraft } from '../../src/protocol/api';
import { AddOffsetsToTxn } from '../../src/protocol/apis/add-offsets-to-txn';
import { AddPartitionsToTxn } from '../../src/protocol/apis/add-partitions-to-txn';
import { EndTxn } from '../../src/protocol/apis/end-txn';
import { Fetch } from '../../src/protocol/apis/fetch';
import { FindCoordinator } from '../../src/protocol/apis/find-coordinator';
import { InitProducerId } from '../../src/protocol/apis/init-producer-id';
import { OffsetFetch } from '../../src/protocol/apis/offset-fetch';
import { Produce } from '../../src/protocol/apis/produce';
import { TxnOffsetCommit } from '../../src/protocol/apis/txn-offset-commit';
import { isControl } from '../../src/protocol/records/batch';
import { walkBatches } from '../../src/protocol/records/batches';
import { buildBatch } from '../../src/protocol/records/builder';
import { recordsOf } from '../../src/protocol/records/record';
import type { GroupBroker } from './group-broker';

const TRANSACTION = 1;

export class TransactionClient {
  producerId = -1;
  producerEpoch = -1;
  /** By topic and partition, within this epoch. */
  readonly #sequences = new Map<string, number>();

  constructor(
    readonly node: GroupBroker,
    readonly transactionalId = 'tx',
  ) {}

  findCoordinator() {
    return this.node.ask(FindCoordinator, 3, { key: this.transactionalId, keyType: TRANSACTION });
  }

  async init(version = 5, more: Partial<RequestDraft<typeof InitProducerId>> = {}) {
    const answer = await this.node.ask(InitProducerId, version, {
      transactionalId: this.transactionalId,
      transactionTimeoutMs: 60_000,
      ...more,
    });
    if (answer.errorCode === 0) this.#take(answer);
    return answer;
  }

  /** The code of each partition. */
  async add(version: number, topic: string, partitions: readonly number[]) {
    const { resultsByTopicV3AndBelow } = await this.node.ask(AddPartitionsToTxn, version, {
      v3AndBelowTransactionalId: this.transactionalId,
      v3AndBelowProducerId: BigInt(this.producerId),
      v3AndBelowProducerEpoch: this.producerEpoch,
      v3AndBelowTopics: [{ name: topic, partitions }],
    });
    return resultsByTopicV3AndBelow.flatMap(({ resultsByPartition }) =>
      resultsByPartition.map(({ partitionErrorCode }) => partitionErrorCode),
    );
  }

  async addOffsets(version: number, groupId: string) {
    return (await this.node.ask(AddOffsetsToTxn, version, { ...this.named, groupId })).errorCode;
  }

  async produce(version: number, topic: string, partition: number, value: string) {
    const key = `${topic}-${partition}`;
    const baseSequence = this.#sequences.get(key) ?? 0;
    const { producerId, producerEpoch } = this;
    const producer = { producerId, producerEpoch, baseSequence, isTransactional: true };
    const timestamp = this.node.broker.machine.clock.wallMs();
    const records = buildBatch([{ timestamp, value }], producer);
    const { responses } = await this.node.ask(Produce, version, {
      transactionalId: this.transactionalId,
      acks: -1,
      timeoutMs: 1_000,
      topicData: [{ name: topic, partitionData: [{ index: partition, records }] }],
    });
    const { errorCode = -1 } = responses[0]?.partitionResponses[0] ?? {};
    if (errorCode === 0) this.#sequences.set(key, baseSequence + 1);
    return errorCode;
  }

  /** The code of the one partition. */
  async commitOffset(
    version: number,
    groupId: string,
    committedOffset: bigint,
    more: Partial<RequestDraft<typeof TxnOffsetCommit>> = {},
  ) {
    const partition = { partitionIndex: 0, committedOffset, committedMetadata: null };
    const topic = { name: 'read', topicId: this.node.broker.idOf('read'), partitions: [partition] };
    const answer = await this.node.ask(TxnOffsetCommit, version, {
      ...this.named,
      groupId,
      topics: [topic],
      ...more,
    });
    return answer.topics[0]?.partitions[0]?.errorCode;
  }

  async end(version: number, committed: boolean) {
    const answer = await this.node.ask(EndTxn, version, { ...this.named, committed });
    if (answer.errorCode === 0 && answer.producerId !== -1) this.#take(answer);
    return answer;
  }

  get named() {
    const { transactionalId, producerEpoch } = this;
    return { transactionalId, producerId: BigInt(this.producerId), producerEpoch };
  }

  #take({ producerId, producerEpoch }: { producerId: number; producerEpoch: number }): void {
    this.producerId = producerId;
    this.producerEpoch = producerEpoch;
    this.#sequences.clear();
  }
}

/** The stored offset of the group for `read`-0, or the code that says why there is none. */
export async function storedOffset(node: GroupBroker, groupId: string, requireStable = false) {
  const { groups } = await node.ask(OffsetFetch, 8, {
    groups: [{ groupId, topics: [{ name: 'read', partitionIndexes: [0] }] }],
    requireStable,
  });
  const partition = groups[0]?.topics[0]?.partitions[0];
  return partition?.errorCode === 0 ? partition.committedOffset : partition?.errorCode;
}

/** What a consumer is shown: values, and markers as such. */
export async function fetched(node: GroupBroker, topic: string, isolationLevel: 0 | 1) {
  const { responses } = await node.ask(Fetch, 12, {
    maxWaitMs: 0,
    minBytes: 1,
    isolationLevel,
    topics: [{ topic, partitions: [{ partition: 0, fetchOffset: 0n, partitionMaxBytes: 1e6 }] }],
  });
  const partition = responses[0]?.partitions[0];
  const shown: string[] = [];
  const bytes = Buffer.from(partition?.records ?? []);
  walkBatches(bytes, 0, bytes.length, (position) => {
    if (isControl(bytes, position)) shown.push('marker');
    else for (const { value } of recordsOf(bytes, position)) shown.push(String(value));
  });
  return { shown, aborted: partition?.abortedTransactions ?? [] };
}

/**
 * The producer of one incarnation, as Kafka's clients behave: version 1 adds partitions itself and
 * keeps its epoch; version 2 leaves adding to the brokers and gets an epoch with every end
 * (KIP-890).
 *
 * Under version 1 a request that is late can still change the transaction that follows (Kafka's own
 * weakness): there it is careful, and begins anew whenever an answer was lost.
 */
import { type Channel, ChannelError } from '../../../src/client/channel';
import type { Clock } from '../../../src/platform/platform';
import type { AnyApi, RequestDraft, ResponseOf } from '../../../src/protocol/api';
import {
  AddOffsetsToTxn,
  AddPartitionsToTxn,
  EndTxn,
  InitProducerId,
  Produce,
  TxnOffsetCommit,
} from '../../../src/protocol/apis';
import { Errors, errorName } from '../../../src/protocol/errors';
import { buildBatch } from '../../../src/protocol/records/builder';
import { type ClusterView, expectNone } from '../clients/cluster-view';
import { deliver, OutOfOrder } from '../clients/delivery';
import { expectMember, type Identity } from '../clients/membership';
import { OUTPUT_TOPIC } from './plan';

/** A successor has the id, or the transaction was aborted for its age: this producer is over. */
export class Fenced extends Error {
  override readonly name = 'Fenced';
}

/** The transaction has to be aborted; then the producer goes on. */
export class MustAbort extends Error {
  override readonly name = 'MustAbort';
}

/** An answer was lost: only a new epoch shuts out what may still be under way. */
export class MustBeginAnew extends Error {
  override readonly name = 'MustBeginAnew';
}

/** How clients of one version speak. */
export interface Dialect {
  readonly addsPartitions: boolean;
  readonly produce: number;
  readonly txnOffsetCommit: number;
  readonly endTxn: number;
}

export const DIALECTS = {
  /** Before KIP-890. */
  old: { addsPartitions: true, produce: 9, txnOffsetCommit: 3, endTxn: 3 },
  /** Version 1 of clients that know TRANSACTION_ABORTABLE. */
  abortable: { addsPartitions: true, produce: 11, txnOffsetCommit: 4, endTxn: 4 },
  /** Version 2. */
  implicit: { addsPartitions: false, produce: 12, txnOffsetCommit: 5, endTxn: 5 },
} as const satisfies Record<string, Dialect>;

export interface ProducerEvents {
  /** Told an epoch of a producer id that is its own from now on. */
  given(producerId: number, producerEpoch: number): void;
  acknowledged(partition: number, baseOffset: number, values: readonly string[]): void;
}

export interface ProducerOptions {
  readonly cluster: ClusterView;
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly transactionalId: string;
  readonly timeoutMs: number;
  readonly events: ProducerEvents;
}

interface Batch {
  readonly bytes: Buffer;
  readonly values: readonly string[];
}

const ACKS_ALL = -1;
const REFUSED_FOR_EPOCH: ReadonlySet<number> = new Set([
  Errors.INVALID_PRODUCER_EPOCH,
  Errors.PRODUCER_FENCED,
]);

export class TransactionalProducer {
  readonly transactionalId: string;
  readonly #cluster: ClusterView;
  readonly #clock: Pick<Clock, 'wallMs'>;
  readonly #timeoutMs: number;
  readonly #events: ProducerEvents;
  /** It has ended a transaction of version 1 in this epoch. */
  #hasKeptEpoch = false;
  readonly #sequences = new Map<number, number>();
  readonly #added = new Set<number>();
  #dialect: Dialect = DIALECTS.implicit;
  #producerId = -1;
  #producerEpoch = -1;

  constructor({ cluster, clock, transactionalId, timeoutMs, events }: ProducerOptions) {
    this.#cluster = cluster;
    this.#clock = clock;
    this.transactionalId = transactionalId;
    this.#timeoutMs = timeoutMs;
    this.#events = events;
  }

  /** Takes the id over; `goesOn`: from itself, saying who it is (KIP-360). */
  async begin(goesOn: boolean): Promise<void> {
    const expected = goesOn ? this.#own : {};
    const body = { transactionalId: this.transactionalId, transactionTimeoutMs: this.#timeoutMs };
    await this.#cluster.persist(async () => {
      const channel = await this.#coordinator();
      const answer = await channel.request(InitProducerId, 4, { ...body, ...expected });
      if (goesOn) this.#expectOwn(answer.errorCode, 'InitProducerId');
      expectNone(answer.errorCode, 'InitProducerId');
      this.#take(answer.producerId, answer.producerEpoch);
    });
  }

  /**
   * Begins a transaction; nobody is told before something is in it. Going over to version 2 it asks
   * for an epoch, as Kafka's client does: partitions in which the former transaction is still open
   * would take records for that one's.
   */
  async open(dialect: Dialect): Promise<void> {
    if (this.#hasKeptEpoch && !dialect.addsPartitions) await this.begin(true);
    this.#dialect = dialect;
    this.#added.clear();
  }

  /** Makes the partitions part of the transaction, if that is left to clients. */
  async add(partitions: readonly number[]): Promise<void> {
    const missing = partitions.filter((partition) => !this.#added.has(partition));
    if (!this.#dialect.addsPartitions || missing.length === 0) return;
    const { producerId, producerEpoch } = this.#own;
    await this.#ask(
      AddPartitionsToTxn,
      3,
      () => this.#coordinator(),
      {
        v3AndBelowTransactionalId: this.transactionalId,
        v3AndBelowProducerId: producerId,
        v3AndBelowProducerEpoch: producerEpoch,
        v3AndBelowTopics: [{ name: OUTPUT_TOPIC, partitions: missing }],
      },
      ({ resultsByTopicV3AndBelow }) => {
        for (const { resultsByPartition } of resultsByTopicV3AndBelow) {
          for (const { partitionErrorCode } of resultsByPartition) {
            this.#expectOwn(partitionErrorCode, 'AddPartitionsToTxn');
          }
        }
      },
    );
    for (const partition of missing) this.#added.add(partition);
  }

  /** Delivers values to one partition, in batches all under way at once. */
  async send(partition: number, batches: readonly (readonly string[])[]): Promise<void> {
    const made = batches.map((values) => this.#makeBatch(partition, values));
    const place = { topic: OUTPUT_TOPIC, partition };
    await deliver(this.#cluster, place, made, (channel, batch) =>
      this.#produce(channel, partition, batch),
    );
  }

  /** Commits a group's places as part of the transaction. */
  async sendOffsets(
    group: string,
    topic: string,
    member: Identity,
    offsets: ReadonlyMap<number, number>,
  ): Promise<void> {
    const { transactionalId } = this;
    if (this.#dialect.addsPartitions) {
      const named = { transactionalId, groupId: group, ...this.#own };
      await this.#ask(
        AddOffsetsToTxn,
        3,
        () => this.#coordinator(),
        named,
        ({ errorCode }) => this.#expectOwn(errorCode, 'AddOffsetsToTxn'),
      );
    }
    const partitions = [...offsets].map(([partitionIndex, offset]) => ({
      partitionIndex,
      committedOffset: BigInt(offset),
      committedMetadata: '',
    }));
    const body = {
      transactionalId,
      groupId: group,
      ...this.#own,
      generationIdOrMemberEpoch: member.generationId,
      memberId: member.memberId,
      topics: [{ name: topic, partitions }],
    };
    const version = this.#dialect.txnOffsetCommit;
    const coordinator = () => this.#cluster.coordinator(group);
    await this.#ask(TxnOffsetCommit, version, coordinator, body, ({ topics }) => {
      for (const { errorCode } of topics.flatMap((one) => [...one.partitions])) {
        this.#expectInTransaction(errorCode, 'TxnOffsetCommit', expectMember);
      }
    });
  }

  /** Throws `MustAbort` if it was asked to commit and the transaction was aborted already. */
  async end(isCommit: boolean): Promise<void> {
    const body = { transactionalId: this.transactionalId, ...this.#own, committed: isCommit };
    const coordinator = () => this.#coordinator();
    const answer = await this.#ask(
      EndTxn,
      this.#dialect.endTxn,
      coordinator,
      body,
      ({ errorCode }) => {
        if (errorCode === Errors.INVALID_TXN_STATE && isCommit) {
          throw new MustAbort('the transaction is over');
        }
        this.#expectOwn(errorCode, 'EndTxn');
      },
    );
    if (answer.producerId >= 0) this.#take(answer.producerId, answer.producerEpoch);
    else this.#hasKeptEpoch = true;
  }

  get #own() {
    return { producerId: BigInt(this.#producerId), producerEpoch: this.#producerEpoch };
  }

  #coordinator(): Promise<Channel> {
    return this.#cluster.coordinator(this.transactionalId, 'transaction');
  }

  #take(producerId: number, producerEpoch: number): void {
    if (producerId === this.#producerId && producerEpoch === this.#producerEpoch) return;
    this.#producerId = producerId;
    this.#producerEpoch = producerEpoch;
    this.#hasKeptEpoch = false;
    this.#sequences.clear();
    this.#events.given(producerId, producerEpoch);
  }

  #makeBatch(partition: number, values: readonly string[]): Batch {
    const baseSequence = this.#sequences.get(partition) ?? 0;
    this.#sequences.set(partition, baseSequence + values.length);
    const timestamp = this.#clock.wallMs();
    const records = values.map((value) => ({ timestamp, value }));
    const producer = { ...this.#own, baseSequence, isTransactional: true };
    return { values, bytes: buildBatch(records, producer) };
  }

  async #produce(channel: Channel, partition: number, batch: Batch): Promise<void> {
    const answer = await this.#request(channel, Produce, this.#dialect.produce, {
      transactionalId: this.transactionalId,
      acks: ACKS_ALL,
      timeoutMs: 5000,
      topicData: [
        { name: OUTPUT_TOPIC, partitionData: [{ index: partition, records: batch.bytes }] },
      ],
    });
    const result = answer.responses[0]?.partitionResponses[0];
    if (result === undefined) throw new Error('Produce was answered without the partition');
    const { errorCode, baseOffset } = result;
    // Once the five remembered batches have moved on, a repeated one is only known to be there.
    if (errorCode === Errors.DUPLICATE_SEQUENCE_NUMBER) return;
    if (errorCode === Errors.OUT_OF_ORDER_SEQUENCE_NUMBER) {
      throw new OutOfOrder(`${this.transactionalId} got OUT_OF_ORDER_SEQUENCE_NUMBER`);
    }
    this.#expectInTransaction(errorCode, 'Produce');
    this.#events.acknowledged(partition, baseOffset, batch.values);
  }

  /** Asks until there is an answer in which `check` finds nothing that passes. */
  async #ask<A extends AnyApi>(
    api: A,
    version: number,
    channel: () => Promise<Channel>,
    body: RequestDraft<A>,
    check: (answer: ResponseOf<A>) => void,
  ): Promise<ResponseOf<A>> {
    const answer = await this.#cluster.persist(async () => {
      const given = await this.#request(await channel(), api, version, body);
      check(given);
      return given;
    });
    return answer as ResponseOf<A>;
  }

  async #request<A extends AnyApi>(
    channel: Channel,
    api: A,
    version: number,
    body: RequestDraft<A>,
  ): Promise<ResponseOf<A>> {
    try {
      return await channel.request(api, version, body);
    } catch (error) {
      const isLost = error instanceof ChannelError && this.#dialect.addsPartitions;
      throw isLost ? new MustBeginAnew(`${api.name} was not answered`, { cause: error }) : error;
    }
  }

  #expectOwn(errorCode: number, what: string): void {
    if (REFUSED_FOR_EPOCH.has(errorCode)) throw new Fenced(`${what} got ${errorName(errorCode)}`);
    expectNone(errorCode, what);
  }

  /** A partition cannot tell who is fenced from whose transaction was aborted for its age. */
  #expectInTransaction(errorCode: number, what: string, expect = expectNone): void {
    if (REFUSED_FOR_EPOCH.has(errorCode)) {
      throw new MustAbort(`${what} got ${errorName(errorCode)}`);
    }
    expect(errorCode, what);
  }
}

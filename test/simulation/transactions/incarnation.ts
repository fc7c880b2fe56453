/** One process that consumes, transforms and produces in transactions, until it ends or is ended. */
import type { Platform } from '../../../src/platform/platform';
import { OffsetFetch } from '../../../src/protocol/apis';
import { type ClusterView, isPassing, TryAgain } from '../clients/cluster-view';
import { expectMember, Membership, Rejoin } from '../clients/membership';
import { endOffset, readFrom } from '../clients/reader';
import type { History } from '../world/history';
import type { TransactorPlan } from './plan';
import {
  inputName,
  makeOutput,
  placeKey,
  type TrackedTransaction,
  type TransactionHistory,
} from './transaction-history';
import {
  DIALECTS,
  type Dialect,
  Fenced,
  MustAbort,
  MustBeginAnew,
  TransactionalProducer,
} from './transactional-producer';

export interface IncarnationOptions {
  readonly platform: Platform;
  readonly cluster: ClusterView;
  readonly history: History;
  readonly transactions: TransactionHistory;
  readonly plan: TransactorPlan;
  /** Which one it is of those that have that name. */
  readonly number: number;
}

/** Some records of one input partition. */
interface Taken {
  readonly partition: number;
  readonly offsets: readonly number[];
  /** Behind the last of them. */
  readonly nextOffset: number;
}

type End = 'done' | 'fenced';

const IDLE_MS = 600;
const READ = { maxWaitMs: 300, maxBytes: 50_000 };
/** Their batch is well within the smallest segment. */
const MAX_BATCH_RECORDS = 200;
const MAX_BATCHES = 3;

export class Incarnation {
  readonly #options: IncarnationOptions;
  readonly #name: string;
  readonly #producer: TransactionalProducer;
  /** Undefined: it has partitions of its own, and commits for a group without members. */
  readonly #membership: Membership | undefined;
  #positions = new Map<number, number>();
  #begun = 0;
  #isFinishing = false;

  constructor(options: IncarnationOptions) {
    this.#options = options;
    const { platform, cluster, history, transactions, plan, number } = options;
    const transactionalId = plan.hasOneId ? plan.name : `${plan.name}-${number}`;
    const name = `${transactionalId}/${number}`;
    this.#name = name;
    this.#producer = new TransactionalProducer({
      cluster,
      clock: platform.clock,
      transactionalId,
      timeoutMs: plan.timeoutMs,
      events: {
        given: (id, epoch) => transactions.producerGiven(name, id, epoch),
        acknowledged: (_partition, _offset, values) => history.countAcknowledged(values.length),
      },
    });
    if (plan.owns === undefined) {
      this.#membership = new Membership(cluster, history, plan.membership);
    }
  }

  /** Lets it end once it has read everything that it is there for; it makes haste. */
  finish(): void {
    this.#isFinishing = true;
  }

  async run(): Promise<End> {
    try {
      await this.#producer.begin(false);
      while (!(await this.#live()));
      return 'done';
    } catch (error) {
      if (!(error instanceof Fenced)) throw error;
      this.#options.transactions.fenced += 1;
      await this.#leave();
      return 'fenced';
    }
  }

  /** From joining, or looking where it was, to having to do that again. */
  async #live(): Promise<boolean> {
    try {
      await this.#options.cluster.persist(() => this.#start());
      for (;;) {
        const isFinishing = this.#isFinishing;
        const taken = await this.#take();
        if (taken.length > 0) await this.#transform(taken);
        else if (isFinishing && (await this.#hasReadAll())) break;
        else await this.#options.platform.clock.sleep(this.#below(IDLE_MS));
        await this.#beat();
      }
      await this.#leave();
      return true;
    } catch (error) {
      if (!(error instanceof Rejoin)) throw error;
      if (error.isUnknown) this.#membership?.forget();
      return false;
    }
  }

  async #start(): Promise<void> {
    const { owns = [] } = this.#options.plan;
    const own = this.#membership === undefined ? owns : await this.#membership.join();
    this.#positions = await this.#places(own);
  }

  /** Committed places, once no transaction is under way that would change them (KIP-447). */
  async #places(own: readonly number[]): Promise<Map<number, number>> {
    const positions = new Map<number, number>();
    if (own.length === 0) return positions;
    const { cluster, transactions } = this.#options;
    const { group, topic } = this.#options.plan.membership;
    const channel = await cluster.coordinator(group);
    const topics = [{ name: topic, partitionIndexes: [...own] }];
    // What is not stable is seen, too, but must have been committed all the same.
    const isStable = !this.#chance(0.2);
    const body = { groupId: group, topics, requireStable: isStable };
    const before = isStable ? transactions.committed() : [];
    const answer = await channel.request(OffsetFetch, 7, body);
    expectMember(answer.errorCode, 'OffsetFetch');
    for (const { partitionIndex, committedOffset, errorCode } of answer.topics[0]?.partitions ??
      []) {
      expectMember(errorCode, 'OffsetFetch');
      const offset = Number(committedOffset);
      transactions.offsetFetched(group, `${topic}-${partitionIndex}`, offset, before);
      positions.set(partitionIndex, Math.max(offset, 0));
    }
    if (!isStable) throw new TryAgain('these places were only looked at');
    return positions;
  }

  /** Something to do, of one partition or several. */
  async #take(): Promise<readonly Taken[]> {
    const taken: Taken[] = [];
    for (const [partition, position] of this.#positions) {
      if (taken.length > 0 && this.#chance(0.5)) break;
      const one = await this.#options.cluster.persist(() => this.#read(partition, position));
      if (one !== undefined && one.offsets.length > 0) taken.push(one);
    }
    return taken;
  }

  async #read(partition: number, position: number): Promise<Taken> {
    const { cluster, plan } = this.#options;
    const { topic } = plan.membership;
    const records = await readFrom(cluster, topic, partition, position, READ);
    const count = this.#isFinishing ? MAX_BATCH_RECORDS : 1 + this.#below(plan.maxInputs);
    const offsets = records.slice(0, count).map(({ offset }) => offset);
    return { partition, offsets, nextOffset: (offsets.at(-1) ?? position - 1) + 1 };
  }

  async #transform(taken: readonly Taken[]): Promise<void> {
    const { transactions } = this.#options;
    this.#begun += 1;
    const transaction = transactions.begin(this.#name, this.#begun);
    const dialect = this.#dialect();
    try {
      await this.#producer.open(dialect);
      await this.#fill(transaction, taken);
      const { abortProbability } = this.#options.plan;
      await this.#end(transaction, this.#isFinishing || !this.#chance(abortProbability));
      if (transaction.outcome !== 'committed') return;
      for (const { partition, nextOffset } of taken) this.#positions.set(partition, nextOffset);
    } catch (error) {
      await this.#recover(transaction, dialect, error);
    }
  }

  async #fill(transaction: TrackedTransaction, taken: readonly Taken[]): Promise<void> {
    const { topic } = this.#options.plan.membership;
    const inputs = taken.flatMap(({ partition, offsets }) =>
      offsets.map((offset) => inputName(`${topic}-${partition}`, offset)),
    );
    const offsetsFirst = this.#chance(0.3);
    if (offsetsFirst) await this.#sendOffsets(transaction, taken);
    let number = 0;
    while (number < inputs.length) {
      await this.#pause();
      const count = 1 + this.#below(inputs.length - number);
      const values = inputs
        .slice(number, number + count)
        .map((input, index) => makeOutput(transaction.name, number + index, input));
      number += count;
      await this.#send(transaction, values);
    }
    await this.#pause();
    if (!offsetsFirst) await this.#sendOffsets(transaction, taken);
    await this.#pause();
  }

  async #send(transaction: TrackedTransaction, values: readonly string[]): Promise<void> {
    const byPartition = new Map<number, string[]>();
    for (const value of values) {
      const partition = this.#below(this.#options.plan.outputPartitions);
      byPartition.set(partition, [...(byPartition.get(partition) ?? []), value]);
      transaction.sent.set(value, `output-${partition}`);
    }
    await this.#producer.add([...byPartition.keys()]);
    const sends = [...byPartition].map(([partition, all]) =>
      this.#producer.send(partition, this.#divided(all)),
    );
    // None goes on behind the back of what follows.
    const outcomes = await Promise.allSettled(sends);
    const failed = outcomes.find(({ status }) => status === 'rejected');
    if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
  }

  /** Values as some batches. */
  #divided(values: readonly string[]): readonly (readonly string[])[] {
    const divided = Math.ceil(values.length / (1 + this.#below(MAX_BATCHES)));
    const size = Math.min(divided, MAX_BATCH_RECORDS);
    const count = Math.ceil(values.length / size);
    return Array.from({ length: count }, (_, index) =>
      values.slice(index * size, (index + 1) * size),
    );
  }

  async #sendOffsets(transaction: TrackedTransaction, taken: readonly Taken[]): Promise<void> {
    const { group, topic } = this.#options.plan.membership;
    const offsets = new Map(taken.map(({ partition, nextOffset }) => [partition, nextOffset]));
    for (const [partition, offset] of offsets) {
      transaction.offsets.set(placeKey(group, `${topic}-${partition}`), offset);
    }
    const nobody = { generationId: -1, memberId: '' };
    const member = this.#membership?.identity ?? nobody;
    await this.#producer.sendOffsets(group, topic, member, offsets);
  }

  async #end(transaction: TrackedTransaction, isCommit: boolean): Promise<void> {
    if (isCommit) transaction.committing();
    else transaction.aborted();
    await this.#producer.end(isCommit);
    if (isCommit) transaction.committed();
  }

  /** Whatever went wrong, nothing of the transaction stays. */
  async #recover(transaction: TrackedTransaction, dialect: Dialect, error: unknown): Promise<void> {
    const isOver = error instanceof MustAbort || error instanceof Rejoin;
    const isUnsure = error instanceof MustBeginAnew;
    if (!isOver && !isUnsure) throw error;
    // A request to commit that was lost may have done it, and its offsets tell.
    const mayBeCommitted = transaction.outcome === 'committing' && isUnsure;
    if (!mayBeCommitted) transaction.aborted();
    if (isUnsure) {
      await this.#producer.begin(this.#chance(0.5));
    } else {
      await this.#abort(dialect);
    }
    if (error instanceof Rejoin) throw error;
    const own = [...this.#positions.keys()];
    const places = await this.#options.cluster.persist(() => this.#places(own));
    this.#positions = places ?? this.#positions;
  }

  async #abort(dialect: Dialect): Promise<void> {
    try {
      await this.#producer.end(false);
    } catch (error) {
      if (!(error instanceof MustBeginAnew)) throw error;
    }
    // Version 1 keeps its epoch: after an error it asks for another.
    if (dialect.addsPartitions) await this.#producer.begin(this.#chance(0.5));
  }

  #dialect(): Dialect {
    const { versions } = this.#options.plan;
    const version = versions[this.#below(versions.length)];
    if (version === 2) return DIALECTS.implicit;
    return this.#chance(0.5) ? DIALECTS.old : DIALECTS.abortable;
  }

  async #beat(): Promise<void> {
    const membership = this.#membership;
    if (membership !== undefined) await this.#options.cluster.persist(() => membership.heartbeat());
  }

  async #leave(): Promise<void> {
    const membership = this.#membership;
    if (membership === undefined) return;
    try {
      await this.#options.cluster.persist(() => membership.leave());
    } catch (error) {
      // It was no member any more.
      if (!(error instanceof Rejoin)) throw error;
    }
  }

  /** Whether all input is committed that is its own, or the whole group's. */
  async #hasReadAll(): Promise<boolean> {
    const { cluster, plan } = this.#options;
    const { topic, partitions } = plan.membership;
    const all = plan.owns ?? Array.from({ length: partitions }, (_, partition) => partition);
    try {
      for (const [partition, position] of await this.#places(all)) {
        const leader = await cluster.leader(topic, partition);
        if ((await endOffset(leader, topic, partition)) > position) return false;
      }
      return true;
    } catch (error) {
      if (!isPassing(error)) throw error;
      cluster.forget();
      return false;
    }
  }

  #pause(): Promise<void> {
    const maxMs = this.#isFinishing ? 0 : this.#options.plan.maxPauseMs;
    return this.#options.platform.clock.sleep(this.#below(maxMs + 1));
  }

  #chance(probability: number): boolean {
    return this.#below(1000) < probability * 1000;
  }

  #below(bound: number): number {
    return this.#options.platform.random.below(bound);
  }
}

/**
 * A small cluster as transactions see it: a coordinator that crashes, partitions with the rules of
 * real logs, and a network that delays, repeats and loses what clients, coordinator and partitions
 * send each other. What happens next is chosen by numbers.
 */

import { wallMs } from '../../src/base/times';
import type { Marker, SendResult, Ticket } from '../../src/machine/machine';
import { type ErrorCode, Errors } from '../../src/protocol/errors';
import { buildBatch } from '../../src/protocol/records/builder';
import { buildTransactionMarker } from '../../src/protocol/records/control';
import { type AppendChecks, ProducerAppend } from '../../src/storage/producer-append';
import { Producers } from '../../src/storage/producers';
import type { Verification } from '../../src/storage/verifications';
import { LAST_CLIENT_EPOCH, newTransaction } from '../../src/transaction/transaction';
import { transactionRecord } from '../../src/transaction/transaction-record';
import type { Transactions } from '../../src/transaction/transactions';
import type { TransactionDecision, TransactionNow } from '../../src/transaction/turn';
import { settled } from './hand-driven-world';
import { TransactionStory } from './transaction-story';

type Written =
  | { readonly kind: 'data'; readonly producerId: number; readonly value: string }
  | { readonly kind: 'commit' | 'abort'; readonly producerId: number };

export interface ProducerBatch {
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly baseSequence: number;
  readonly value: string;
}

/** A partition of one replica, without its files. */
export class ModelPartition {
  readonly producers = new Producers();
  readonly written: Written[] = [];

  begin(batch: ProducerBatch, supportsEpochBump: boolean): Verification | 'open' | ErrorCode {
    const { producerId, producerEpoch, baseSequence } = batch;
    const state = this.producers.get(producerId);
    if (state !== undefined && producerEpoch < state.producerEpoch) {
      return Errors.INVALID_PRODUCER_EPOCH;
    }
    if (this.producers.isInTransaction(producerId, producerEpoch)) return 'open';
    const beginning = { producerId, producerEpoch, baseSequence, supportsEpochBump };
    return this.producers.verifications.begin(beginning, wallMs(0));
  }

  append({ value, ...producer }: ProducerBatch, verification: Verification | undefined): number {
    const bytes = buildBatch([{ timestamp: 1, value }], { ...producer, isTransactional: true });
    const { producerId } = producer;
    const checks = verification === undefined ? {} : { verification };
    return this.#append(bytes, 'client', checks, { kind: 'data', producerId, value });
  }

  mark({ outcome, transactionVersion = 0, ...marker }: Marker): number {
    const bytes = buildTransactionMarker({ ...marker, type: outcome, timestampMs: 1 });
    const { producerId } = marker;
    const checks = { transactionVersion };
    return this.#append(bytes, 'coordinator', checks, { kind: outcome, producerId });
  }

  #append(
    bytes: Buffer,
    origin: 'client' | 'coordinator',
    checks: AppendChecks,
    written: Written,
  ): number {
    const append = new ProducerAppend(this.producers, origin, checks);
    const refusal = append.add(bytes, 0, this.written.length);
    if (refusal?.outcome === 'refused') return refusal.errorCode;
    if (refusal?.outcome === 'duplicate') return Errors.NONE;
    append.commit();
    this.written.push(written);
    return Errors.NONE;
  }

  /** Each value and what became of it, as consumers of both isolation levels see it. */
  outcomes(): readonly { readonly value: string; readonly outcome: 'commit' | 'abort' | 'open' }[] {
    const outcomes: { value: string; outcome: 'commit' | 'abort' | 'open' }[] = [];
    const open = new Map<number, { outcome: string }[]>();
    for (const entry of this.written) {
      if (entry.kind === 'data') {
        const one = { value: entry.value, outcome: 'open' as const };
        outcomes.push(one);
        open.set(entry.producerId, [...(open.get(entry.producerId) ?? []), one]);
        continue;
      }
      for (const one of open.get(entry.producerId) ?? []) one.outcome = entry.kind;
      open.delete(entry.producerId);
    }
    return outcomes;
  }
}

/** A transaction as its client knows it. */
export interface ModelTransaction {
  readonly name: string;
  readonly acknowledged: { readonly partition: number; readonly value: string }[];
  outcome: 'open' | 'committed' | 'aborted' | 'unknown';
}

/** What may happen next. */
export interface Step {
  readonly what: string;
  readonly happen: () => void | Promise<void>;
  /** Against the others'; USUAL unless given. */
  readonly weight?: number;
}

const USUAL = 20;
const RARE = 4;

export interface ModelOptions {
  readonly partitions: number;
  /** Clients by the transactional id they use. */
  readonly clients: readonly string[];
  /** What clients know: 2, or 0 for those of version 1. */
  readonly clientVersion: number;
  readonly feature: number;
  /** Epochs that are left of the first producer ids; all unless given. */
  readonly epochsLeft?: number;
  /** Copies of requests arrive after their client has gone on. */
  readonly hasLateRequests: boolean;
}

/** Copies of one request that are under way at most. */
const MAX_COPIES = 3;

export class TransactionModel {
  readonly story = new TransactionStory();
  readonly partitions: readonly ModelPartition[];
  readonly clients: readonly ModelClient[];
  readonly trace: string[] = [];
  readonly failures: unknown[] = [];
  /** Requests under way. */
  network: Step[] = [];
  /** Markers of coordinators that are gone, still under way. */
  #lateMarkers: { readonly partition: number; readonly marker: Marker }[] = [];

  constructor(readonly options: ModelOptions) {
    this.story.transactionVersion = options.feature;
    if (options.epochsLeft !== undefined) this.#useUpEpochs(options.epochsLeft);
    this.story.log.hold();
    this.partitions = Array.from({ length: options.partitions }, () => new ModelPartition());
    this.clients = options.clients.map((id, index) => new ModelClient(this, `c${index}`, id));
  }

  /** Lets one of the things happen that may happen. */
  async step(choice: number): Promise<void> {
    const step = chosen(this.#steps(), choice);
    this.trace.push(step.what);
    await step.happen();
    await settled();
  }

  /** Nothing goes wrong any more, and clients do nothing new: everything that is open ends. */
  async heal(): Promise<void> {
    for (const client of this.clients) client.stop();
    for (let round = 0; round < 40; round++) {
      this.#commit();
      await settled();
      const late = this.options.hasLateRequests ? this.network : [];
      this.network = [];
      for (const { happen } of late) await happen();
      for (const marker of this.#lateMarkers.splice(0)) {
        this.#partition(marker.partition).mark(marker.marker);
      }
      for (const send of [...this.story.sender.sends]) this.#writeMarker(send, true);
      await this.story.clock.advance(5_000);
    }
  }

  /** Asks the coordinator; undefined where it could not be asked, or did not answer. */
  async ask<T>(
    decide: (ids: Transactions, ticket: Ticket, now: TransactionNow) => TransactionDecision,
  ): Promise<T | undefined> {
    const { life, machine } = this.story;
    const answered = await life.ask<T>((ticket, now) => decide(machine.decider, ticket, now));
    return answered.kind === 'answered' ? answered.response : undefined;
  }

  /** What must never be seen; empty = all is well. */
  problems(): readonly string[] {
    const problems: string[] = [];
    const outcomes = this.partitions.map((partition) => partition.outcomes());
    for (const [index, of] of outcomes.entries()) {
      const seen = new Set<string>();
      for (const { value, outcome } of of) {
        if (outcome === 'open') problems.push(`${value} in ${index} is open for ever`);
        if (outcome !== 'commit') continue;
        if (seen.has(value)) problems.push(`${value} in ${index} is committed twice`);
        seen.add(value);
      }
    }
    for (const client of this.clients) {
      for (const transaction of client.transactions) {
        problems.push(...this.#problemsOf(transaction, outcomes));
      }
    }
    for (const failure of [...this.failures, ...this.story.world.failures])
      problems.push(`bug: ${failure}`);
    return problems;
  }

  #problemsOf(
    { name, acknowledged, outcome }: ModelTransaction,
    outcomes: readonly ReturnType<ModelPartition['outcomes']>[],
  ): readonly string[] {
    const ownValues = new Set(acknowledged.map(({ value }) => value));
    const committed = outcomes.flatMap((of) =>
      of.filter((one) => one.outcome === 'commit' && one.value.startsWith(`${name}.`)),
    );
    const lost = [...ownValues].filter((value) => !committed.some((one) => one.value === value));
    if (outcome === 'committed' && lost.length > 0) return [`${name} committed, lost ${lost}`];
    if (outcome === 'aborted' && committed.length > 0) {
      return [`${name} aborted, committed ${committed.map(({ value }) => value)}`];
    }
    const isTorn = committed.length > 0 && lost.length > 0;
    return isTorn ? [`${name} is torn: ${lost} lost, ${committed.length} committed`] : [];
  }

  /** Every transactional id has been used often before. */
  #useUpEpochs(left: number): void {
    const { story } = this;
    for (const [index, id] of [...new Set(this.options.clients)].entries()) {
      const used = newTransaction(id, 1 + index);
      const producerEpoch = LAST_CLIENT_EPOCH - left;
      story.log.append([transactionRecord({ ...used, producerEpoch, timeoutMs: 1 }, 2)]);
    }
    story.life.drop();
    story.begin();
  }

  #steps(): Step[] {
    const steps: Step[] = this.clients.flatMap((client) => client.steps());
    for (const message of this.network) {
      steps.push({
        what: message.what,
        happen: () => {
          this.network.splice(this.network.indexOf(message), 1);
          return message.happen();
        },
      });
    }
    for (const send of this.story.sender.sends) {
      const what = `marker to ${JSON.stringify(send.effect.to)}`;
      steps.push({ what, happen: () => this.#writeMarker(send, true) });
      steps.push({ what: `${what}, unanswered`, happen: () => this.#writeMarker(send, false) });
      steps.push({ what: `${what} lost`, happen: () => this.#loseMarker(send) });
    }
    for (const late of this.#lateMarkers) {
      steps.push({
        what: 'late marker',
        happen: () => {
          this.#lateMarkers.splice(this.#lateMarkers.indexOf(late), 1);
          this.#partition(late.partition).mark(late.marker);
        },
      });
    }
    steps.push({ what: 'commit', happen: () => this.#commit() });
    steps.push({ what: 'commit', happen: () => this.#commit() });
    const rarely = (what: string, happen: Step['happen']) =>
      steps.push({ what, happen, weight: RARE });
    rarely('time', () => this.story.clock.advance(4_000));
    rarely('crash', () => this.#crash(false));
    rarely('crash, losing what is not committed', () => this.#crash(true));
    return steps;
  }

  #commit(): void {
    this.story.log.commit();
    this.story.log.hold();
    this.story.life.committedMoved();
  }

  #crash(losesUncommitted: boolean): void {
    const { story } = this;
    for (const { effect } of story.sender.sends) {
      const partition = effect.to.kind === 'partition-leader' ? effect.to.partition : -1;
      this.#lateMarkers.push({ partition, marker: effect.request as Marker });
    }
    if (losesUncommitted) story.log.entries.length = story.log.committed;
    story.life.drop();
    story.begin();
  }

  #writeMarker(send: TransactionStory['sender']['sends'][number], isAnswered: boolean): void {
    const errorCode = this.#partition(targetOf(send)).mark(send.effect.request as Marker);
    this.#replied(
      send,
      isAnswered
        ? { kind: 'response', response: { kind: 'answered', errorCode } }
        : { kind: 'failed', reason: 'lost' },
    );
  }

  /** It may still arrive. */
  #loseMarker(send: TransactionStory['sender']['sends'][number]): void {
    const marker = send.effect.request as Marker;
    this.#lateMarkers.push({ partition: targetOf(send), marker });
    this.#replied(send, { kind: 'failed', reason: 'lost' });
  }

  #replied(send: TransactionStory['sender']['sends'][number], result: SendResult): void {
    const { sends } = this.story.sender;
    sends.splice(sends.indexOf(send), 1);
    send.done(result);
  }

  #partition(index: number): ModelPartition {
    const partition = this.partitions[index];
    if (partition === undefined) throw new Error(`there is no partition ${index}`);
    return partition;
  }
}

function chosen(steps: readonly Step[], choice: number): Step {
  const total = steps.reduce((sum, { weight = USUAL }) => sum + weight, 0);
  let left = choice % total;
  for (const step of steps) {
    left -= step.weight ?? USUAL;
    if (left < 0) return step;
  }
  throw new Error('something can always happen');
}

const targetOf = ({ effect }: TransactionStory['sender']['sends'][number]): number =>
  effect.to.kind === 'partition-leader' ? effect.to.partition : -1;

interface Pending {
  readonly what: string;
  /** Carries one copy of the request out. */
  readonly deliver: () => Promise<number>;
  /** The answer's code; a request is asked again for those that pass. */
  readonly answered: (code: number) => void;
  copies: number;
}

/** Codes after which a client asks again. */
const PASSING: ReadonlySet<number> = new Set([
  Errors.CONCURRENT_TRANSACTIONS,
  Errors.NOT_COORDINATOR,
  Errors.NOT_ENOUGH_REPLICAS,
  Errors.COORDINATOR_LOAD_IN_PROGRESS,
]);

/** One producer, as the clients of today are written. */
export class ModelClient {
  readonly transactions: ModelTransaction[] = [];
  #producerId = -1;
  #producerEpoch = -1;
  readonly #sequences = new Map<number, number>();
  /** Partitions it has added to its transaction (version 1). */
  readonly #added = new Set<number>();
  #current: ModelTransaction | undefined;
  #pending: Pending | undefined;
  /** Nothing but an abort goes on from here. */
  #mustAbort = false;
  #isStopped = false;
  #count = 0;

  constructor(
    readonly model: TransactionModel,
    readonly name: string,
    readonly transactionalId: string,
  ) {}

  stop(): void {
    this.#isStopped = true;
    if (this.#current?.outcome === 'open') this.#current.outcome = 'unknown';
  }

  /** What it may do next. */
  steps(): Step[] {
    if (this.#isStopped) return [];
    const steps: Step[] = [];
    const step = (what: string, happen: () => void, weight = USUAL) =>
      steps.push({ what: `${this.name} ${what}`, happen, weight });
    const pending = this.#pending;
    if (pending !== undefined) {
      if (pending.copies < MAX_COPIES) step(`sends ${pending.what}`, () => this.#send(pending));
      step('starts anew', () => this.#startAnew(), 1);
      return steps;
    }
    if (this.#producerId === -1) step('begins', () => this.#init());
    else if (this.#current === undefined) step('opens', () => this.#open());
    else {
      if (!this.#mustAbort) {
        for (const index of this.model.partitions.keys()) {
          step(`writes to ${index}`, () => this.#write(index));
        }
        step('commits', () => this.#end(true));
      }
      step('aborts', () => this.#end(false), this.#mustAbort ? USUAL : RARE);
    }
    return steps;
  }

  #startAnew(): void {
    if (this.#current?.outcome === 'open') this.#current.outcome = 'unknown';
    this.#current = undefined;
    this.#pending = undefined;
    this.#producerId = -1;
    this.#producerEpoch = -1;
    this.#newEpoch();
  }

  #newEpoch(): void {
    this.#sequences.clear();
    this.#added.clear();
    this.#mustAbort = false;
  }

  #request(what: string, deliver: () => Promise<number>, answered: (code: number) => void): void {
    const pending: Pending = { what, deliver, answered, copies: 0 };
    this.#pending = pending;
    this.#send(pending);
  }

  #send(pending: Pending): void {
    pending.copies += 1;
    const { model } = this;
    const what = `${this.name}'s ${pending.what} arrives`;
    const happen = async (): Promise<void> => {
      const isWanted = this.#pending === pending;
      if (!isWanted && !model.options.hasLateRequests) return;
      // Whoever waits for the coordinator does not hold up the others.
      pending.deliver().then(
        (code) => this.#answered(pending, code),
        (error) => model.failures.push(error),
      );
    };
    model.network.push({ what, happen });
  }

  #answered(pending: Pending, code: number): void {
    if (this.#pending !== pending) return;
    if (PASSING.has(code)) {
      pending.copies -= 1;
      return;
    }
    this.#pending = undefined;
    pending.answered(code);
  }

  #init(): void {
    const { transactionalId } = this;
    let taken = { producerId: -1, producerEpoch: -1 };
    const request = {
      transactionalId,
      timeoutMs: 20_000,
      expected: undefined,
      isTwoPhaseCommit: false,
      keepsPrepared: false,
    };
    const deliver = async (): Promise<number> => {
      const answer = await this.model.ask<typeof taken & { errorCode: number }>(
        (ids, ticket, now) => ids.init(request, ticket, now),
      );
      if (answer?.errorCode === Errors.NONE) taken = answer;
      return answer?.errorCode ?? Errors.NOT_COORDINATOR;
    };
    this.#request('InitProducerId', deliver, (code) => {
      if (code === Errors.NONE) this.#take(taken);
    });
  }

  #take({ producerId, producerEpoch }: { producerId: number; producerEpoch: number }): void {
    this.#producerId = producerId;
    this.#producerEpoch = producerEpoch;
    this.#newEpoch();
  }

  #open(): void {
    const name = `${this.name}-${++this.#count}`;
    this.#current = { name, acknowledged: [], outcome: 'open' };
    this.transactions.push(this.#current);
    this.#added.clear();
  }

  #write(partition: number): void {
    if (this.model.options.clientVersion < 2 && !this.#added.has(partition)) {
      this.#add(partition);
      return;
    }
    const current = this.#current as ModelTransaction;
    const baseSequence = this.#sequences.get(partition) ?? 0;
    const value = `${current.name}.${partition}.${baseSequence}`;
    const batch: ProducerBatch = {
      producerId: this.#producerId,
      producerEpoch: this.#producerEpoch,
      baseSequence,
      value,
    };
    this.#request(
      `Produce of ${value} in epoch ${batch.producerEpoch}`,
      () => this.#produce(partition, batch),
      (code) => {
        if (code !== Errors.NONE) {
          this.#mustAbort = true;
          return;
        }
        this.#sequences.set(partition, baseSequence + 1);
        current.acknowledged.push({ partition, value });
      },
    );
  }

  #add(partition: number): void {
    const named = this.#named;
    const request = { ...named, partitions: [{ topic: 't', partition }] };
    const deliver = async (): Promise<number> =>
      (await this.model.ask<number>((ids, ticket, now) => ids.add(request, 0, ticket, now))) ??
      Errors.NOT_COORDINATOR;
    this.#request(`AddPartitionsToTxn of ${partition}`, deliver, (code) => {
      if (code === Errors.NONE) this.#added.add(partition);
      else this.#mustAbort = true;
    });
  }

  /** What the leader of the partition does with a Produce. */
  async #produce(index: number, batch: ProducerBatch): Promise<number> {
    const partition = this.model.partitions[index] as ModelPartition;
    const isImplicit = this.model.options.clientVersion >= 2;
    const begun = partition.begin(batch, isImplicit);
    if (typeof begun === 'number') return begun;
    if (begun === 'open') return partition.append(batch, undefined);
    const request = {
      transactionalId: this.transactionalId,
      producerId: BigInt(batch.producerId),
      producerEpoch: batch.producerEpoch,
      partitions: [{ topic: 't', partition: index }],
    };
    const code = isImplicit
      ? await this.model.ask<number>((ids, ticket, now) => ids.add(request, 2, ticket, now))
      : (
          await this.model.ask<readonly number[]>((ids, ticket) => ids.verify(request, ticket))
        )?.[0];
    if (code === undefined) return Errors.NOT_COORDINATOR;
    if (code !== Errors.NONE) {
      return code === Errors.PRODUCER_FENCED ? Errors.INVALID_PRODUCER_EPOCH : code;
    }
    // The answer of the coordinator is under way, too.
    return new Promise((resolve) => {
      const what = `${batch.value} is appended`;
      this.model.network.push({ what, happen: () => resolve(partition.append(batch, begun)) });
    });
  }

  #end(isCommit: boolean): void {
    const current = this.#current as ModelTransaction;
    const { clientVersion } = this.model.options;
    const request = {
      ...this.#named,
      outcome: isCommit ? ('commit' as const) : ('abort' as const),
      clientVersion,
    };
    const isEmpty = current.acknowledged.length === 0 && this.#added.size === 0;
    if (isEmpty && (isCommit || clientVersion < 2)) {
      // Clients send nothing for a transaction in which nothing was done.
      current.outcome = isCommit ? 'committed' : 'aborted';
      this.#current = undefined;
      if (this.#mustAbort) this.#startAnew();
      return;
    }
    let taken = { producerId: -1, producerEpoch: -1 };
    const deliver = async (): Promise<number> => {
      const answer = await this.model.ask<typeof taken & { errorCode: number }>(
        (ids, ticket, now) => ids.end(request, ticket, now),
      );
      if (answer?.errorCode === Errors.NONE) taken = answer;
      return answer?.errorCode ?? Errors.NOT_COORDINATOR;
    };
    this.#request(`EndTxn (${request.outcome})`, deliver, (code) => {
      if (code !== Errors.NONE) {
        // Fenced, perhaps by its own first request after a newer one: nobody can tell.
        current.outcome = 'unknown';
        this.#startAnew();
        return;
      }
      current.outcome = isCommit ? 'committed' : 'aborted';
      this.#current = undefined;
      this.#mustAbort = false;
      this.#added.clear();
      if (taken.producerId !== -1) this.#take(taken);
    });
  }

  get #named() {
    return {
      transactionalId: this.transactionalId,
      producerId: BigInt(this.#producerId),
      producerEpoch: this.#producerEpoch,
    };
  }
}

/**
 * What transactional ids are. Hard state (`TransactionState`) is the sum of the records and changes
 * by replay alone; soft state (`LiveTransactions`) is what only this term knows.
 */
import type { Offset, ProducerEpoch, TopicPartition } from '../base/ids';
import { invariant } from '../base/invariant';
import type { MonotonicMs } from '../base/times';
import type { ReplayedAt, SoftState, State } from '../machine/machine';
import { NO_PRODUCER_EPOCH, type Transaction } from './transaction';
import { type TransactionRecord, transactionOf } from './transaction-record';

/** A soft change. */
export type TransactionChange =
  /** The epoch before the newest one, if its owner asked for the newest one; else -1. */
  | {
      readonly kind: 'last-epoch';
      readonly transactionalId: string;
      readonly epoch: ProducerEpoch;
    }
  /** When the open transaction has taken too long; undefined = none is open. */
  | {
      readonly kind: 'deadline';
      readonly transactionalId: string;
      readonly deadlineMs: MonotonicMs | undefined;
    }
  /** Whether the timer that looks for transactions past their deadline is set. */
  | { readonly kind: 'timeout-check'; readonly isSet: boolean }
  /** These partitions were sent the marker. */
  | {
      readonly kind: 'markers-sent';
      readonly transactionalId: string;
      readonly partitions: readonly TopicPartition[];
    }
  /** A partition has its marker, or needs none any more. */
  | { readonly kind: 'marker-written'; readonly transactionalId: string; readonly at: string }
  /** A partition has to be sent its marker again. */
  | { readonly kind: 'marker-failed'; readonly transactionalId: string; readonly at: string }
  /** No marker is missing any more. */
  | { readonly kind: 'markers-done'; readonly transactionalId: string }
  /** The id is gone. */
  | { readonly kind: 'forgotten'; readonly transactionalId: string }
  /** How far the search for expired ids has come; undefined = it is over. */
  | { readonly kind: 'sweep'; readonly sweep: Sweep | undefined };

/** A search through all transactional ids, a part at a time. */
export interface Sweep {
  readonly transactionalIds: readonly string[];
  /** The first id that has not been looked at. */
  readonly at: number;
}

/** Partitions by name (`nameOf`) that still lack the marker of a transaction being ended. */
export interface OpenMarkers {
  /** Sent, and not replied to. */
  readonly sent: ReadonlyMap<string, TopicPartition>;
  /** To be sent again. */
  readonly failed: ReadonlyMap<string, TopicPartition>;
  /** How often they were sent again. */
  readonly retries: number;
}

/** Topics have no slash in their names. */
export const nameOf = ({ topic, partition }: TopicPartition): string => `${topic}/${partition}`;

interface Stored {
  readonly transaction: Transaction;
  readonly offset: Offset;
}

export class TransactionState implements State<TransactionRecord> {
  readonly #stored = new Map<string, Stored>();
  #lastRemoval: Offset = -1;
  #lastOffset: Offset = -1;

  replay({ key, value }: TransactionRecord, { offset }: ReplayedAt): void {
    const { transactionalId } = key;
    this.#lastOffset = offset;
    if (value === null) {
      this.#stored.delete(transactionalId);
      this.#lastRemoval = offset;
      return;
    }
    const transaction = transactionOf(transactionalId, value);
    this.#stored.set(transactionalId, { transaction, offset });
  }

  /** Nothing here is written within a transaction, so there is nothing that could end. */
  replayMarker(): void {}

  get(transactionalId: string): Transaction | undefined {
    return this.#stored.get(transactionalId)?.transaction;
  }

  /** The newest record of the id; the newest removal, if there is none. */
  lastOffsetOf(transactionalId: string): Offset {
    return this.#stored.get(transactionalId)?.offset ?? this.#lastRemoval;
  }

  /** The newest record of all. */
  get lastOffset(): Offset {
    return this.#lastOffset;
  }

  transactionalIds(): Iterable<string> {
    return this.#stored.keys();
  }

  *all(): Generator<Transaction> {
    for (const { transaction } of this.#stored.values()) yield transaction;
  }
}

interface Round {
  readonly sent: Map<string, TopicPartition>;
  readonly failed: Map<string, TopicPartition>;
  retries: number;
}

export class LiveTransactions implements SoftState<TransactionChange> {
  readonly #lastEpochs = new Map<string, ProducerEpoch>();
  readonly #deadlines = new Map<string, MonotonicMs>();
  readonly #rounds = new Map<string, Round>();
  #isTimeoutCheckSet = false;
  #sweep: Sweep | undefined;

  apply(change: TransactionChange): void {
    switch (change.kind) {
      case 'last-epoch':
        if (change.epoch === NO_PRODUCER_EPOCH) this.#lastEpochs.delete(change.transactionalId);
        else this.#lastEpochs.set(change.transactionalId, change.epoch);
        break;
      case 'deadline':
        if (change.deadlineMs === undefined) this.#deadlines.delete(change.transactionalId);
        else this.#deadlines.set(change.transactionalId, change.deadlineMs);
        break;
      case 'timeout-check':
        this.#isTimeoutCheckSet = change.isSet;
        break;
      case 'sweep':
        this.#sweep = change.sweep;
        break;
      case 'forgotten':
        this.#lastEpochs.delete(change.transactionalId);
        break;
      default:
        this.#applyToMarkers(change);
    }
  }

  /** -1 = its owner did not ask for the newest epoch, or another node's term began it. */
  lastEpochOf(transactionalId: string): ProducerEpoch {
    return this.#lastEpochs.get(transactionalId) ?? NO_PRODUCER_EPOCH;
  }

  /** Open transactions and when each has taken too long. */
  get deadlines(): ReadonlyMap<string, MonotonicMs> {
    return this.#deadlines;
  }

  get isTimeoutCheckSet(): boolean {
    return this.#isTimeoutCheckSet;
  }

  get sweep(): Sweep | undefined {
    return this.#sweep;
  }

  markersOf(transactionalId: string): OpenMarkers | undefined {
    return this.#rounds.get(transactionalId);
  }

  #applyToMarkers(change: MarkerChange): void {
    const { transactionalId } = change;
    const known = this.#rounds.get(transactionalId);
    if (change.kind === 'markers-done') {
      this.#rounds.delete(transactionalId);
      return;
    }
    if (change.kind === 'markers-sent') {
      const round = known ?? { sent: new Map(), failed: new Map(), retries: -1 };
      this.#rounds.set(transactionalId, round);
      round.retries += 1;
      for (const partition of change.partitions) {
        round.failed.delete(nameOf(partition));
        round.sent.set(nameOf(partition), partition);
      }
      return;
    }
    const partition = known?.sent.get(change.at);
    invariant(known !== undefined && partition !== undefined, `no marker was sent to ${change.at}`);
    known.sent.delete(change.at);
    if (change.kind === 'marker-failed') known.failed.set(change.at, partition);
  }
}

type MarkerChange = Extract<
  TransactionChange,
  { readonly kind: 'markers-sent' | 'marker-written' | 'marker-failed' | 'markers-done' }
>;

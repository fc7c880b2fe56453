/** What a log knows of each producer: epoch, the last five batches, an open transaction. */
import type { Offset, ProducerEpoch, ProducerId } from '../base/ids';
import type { WallMs } from '../base/times';
import { type AbortedTransaction, OpenTransactions } from './open-transactions';
import { Verifications } from './verifications';

/** A batch of a producer that may come again. */
export interface ProducerBatch {
  readonly lastSequence: number;
  readonly lastOffset: Offset;
  /** Last minus first, of offsets and of sequences. */
  readonly offsetDelta: number;
  readonly timestamp: number;
}

export interface ProducerState {
  readonly producerId: ProducerId;
  producerEpoch: ProducerEpoch;
  /** Of the coordinator whose marker came last; -1 = none yet. */
  coordinatorEpoch: number;
  lastTimestamp: number;
  /** Where its open transaction begins; -1 = none is open. */
  currentTxnFirstOffset: Offset;
  /** Oldest first, at most five, all of `producerEpoch`. */
  batches: ProducerBatch[];
}

/** What an append did to transactions, in order. */
export type TransactionStep =
  | { readonly kind: 'begin'; readonly producerId: ProducerId; readonly firstOffset: Offset }
  | {
      readonly kind: 'commit' | 'abort';
      readonly producerId: ProducerId;
      readonly firstOffset: Offset;
      /** Of the marker. */
      readonly lastOffset: Offset;
    };

/**
 * Idempotent producers may have five requests in flight (KIP-98), so any of five may come again.
 */
export const BATCHES_KEPT = 5;

export class Producers {
  /** None while no producer has an id: most logs of a broker. */
  #states: Map<ProducerId, ProducerState> | undefined;
  /** None while no transaction is open or may yet be undone. */
  #transactions: OpenTransactions | undefined;
  readonly verifications = new Verifications();
  /** The states are those at this offset. */
  endOffset: Offset = 0;

  get count(): number {
    return this.#states?.size ?? 0;
  }

  all(): Iterable<ProducerState> {
    return this.#states?.values() ?? [];
  }

  get(producerId: ProducerId): ProducerState | undefined {
    return this.#states?.get(producerId);
  }

  put(state: ProducerState): void {
    this.#states ??= new Map();
    this.#states.set(state.producerId, state);
  }

  /** Takes the states of a snapshot, whose open transactions are open again. */
  restore(states: Iterable<ProducerState>): void {
    for (const state of states) {
      this.put(state);
      const { producerId, currentTxnFirstOffset } = state;
      if (currentTxnFirstOffset >= 0) this.#open().begin(currentTxnFirstOffset, producerId);
    }
    this.#transactions?.sort();
  }

  clear(endOffset: Offset): void {
    this.#states = undefined;
    this.#transactions = undefined;
    this.endOffset = endOffset;
  }

  /** Whether that epoch of the producer has a transaction open here. */
  isInTransaction(producerId: ProducerId, producerEpoch: ProducerEpoch): boolean {
    const state = this.get(producerId);
    if (state === undefined || state.producerEpoch !== producerEpoch) return false;
    return state.currentTxnFirstOffset >= 0;
  }

  /** From here on transactions may still be open, or be undone; undefined: nowhere. */
  get firstUnstableOffset(): Offset | undefined {
    return this.#transactions?.firstUnstableOffset;
  }

  /** Ends of transactions below `highWatermark` are final. */
  committed(highWatermark: Offset): void {
    this.#transactions?.committed(highWatermark);
  }

  /** Returns the transactions that were aborted by it, in the order of their markers. */
  take(steps: readonly TransactionStep[]): readonly AbortedTransaction[] {
    const aborted: AbortedTransaction[] = [];
    for (const step of steps) {
      const { kind, producerId, firstOffset } = step;
      if (kind === 'begin') {
        this.#open().begin(firstOffset, producerId);
        continue;
      }
      const { lastOffset } = step;
      const lastStableOffset = this.#open().end(firstOffset, lastOffset);
      if (kind === 'abort') aborted.push({ producerId, firstOffset, lastOffset, lastStableOffset });
    }
    return aborted;
  }

  removeExpired(now: WallMs, expirationMs: number): void {
    for (const state of this.all()) {
      if (isExpired(state, now, expirationMs)) this.#states?.delete(state.producerId);
    }
    this.verifications.removeExpired(now, expirationMs);
  }

  #open(): OpenTransactions {
    this.#transactions ??= new OpenTransactions();
    return this.#transactions;
  }
}

/** A producer with a transaction open never expires. */
export function isExpired(state: ProducerState, now: WallMs, expirationMs: number): boolean {
  return state.currentTxnFirstOffset < 0 && now - state.lastTimestamp >= expirationMs;
}

export function lastSequenceOf(state: ProducerState): number | undefined {
  return state.batches[state.batches.length - 1]?.lastSequence;
}

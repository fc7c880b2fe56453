/**
 * Decides whether a producer's batch is new, a repetition or out of order, and what becomes of its
 * transaction, as Kafka 4.4 does (KIP-98, KIP-360, KIP-890).
 */
import type { Offset, ProducerEpoch, ProducerId } from '../base/ids';
import * as batch from '../protocol/records/batch';
import { CorruptRecordError } from '../protocol/records/corrupt-record-error';
import { readRecords } from '../protocol/records/record';
import type { AbortedTransaction } from './open-transactions';
import {
  checkSequence,
  type Duplicate,
  fenced,
  findDuplicate,
  isMarkerCurrent,
  notVerified,
  openTransaction,
  type Refusal,
  staleEpoch,
} from './producer-checks';
import {
  BATCHES_KEPT,
  type ProducerBatch,
  type ProducerState,
  type Producers,
  type TransactionStep,
} from './producers';
import type { Verification } from './verifications';

/** `follower`: the leader has checked already. */
export type ProducerOrigin = 'client' | 'coordinator' | 'follower';

/** What an append is held to, beyond the epochs and sequences of its producers. */
export interface AppendChecks {
  /**
   * Of who ended the transaction, for markers; 0 if unknown. From 2 on a marker's epoch must be
   * greater than that of the records (KIP-890).
   */
  readonly transactionVersion?: number;
  /**
   * Shows that the coordinator knows of the transaction that begins. Without it a client can begin
   * none; what coordinators write is then not held to it. `open`: the transaction had begun when
   * that was looked at, and the append is refused if it has ended since. `unchecked`:
   * `transaction.partition.verification.enable` is off.
   */
  readonly verification?: Verification | 'open' | 'unchecked' | undefined;
}

const NO_CHECKS: AppendChecks = {};
const NO_TRANSACTIONS: readonly AbortedTransaction[] = [];

/** The batches of one append, checked one after another against what the earlier ones changed. */
export class ProducerAppend {
  readonly #producers: Producers;
  readonly #origin: ProducerOrigin;
  readonly #checks: AppendChecks;
  #drafts: Draft[] = [];
  #steps: TransactionStep[] | undefined;

  /** Nothing changes before `commit`. */
  constructor(producers: Producers, origin: ProducerOrigin, checks: AppendChecks = NO_CHECKS) {
    this.#producers = producers;
    this.#origin = origin;
    this.#checks = checks;
  }

  /** A batch with a producer id at `at` of `bytes`, which will have `baseOffset`. */
  add(bytes: Buffer, at: number, baseOffset: Offset): Refusal | Duplicate | undefined {
    const draft = this.#draftOf(batch.producerId(bytes, at));
    if (batch.isControl(bytes, at)) return this.#addMarker(draft, bytes, at, baseOffset);
    if (this.#origin === 'client') {
      const duplicate = findDuplicate(draft.current, bytes, at);
      if (duplicate !== undefined) return { outcome: 'duplicate', batch: duplicate };
    }
    if (batch.isTransactional(bytes, at)) {
      const refusal = this.#checkVerified(draft, batch.producerEpoch(bytes, at));
      if (refusal !== undefined) return refusal;
      draft.endsVerification = true;
    }
    return this.#addData(draft, bytes, at, baseOffset);
  }

  /** Whether `commit` will return any. */
  get abortsAny(): boolean {
    return this.#steps?.some(({ kind }) => kind === 'abort') === true;
  }

  /** Returns the transactions that were aborted by it. */
  commit(): readonly AbortedTransaction[] {
    for (const draft of this.#drafts) {
      this.#producers.put(merge(draft));
      if (draft.endsVerification) this.#producers.verifications.end(draft.next.producerId);
    }
    return this.#steps === undefined ? NO_TRANSACTIONS : this.#producers.take(this.#steps);
  }

  /**
   * KIP-890: what begins a transaction here must be known to its coordinator. That an old epoch is
   * refused for its age comes first: a producer can recover from that.
   */
  #checkVerified({ next, current }: Draft, epoch: ProducerEpoch): Refusal | undefined {
    const { verification } = this.#checks;
    const isChecked = this.#origin === 'client' || verification !== undefined;
    if (this.#origin === 'follower' || !isChecked) return undefined;
    const { producerId } = next;
    if (this.#producers.isInTransaction(producerId, epoch)) return undefined;
    if (current !== undefined && epoch < current.producerEpoch) return staleEpoch(current, epoch);
    if (verification === 'unchecked') return undefined;
    const isVerified =
      verification !== undefined && this.#producers.verifications.get(producerId) === verification;
    return isVerified ? undefined : notVerified(next);
  }

  #draftOf(producerId: ProducerId): Draft {
    const known = this.#drafts.find((draft) => draft.next.producerId === producerId);
    if (known !== undefined) return known;
    const current = this.#producers.get(producerId);
    const next = current === undefined ? newState(producerId) : { ...current, batches: [] };
    const draft = { current, next, endsVerification: false };
    this.#drafts.push(draft);
    return draft;
  }

  #addData(draft: Draft, bytes: Buffer, at: number, baseOffset: Offset): Refusal | undefined {
    const { next } = draft;
    const epoch = batch.producerEpoch(bytes, at);
    const refusal = this.#check(draft, epoch, batch.baseSequence(bytes, at));
    if (refusal !== undefined) return refusal;
    if (next.currentTxnFirstOffset >= 0 && !batch.isTransactional(bytes, at)) {
      if (this.#origin !== 'follower') return openTransaction(next);
    }
    const timestamp = batch.maxTimestamp(bytes, at);
    const offsetDelta = batch.lastOffsetDelta(bytes, at);
    takeEpoch(next, epoch);
    addBatch(next, {
      lastSequence: batch.lastSequence(bytes, at),
      lastOffset: baseOffset + offsetDelta,
      offsetDelta,
      timestamp,
    });
    next.lastTimestamp = timestamp;
    if (next.currentTxnFirstOffset < 0 && batch.isTransactional(bytes, at)) {
      next.currentTxnFirstOffset = baseOffset;
      this.#note({ kind: 'begin', producerId: next.producerId, firstOffset: baseOffset });
    }
    return undefined;
  }

  #check(draft: Draft, epoch: ProducerEpoch, baseSequence: number): Refusal | undefined {
    if (this.#origin === 'follower') return undefined;
    if (epoch < draft.next.producerEpoch) return staleEpoch(draft.next, epoch);
    if (this.#origin !== 'client') return undefined;
    const verification = this.#producers.verifications.get(draft.next.producerId);
    return checkSequence(draft.current, draft.next, epoch, baseSequence, verification);
  }

  #note(step: TransactionStep): void {
    this.#steps ??= [];
    this.#steps.push(step);
  }

  /** A COMMIT or ABORT ends the transaction; with a new epoch the sequences begin at 0 again. */
  #addMarker(draft: Draft, bytes: Buffer, at: number, offset: Offset): Refusal | undefined {
    const marker = readMarker(bytes, at);
    // A batch emptied by compaction: the whole transaction is gone already.
    if (marker === undefined) return undefined;
    const { next } = draft;
    const epoch = batch.producerEpoch(bytes, at);
    if (this.#origin !== 'follower') {
      const { transactionVersion = 0 } = this.#checks;
      if (!isMarkerCurrent(next, epoch, transactionVersion)) return staleEpoch(next, epoch);
      if (marker.coordinatorEpoch < next.coordinatorEpoch)
        return fenced(next, marker.coordinatorEpoch, offset);
    }
    const { producerId, currentTxnFirstOffset: firstOffset } = next;
    if (firstOffset >= 0) {
      this.#note({ kind: marker.outcome, producerId, firstOffset, lastOffset: offset });
    }
    takeEpoch(next, epoch);
    next.coordinatorEpoch = marker.coordinatorEpoch;
    next.lastTimestamp = marker.timestamp;
    next.currentTxnFirstOffset = -1;
    // With version 2 a marker has the epoch of the next transaction, which may have been asked for.
    const verification = this.#producers.verifications.get(producerId);
    const isForNext = verification?.supportsEpochBump === true;
    draft.endsVerification = !(isForNext && verification.producerEpoch === epoch);
    return undefined;
  }
}

/** State as it will be: `next.batches` are only the new ones. */
interface Draft {
  readonly current: ProducerState | undefined;
  readonly next: ProducerState;
  endsVerification: boolean;
}

function newState(producerId: ProducerId): ProducerState {
  return {
    producerId,
    producerEpoch: batch.NO_PRODUCER_EPOCH,
    coordinatorEpoch: -1,
    lastTimestamp: batch.NO_TIMESTAMP,
    currentTxnFirstOffset: -1,
    batches: [],
  };
}

function merge({ current, next }: Draft): ProducerState {
  if (current === undefined) return next;
  takeEpoch(current, next.producerEpoch);
  for (const added of next.batches) addBatch(current, added);
  current.coordinatorEpoch = next.coordinatorEpoch;
  current.lastTimestamp = next.lastTimestamp;
  current.currentTxnFirstOffset = next.currentTxnFirstOffset;
  return current;
}

function takeEpoch(state: ProducerState, epoch: ProducerEpoch): void {
  if (state.producerEpoch === epoch) return;
  state.producerEpoch = epoch;
  state.batches = [];
}

function addBatch(state: ProducerState, added: ProducerBatch): void {
  if (state.batches.length === BATCHES_KEPT) state.batches.shift();
  state.batches.push(added);
}

interface Marker {
  readonly outcome: 'commit' | 'abort';
  readonly coordinatorEpoch: number;
  readonly timestamp: number;
}

/**
 * The only record of the batch. Key: i16 version · i16 type, 0 = abort; value: i16 version · i32
 * coordinator epoch. Throws CorruptRecordError.
 */
function readMarker(bytes: Buffer, at: number): Marker | undefined {
  for (const { key, value, timestamp } of readRecords(bytes, at)) {
    if (key === null || key.length < 4 || value === null || value.length < 6) {
      throw new CorruptRecordError('a transaction marker is cut short');
    }
    const outcome = key.readInt16BE(2) === 0 ? 'abort' : 'commit';
    return { outcome, coordinatorEpoch: value.readInt32BE(2), timestamp };
  }
  return undefined;
}

/**
 * What a log knows of each producer: epoch, the last five batches, an open transaction. Decides
 * whether a batch is new, a repetition or out of order, as Kafka 4.4 does (KIP-98, KIP-360).
 */
import type { Offset, ProducerEpoch, ProducerId } from '../base/ids';
import type { WallMs } from '../base/times';
import { Errors } from '../protocol/errors';
import * as batch from '../protocol/records/batch';
import { readRecords } from '../protocol/records/record';

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

/** `follower`: the leader has checked already. */
export type ProducerOrigin = 'client' | 'coordinator' | 'follower';

export interface Refusal {
  readonly outcome: 'refused';
  readonly errorCode: number;
  readonly message: string;
}

export interface Duplicate {
  readonly outcome: 'duplicate';
  readonly batch: ProducerBatch;
}

/**
 * Idempotent producers may have five requests in flight (KIP-98), so any of five may come again.
 */
export const BATCHES_KEPT = 5;

export class Producers {
  /** None while no producer has an id: most logs of a broker. */
  #states: Map<ProducerId, ProducerState> | undefined;
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

  clear(endOffset: Offset): void {
    this.#states = undefined;
    this.endOffset = endOffset;
  }

  removeExpired(now: WallMs, expirationMs: number): void {
    for (const state of this.all()) {
      if (isExpired(state, now, expirationMs)) this.#states?.delete(state.producerId);
    }
  }

  /** Begins an append of one or more batches; nothing changes before its `commit`. */
  begin(origin: ProducerOrigin): ProducerAppend {
    return new ProducerAppend(this, origin);
  }
}

/** A producer with a transaction open never expires. */
export function isExpired(state: ProducerState, now: WallMs, expirationMs: number): boolean {
  return state.currentTxnFirstOffset < 0 && now - state.lastTimestamp >= expirationMs;
}

/** The batches of one append, checked one after another against what the earlier ones changed. */
export class ProducerAppend {
  readonly #producers: Producers;
  readonly #origin: ProducerOrigin;
  #drafts: Draft[] = [];

  constructor(producers: Producers, origin: ProducerOrigin) {
    this.#producers = producers;
    this.#origin = origin;
  }

  /** A batch with a producer id at `at` of `bytes`, which will have `baseOffset`. */
  add(bytes: Buffer, at: number, baseOffset: Offset): Refusal | Duplicate | undefined {
    const draft = this.#draftOf(batch.producerId(bytes, at));
    if (batch.isControl(bytes, at)) return this.#addMarker(draft, bytes, at, baseOffset);
    if (this.#origin === 'client') {
      const duplicate = findDuplicate(draft.current, bytes, at);
      if (duplicate !== undefined) return { outcome: 'duplicate', batch: duplicate };
    }
    return this.#addData(draft, bytes, at, baseOffset);
  }

  commit(): void {
    for (const draft of this.#drafts) this.#producers.put(merge(draft));
  }

  #draftOf(producerId: ProducerId): Draft {
    const known = this.#drafts.find((draft) => draft.next.producerId === producerId);
    if (known !== undefined) return known;
    const current = this.#producers.get(producerId);
    const next = current === undefined ? newState(producerId) : { ...current, batches: [] };
    const draft = { current, next };
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
    }
    return undefined;
  }

  #check(draft: Draft, epoch: ProducerEpoch, baseSequence: number): Refusal | undefined {
    if (this.#origin === 'follower') return undefined;
    if (epoch < draft.next.producerEpoch) return staleEpoch(draft.next, epoch);
    return this.#origin === 'client' ? checkSequence(draft, epoch, baseSequence) : undefined;
  }

  /** A COMMIT or ABORT ends the transaction; with a new epoch the sequences begin at 0 again. */
  #addMarker(draft: Draft, bytes: Buffer, at: number, offset: Offset): Refusal | undefined {
    const marker = readMarker(bytes, at);
    // A batch emptied by compaction: the whole transaction is gone already.
    if (marker === undefined) return undefined;
    const { next } = draft;
    const epoch = batch.producerEpoch(bytes, at);
    if (this.#origin !== 'follower') {
      if (epoch < next.producerEpoch) return staleEpoch(next, epoch);
      if (marker.coordinatorEpoch < next.coordinatorEpoch) return fenced(next, marker, offset);
    }
    takeEpoch(next, epoch);
    next.coordinatorEpoch = marker.coordinatorEpoch;
    next.lastTimestamp = marker.timestamp;
    next.currentTxnFirstOffset = -1;
    return undefined;
  }
}

/** State as it will be: `next.batches` are only the new ones. */
interface Draft {
  readonly current: ProducerState | undefined;
  readonly next: ProducerState;
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

function findDuplicate(
  state: ProducerState | undefined,
  bytes: Buffer,
  at: number,
): ProducerBatch | undefined {
  if (state === undefined || batch.producerEpoch(bytes, at) !== state.producerEpoch) {
    return undefined;
  }
  const first = batch.baseSequence(bytes, at);
  const last = batch.lastSequence(bytes, at);
  return state.batches.find((kept) => kept.lastSequence === last && firstSequence(kept) === first);
}

const firstSequence = ({ lastSequence, offsetDelta }: ProducerBatch): number =>
  lastSequence === batch.NO_SEQUENCE
    ? batch.NO_SEQUENCE
    : batch.decrementSequence(lastSequence, offsetDelta);

/**
 * A new epoch begins at 0, a known one goes on without a gap. A producer that is not known (any
 * more: expired, or all its records deleted) may go on anywhere.
 */
function checkSequence(
  { current, next }: Draft,
  epoch: ProducerEpoch,
  baseSequence: number,
): Refusal | undefined {
  if (current === undefined || current.producerEpoch === batch.NO_PRODUCER_EPOCH) return undefined;
  if (epoch !== next.producerEpoch) {
    return baseSequence === 0 ? undefined : outOfOrder(next, epoch, baseSequence, -1);
  }
  const last =
    lastSequenceOf(next) ?? (epoch === current.producerEpoch ? lastSequenceOf(current) : undefined);
  const expected = last === undefined || last === batch.MAX_SEQUENCE ? 0 : last + 1;
  return baseSequence === expected
    ? undefined
    : outOfOrder(next, epoch, baseSequence, expected - 1);
}

function lastSequenceOf(state: ProducerState): number | undefined {
  return state.batches[state.batches.length - 1]?.lastSequence;
}

function staleEpoch(state: ProducerState, epoch: ProducerEpoch): Refusal {
  return {
    outcome: 'refused',
    errorCode: Errors.INVALID_PRODUCER_EPOCH,
    message:
      `Epoch of producer ${state.producerId} is ${epoch}, ` +
      `which is smaller than the last seen epoch ${state.producerEpoch}`,
  };
}

function outOfOrder(
  state: ProducerState,
  epoch: ProducerEpoch,
  baseSequence: number,
  lastSequence: number,
): Refusal {
  return {
    outcome: 'refused',
    errorCode: Errors.OUT_OF_ORDER_SEQUENCE_NUMBER,
    message:
      `Out of order sequence number for producer ${state.producerId}: ${baseSequence} ` +
      `(incoming seq. number) of epoch ${epoch}, ${lastSequence} (current end sequence number) ` +
      `of epoch ${state.producerEpoch}`,
  };
}

function openTransaction(state: ProducerState): Refusal {
  return {
    outcome: 'refused',
    errorCode: Errors.INVALID_TXN_STATE,
    message: `Expected transactional write from producer ${state.producerId}`,
  };
}

function fenced(state: ProducerState, marker: Marker, offset: Offset): Refusal {
  return {
    outcome: 'refused',
    errorCode: Errors.TRANSACTION_COORDINATOR_FENCED,
    message:
      `Invalid coordinator epoch for producerId ${state.producerId} at offset ${offset}: ` +
      `${marker.coordinatorEpoch} (zombie), ${state.coordinatorEpoch} (current)`,
  };
}

interface Marker {
  readonly coordinatorEpoch: number;
  readonly timestamp: number;
}

/** i16 version · i32 coordinator epoch, in the only record of the batch. */
function readMarker(bytes: Buffer, at: number): Marker | undefined {
  for (const { value, timestamp } of readRecords(bytes, at)) {
    return { coordinatorEpoch: value?.readInt32BE(2) ?? -1, timestamp };
  }
  return undefined;
}

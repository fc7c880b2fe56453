/** Why a producer's batch is refused, or known already: epochs, sequences, markers (KIP-98). */
import type { Offset, ProducerEpoch } from '../base/ids';
import type { WallMs } from '../base/times';
import { Errors } from '../protocol/errors';
import * as batch from '../protocol/records/batch';
import {
  lastSequenceOf,
  type ProducerBatch,
  type ProducerState,
  type Producers,
} from './producers';
import type { Beginning, Verification } from './verifications';

export interface Refusal {
  readonly outcome: 'refused';
  readonly errorCode: number;
  readonly message: string;
}

export interface Duplicate {
  readonly outcome: 'duplicate';
  readonly batch: ProducerBatch;
}

const MAX_EPOCH = 0x7fff;

/**
 * KIP-890: with version 2 the coordinator raises the epoch before it sends a marker, so one with
 * the epoch of the records is late; unless nothing is open: then it was written already and is sent
 * again (KAFKA-19999). At the greatest epoch it cannot be raised.
 */
export function isMarkerCurrent(
  state: ProducerState,
  epoch: ProducerEpoch,
  version: number,
): boolean {
  if (version < 2 || epoch !== state.producerEpoch) return epoch >= state.producerEpoch;
  return state.currentTxnFirstOffset < 0 || epoch === MAX_EPOCH;
}

export function findDuplicate(
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
export function checkSequence(
  current: ProducerState | undefined,
  next: ProducerState,
  epoch: ProducerEpoch,
  baseSequence: number,
  verification: Verification | undefined,
): Refusal | undefined {
  if (verification !== undefined) {
    const { supportsEpochBump, lowestSequence } = verification;
    // With version 2 every transaction begins at 0, so a gap can be told from what was forgotten.
    const isUnknown = (current?.batches.length ?? 0) === 0;
    if (supportsEpochBump && isUnknown && baseSequence !== 0) {
      return outOfOrder(next, epoch, baseSequence, -1);
    }
    if (baseSequence > lowestSequence) {
      return outOfOrder(next, epoch, baseSequence, lowestSequence - 1);
    }
  }
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

export function staleEpoch(state: ProducerState, epoch: ProducerEpoch): Refusal {
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

export function openTransaction(state: ProducerState): Refusal {
  return {
    outcome: 'refused',
    errorCode: Errors.INVALID_TXN_STATE,
    message: `Expected transactional write from producer ${state.producerId}`,
  };
}

export function notVerified(state: ProducerState): Refusal {
  return {
    outcome: 'refused',
    errorCode: Errors.INVALID_TXN_STATE,
    message: `Record of producer ${state.producerId} was not part of an ongoing transaction`,
  };
}

export function fenced(state: ProducerState, coordinatorEpoch: number, offset: Offset): Refusal {
  return {
    outcome: 'refused',
    errorCode: Errors.TRANSACTION_COORDINATOR_FENCED,
    message:
      `Invalid coordinator epoch for producerId ${state.producerId} at offset ${offset}: ` +
      `${coordinatorEpoch} (zombie), ${state.coordinatorEpoch} (current)`,
  };
}

/**
 * KIP-890: what an append that may begin a transaction has to show; `open` if it has begun. Refused
 * where a newer epoch of the producer has written.
 */
export function beginVerification(
  producers: Producers,
  beginning: Beginning,
  now: WallMs,
): Verification | 'open' | Refusal {
  const { producerId, producerEpoch } = beginning;
  const state = producers.get(producerId);
  if (state !== undefined && producerEpoch < state.producerEpoch) {
    return staleEpoch(state, producerEpoch);
  }
  if (producers.isInTransaction(producerId, producerEpoch)) return 'open';
  return producers.verifications.begin(beginning, now);
}

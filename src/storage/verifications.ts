/**
 * Producers about to begin a transaction in this log, whose coordinator is being asked whether it
 * knows of that (KIP-890). Until then nothing of the transaction may be appended.
 */
import type { ProducerEpoch, ProducerId } from '../base/ids';
import type { WallMs } from '../base/times';

/** Whose transaction is to begin, and with which batch. */
export interface Beginning {
  readonly producerId: ProducerId;
  readonly producerEpoch: ProducerEpoch;
  readonly baseSequence: number;
  /** The client knows that every end of a transaction raises its epoch (version 2). */
  readonly supportsEpochBump: boolean;
}

/**
 * What an append shows to prove that the coordinator was asked. It is good for one transaction:
 * were this one aborted and another begun before the answer came, that one would have another.
 */
export class Verification {
  readonly supportsEpochBump: boolean;
  readonly begunAt: WallMs;
  #producerEpoch: ProducerEpoch;
  #lowestSequence: number;

  constructor({ producerEpoch, baseSequence, supportsEpochBump }: Beginning, now: WallMs) {
    this.supportsEpochBump = supportsEpochBump;
    this.begunAt = now;
    this.#producerEpoch = producerEpoch;
    this.#lowestSequence = baseSequence;
  }

  get producerEpoch(): ProducerEpoch {
    return this.#producerEpoch;
  }

  /**
   * Batches above it have to wait for the one that has it: appended out of order, they would let
   * that one be refused for ever.
   */
  get lowestSequence(): number {
    return this.#lowestSequence;
  }

  /** Another batch of the producer is to be verified. */
  again({ producerEpoch, baseSequence }: Beginning): void {
    const isNewEpoch = producerEpoch > this.#producerEpoch;
    const isLower = producerEpoch === this.#producerEpoch && baseSequence < this.#lowestSequence;
    if (isNewEpoch || isLower) this.#lowestSequence = baseSequence;
    if (isNewEpoch) this.#producerEpoch = producerEpoch;
  }
}

export class Verifications {
  /** None in most logs. */
  #byProducer: Map<ProducerId, Verification> | undefined;

  get(producerId: ProducerId): Verification | undefined {
    return this.#byProducer?.get(producerId);
  }

  begin(beginning: Beginning, now: WallMs): Verification {
    this.#byProducer ??= new Map();
    const known = this.#byProducer.get(beginning.producerId);
    known?.again(beginning);
    const verification = known ?? new Verification(beginning, now);
    if (known === undefined) this.#byProducer.set(beginning.producerId, verification);
    return verification;
  }

  end(producerId: ProducerId): void {
    this.#byProducer?.delete(producerId);
    if (this.#byProducer?.size === 0) this.#byProducer = undefined;
  }

  removeExpired(now: WallMs, expirationMs: number): void {
    for (const [producerId, { begunAt }] of this.#byProducer ?? []) {
      if (now - begunAt >= expirationMs) this.end(producerId);
    }
  }
}

/** Producer ids for this broker's clients, from blocks that the controller gives out. */
import type { BrokerEpoch, NodeId, ProducerId } from '../base/ids';
import { AllocateProducerIds } from '../protocol/apis/allocate-producer-ids';
import { ApiError, Errors } from '../protocol/errors';
import type { NewProducer, ProducerIds } from '../server/services';
import type { NodeControllerAccess } from './controller-access';

/** `length` ids from `first` on. */
export interface ProducerIdBlock {
  readonly first: ProducerId;
  readonly length: number;
}

/** The next block is asked for when so much of the current one is used up. */
const PREFETCH_AT = 0.9;

export class ProducerIdBlocks implements ProducerIds {
  #next = 0;
  #end = 0;
  #prefetchAt = 0;
  #following: ProducerIdBlock | undefined;
  #fetching: Promise<void> | undefined;

  /** `allocate` asks the controller, and rejects if it cannot be had in time. */
  constructor(private readonly allocate: () => Promise<ProducerIdBlock>) {}

  /** Has a block at hand, so that the first client does not wait for one. */
  async prepare(): Promise<void> {
    await this.#fetch();
    this.#take();
  }

  next(): NewProducer | Promise<NewProducer> {
    if (this.#next === this.#end) this.#take();
    if (this.#next === this.#end) return this.#nextAfterFetch();
    return this.#give();
  }

  ready(): Promise<void> | undefined {
    return this.#next < this.#end || this.#following !== undefined ? undefined : this.#fetch();
  }

  /** As `next`, for who cannot wait: undefined while a block is being fetched. */
  take(): ProducerId | undefined {
    if (this.#next === this.#end) this.#take();
    if (this.#next < this.#end) return this.#give().producerId;
    // Whoever asks again finds it, or is told the error.
    this.#fetch().catch(() => undefined);
    return undefined;
  }

  async #nextAfterFetch(): Promise<NewProducer> {
    while (this.#next === this.#end) {
      await this.#fetch();
      if (this.#next === this.#end) this.#take();
    }
    return this.#give();
  }

  #give(): NewProducer {
    const producerId = this.#next;
    this.#next += 1;
    if (this.#next >= this.#prefetchAt && this.#following === undefined) {
      // Whoever needs the block asks again and is told the error.
      this.#fetch().catch(() => undefined);
    }
    return { producerId, producerEpoch: 0 };
  }

  #take(): void {
    const block = this.#following;
    if (block === undefined) return;
    this.#following = undefined;
    this.#next = block.first;
    this.#end = block.first + block.length;
    this.#prefetchAt = block.first + Math.floor(block.length * PREFETCH_AT);
  }

  /** Joined: one request to the controller serves all who wait. */
  #fetch(): Promise<void> {
    if (this.#following !== undefined) return Promise.resolve();
    this.#fetching ??= this.allocate()
      .then((block) => {
        this.#following = block;
      })
      .finally(() => {
        this.#fetching = undefined;
      });
    return this.#fetching;
  }
}

/** The next block of a broker. Rejects with ApiError if the controller gives none. */
export async function allocateProducerIds(
  controller: NodeControllerAccess,
  brokerId: NodeId,
  brokerEpoch: BrokerEpoch,
): Promise<ProducerIdBlock> {
  const request = { brokerId, brokerEpoch };
  const answer = await controller.askForNode(AllocateProducerIds, request);
  if (answer.errorCode !== Errors.NONE) {
    throw new ApiError(Errors.COORDINATOR_NOT_AVAILABLE, 'no block of producer ids can be had');
  }
  return { first: answer.producerIdStart, length: answer.producerIdLen };
}

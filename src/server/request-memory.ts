/** `queued.max.request.bytes`: memory that partial and waiting requests of all clients share. */
import type { SlabPool } from '../protocol/slabs';

/** A connection that waits for room. */
export interface Waiting {
  roomAgain(): void;
}

export class RequestMemory {
  readonly #waiting = new Set<Waiting>();

  constructor(
    private readonly slabs: SlabPool,
    private readonly maxBytes: number,
  ) {}

  get hasRoom(): boolean {
    return this.slabs.leasedBytes < this.maxBytes;
  }

  /** Tells `waiting` once there is room. */
  wait(waiting: Waiting): void {
    this.#waiting.add(waiting);
  }

  forget(waiting: Waiting): void {
    this.#waiting.delete(waiting);
    this.changed();
  }

  /** Memory may have been given back. */
  changed(): void {
    if (this.#waiting.size === 0 || !this.hasRoom) return;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const one of waiting) one.roomAgain();
  }
}

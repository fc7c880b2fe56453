/** Buffers for bytes that wait: leased, given back, used again. */
import { invariant } from '../base/invariant';

const SMALLEST_BYTES = 1024;
/** Larger ones are not rounded up to a power of two, and by default not kept for reuse. */
const LARGEST_ROUNDED_BYTES = 4 * 1024 * 1024;
const LARGE_STEP_BYTES = 1024 * 1024;
const KEPT_BYTES = 16 * 1024 * 1024;

/** What a released slab is filled with, so that whoever still looks at it is found out. */
export const OVERWRITTEN = 0xdb;

export interface SlabPoolOptions {
  /** Fills what is given back; for tests and simulation. */
  readonly overwrites?: boolean;
  /** Larger ones are not kept for reuse; 4 MiB by default. */
  readonly largestKeptBytes?: number;
}

/** One for all connections of a node: `leasedBytes` is what they hold together. */
export class SlabPool {
  readonly overwrites: boolean;
  readonly #largestKeptBytes: number;
  #leasedBytes = 0;
  #freeBytes = 0;
  readonly #free = new Map<number, Buffer[]>();

  constructor(options: SlabPoolOptions = {}) {
    this.overwrites = options.overwrites === true;
    this.#largestKeptBytes = options.largestKeptBytes ?? LARGEST_ROUNDED_BYTES;
  }

  /** Bytes of all slabs that are leased now. */
  get leasedBytes(): number {
    return this.#leasedBytes;
  }

  /** A slab of at least `bytes`, and less than twice that (1 KiB for the smallest). */
  lease(bytes: number): Buffer {
    const capacity = capacityFor(bytes);
    this.#leasedBytes += capacity;
    const kept = this.#free.get(capacity)?.pop();
    if (kept === undefined) return Buffer.allocUnsafeSlow(capacity);
    this.#freeBytes -= capacity;
    return kept;
  }

  /** Takes a slab back; nobody may look at it any more. */
  release(slab: Buffer): void {
    this.#leasedBytes -= slab.length;
    invariant(this.#leasedBytes >= 0, 'a slab was given back twice');
    if (this.overwrites) slab.fill(OVERWRITTEN);
    const isKept = slab.length <= this.#largestKeptBytes;
    if (!isKept || this.#freeBytes + slab.length > KEPT_BYTES) return;
    this.#freeBytes += slab.length;
    const free = this.#free.get(slab.length);
    if (free === undefined) this.#free.set(slab.length, [slab]);
    else free.push(slab);
  }
}

function capacityFor(bytes: number): number {
  if (bytes > LARGEST_ROUNDED_BYTES) return Math.ceil(bytes / LARGE_STEP_BYTES) * LARGE_STEP_BYTES;
  let capacity = SMALLEST_BYTES;
  while (capacity < bytes) capacity *= 2;
  return capacity;
}

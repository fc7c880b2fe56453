/** Walks the batch headers of a data file, block by block, without reading the records' bytes. */
import type { LeaderEpoch, Offset } from '../base/ids';
import {
  BATCH_OVERHEAD,
  baseOffset,
  hasProducerId,
  isControl,
  lastOffset,
  leaderEpoch,
  magic,
  maxTimestamp,
} from '../protocol/records/batch';
import { batchSizeAt, CORRUPT, TORN } from '../protocol/records/batches';
import type { DataFile } from './data-file';
import { CorruptLogError } from './errors';

/**
 * Bytes fetched at a time. Index entries are about 4 KiB apart, so one block mostly answers a
 * look-up; one read of 8 KiB from the page cache costs about 2 µs.
 */
const BLOCK_BYTES = 8192;

/** Shared by all walks of one owner: at most one walk is under way at any time. */
export type WalkBlock = Buffer;
export const newWalkBlock = (): WalkBlock => Buffer.allocUnsafeSlow(BLOCK_BYTES);

/** Last offset of the batch at `position`; batches of magic 0 and 1 carry nothing else. */
export const lastOffsetOfBatch = (buffer: Uint8Array, position: number): Offset =>
  magic(buffer, position) < 2 ? baseOffset(buffer, position) : lastOffset(buffer, position);

export class BatchWalk {
  readonly #file: DataFile;
  readonly #block: WalkBlock;
  readonly #end: number;
  #blockStart = 0;
  #blockLength = 0;
  #at = 0;
  #nextPosition: number;
  #position = 0;
  #size = 0;

  /** Begins at a batch boundary; `end` is one too. */
  constructor(file: DataFile, block: WalkBlock, start: number, end: number) {
    this.#file = file;
    this.#block = block;
    this.#nextPosition = start;
    this.#end = end;
  }

  /**
   * Steps to the next batch; false at the end. Throws CorruptLogError at bytes that are no batch:
   * recovery leaves none, so the disk changed under a running broker.
   */
  next(): boolean {
    const position = this.#nextPosition;
    if (position >= this.#end) return false;
    const wanted = Math.min(BATCH_OVERHEAD, this.#end - position);
    if (position < this.#blockStart || position + wanted > this.#blockStart + this.#blockLength) {
      this.#fetch(position);
    }
    this.#at = position - this.#blockStart;
    const isReadable = this.#at + wanted <= this.#blockLength;
    const size = isReadable
      ? batchSizeAt(this.#block, this.#at, this.#at + this.#end - position)
      : TORN;
    if (size === TORN || size === CORRUPT) {
      throw new CorruptLogError(`no batch at position ${position} of ${this.#file.path}`);
    }
    this.#position = position;
    this.#size = size;
    this.#nextPosition = position + size;
    return true;
  }

  get position(): number {
    return this.#position;
  }

  get size(): number {
    return this.#size;
  }

  get baseOffset(): Offset {
    return baseOffset(this.#block, this.#at);
  }

  get lastOffset(): Offset {
    return lastOffsetOfBatch(this.#block, this.#at);
  }

  /** -1 for none, and for batches of magic 0 and 1. */
  get maxTimestamp(): number {
    return magic(this.#block, this.#at) < 2 ? -1 : maxTimestamp(this.#block, this.#at);
  }

  get leaderEpoch(): LeaderEpoch {
    return magic(this.#block, this.#at) < 2 ? -1 : leaderEpoch(this.#block, this.#at);
  }

  /** Of magic 2, from an idempotent or transactional producer. */
  get hasProducerId(): boolean {
    return magic(this.#block, this.#at) === 2 && hasProducerId(this.#block, this.#at);
  }

  get isControl(): boolean {
    return magic(this.#block, this.#at) === 2 && isControl(this.#block, this.#at);
  }

  /** The batch's header (61 bytes) at its start; valid until the next step of any walk. */
  get header(): Buffer {
    return this.#block.subarray(this.#at, this.#at + BATCH_OVERHEAD);
  }

  #fetch(position: number): void {
    const length = Math.min(this.#block.length, this.#end - position);
    this.#blockStart = position;
    this.#blockLength = this.#file.readAt(this.#block, 0, length, position);
  }
}

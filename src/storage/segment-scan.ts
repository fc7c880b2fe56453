/** Reads a segment again after a crash, batch by batch, and keeps what is sound. */
import type { LeaderEpoch, Offset } from '../base/ids';
import * as batch from '../protocol/records/batch';
import { batchSizeAt, TORN } from '../protocol/records/batches';
import { CorruptRecordError } from '../protocol/records/corrupt-record-error';
import { isSoundLegacyBatch } from '../protocol/records/legacy-checksum';
import { lastOffsetOfBatch } from './batch-walk';
import type { Epochs } from './epochs';
import { ProducerAppend } from './producer-append';
import type { Producers } from './producers';
import type { Segment } from './segment';
import type { LogSettings } from './settings';

/** Bytes read at a time, and between two yields: about 0.3 ms with the checksum. */
const CHUNK_BYTES = 1024 * 1024;

export class SegmentScan {
  readonly #segment: Segment;
  readonly #settings: LogSettings;
  readonly #epochs: Epochs;
  readonly #producers: Producers;
  #chunk = Buffer.allocUnsafeSlow(0);
  #chunkStart = 0;
  #chunkLength = 0;
  #lastOffset: Offset;
  #leaderEpoch: LeaderEpoch;
  #cutBytes = 0;
  #isDense = true;

  /** `leaderEpoch`: of the batch before the segment; -1 if unknown. */
  constructor(
    segment: Segment,
    settings: LogSettings,
    epochs: Epochs,
    producers: Producers,
    leaderEpoch: LeaderEpoch,
  ) {
    this.#leaderEpoch = leaderEpoch;
    this.#segment = segment;
    this.#settings = settings;
    this.#epochs = epochs;
    this.#producers = producers;
    this.#lastOffset = segment.baseOffset - 1;
  }

  /** How much was cut off the end. */
  get cutBytes(): number {
    return this.#cutBytes;
  }

  /** Of the last batch. */
  get leaderEpoch(): LeaderEpoch {
    return this.#leaderEpoch;
  }

  get endOffset(): Offset {
    return this.#lastOffset + 1;
  }

  /** Every offset from the base on has its record: nothing was compacted away. */
  get isDense(): boolean {
    return this.#isDense;
  }

  /** Yields bytes read. Afterwards the segment is active, its indexes in memory. */
  *run(): Generator<number, void> {
    const { size } = this.#segment;
    this.#segment.clearIndexes();
    this.#segment.clearAborted();
    this.#segment.data.markUnsynced();
    let position = 0;
    let reported = 0;
    while (position < size) {
      const batchSize = this.#accept(position, size);
      if (batchSize === 0) break;
      position += batchSize;
      if (position - reported < CHUNK_BYTES) continue;
      yield position - reported;
      reported = position;
    }
    this.#cutBytes = size - position;
    this.#segment.data.truncate(position);
    if (position > reported) yield position - reported;
  }

  /** The size of the batch at `position` if it is sound and was noted everywhere; else 0. */
  #accept(position: number, end: number): number {
    const size = this.#load(position, end);
    if (size <= 0) return 0;
    const bytes = this.#chunk;
    const at = position - this.#chunkStart;
    const baseOffset = batch.baseOffset(bytes, at);
    const lastOffset = lastOffsetOfBatch(bytes, at);
    const isInOrder = baseOffset > this.#lastOffset && lastOffset >= baseOffset;
    if (!isInOrder || !this.#segment.canHold(lastOffset)) return 0;
    const isCurrent = batch.magic(bytes, at) === 2;
    // What was cut off and came back after a power loss is of an older leader.
    const epoch = isCurrent ? batch.leaderEpoch(bytes, at) : batch.NO_LEADER_EPOCH;
    if (epoch < this.#leaderEpoch && epoch !== batch.NO_LEADER_EPOCH) return 0;
    const isSound = isCurrent ? batch.hasValidCrc(bytes, at) : isSoundLegacyBatch(bytes, at, size);
    if (!isSound || (isCurrent && !this.#note(bytes, at, baseOffset))) return 0;
    const timestamp = isCurrent ? batch.maxTimestamp(bytes, at) : batch.NO_TIMESTAMP;
    this.#segment.index(position, size, timestamp, lastOffset, this.#settings);
    const isFull = isCurrent && batch.recordCount(bytes, at) === lastOffset - baseOffset + 1;
    if (!isFull || baseOffset !== this.endOffset) this.#isDense = false;
    this.#lastOffset = lastOffset;
    this.#leaderEpoch = Math.max(epoch, this.#leaderEpoch);
    this.#producers.endOffset = lastOffset + 1;
    return size;
  }

  /** Tells producers and epochs of the batch; false if its marker cannot be read. */
  #note(bytes: Buffer, at: number, baseOffset: Offset): boolean {
    if (batch.hasProducerId(bytes, at)) {
      const append = new ProducerAppend(this.#producers, 'follower');
      try {
        append.add(bytes, at, baseOffset);
      } catch (error) {
        if (!(error instanceof CorruptRecordError)) throw error;
        return false;
      }
      for (const aborted of append.commit()) this.#segment.addAborted(aborted);
    }
    const epoch = batch.leaderEpoch(bytes, at);
    if (epoch >= 0) this.#epochs.found(epoch, baseOffset);
    return true;
  }

  /** Brings the whole batch at `position` into the chunk; its size, or TORN or CORRUPT. */
  #load(position: number, end: number): number {
    const at = position - this.#chunkStart;
    if (at < this.#chunkLength) {
      const size = batchSizeAt(this.#chunk, at, this.#chunkLength);
      if (size !== TORN) return size;
    }
    this.#read(position, Math.min(CHUNK_BYTES, end - position));
    const size = batchSizeAt(this.#chunk, 0, this.#chunkLength);
    if (size !== TORN || this.#chunkLength < batch.LOG_OVERHEAD) return size;
    const claimed = batch.sizeInBytes(this.#chunk, 0);
    if (claimed > end - position) return TORN;
    this.#read(position, claimed);
    return batchSizeAt(this.#chunk, 0, this.#chunkLength);
  }

  #read(position: number, length: number): void {
    if (this.#chunk.length < length) this.#chunk = Buffer.allocUnsafeSlow(length);
    this.#chunkStart = position;
    this.#chunkLength = this.#segment.data.readAt(this.#chunk, 0, length, position);
  }
}

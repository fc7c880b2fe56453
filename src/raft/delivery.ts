/**
 * What the owner of the log has been told so far: the newest checkpoint, then every committed batch
 * once and in order, in slices that leave the loop to others.
 */
import type { LeaderEpoch, Offset } from '../base/ids';
import type { WallMs } from '../base/times';
import { wallMs } from '../base/times';
import { lastOffset } from '../protocol/records/batch';
import { eachBatch, readBatch } from './batches';
import type { OffsetAndEpoch } from './log-view';
import type { MetadataFolder } from './metadata-folder';
import type { CommittedBatch, QuorumListener, RecordSerde } from './quorum-log';

/** Bytes of the log that one turn reads and delivers. */
const SLICE_BYTES = 1024 * 1024;

/** Where delivery stands: the end of what was delivered, as a snapshot would name it. */
export interface Delivered {
  readonly end: OffsetAndEpoch;
  readonly lastTimestampMs: WallMs;
}

export class Delivery<R> {
  readonly #folder: MetadataFolder;
  readonly #serde: RecordSerde<R>;
  readonly #listener: QuorumListener<R>;
  /** Own appends that are not committed yet, to spare reading them again. */
  #own: CommittedBatch<R>[] = [];
  #nextOffset: Offset = 0;
  #lastEpoch: LeaderEpoch = 0;
  #lastTimestampMs = wallMs(-1);
  /** Bytes of records delivered since the last snapshot. */
  bytesSinceSnapshot = 0;

  constructor(folder: MetadataFolder, serde: RecordSerde<R>, listener: QuorumListener<R>) {
    this.#folder = folder;
    this.#serde = serde;
    this.#listener = listener;
  }

  get nextOffset(): Offset {
    return this.#nextOffset;
  }

  get delivered(): Delivered {
    const end = { offset: this.#nextOffset, epoch: this.#lastEpoch };
    return { end, lastTimestampMs: this.#lastTimestampMs };
  }

  appended(batch: CommittedBatch<R>): void {
    this.#own.push(batch);
  }

  /** Leadership was lost: what is not committed may never be. */
  forgetOwn(): void {
    this.#own = [];
  }

  /** Everything delivered counts no more; the checkpoint takes its place. */
  loadSnapshot(id: OffsetAndEpoch): void {
    this.#own = [];
    const reader = this.#folder.openSnapshot(id);
    try {
      const { lastContainedLogTimestampMs } = reader.head;
      this.#nextOffset = id.offset;
      this.#lastEpoch = id.epoch;
      this.#lastTimestampMs = lastContainedLogTimestampMs;
      this.bytesSinceSnapshot = 0;
      this.#listener.snapshotLoaded({
        endOffset: id.offset,
        epoch: id.epoch,
        lastContainedLogTimestampMs,
        batches: reader.batches(this.#serde),
      });
    } finally {
      reader.close();
    }
  }

  /** Delivers what is below the high watermark, a slice of it. True if there is more. */
  deliver(highWatermark: Offset): boolean {
    if (this.#nextOffset >= highWatermark) return false;
    const batches = this.#takeOwn(highWatermark) ?? this.#read(highWatermark);
    for (const { sizeBytes, records } of batches) {
      if (records.length > 0) this.bytesSinceSnapshot += sizeBytes;
    }
    const last = batches.at(-1);
    if (last === undefined) return false;
    this.#nextOffset = last.lastOffset + 1;
    this.#lastEpoch = last.epoch;
    this.#lastTimestampMs = last.appendTimestampMs;
    this.#listener.committed(batches);
    return this.#nextOffset < highWatermark;
  }

  #takeOwn(highWatermark: Offset): CommittedBatch<R>[] | undefined {
    while ((this.#own[0]?.lastOffset ?? this.#nextOffset) < this.#nextOffset) this.#own.shift();
    if (this.#own[0]?.baseOffset !== this.#nextOffset) return undefined;
    let count = 0;
    let next = this.#nextOffset;
    for (const { baseOffset, lastOffset: last } of this.#own) {
      if (baseOffset !== next || last >= highWatermark) break;
      next = last + 1;
      count++;
    }
    return count > 0 ? this.#own.splice(0, count) : undefined;
  }

  #read(highWatermark: Offset): CommittedBatch<R>[] {
    const read = this.#folder.log.readBytes(this.#nextOffset, {
      maxBytes: SLICE_BYTES,
      until: highWatermark,
      atLeastOneBatch: true,
    });
    const batches: CommittedBatch<R>[] = [];
    if (read === undefined) return batches;
    eachBatch(read.bytes, (position, size) => {
      // A read begins with the batch that holds the offset; here batches are never split.
      if (lastOffset(read.bytes, position) < this.#nextOffset) return;
      batches.push(readBatch(read.bytes, position, size, this.#serde));
    });
    return batches;
  }
}

/** A data file with its indexes: the batches from its base offset up to the next segment's. */
import type { LeaderEpoch, Offset } from '../base/ids';
import type { WallMs } from '../base/times';
import type { Disk } from '../platform/platform';
import { maxTimestamp, sizeInBytes } from '../protocol/records/batch';
import { AbortedIndex } from './aborted-index';
import { BatchWalk, lastOffsetOfBatch, type WalkBlock } from './batch-walk';
import { DataFile } from './data-file';
import { CorruptLogError } from './errors';
import type { IndexCache } from './index-cache';
import { segmentPath } from './names';
import { boundaryAtMost, positionForOffset } from './offset-index';
import type { OpenFiles } from './open-files';
import type { AbortedTransaction } from './open-transactions';
import { SegmentIndexes } from './segment-indexes';
import type { LogSettings } from './settings';
import { lastTimeEntry, offsetBefore } from './time-index';

/** What all segments of one owner share. */
export interface SegmentContext {
  readonly disk: Disk;
  readonly openFiles: OpenFiles;
  readonly indexes: IndexCache;
  readonly block: WalkBlock;
}

/** One batch and where it lies. */
export interface BatchPlace {
  readonly position: number;
  readonly size: number;
  readonly baseOffset: Offset;
  readonly lastOffset: Offset;
  readonly maxTimestamp: number;
  readonly leaderEpoch: LeaderEpoch;
}

/** Index entries keep offsets relative to the base in 31 bits. */
export const MAX_RELATIVE_OFFSET = 0x7fffffff;

/** A segment that one block of a walk holds needs no index: most of those of an idle broker. */
const SMALL_BYTES = 8192;

export class Segment {
  readonly baseOffset: Offset;
  readonly #data: DataFile;
  readonly #indexes: SegmentIndexes;
  readonly #aborted: AbortedIndex;
  readonly #block: WalkBlock;
  readonly #rollJitterMs: number;
  #createdAt: WallMs;
  #modifiedAt: WallMs;
  #bytesSinceIndexEntry = 0;
  /** -1 = none; undefined = not read from the time index yet. */
  #maxTimestamp: number | undefined;
  #offsetOfMaxTimestamp: Offset;
  /** Greatest timestamp of the first batch; undefined = not read yet, or no batch. */
  #firstTimestamp: number | undefined;
  /** Where the last read ended: a batch boundary, at which the next one most often begins. */
  #hintOffset = -1;
  #hintPosition = 0;

  private constructor(
    context: SegmentContext,
    data: DataFile,
    baseOffset: Offset,
    createdAt: WallMs,
    rollJitterMs: number,
  ) {
    this.#data = data;
    const stem = stemOf(data.path);
    this.#indexes = new SegmentIndexes(context.disk, context.indexes, stem);
    this.#aborted = new AbortedIndex(context.disk, context.indexes, `${stem}.txnindex`);
    this.#block = context.block;
    this.baseOffset = baseOffset;
    this.#createdAt = createdAt;
    this.#modifiedAt = createdAt;
    this.#rollJitterMs = rollJitterMs;
    this.#offsetOfMaxTimestamp = baseOffset;
  }

  /** A new empty segment to append to; the caller syncs the folder. */
  static create(
    context: SegmentContext,
    folder: string,
    baseOffset: Offset,
    now: WallMs,
    rollJitterMs: number,
  ): Segment {
    const data = DataFile.create(segmentPath(folder, baseOffset, '.log'), context.openFiles);
    const segment = new Segment(context, data, baseOffset, now, rollJitterMs);
    segment.clearIndexes();
    segment.clearAborted();
    return segment;
  }

  /** A segment found on disk, closed; `activate` it to append. */
  static open(
    context: SegmentContext,
    folder: string,
    baseOffset: Offset,
    now: WallMs,
    rollJitterMs: number,
  ): Segment {
    const data = DataFile.open(segmentPath(folder, baseOffset, '.log'), context.openFiles);
    data.setActive(false);
    return new Segment(context, data, baseOffset, now, rollJitterMs);
  }

  get size(): number {
    return this.#data.size;
  }

  get data(): DataFile {
    return this.#data;
  }

  /** Greatest timestamp in the segment; -1 if it has none. */
  get maxTimestamp(): number {
    return this.#maxTimestamp ?? this.#readMaxTimestamp();
  }

  /** Last offset of the first batch that has the greatest timestamp. */
  get offsetOfMaxTimestamp(): Offset {
    if (this.#maxTimestamp === undefined) this.#readMaxTimestamp();
    return this.#offsetOfMaxTimestamp;
  }

  canHold(offset: Offset): boolean {
    return offset >= this.baseOffset && offset - this.baseOffset <= MAX_RELATIVE_OFFSET;
  }

  /**
   * Whether a set of `size` bytes belongs into a new segment. An empty segment rolls for neither
   * size nor time nor a `segment.index.bytes` that has room for no entry.
   */
  shouldRoll(
    settings: LogSettings,
    size: number,
    incomingMaxTimestamp: number,
    lastOffset: Offset,
    now: WallMs,
  ): boolean {
    if (!this.canHold(lastOffset)) return true;
    if (this.size === 0) return false;
    if (this.size > settings.segmentBytes - size) return true;
    const waitedMs = this.#waitedMs(incomingMaxTimestamp, now);
    return waitedMs > settings.segmentMs - this.#rollJitterMs || this.#indexes.areFull(settings);
  }

  /**
   * Reads what an append or a truncation changes in memory, of aborted transactions if there are
   * any to note: it may fail for want of a descriptor, and then nothing is half done.
   */
  prepareChange(withAborted: boolean): void {
    this.#indexes.load();
    if (withAborted) this.#aborted.load();
  }

  /**
   * One write, then an index entry for each batch that begins more than `index.interval.bytes`
   * after the last indexed one; `prepareChange` was called. Throws the disk's error with the file
   * as before.
   */
  append(batches: Buffer, settings: LogSettings): void {
    let position = this.size;
    this.#data.append(batches);
    for (let at = 0; at < batches.length; ) {
      const size = sizeInBytes(batches, at);
      const lastOffset = lastOffsetOfBatch(batches, at);
      this.index(position, size, maxTimestamp(batches, at), lastOffset, settings);
      at += size;
      position += size;
    }
  }

  /** Notes the batch at `position`; batches come in order. Recovery calls it too. */
  index(
    position: number,
    size: number,
    timestamp: number,
    lastOffset: Offset,
    settings: LogSettings,
  ): void {
    this.#indexes.load();
    if (position === 0) this.#firstTimestamp = timestamp;
    if (timestamp > this.maxTimestamp) {
      this.#maxTimestamp = timestamp;
      this.#offsetOfMaxTimestamp = lastOffset;
    }
    if (this.#bytesSinceIndexEntry > settings.indexIntervalBytes) {
      const relative = lastOffset - this.baseOffset;
      const relativeOfMax = this.#offsetOfMaxTimestamp - this.baseOffset;
      this.#indexes.add(relative, position, this.maxTimestamp, relativeOfMax, settings);
      this.#bytesSinceIndexEntry = 0;
    }
    this.#bytesSinceIndexEntry += size;
  }

  /** Notes a transaction whose marker lies here; markers come in order. Recovery calls it too. */
  addAborted(aborted: AbortedTransaction): void {
    this.#aborted.add(aborted);
  }

  /**
   * Adds to `found` the aborted transactions that have records in [from, until) and end here. True
   * once no later segment can have more of them.
   */
  collectAborted(from: Offset, until: Offset, found: AbortedTransaction[]): boolean {
    return this.#aborted.collect(from, until, found);
  }

  /** Whether the file of aborted transactions, which exists, can be believed. */
  isAbortedIndexSound(endOffset: Offset): boolean {
    return this.#aborted.isSound(this.baseOffset, endOffset);
  }

  /** The first batch whose last offset is at least `offset`; undefined beyond the end. */
  locate(offset: Offset): BatchPlace | undefined {
    const isHinted = offset === this.#hintOffset;
    const walk = isHinted ? this.#walk(this.#hintPosition) : this.walkFrom(offset);
    while (walk.next()) {
      if (walk.lastOffset >= offset) return placeOf(walk);
    }
    return undefined;
  }

  /**
   * Where the last batch ends that ends at or before `limit`, a position inside the data; and the
   * base offset of the batch that follows. Not before the boundary `start`.
   */
  boundaryBefore(
    start: number,
    limit: number,
  ): { readonly position: number; readonly nextOffset: Offset } {
    const isSmall = this.size <= SMALL_BYTES;
    const boundary = isSmall ? start : boundaryAtMost(this.#indexes.offsets, limit);
    const walk = this.#walk(Math.max(start, boundary));
    while (walk.next()) {
      if (walk.position + walk.size > limit) break;
    }
    return { position: walk.position, nextOffset: walk.baseOffset };
  }

  /** A read that begins at `offset` will find it at `position` without a look-up. */
  hint(offset: Offset, position: number): void {
    this.#hintOffset = offset;
    this.#hintPosition = position;
  }

  /** The last batch of the segment. */
  lastBatch(): BatchPlace | undefined {
    const isSmall = this.size <= SMALL_BYTES;
    const walk = this.#walk(isSmall ? 0 : boundaryAtMost(this.#indexes.offsets, this.size - 1));
    let last: BatchPlace | undefined;
    while (walk.next()) last = placeOf(walk);
    return last;
  }

  /** Batches in order, from the one that holds `offset` or one before it. */
  walkFrom(offset: Offset): BatchWalk {
    if (this.size <= SMALL_BYTES) return this.#walk(0);
    return this.#walk(positionForOffset(this.#indexes.offsets, offset - this.baseOffset));
  }

  /** Batches in order; none that is left out is as young as `timestamp` and not below `from`. */
  walkFromTimestamp(timestamp: number, from: Offset): BatchWalk {
    const before = offsetBefore(this.#indexes.times, timestamp);
    return this.walkFrom(Math.max(this.baseOffset + before, from));
  }

  /** A copy of one whole batch. */
  readBatch({ position, size }: { readonly position: number; readonly size: number }): Buffer {
    const bytes = Buffer.allocUnsafe(size);
    const read = this.#data.readAt(bytes, 0, size, position);
    if (read < size) throw new CorruptLogError(`${this.#data.path} ends at ${position + read}`);
    return bytes;
  }

  /** Removes the batch that holds `offset` and all after it; the segment is then active. */
  truncateTo(offset: Offset, now: WallMs): void {
    this.activate();
    this.#indexes.load();
    const place = this.locate(offset);
    this.hint(-1, 0);
    this.#indexes.truncate(offset - this.baseOffset);
    this.#aborted.truncate(offset);
    if (place !== undefined) this.#data.truncate(place.position);
    if (this.size === 0) {
      this.#createdAt = now;
      this.#firstTimestamp = undefined;
    }
    this.#bytesSinceIndexEntry = 0;
    this.#findMaxTimestamp();
  }

  /** Begins the indexes anew; the caller then calls `index` for every batch. */
  clearIndexes(): void {
    this.#data.setActive(true);
    this.#indexes.clear();
    this.#bytesSinceIndexEntry = 0;
    this.#maxTimestamp = -1;
    this.#offsetOfMaxTimestamp = this.baseOffset;
    this.#firstTimestamp = undefined;
    this.hint(-1, 0);
  }

  /** Forgets the aborted transactions; the caller then calls `addAborted` for every one. */
  clearAborted(): void {
    this.#aborted.clear();
  }

  /**
   * May be appended to: the file stays open; the indexes come into memory with the first append.
   */
  activate(): void {
    this.#data.setActive(true);
  }

  /** Not earlier than the last append; closed segments only. */
  get modifiedAt(): WallMs {
    return this.#modifiedAt;
  }

  /** Appending is over: the indexes go to their files and out of memory. */
  deactivate(now: WallMs): void {
    this.#modifiedAt = now;
    this.writeIndexes();
    this.#indexes.unload();
    this.#data.setActive(false);
  }

  /** True if a file was made whose name must be made durable, too. */
  writeIndexes(): boolean {
    if (this.#indexes.areInMemory) {
      this.#indexes.write(this.maxTimestamp, this.offsetOfMaxTimestamp - this.baseOffset);
    }
    return this.#aborted.write();
  }

  get hasUnsyncedChanges(): boolean {
    const { hasUnsyncedFiles } = this.#indexes;
    return this.#data.hasUnsyncedChanges || hasUnsyncedFiles || this.#aborted.hasUnsyncedFile;
  }

  /** Makes the data, and index files written since the last time, durable. */
  async sync(): Promise<void> {
    await Promise.all([this.#data.sync(), this.#indexes.sync(), this.#aborted.sync()]);
  }

  /** The folder has a new name. */
  moved(folder: string): void {
    const path = segmentPath(folder, this.baseOffset, '.log');
    this.#data.moved(path);
    this.#indexes.moved(stemOf(path));
    this.#aborted.moved(`${stemOf(path)}.txnindex`);
  }

  close(): void {
    this.#indexes.forget();
    this.#aborted.forget();
    this.#data.close();
  }

  #walk(position: number): BatchWalk {
    return new BatchWalk(this.#data, this.#block, position, this.size);
  }

  #waitedMs(incomingMaxTimestamp: number, now: WallMs): number {
    if (this.#firstTimestamp === undefined) {
      const walk = this.#walk(0);
      if (walk.next()) this.#firstTimestamp = walk.maxTimestamp;
    }
    const first = this.#firstTimestamp ?? -1;
    return first >= 0 ? incomingMaxTimestamp - first : now - this.#createdAt;
  }

  /** A closed segment's last time entry is its greatest timestamp. */
  #readMaxTimestamp(): number {
    const last = lastTimeEntry(this.#indexes.times);
    this.#maxTimestamp = last?.timestamp ?? -1;
    this.#offsetOfMaxTimestamp = this.baseOffset + (last?.relativeOffset ?? 0);
    return this.#maxTimestamp;
  }

  /** After a truncation: what the time index still knows, or a batch after its last entry. */
  #findMaxTimestamp(): void {
    this.#readMaxTimestamp();
    const walk = this.walkFrom(this.#offsetOfMaxTimestamp);
    try {
      while (walk.next()) {
        if (walk.maxTimestamp <= this.maxTimestamp) continue;
        this.#maxTimestamp = walk.maxTimestamp;
        this.#offsetOfMaxTimestamp = walk.lastOffset;
      }
    } catch (error) {
      // Readers will hear of it; the segment is cut already.
      if (!(error instanceof CorruptLogError)) throw error;
    }
  }
}

function stemOf(path: string): string {
  return path.slice(0, -'.log'.length);
}

function placeOf(walk: BatchWalk): BatchPlace {
  return {
    position: walk.position,
    size: walk.size,
    baseOffset: walk.baseOffset,
    lastOffset: walk.lastOffset,
    maxTimestamp: walk.maxTimestamp,
    leaderEpoch: walk.leaderEpoch,
  };
}

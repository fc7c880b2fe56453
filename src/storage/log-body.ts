/**
 * What a log is made of: its segments, and everything that must change with them. Its methods throw
 * the disk's own errors; `log.ts` turns those into the folder's failure.
 */
import type { Offset } from '../base/ids';
import { InvariantError } from '../base/invariant';
import { systemErrorCode } from '../base/system-error';
import type { WallMs } from '../base/times';
import * as batch from '../protocol/records/batch';
import { type Survey, surveyAsFollower } from './append-survey';
import { PARTITION_METADATA_FILE } from './checkpoint';
import { Durability } from './durability';
import type { Epochs } from './epochs';
import type { LogContext } from './log-context';
import type { LogFolder } from './log-folder';
import { ProducerAppend } from './producer-append';
import { reloadProducers } from './producer-replay';
import type { ProducerSnapshots } from './producer-snapshots';
import type { Producers } from './producers';
import { type RecoveredLog, rollJitterMs } from './recovery';
import type { RetentionView } from './retention';
import { MAX_RELATIVE_OFFSET, Segment } from './segment';
import { SegmentRemover } from './segment-remover';
import { Segments } from './segments';
import type { LogSettings } from './settings';
import { finish } from './slices';

export class LogBody {
  readonly path: string;
  readonly segments: Segments;
  readonly epochs: Epochs;
  readonly producers: Producers;
  readonly durability: Durability;
  settings: LogSettings;
  readonly #context: LogContext;
  readonly #folder: LogFolder;
  readonly #snapshots: ProducerSnapshots;
  readonly #remover: SegmentRemover;
  #startOffset: Offset;
  #endOffset: Offset;

  constructor(
    context: LogContext,
    folder: LogFolder,
    path: string,
    settings: LogSettings,
    recovered: RecoveredLog,
    onFlushed: () => void,
  ) {
    this.#context = context;
    this.#folder = folder;
    this.path = path;
    this.settings = settings;
    this.segments = new Segments(recovered.segments);
    this.epochs = recovered.epochs;
    this.producers = recovered.producers;
    this.#snapshots = recovered.snapshots;
    this.#startOffset = recovered.startOffset;
    this.#endOffset = recovered.endOffset;
    this.#remover = new SegmentRemover(context, folder, path);
    this.durability = new Durability({
      context,
      folder,
      path,
      segments: this.segments,
      epochs: this.epochs,
      flushedEndOffset: recovered.recoveryPoint,
      onFlushed,
    });
  }

  get startOffset(): Offset {
    return this.#startOffset;
  }

  get endOffset(): Offset {
    return this.#endOffset;
  }

  /** The log is new, or the process that made it may have ended before its first flush. */
  mayBeUnsynced(): void {
    this.durability.fileWritten(`${this.path}/${PARTITION_METADATA_FILE}`);
    this.durability.folderMade();
  }

  /** Appends what was surveyed, into a new segment if it must be; its producers then change. */
  write(batches: Buffer, survey: Survey, producers: ProducerAppend): void {
    const { baseOffset, lastOffset, maxTimestamp } = survey;
    const now = this.#context.clock.wallMs();
    const { active } = this.segments;
    if (active.shouldRoll(this.settings, batches.length, maxTimestamp, lastOffset, now)) {
      // At the end offset even before a gap, so that segments join: recovery can tell a lost tail.
      const isFar = lastOffset - this.#endOffset > MAX_RELATIVE_OFFSET;
      this.roll(isFar ? baseOffset : this.#endOffset);
    }
    const segment = this.segments.active;
    segment.prepareChange(producers.abortsAny);
    const sizeBefore = segment.size;
    try {
      segment.append(batches, this.settings);
      this.#endOffset = lastOffset + 1;
      this.producers.endOffset = this.#endOffset;
      for (const aborted of producers.commit()) segment.addAborted(aborted);
    } catch (error) {
      // A bug ends the node anyway.
      const isHalfDone = segment.size !== sizeBefore && !(error instanceof InvariantError);
      if (isHalfDone) this.#giveUp('appending to', error);
      throw error;
    }
  }

  /**
   * As `write`, with the epochs that leaders wrote into the batches. What a leader with larger
   * segments put together is taken batch by batch.
   */
  writeAsFollower(batches: Buffer, survey: Survey, producers: ProducerAppend): void {
    const isSmall = batches.length <= this.settings.segmentBytes;
    if (isSmall && survey.lastOffset - survey.baseOffset <= MAX_RELATIVE_OFFSET) {
      this.write(batches, survey, producers);
      this.#assignEpochs(batches);
      return;
    }
    for (let at = 0; at < batches.length; ) {
      const size = batch.sizeInBytes(batches, at);
      const one = batches.subarray(at, at + size);
      const alone = new ProducerAppend(this.producers, 'follower');
      this.write(one, surveyAsFollower(one, this.#endOffset, alone), alone);
      this.#assignEpochs(one);
      at += size;
    }
  }

  /** The new segment begins at `baseOffset`, not below the end offset. */
  roll(baseOffset: Offset): void {
    const closed = this.segments.active;
    if (closed.size > 0) closed.deactivate(this.#context.clock.wallMs());
    this.#addSegment(baseOffset);
    if (closed.size === 0) this.#removeEmpty(this.segments.count - 2);
    this.producers.endOffset = baseOffset;
    this.#takeSnapshot();
    // The closed segment becomes durable in the background, as in Kafka.
    this.durability.flushInBackground(Math.min(baseOffset, this.#endOffset));
  }

  /** Cuts within the segments; `offset` lies between the first one's base and the end. */
  truncateTo(offset: Offset): void {
    const index = this.segments.indexOf(offset);
    // Damage before the cut is found, and what must be opened is, while everything is as it was.
    this.segments.at(index).prepareChange(true);
    this.segments.at(index).locate(offset);
    this.#wholly('truncating', () => {
      this.#removeNewest(index + 1);
      this.segments.active.truncateTo(offset, this.#context.clock.wallMs());
      this.#startOffset = Math.min(this.#startOffset, offset);
      this.#endsAt(offset);
      this.epochs.truncateFromEnd(offset);
      this.#reloadProducers();
    });
  }

  /** Empties the log; it goes on at `offset`. */
  beginAt(offset: Offset): void {
    this.#wholly('truncating', () => {
      this.#removeNewest(0);
      this.#snapshots.removeWhere(() => true);
      this.epochs.clear();
      this.producers.clear(offset);
      this.#startOffset = offset;
      this.#endsAt(offset);
      this.durability.startsAt(offset);
      this.#addSegment(offset);
    });
  }

  /** Raises the start offset; the segments stay. */
  advanceStartOffset(offset: Offset): void {
    if (offset <= this.#startOffset) return;
    this.#startOffset = offset;
    this.epochs.truncateFromStart(offset);
    this.#context.changed();
  }

  /** The oldest `count` segments go; the caller has rolled if that is all of them. */
  removeOldest(count: number): void {
    this.advanceStartOffset(this.segments.at(count).baseOffset);
    const segments = this.#detachSegments(0, count);
    this.#remover.removeOldest(segments, this.settings.fileDeleteDelayMs);
  }

  retentionView(now: WallMs, highWatermark: Offset): RetentionView {
    const { active, list } = this.segments;
    return {
      segments: list.map((segment) => ({
        baseOffset: segment.baseOffset,
        size: segment.size,
        maxTimestamp: segment.maxTimestamp,
        modifiedAt: segment === active ? now : segment.modifiedAt,
      })),
      startOffset: this.#startOffset,
      endOffset: this.#endOffset,
      highWatermark,
    };
  }

  /** Starts the fsync that `flush.messages` and `flush.ms` ask for. */
  flushIfDue(): void {
    const unflushed = this.#endOffset - this.durability.flushedEndOffset;
    if (unflushed <= 0) return;
    if (unflushed >= this.settings.flushMessages) {
      this.durability.flushInBackground(this.#endOffset);
    } else if (this.settings.flushMs < Number.POSITIVE_INFINITY) {
      this.durability.flushWithin(this.settings.flushMs, () => this.#endOffset);
    }
  }

  /** Everything goes to the files, durably: indexes, the producer snapshot, names. */
  async settle(): Promise<void> {
    await this.#remover.settled();
    await this.durability.flushAnew(this.#endOffset);
  }

  /** What `settle` is to make durable. */
  writeClosingFiles(): void {
    this.writeIndexes();
    if (this.producers.count > 0 || this.#snapshots.latest !== undefined) this.#takeSnapshot();
  }

  /** Those of the active segment. */
  writeIndexes(): void {
    if (this.segments.active.writeIndexes()) this.durability.namesChanged();
  }

  closeFiles(): void {
    this.durability.stop();
    this.#remover.stop();
    for (const segment of this.segments.list) segment.close();
  }

  #assignEpochs(batches: Buffer): void {
    for (let at = 0; at < batches.length; at += batch.sizeInBytes(batches, at)) {
      const epoch = batch.magic(batches, at) === 2 ? batch.leaderEpoch(batches, at) : -1;
      if (epoch >= 0) this.epochs.assign(epoch, batch.baseOffset(batches, at));
    }
  }

  #wholly(doing: string, change: () => void): void {
    try {
      change();
    } catch (error) {
      if (systemErrorCode(error) !== undefined) this.#giveUp(doing, error);
      throw error;
    }
  }

  /**
   * The files are no longer what this says of them. Even a shortage of descriptors, which costs no
   * folder otherwise, is then its end: the next start reads what the files hold.
   */
  #giveUp(doing: string, cause: unknown): void {
    this.#folder.fail(`${doing} ${this.path}`, cause);
  }

  #addSegment(baseOffset: Offset): void {
    const now = this.#context.clock.wallMs();
    const jitterMs = rollJitterMs(this.#context, this.settings);
    this.segments.add(Segment.create(this.#context, this.path, baseOffset, now, jitterMs));
    this.durability.namesChanged();
  }

  #takeSnapshot(): void {
    const { endOffset } = this.producers;
    if (endOffset <= (this.#snapshots.latest ?? -1)) return;
    this.#snapshots.write(endOffset, this.producers.all());
    this.durability.fileWritten(this.#snapshots.pathOf(endOffset));
  }

  /** Out of service at once: slices on their way out keep what they need. */
  #detachSegments(from: number, to: number): Segment[] {
    const segments = this.segments.remove(from, to);
    for (const segment of segments) {
      segment.close();
      this.#snapshots.remove(segment.baseOffset);
    }
    this.durability.namesChanged();
    return segments;
  }

  #removeEmpty(at: number): void {
    const segments = this.#detachSegments(at, at + 1);
    this.#remover.removeNewest(segments, this.settings.fileDeleteDelayMs);
  }

  #removeNewest(from: number): void {
    const segments = this.#detachSegments(from, this.segments.count);
    this.#remover.removeNewest(segments, this.settings.fileDeleteDelayMs);
  }

  #endsAt(offset: Offset): void {
    if (offset < this.durability.flushedEndOffset) this.#context.recoveryPointFell();
    this.#endOffset = offset;
    this.durability.truncated(offset);
  }

  /** Without producers before a truncation there are none after it. */
  #reloadProducers(): void {
    if (this.producers.count === 0) {
      this.#snapshots.removeWhere((offset) => offset > this.#endOffset);
      this.producers.clear(this.#endOffset);
      return;
    }
    const { list } = this.segments;
    finish(
      reloadProducers(
        this.#context,
        list,
        this.#snapshots,
        this.producers,
        this.#startOffset,
        this.#endOffset,
      ),
    );
  }
}

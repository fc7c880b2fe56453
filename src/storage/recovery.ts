/**
 * Opens the folder of one log. After a clean stop what the files say is believed. After a crash
 * every segment from the one that holds the recovery point on is read batch by batch: a torn or
 * damaged tail is cut off; indexes, producer states and epochs are made anew. In slices of about 1
 * MiB.
 */
import type { Offset } from '../base/ids';
import { CheckpointError, decodeEpochs, EPOCH_FILE } from './checkpoint';
import { Epochs } from './epochs';
import { CorruptLogError } from './errors';
import { cleanUpFolder, type FolderContents } from './folder-cleanup';
import type { LogContext } from './log-context';
import { segmentPath } from './names';
import { reloadProducers } from './producer-replay';
import { ProducerSnapshots } from './producer-snapshots';
import { Producers } from './producers';
import { Segment } from './segment';
import { SegmentScan } from './segment-scan';
import type { LogSettings } from './settings';

export interface RecoveryOptions {
  /** The partition's folder; it exists. */
  readonly path: string;
  readonly settings: LogSettings;
  /** Checkpointed: everything below was durable. */
  readonly recoveryPoint: Offset;
  /** Checkpointed, 0 if none: the log begins here or at its first segment, whichever is later. */
  readonly startOffset: Offset;
  /** The folder was closed in order. */
  readonly isClean: boolean;
}

export interface RecoveredLog {
  readonly segments: readonly Segment[];
  readonly epochs: Epochs;
  readonly producers: Producers;
  readonly snapshots: ProducerSnapshots;
  readonly startOffset: Offset;
  readonly endOffset: Offset;
  readonly recoveryPoint: Offset;
  /** Its folder was just made: nothing of it is durable yet. */
  readonly isNew: boolean;
}

/** Yields how many bytes it read since the last time. Throws the disk's errors. */
export function recoverLog(
  context: LogContext,
  options: RecoveryOptions,
): Generator<number, RecoveredLog> {
  return new Recovery(context, options).run();
}

/** A log whose folder was just made. */
export function newLog(context: LogContext, path: string, settings: LogSettings): RecoveredLog {
  const now = context.clock.wallMs();
  return {
    segments: [Segment.create(context, path, 0, now, rollJitterMs(context, settings))],
    epochs: new Epochs(),
    producers: new Producers(),
    snapshots: new ProducerSnapshots(context.disk, path, []),
    startOffset: 0,
    endOffset: 0,
    recoveryPoint: 0,
    isNew: true,
  };
}

class Recovery {
  readonly #context: LogContext;
  readonly #options: RecoveryOptions;
  readonly #contents: FolderContents;
  #segments: Segment[];
  #epochs = new Epochs();
  readonly #producers = new Producers();
  readonly #snapshots: ProducerSnapshots;
  /** Index of the first segment to be read again. */
  #scanFrom: number;
  #areProducersAtEnd = false;

  constructor(context: LogContext, options: RecoveryOptions) {
    this.#context = context;
    this.#options = options;
    this.#contents = cleanUpFolder(context, options.path);
    this.#segments = this.#contents.bases.map((base) => this.#openSegment(base));
    this.#snapshots = new ProducerSnapshots(context.disk, options.path, this.#contents.snapshots);
    this.#scanFrom = options.isClean ? this.#segments.length : this.#indexOf(options.recoveryPoint);
  }

  *run(): Generator<number, RecoveredLog> {
    this.#loadEpochs();
    this.#checkAborted();
    yield* this.#rebuildMissingIndexes();
    this.#checkEnd();
    const wasScanned = this.#scanFrom < this.#segments.length;
    if (wasScanned) yield* this.#scanSegments();
    if (wasScanned && this.#isCheckpointForeign()) {
      this.#scanFrom = 0;
      yield* this.#scanSegments();
    }
    // What was cut is not durable yet: a next crash must read the same segments again.
    const scannedFrom = this.#segments[this.#scanFrom]?.baseOffset ?? 0;
    const endOffset = this.#settleEnd();
    const startOffset = this.#startOffset;
    this.#epochs.truncateFromEnd(endOffset);
    this.#epochs.truncateFromStart(this.#options.startOffset);
    yield* this.#loadProducers(startOffset, endOffset);
    this.#segments[this.#segments.length - 1]?.activate();
    return {
      segments: this.#segments,
      epochs: this.#epochs,
      producers: this.#producers,
      snapshots: this.#snapshots,
      startOffset,
      endOffset,
      recoveryPoint: wasScanned ? Math.min(scannedFrom, endOffset) : endOffset,
      isNew: false,
    };
  }

  get #startOffset(): Offset {
    return Math.max(this.#options.startOffset, this.#segments[0]?.baseOffset ?? 0);
  }

  #openSegment(base: Offset): Segment {
    const { path, settings } = this.#options;
    const jitterMs = rollJitterMs(this.#context, settings);
    return Segment.open(this.#context, path, base, this.#context.clock.wallMs(), jitterMs);
  }

  /**
   * The segment of the last record below the recovery point. If it was closed there, its index of
   * aborted transactions is durable only once something behind it is, and is not missed if lost.
   */
  #indexOf(recoveryPoint: Offset): number {
    const above = this.#segments.findIndex(({ baseOffset }) => baseOffset >= recoveryPoint);
    return Math.max(0, (above < 0 ? this.#segments.length : above) - 1);
  }

  /** A malformed checkpoint is made again from the batches, so all of them are read. */
  #loadEpochs(): void {
    const path = `${this.#options.path}/${EPOCH_FILE}`;
    if (!this.#context.disk.exists(path)) return;
    try {
      this.#epochs = new Epochs(decodeEpochs(this.#context.disk.readFile(path)));
    } catch (error) {
      if (!(error instanceof CheckpointError)) throw error;
      this.#context.log.warn('a leader epoch checkpoint is made anew', { path, error });
      this.#scanFrom = 0;
    }
  }

  /** What segments with a damaged index of aborted transactions held is read again from there. */
  #checkAborted(): void {
    for (const [at, segment] of this.#segments.slice(0, this.#scanFrom).entries()) {
      if (!this.#contents.withAborted.has(segment.baseOffset)) continue;
      const endOffset = this.#segments[at + 1]?.baseOffset ?? Number.POSITIVE_INFINITY;
      if (segment.isAbortedIndexSound(endOffset)) continue;
      this.#context.log.warn('an index of aborted transactions is made anew', {
        path: segment.data.path,
      });
      this.#scanFrom = at;
      return;
    }
  }

  /** For segments that are not read again. Damage in one stays for those who read it. */
  *#rebuildMissingIndexes(): Generator<number, void> {
    for (const segment of this.#segments.slice(0, this.#scanFrom)) {
      if (!this.#contents.withoutIndex.has(segment.baseOffset)) continue;
      try {
        yield* this.#rebuildIndexes(segment);
      } catch (error) {
        if (!(error instanceof CorruptLogError)) throw error;
        this.#context.log.error('a segment is damaged', { path: segment.data.path, error });
      }
      segment.deactivate(this.#context.clock.wallMs());
    }
  }

  *#rebuildIndexes(segment: Segment): Generator<number, void> {
    segment.clearIndexes();
    const walk = segment.walkFrom(segment.baseOffset);
    let unreported = 0;
    while (walk.next()) {
      const { position, size, maxTimestamp, lastOffset } = walk;
      segment.index(position, size, maxTimestamp, lastOffset, this.#options.settings);
      unreported += size;
      if (unreported < SLICE_BYTES) continue;
      yield unreported;
      unreported = 0;
    }
  }

  /** The end of the log must be readable; if it is not, the stop was not as clean as it says. */
  #checkEnd(): void {
    const last = this.#segments.length - 1;
    if (this.#scanFrom <= last) return;
    try {
      this.#segments[last]?.lastBatch();
    } catch (error) {
      if (!(error instanceof CorruptLogError)) throw error;
      this.#context.log.warn('a log that was closed cleanly is damaged and is read again', {
        path: this.#options.path,
        error,
      });
      this.#scanFrom = last;
    }
  }

  /** Reads segments until one ends badly: it is cut there, and those behind it go. */
  *#scanSegments(): Generator<number, void> {
    const first = this.#segments[this.#scanFrom] as Segment;
    yield* reloadProducers(
      this.#context,
      this.#segments.slice(0, this.#scanFrom),
      this.#snapshots,
      this.#producers,
      Math.min(this.#startOffset, first.baseOffset),
      first.baseOffset,
    );
    let leaderEpoch = -1;
    for (let at = this.#scanFrom; at < this.#segments.length; at++) {
      const segment = this.#segments[at] as Segment;
      const next = this.#segments[at + 1];
      const { settings } = this.#options;
      const scan = new SegmentScan(segment, settings, this.#epochs, this.#producers, leaderEpoch);
      yield* scan.run();
      leaderEpoch = scan.leaderEpoch;
      if (scan.cutBytes > 0 || endsEarly(scan, next)) this.#cut(segment, scan.cutBytes, at);
      else if (next !== undefined) this.#closeScanned(segment, next.baseOffset);
    }
    this.#areProducersAtEnd = true;
  }

  /**
   * What was durable once is not there: the log was cut since, or it is another one of that name,
   * and its checkpoint is older. Then it says nothing about the older segments either.
   */
  #isCheckpointForeign(): boolean {
    return this.#scanFrom > 0 && this.#producers.endOffset < this.#options.recoveryPoint;
  }

  #closeScanned(segment: Segment, nextBase: Offset): void {
    segment.deactivate(this.#context.clock.wallMs());
    this.#producers.endOffset = nextBase;
    this.#snapshots.write(nextBase, this.#producers.all());
  }

  #cut(segment: Segment, cutBytes: number, at: number): void {
    const behind = this.#segments.splice(at + 1);
    this.#context.log.warn('cut a torn or damaged tail off a log', {
      path: segment.data.path,
      position: segment.size,
      cutBytes,
      segmentsRemoved: behind.length,
    });
    this.#removeSegments(behind);
  }

  #removeSegments(segments: readonly Segment[]): void {
    for (const segment of segments) {
      segment.close();
      this.#snapshots.remove(segment.baseOffset);
      for (const suffix of ['.log', '.index', '.timeindex', '.txnindex'] as const) {
        const path = segmentPath(this.#options.path, segment.baseOffset, suffix);
        if (this.#context.disk.exists(path)) this.#context.disk.remove(path);
      }
    }
  }

  /** The end offset; a log that ends before its checkpointed start begins anew there. */
  #settleEnd(): Offset {
    const { startOffset, path, settings } = this.#options;
    const last = this.#segments[this.#segments.length - 1];
    const endOffset =
      last === undefined ? -1 : (last.lastBatch()?.lastOffset ?? last.baseOffset - 1) + 1;
    if (endOffset >= startOffset) return endOffset;
    if (last !== undefined) {
      this.#context.log.warn('a log ended before its start offset and begins anew', {
        path,
        endOffset,
        startOffset,
      });
    }
    this.#removeSegments(this.#segments);
    this.#snapshots.removeWhere(() => true);
    this.#epochs.clear();
    this.#producers.clear(startOffset);
    const now = this.#context.clock.wallMs();
    const jitterMs = rollJitterMs(this.#context, settings);
    this.#segments = [Segment.create(this.#context, path, startOffset, now, jitterMs)];
    return startOffset;
  }

  /** Clean and without any snapshot: there was no producer (Kafka takes an upgrade so, too). */
  *#loadProducers(startOffset: Offset, endOffset: Offset): Generator<number, void> {
    this.#snapshots.removeStray(this.#segments.map(({ baseOffset }) => baseOffset));
    if (this.#areProducersAtEnd) return;
    if (this.#options.isClean && this.#snapshots.latest === undefined) {
      this.#producers.clear(endOffset);
      return;
    }
    yield* reloadProducers(
      this.#context,
      this.#segments,
      this.#snapshots,
      this.#producers,
      startOffset,
      endOffset,
    );
  }
}

/**
 * A power loss may take a segment's tail at a batch boundary while the next segment survives. Those
 * behind such a hole were never promised, and go: a log holds a prefix of what was appended. Gaps
 * that compaction made are told apart by the segment's own; it must therefore touch only segments
 * below the recovery point on disk.
 */
function endsEarly(scan: SegmentScan, next: Segment | undefined): boolean {
  return next !== undefined && scan.isDense && scan.endOffset < next.baseOffset;
}

/** What to take off `segment.ms` for one segment, so that not all logs roll at once. */
export function rollJitterMs(context: LogContext, settings: LogSettings): number {
  const most = Math.min(settings.segmentJitterMs, settings.segmentMs);
  return most > 0 ? context.random.below(Math.min(most, 0x7fffffff)) : 0;
}

const SLICE_BYTES = 1024 * 1024;

/** What the core knows of the log: where it starts and ends, its epochs and its snapshots. */
import type { LeaderEpoch, Offset } from '../base/ids';
import { invariant } from '../base/invariant';

/** A place in the log: the end (exclusive) of what was written up to that epoch. */
export interface OffsetAndEpoch {
  readonly offset: Offset;
  readonly epoch: LeaderEpoch;
}

/** The checkpoint that `storage format` writes; it is never sent to others. */
export const BOOTSTRAP_SNAPSHOT: OffsetAndEpoch = { offset: 0, epoch: 0 };

export interface EpochStart {
  readonly epoch: LeaderEpoch;
  readonly startOffset: Offset;
}

/** Whether a replica's end lies on this log, and what it must do if not. */
export type Validity =
  | { readonly kind: 'valid' }
  | { readonly kind: 'diverging'; readonly at: OffsetAndEpoch }
  | { readonly kind: 'snapshot'; readonly id: OffsetAndEpoch };

export interface LogShape {
  readonly startOffset: Offset;
  readonly endOffset: Offset;
  /** Both fields strictly increasing. */
  readonly epochs: readonly EpochStart[];
  /** In any order. */
  readonly snapshots: readonly OffsetAndEpoch[];
}

export class LogView {
  #startOffset: Offset;
  #endOffset: Offset;
  readonly #epochs: EpochStart[];
  #snapshots: OffsetAndEpoch[];

  constructor(shape: LogShape) {
    this.#startOffset = shape.startOffset;
    this.#endOffset = shape.endOffset;
    this.#epochs = [...shape.epochs];
    this.#snapshots = [...shape.snapshots].sort(compareEnds);
  }

  get startOffset(): Offset {
    return this.#startOffset;
  }

  get endOffset(): Offset {
    return this.#endOffset;
  }

  get latestSnapshot(): OffsetAndEpoch | undefined {
    return this.#snapshots.at(-1);
  }

  get earliestSnapshot(): OffsetAndEpoch | undefined {
    return this.#snapshots[0];
  }

  get snapshots(): readonly OffsetAndEpoch[] {
    return this.#snapshots;
  }

  get epochs(): readonly EpochStart[] {
    return this.#epochs;
  }

  hasSnapshot(id: OffsetAndEpoch): boolean {
    return this.#snapshots.some((known) => compareEnds(known, id) === 0);
  }

  /** The epoch of the last record; of the snapshot if the log is empty behind one; 0 if new. */
  get lastEpoch(): LeaderEpoch {
    const last = this.#epochs.at(-1);
    if (last !== undefined) return last.epoch;
    const snapshot = this.latestSnapshot;
    return snapshot?.offset === this.#endOffset ? snapshot.epoch : 0;
  }

  get end(): OffsetAndEpoch {
    return { offset: this.#endOffset, epoch: this.lastEpoch };
  }

  append(baseOffset: Offset, lastOffset: Offset, epoch: LeaderEpoch): void {
    invariant(baseOffset === this.#endOffset, 'the metadata log has no gaps');
    invariant(epoch >= this.lastEpoch, 'the epochs of the metadata log never fall');
    if (epoch > (this.#epochs.at(-1)?.epoch ?? -1)) {
      this.#epochs.push({ epoch, startOffset: baseOffset });
    }
    this.#endOffset = lastOffset + 1;
  }

  truncateTo(offset: Offset): void {
    invariant(offset >= this.#startOffset, 'a log is not truncated below its start');
    while ((this.#epochs.at(-1)?.startOffset ?? -1) >= offset) this.#epochs.pop();
    this.#endOffset = Math.min(this.#endOffset, offset);
  }

  addSnapshot(id: OffsetAndEpoch): void {
    if (this.hasSnapshot(id)) return;
    this.#snapshots = [...this.#snapshots, id].sort(compareEnds);
  }

  /** The snapshot takes the place of the whole log. */
  startAtSnapshot(id: OffsetAndEpoch): void {
    this.addSnapshot(id);
    this.#epochs.length = 0;
    this.#startOffset = id.offset;
    this.#endOffset = id.offset;
    this.#forgetBefore(id);
  }

  /** Segments and snapshots before this snapshot were deleted. */
  deleteBefore(id: OffsetAndEpoch): void {
    this.#startOffset = Math.max(this.#startOffset, id.offset);
    let first: EpochStart | undefined;
    while (
      (this.#epochs[0]?.startOffset ?? this.#endOffset) <= id.offset &&
      this.#epochs.length > 0
    ) {
      first = this.#epochs.shift();
    }
    // The epoch in which the log now starts keeps its entry, unless nothing of it is left.
    if (first !== undefined && this.#epochs[0]?.startOffset !== id.offset) {
      if (id.offset < this.#endOffset)
        this.#epochs.unshift({ epoch: first.epoch, startOffset: id.offset });
    }
    this.#forgetBefore(id);
  }

  /** The largest epoch that is no newer than `epoch`, and where it ends. */
  endOffsetFor(epoch: LeaderEpoch): OffsetAndEpoch {
    const end = this.#endInCache(epoch);
    if (end === undefined) return this.end;
    const earliest = this.earliestSnapshot;
    if (earliest !== undefined && end.offset === earliest.offset && end.epoch === epoch) {
      return earliest;
    }
    return end;
  }

  /** Where a replica that has (offset, epoch) as its end stands against this log (KIP-595, 630). */
  validate(offset: Offset, epoch: LeaderEpoch): Validity {
    if (this.#startOffset === 0 && offset === 0) return { kind: 'valid' };
    const earliest = this.earliestSnapshot;
    const latest = this.latestSnapshot;
    if (
      earliest !== undefined &&
      latest !== undefined &&
      (offset < this.#startOffset ||
        (offset === this.#startOffset && epoch !== earliest.epoch) ||
        epoch < earliest.epoch)
    ) {
      return { kind: 'snapshot', id: latest };
    }
    const end = this.endOffsetFor(epoch);
    if (end.epoch !== epoch || end.offset < offset) return { kind: 'diverging', at: end };
    return { kind: 'valid' };
  }

  /** Where to truncate when the leader's log ends epoch `at.epoch` at `at.offset`. */
  truncationOffset(at: OffsetAndEpoch): Offset {
    const lastEpoch = this.lastEpoch;
    if (at.epoch > lastEpoch) return this.#endOffset;
    const own = this.endOffsetFor(at.epoch);
    return own.epoch === at.epoch ? Math.min(own.offset, at.offset) : own.offset;
  }

  #endInCache(epoch: LeaderEpoch): OffsetAndEpoch | undefined {
    const last = this.#epochs.at(-1);
    if (last === undefined || epoch > last.epoch) return undefined;
    if (epoch === last.epoch) return { epoch, offset: this.#endOffset };
    const next = this.#epochs.findIndex((entry) => entry.epoch > epoch);
    const higher = this.#epochs[next] as EpochStart;
    const lower = this.#epochs[next - 1];
    return { epoch: lower?.epoch ?? epoch, offset: higher.startOffset };
  }

  #forgetBefore(id: OffsetAndEpoch): void {
    this.#snapshots = this.#snapshots.filter((known) => compareEnds(known, id) >= 0);
  }
}

/** By epoch, then by offset: how up to date a log is. */
export const compareEnds = (one: OffsetAndEpoch, other: OffsetAndEpoch): number =>
  one.epoch - other.epoch || one.offset - other.offset;

/** Where in a log each leader epoch begins (KIP-101, KIP-279): the leader-epoch-checkpoint. */
import type { LeaderEpoch, Offset } from '../base/ids';
import { invariant } from '../base/invariant';

export interface EpochStart {
  readonly epoch: LeaderEpoch;
  readonly startOffset: Offset;
}

/** Both epochs and offsets rise strictly along the entries. */
export class Epochs {
  #entries: EpochStart[] = [];
  #hasUnsavedChanges = false;

  constructor(entries: Iterable<EpochStart> = []) {
    for (const { epoch, startOffset } of entries) this.assign(epoch, startOffset);
    this.#hasUnsavedChanges = false;
  }

  get entries(): readonly EpochStart[] {
    return this.#entries;
  }

  get hasUnsavedChanges(): boolean {
    return this.#hasUnsavedChanges;
  }

  /** What `entries` are now is being written. */
  markSaved(): void {
    this.#hasUnsavedChanges = false;
  }

  get latest(): LeaderEpoch | undefined {
    return this.#entries[this.#entries.length - 1]?.epoch;
  }

  /**
   * `epoch` begins at `startOffset`: nothing if it is known as the latest from there or earlier;
   * entries that contradict it go.
   */
  assign(epoch: LeaderEpoch, startOffset: Offset): void {
    invariant(epoch >= 0 && startOffset >= 0, 'a leader epoch and its start are not negative');
    const latest = this.#entries[this.#entries.length - 1];
    if (latest !== undefined && latest.epoch === epoch && startOffset >= latest.startOffset) return;
    this.#entries = this.#entries.filter(
      (entry) => entry.epoch < epoch && entry.startOffset < startOffset,
    );
    this.#entries.push({ epoch, startOffset });
    this.#hasUnsavedChanges = true;
  }

  /**
   * A batch of `epoch` was found at `offset`, which counts more than what a file says that may be
   * older than a truncation, or that begins where the log began before a restart.
   */
  found(epoch: LeaderEpoch, offset: Offset): void {
    if (this.epochAt(offset) === epoch) return;
    this.#replace(
      this.#entries.filter((entry) => entry.epoch <= epoch && entry.startOffset <= offset),
    );
    this.assign(epoch, offset);
  }

  /**
   * The largest epoch not above `epoch`, and where it ends; below the first known one: `epoch`
   * itself, ending where the first begins. Undefined above the latest, and for -1.
   */
  endOffsetFor(
    epoch: LeaderEpoch,
    logEndOffset: Offset,
  ): { readonly epoch: LeaderEpoch; readonly endOffset: Offset } | undefined {
    if (epoch < 0) return undefined;
    if (epoch === this.latest) return { epoch, endOffset: logEndOffset };
    const above = this.#entries.findIndex((entry) => entry.epoch > epoch);
    const higher = this.#entries[above];
    if (higher === undefined) return undefined;
    const floor = this.#entries[above - 1];
    return { epoch: floor?.epoch ?? epoch, endOffset: higher.startOffset };
  }

  /** Undefined below the first entry. */
  epochAt(offset: Offset): LeaderEpoch | undefined {
    let found: LeaderEpoch | undefined;
    for (const entry of this.#entries) {
      if (entry.startOffset > offset) break;
      found = entry.epoch;
    }
    return found;
  }

  /** Epochs that begin at or after the new end of the log go. */
  truncateFromEnd(endOffset: Offset): void {
    this.#replace(this.#entries.filter((entry) => entry.startOffset < endOffset));
  }

  /** Of the epochs that begin at or below the new start, the last stays and begins there. */
  truncateFromStart(startOffset: Offset): void {
    const kept = this.#entries.filter((entry) => entry.startOffset > startOffset);
    const last = this.#entries[this.#entries.length - kept.length - 1];
    if (last === undefined) return;
    const isUnchanged =
      last.startOffset === startOffset && kept.length + 1 === this.#entries.length;
    if (isUnchanged) return;
    this.#entries = [{ epoch: last.epoch, startOffset }, ...kept];
    this.#hasUnsavedChanges = true;
  }

  clear(): void {
    this.#replace([]);
  }

  #replace(entries: EpochStart[]): void {
    if (entries.length === this.#entries.length) return;
    this.#entries = entries;
    this.#hasUnsavedChanges = true;
  }
}

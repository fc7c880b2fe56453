/**
 * The transactions of one log that are open, and those that ended but whose end may still be lost:
 * below the first of them everything is decided (KIP-98's first unstable offset).
 */
import type { Offset, ProducerId } from '../base/ids';

/** A transaction that was aborted, as consumers and the aborted index are told. */
export interface AbortedTransaction {
  readonly producerId: ProducerId;
  readonly firstOffset: Offset;
  /** Of its marker. */
  readonly lastOffset: Offset;
  /** What was decided once it had ended: the next open one, or past the marker. */
  readonly lastStableOffset: Offset;
}

interface Ended {
  readonly firstOffset: Offset;
  readonly lastOffset: Offset;
}

export class OpenTransactions {
  /** By first offset, which rises in the order of insertion. */
  #open = new Map<Offset, ProducerId>();
  /**
   * Markers that are not committed. Of two, the later one that began earlier hides the other, so
   * both offsets rise and the first entry is the lowest.
   */
  readonly #ended: Ended[] = [];

  /** Undefined: nothing is undecided. */
  get firstUnstableOffset(): Offset | undefined {
    const open = this.#firstOpen;
    const ended = this.#ended[0]?.firstOffset;
    return open === undefined || (ended !== undefined && ended < open) ? ended : open;
  }

  begin(firstOffset: Offset, producerId: ProducerId): void {
    this.#open.set(firstOffset, producerId);
  }

  /** Those of a snapshot come in no order. */
  sort(): void {
    this.#open = new Map([...this.#open].sort(([a], [b]) => a - b));
  }

  /** Its marker is at `lastOffset`. Returns the last stable offset that follows from it. */
  end(firstOffset: Offset, lastOffset: Offset): Offset {
    this.#open.delete(firstOffset);
    const ended = this.#ended;
    while ((ended[ended.length - 1]?.firstOffset ?? -1) >= firstOffset) ended.pop();
    ended.push({ firstOffset, lastOffset });
    return this.#firstOpen ?? lastOffset + 1;
  }

  /** Markers below `highWatermark` cannot be lost any more. */
  committed(highWatermark: Offset): void {
    while ((this.#ended[0]?.lastOffset ?? highWatermark) < highWatermark) this.#ended.shift();
  }

  get #firstOpen(): Offset | undefined {
    for (const firstOffset of this.#open.keys()) return firstOffset;
    return undefined;
  }
}

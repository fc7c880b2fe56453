/**
 * The voters and the kraft.version along the log. They are in force as soon as they are appended,
 * committed or not, and fall away when the log is truncated below them (KIP-853).
 */
import type { Offset } from '../base/ids';
import { invariant } from '../base/invariant';
import type { VoterSet } from './voters';

/** What the control records of one batch, or of a snapshot, say. */
export interface QuorumRecords {
  readonly kraftVersion?: { readonly offset: Offset; readonly level: number };
  readonly voters?: { readonly offset: Offset; readonly set: VoterSet };
}

export interface VotersAt {
  readonly offset: Offset;
  readonly voters: VoterSet;
}

export class QuorumHistory {
  readonly #voters: { offset: Offset; value: VoterSet }[] = [];
  readonly #kraftVersions: { offset: Offset; value: number }[] = [];

  /** `staticVoters` count as long as the log says nothing. */
  constructor(readonly staticVoters: VoterSet) {}

  /** Takes in what was appended; offsets only grow. */
  add(records: QuorumRecords): void {
    if (records.kraftVersion !== undefined) {
      push(this.#kraftVersions, records.kraftVersion.offset, records.kraftVersion.level);
    }
    if (records.voters !== undefined) push(this.#voters, records.voters.offset, records.voters.set);
  }

  get lastVoters(): VoterSet {
    return this.#voters.at(-1)?.value ?? this.staticVoters;
  }

  /** The last voters that the log itself names; offset -1 if the bootstrap checkpoint does. */
  get lastVotersInLog(): VotersAt | undefined {
    const last = this.#voters.at(-1);
    return last && { offset: last.offset, voters: last.value };
  }

  /** 0 as long as the log says nothing. */
  get lastKraftVersion(): number {
    return this.#kraftVersions.at(-1)?.value ?? 0;
  }

  /** As of the record at that offset, for a snapshot that ends after it. */
  votersAt(offset: Offset): VoterSet | undefined {
    return lastAt(this.#voters, offset);
  }

  kraftVersionAt(offset: Offset): number {
    return lastAt(this.#kraftVersions, offset) ?? 0;
  }

  /** The log now ends at `endOffset` (exclusive). */
  truncateTo(endOffset: Offset): void {
    for (const entries of [this.#voters, this.#kraftVersions]) {
      while ((entries.at(-1)?.offset ?? -1) >= endOffset) entries.pop();
    }
  }

  /** A snapshot covers everything before `startOffset`: the newest value there is kept. */
  truncateBefore(startOffset: Offset): void {
    for (const entries of [this.#voters, this.#kraftVersions]) {
      while (entries.length > 1 && (entries[1]?.offset ?? startOffset) < startOffset)
        entries.shift();
    }
  }

  /** A snapshot took the place of the whole log. */
  reset(records: QuorumRecords): void {
    this.#voters.length = 0;
    this.#kraftVersions.length = 0;
    this.add(records);
  }
}

function lastAt<T>(
  entries: readonly { offset: Offset; value: T }[],
  offset: Offset,
): T | undefined {
  let found: T | undefined;
  for (const entry of entries) if (entry.offset <= offset) found = entry.value;
  return found;
}

function push<T>(entries: { offset: Offset; value: T }[], offset: Offset, value: T): void {
  const last = entries.at(-1);
  invariant(last === undefined || last.offset <= offset, 'control records must come in order');
  entries.push({ offset, value });
}

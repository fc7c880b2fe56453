/** The segments of one log, in order; the last one is the active one. Never empty once open. */
import type { Offset } from '../base/ids';
import { invariant } from '../base/invariant';
import type { Segment } from './segment';

export class Segments {
  #list: Segment[];

  constructor(list: readonly Segment[]) {
    this.#list = [...list];
  }

  get list(): readonly Segment[] {
    return this.#list;
  }

  get count(): number {
    return this.#list.length;
  }

  get first(): Segment {
    return this.at(0);
  }

  get active(): Segment {
    return this.at(this.#list.length - 1);
  }

  get sizeInBytes(): number {
    let size = 0;
    for (const segment of this.#list) size += segment.size;
    return size;
  }

  at(index: number): Segment {
    const segment = this.#list[index];
    invariant(segment !== undefined, 'a log has at least one segment');
    return segment;
  }

  /** Index of the last segment whose base is not above `offset`; the first one below all bases. */
  indexOf(offset: Offset): number {
    let low = 0;
    let high = this.#list.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.at(middle).baseOffset <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  add(segment: Segment): void {
    const last = this.#list[this.#list.length - 1];
    invariant(
      last === undefined || last.baseOffset < segment.baseOffset,
      'a new segment begins after the others',
    );
    this.#list.push(segment);
  }

  /** Takes the segments [from, to) out of the list. */
  remove(from: number, to: number): Segment[] {
    return this.#list.splice(from, to - from);
  }
}

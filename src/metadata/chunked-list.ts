/** An immutable list in chunks of 64: a change copies one chunk and the list of chunks. */

const CHUNK = 64;

type Chunk<T> = readonly (T | undefined)[];

/**
 * Indexed from 0. Places may be empty while a topic's partitions arrive one by one; `length` is
 * the greatest used index plus one.
 */
export class ChunkedList<T> {
  private static readonly nothing = new ChunkedList<unknown>([], 0);

  private constructor(
    private readonly chunks: readonly Chunk<T>[],
    readonly length: number,
  ) {}

  static empty<T>(): ChunkedList<T> {
    return ChunkedList.nothing as unknown as ChunkedList<T>;
  }

  static of<T>(items: readonly T[]): ChunkedList<T> {
    const builder = ChunkedList.empty<T>().change();
    items.forEach((item, index) => {
      builder.set(index, item);
    });
    return builder.build();
  }

  get(index: number): T | undefined {
    return this.chunks[index >>> 6]?.[index & (CHUNK - 1)];
  }

  /** Index and item of every used place, in order. */
  *entries(): IterableIterator<[number, T]> {
    for (let index = 0; index < this.length; index += 1) {
      const item = this.get(index);
      if (item !== undefined) yield [index, item];
    }
  }

  *[Symbol.iterator](): IterableIterator<T> {
    for (const [, item] of this.entries()) yield item;
  }

  /** Entries in chunks that `other` does not share, plus the list of chunks itself. */
  entriesNotSharedWith(other: ChunkedList<T>): number {
    if (this === other) return 0;
    let entries = this.chunks.length;
    this.chunks.forEach((chunk, index) => {
      if (chunk !== other.chunks[index]) entries += chunk.length;
    });
    return entries;
  }

  change(): ChunkedListBuilder<T> {
    return new ChunkedListBuilder(this.chunks, this.length, (chunks, length) =>
      chunks === this.chunks ? this : new ChunkedList(chunks, length),
    );
  }
}

/** Collects changes; reads see them at once. Not used any more after `build`. */
export class ChunkedListBuilder<T> {
  private readonly own = new Map<number, (T | undefined)[]>();
  private changed: Chunk<T>[] | undefined;
  private count: number;

  constructor(
    private readonly base: readonly Chunk<T>[],
    length: number,
    private readonly finish: (chunks: readonly Chunk<T>[], length: number) => ChunkedList<T>,
  ) {
    this.count = length;
  }

  get length(): number {
    return this.count;
  }

  get(index: number): T | undefined {
    return (this.changed ?? this.base)[index >>> 6]?.[index & (CHUNK - 1)];
  }

  set(index: number, item: T): void {
    const at = index >>> 6;
    let chunk = this.own.get(at);
    if (chunk === undefined) {
      this.changed ??= [...this.base];
      while (this.changed.length < at) this.changed.push([]);
      chunk = [...(this.base[at] ?? [])];
      this.own.set(at, chunk);
      this.changed[at] = chunk;
    }
    const place = index & (CHUNK - 1);
    while (chunk.length < place) chunk.push(undefined);
    chunk[place] = item;
    this.count = Math.max(this.count, index + 1);
  }

  build(): ChunkedList<T> {
    return this.finish(this.changed ?? this.base, this.count);
  }
}

/** An immutable map in 64 buckets: a change copies one bucket, everything else is shared. */

const BUCKETS = 64;

/** Keys are texts; reading costs one hash and one `Map` look-up. */
export class ShardedMap<V> {
  private static readonly nothing = new ShardedMap<unknown>(
    Array.from({ length: BUCKETS }, () => new Map<string, unknown>()),
    0,
  );

  private constructor(
    private readonly buckets: readonly ReadonlyMap<string, V>[],
    readonly size: number,
  ) {}

  static empty<V>(): ShardedMap<V> {
    return ShardedMap.nothing as unknown as ShardedMap<V>;
  }

  get(key: string): V | undefined {
    return this.buckets[bucketOf(key)]?.get(key);
  }

  has(key: string): boolean {
    return this.buckets[bucketOf(key)]?.has(key) ?? false;
  }

  *[Symbol.iterator](): IterableIterator<[string, V]> {
    for (const bucket of this.buckets) yield* bucket;
  }

  *keys(): IterableIterator<string> {
    for (const bucket of this.buckets) yield* bucket.keys();
  }

  *values(): IterableIterator<V> {
    for (const bucket of this.buckets) yield* bucket.values();
  }

  /** Entries in buckets that `other` does not share: what it cost to come from one to the other. */
  entriesNotSharedWith(other: ShardedMap<V>): number {
    let entries = 0;
    this.buckets.forEach((bucket, index) => {
      if (bucket !== other.buckets[index]) entries += bucket.size;
    });
    return entries;
  }

  /** Starts a change; the map itself stays as it is. */
  change(): ShardedMapBuilder<V> {
    return new ShardedMapBuilder(this.buckets, this.size, (buckets, size) =>
      buckets === this.buckets ? this : new ShardedMap(buckets, size),
    );
  }
}

/** Collects changes; reads see them at once. Not used any more after `build`. */
export class ShardedMapBuilder<V> {
  /** Buckets that belong to this builder alone, by index. */
  private readonly own: (Map<string, V> | undefined)[] = [];
  private changed: ReadonlyMap<string, V>[] | undefined;
  private count: number;

  constructor(
    private readonly base: readonly ReadonlyMap<string, V>[],
    size: number,
    private readonly finish: (
      buckets: readonly ReadonlyMap<string, V>[],
      size: number,
    ) => ShardedMap<V>,
  ) {
    this.count = size;
  }

  get size(): number {
    return this.count;
  }

  get(key: string): V | undefined {
    return (this.changed ?? this.base)[bucketOf(key)]?.get(key);
  }

  has(key: string): boolean {
    return (this.changed ?? this.base)[bucketOf(key)]?.has(key) ?? false;
  }

  set(key: string, value: V): void {
    const bucket = this.bucketForWriting(bucketOf(key));
    const before = bucket.size;
    bucket.set(key, value);
    this.count += bucket.size - before;
  }

  delete(key: string): boolean {
    if (!this.has(key)) return false;
    this.bucketForWriting(bucketOf(key)).delete(key);
    this.count -= 1;
    return true;
  }

  *[Symbol.iterator](): IterableIterator<[string, V]> {
    for (const bucket of this.changed ?? this.base) yield* bucket;
  }

  build(): ShardedMap<V> {
    return this.finish(this.changed ?? this.base, this.count);
  }

  private bucketForWriting(index: number): Map<string, V> {
    const mine = this.own[index];
    if (mine !== undefined) return mine;
    this.changed ??= [...this.base];
    const copy = new Map(this.base[index]);
    this.own[index] = copy;
    this.changed[index] = copy;
    return copy;
  }
}

/** Base64url uuids and names alike spread well enough over the low bits of this hash. */
function bucketOf(key: string): number {
  let hash = 0;
  for (let at = 0; at < key.length; at += 1) hash = (Math.imul(31, hash) + key.charCodeAt(at)) | 0;
  return (hash ^ (hash >>> 6) ^ (hash >>> 12)) & (BUCKETS - 1);
}

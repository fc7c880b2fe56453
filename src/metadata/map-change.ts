/** A change of a small map (brokers, features): copied once, and only if it changes. */

export class MapChange<K, V> {
  private own: Map<K, V> | undefined;
  /** Keys that were set or deleted. */
  readonly changed = new Set<K>();

  constructor(private readonly base: ReadonlyMap<K, V>) {}

  get(key: K): V | undefined {
    return (this.own ?? this.base).get(key);
  }

  set(key: K, value: V): void {
    this.writable().set(key, value);
    this.changed.add(key);
  }

  delete(key: K): void {
    if (this.writable().delete(key)) this.changed.add(key);
  }

  build(): ReadonlyMap<K, V> {
    return this.own ?? this.base;
  }

  private writable(): Map<K, V> {
    this.own ??= new Map(this.base);
    return this.own;
  }
}

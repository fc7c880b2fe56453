/** A sharded map while records change it, and which of its keys they touched. */
import type { ShardedMap, ShardedMapBuilder } from './sharded-map';

export class KeyedChange<V> {
  readonly changed = new Set<string>();
  private readonly builder: ShardedMapBuilder<V>;

  constructor(base: ShardedMap<V>) {
    this.builder = base.change();
  }

  get(key: string): V | undefined {
    return this.builder.get(key);
  }

  set(key: string, value: V): void {
    this.builder.set(key, value);
    this.changed.add(key);
  }

  /** False if there was none. */
  delete(key: string): boolean {
    const existed = this.builder.delete(key);
    if (existed) this.changed.add(key);
    return existed;
  }

  build(): ShardedMap<V> {
    return this.builder.build();
  }
}

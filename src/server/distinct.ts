/** What a request names more than once is answered once: repeating is cheap, answers are not. */

/** The first of each key, in order. */
export function firstOfEach<T>(all: readonly T[], keyOf: (each: T) => unknown): readonly T[] {
  const byKey = new Map<unknown, T>();
  for (const each of all) {
    const key = keyOf(each);
    if (!byKey.has(key)) byKey.set(key, each);
  }
  return byKey.size === all.length ? all : [...byKey.values()];
}

export const distinct = <T>(all: readonly T[]): readonly T[] => [...new Set(all)];

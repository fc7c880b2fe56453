/** What must hold of a client's output, once everything has come to rest. */
import type { Load } from './load';
import type { Reader } from './reader';

export interface Verdict {
  readonly inputs: number;
  readonly outputs: number;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  /** Behind a later input of the same partition, in one partition of the output. */
  readonly disordered: readonly string[];
  /** Acknowledged inputs that came out with another value. */
  readonly wrong: readonly string[];
  /** Given under fire, but not part of the output; or with two values. */
  readonly ghosts: readonly string[];
}

/** `ends`: how many inputs each partition has. */
export function check(load: Load, ends: readonly number[], final: Reader): Verdict {
  const seen = new Map<string, string>();
  const doubled: string[] = [];
  const disordered: string[] = [];
  final.values.forEach((values, partition) => {
    const lastOf = new Map<number, number>();
    for (const [offset, text] of [...values].sort(([one], [other]) => one - other)) {
      const [from = -1, at = -1] = text.split(':', 2).map(Number);
      const name = `${from}:${at}`;
      const where = `input ${name} at ${partition}:${offset} of the output`;
      if (seen.has(name)) doubled.push(where);
      else if (at < (lastOf.get(from) ?? -1)) disordered.push(where);
      seen.set(name, text.slice(name.length + 1));
      lastOf.set(from, at);
    }
  });
  const lost = ends.flatMap((end, partition) =>
    Array.from({ length: end }, (_, offset) => `${partition}:${offset}`).filter(
      (name) => !seen.has(name),
    ),
  );
  const wrong = [...load.feed.acknowledged]
    .filter(([name, value]) => seen.get(name) !== value)
    .map(([name, value]) => `input ${name} was ${value}, came out as ${seen.get(name)}`);
  const inputs = ends.reduce((sum, end) => sum + end, 0);
  const ghosts = [...load.reader.changed, ...final.changed, ...ghostsOf(load.reader, final)];
  return { inputs, outputs: final.count, lost, doubled, disordered, wrong, ghosts };
}

function ghostsOf(live: Reader, final: Reader): string[] {
  return live.values.flatMap((values, partition) =>
    [...values]
      .filter(([offset, value]) => final.values[partition]?.get(offset) !== value)
      .map(([offset, value]) => `${value} at ${partition}:${offset} was given, and is not there`),
  );
}

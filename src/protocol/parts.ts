/** The parts that a message leaves in: bytes of ours, and bytes that lie elsewhere. */
import { invariant } from '../base/invariant';
import type { ForeignBytes, Part, RecordsIn } from './schema';

/** The parts in one buffer, for those that have no foreign bytes among them. */
export function joinParts(parts: readonly Part[]): Buffer {
  return Buffer.concat(
    parts.map((part) => {
      invariant(part instanceof Uint8Array, 'foreign bytes cannot be joined');
      return part;
    }),
  );
}

/** The bytes that all parts of a record set have together. */
export function recordsLength(value: RecordsIn): number {
  if (!isList(value)) return lengthOf(value);
  let length = 0;
  for (const part of value) length += lengthOf(part);
  return length;
}

export const isList = (value: RecordsIn): value is readonly Part[] => Array.isArray(value);

export function lengthOf(value: ForeignBytes): number {
  invariant(typeof value?.length === 'number', `bytes cannot hold ${String(value)}`);
  return value.length;
}

/** What lies in the nodes' folders once they have stopped in order. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { METADATA_TOPIC } from '../../src/base/ids';
import { GROUP_RECORDS } from '../../src/group/records';
import { recordCodec } from '../../src/machine/record-codec';
import * as batch from '../../src/protocol/records/batch';
import { walkBatches } from '../../src/protocol/records/batches';
import { readRecords } from '../../src/protocol/records/record';
import { OFFSETS_TOPIC } from '../../src/server/internal-topics';
import { parsePartitionFolder, parseSegmentFile } from '../../src/storage/names';
import { idIn } from './clients';
import type { GroupLedger, Ledger, Violated } from './ledger';

const codec = recordCodec(GROUP_RECORDS);

/** One batch in a log; `bytes` are all of it. */
export interface StoredBatch {
  readonly baseOffset: number;
  readonly nextOffset: number;
  readonly leaderEpoch: number;
  readonly bytes: Buffer;
}

/** Names of the partitions in a node's folder. */
export const partitionsIn = (data: string): string[] =>
  readdirSync(data, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && parsePartitionFolder(entry.name) !== undefined)
    .map(({ name }) => name)
    .sort();

/** The batches of a partition's log; whatever is no whole, sound batch is told of. */
export function batchesOf(data: string, partition: string, violated: Violated): StoredBatch[] {
  const folder = join(data, partition);
  const segments = readdirSync(folder).filter((name) => {
    const file = parseSegmentFile(name);
    return file?.suffix === '.log' && file.state === '';
  });
  return segments.sort().flatMap((name) => {
    const path = join(folder, name);
    const bytes = readFileSync(path);
    const batches: StoredBatch[] = [];
    const { rest, end } = walkBatches(bytes, 0, bytes.length, (position, size) => {
      if (!batch.hasValidCrc(bytes, position)) violated(`${path} is damaged at ${position}`);
      batches.push({
        baseOffset: batch.baseOffset(bytes, position),
        nextOffset: batch.lastOffset(bytes, position) + 1,
        leaderEpoch: batch.leaderEpoch(bytes, position),
        bytes: bytes.subarray(position, position + size),
      });
    });
    if (rest !== 'none') violated(`${path} is ${rest} at ${end}`);
    return batches;
  });
}

/**
 * Nodes have the same bytes at the same offsets. The metadata log of one may begin later, after a
 * snapshot, and end earlier, since stopping writes to it.
 */
export function checkSame(
  partition: string,
  logs: readonly (readonly StoredBatch[])[],
  violated: Violated,
): void {
  const [first = [], ...others] = logs;
  const isMetadata = partition.startsWith(METADATA_TOPIC);
  for (const other of others) {
    if (!isMetadata && endOf(first) !== endOf(other)) {
      violated(`${partition} ends at ${endOf(first)} and at ${endOf(other)}`);
    }
    const theirs = new Map(other.map((each) => [each.baseOffset, each]));
    const from = Math.max(first[0]?.baseOffset ?? 0, other[0]?.baseOffset ?? 0);
    const until = Math.min(endOf(first), endOf(other));
    for (const { baseOffset, nextOffset, leaderEpoch, bytes } of first) {
      if (baseOffset < from || nextOffset > until) continue;
      const same = theirs.get(baseOffset);
      if (same?.leaderEpoch === leaderEpoch && same.bytes.equals(bytes)) continue;
      violated(`${partition}@${baseOffset} is not the same on all nodes`);
      break;
    }
  }
}

const endOf = (log: readonly StoredBatch[]): number => log.at(-1)?.nextOffset ?? 0;

/** What the clients were told is true of this log, and nothing else is in it. */
export function checkRecords(
  partition: string,
  log: readonly StoredBatch[],
  ledger: Ledger,
  violated: Violated,
): void {
  const found = new Set<number>();
  const last = new Map<number, number>();
  for (const { bytes } of log) {
    for (const { offset, value } of readRecords(bytes)) {
      const id = idIn(value);
      const at = `${partition}@${offset}`;
      const record = ledger.record(id);
      if (record === undefined || record.partition !== partition) {
        violated(`${at}: nobody sent ${id} there`);
        continue;
      }
      if (found.has(id)) violated(`${at}: ${id} is there twice`);
      found.add(id);
      if (record.fate !== 'acknowledged') continue;
      if (record.offset !== offset) violated(`${at}: ${id} was acknowledged at ${record.offset}`);
      if ((last.get(record.lane) ?? -1) >= id) violated(`${at}: ${id} is out of order`);
      last.set(record.lane, id);
    }
  }
  for (const { id, fate, offset, partition: its } of ledger.records()) {
    if (its !== partition || fate !== 'acknowledged' || found.has(id)) continue;
    violated(`${partition}@${offset}: ${id} is lost`);
  }
}

/** No commit falls behind an earlier one; the last of each partition is what its group was told. */
export function checkCommits(
  logs: readonly (readonly StoredBatch[])[],
  groups: readonly GroupLedger[],
  violated: Violated,
): void {
  const committed = new Map<string, number>();
  for (const { bytes } of logs.flat()) {
    for (const { key, value, offset } of readRecords(bytes)) {
      const decoded = codec.decode(key, value);
      if (decoded.kind !== 'record' || decoded.record.type !== 'OffsetCommit') continue;
      const { group, topic, partition } = decoded.record.key;
      const name = `${group} ${topic}-${partition}`;
      const next = Number(decoded.record.value?.offset ?? -1);
      const before = committed.get(name) ?? -1;
      if (next < before) violated(`${name} fell from ${before} to ${next}, at ${offset}`);
      committed.set(name, next);
    }
  }
  for (const group of groups) {
    for (const [partition, told] of group.committed) {
      const stored = committed.get(`${group.name} ${partition}`) ?? -1;
      if (stored < told) violated(`${group.name} ${partition} is ${stored}, told was ${told}`);
    }
  }
}

export const isOffsetsLog = (partition: string): boolean => partition.startsWith(OFFSETS_TOPIC);

/**
 * What an interrupted deletion, compaction or swap left in a partition's folder is put in order.
 */
import type { Offset } from '../base/ids';
import { BatchWalk } from './batch-walk';
import { DataFile } from './data-file';
import { parseSegmentFile, type SegmentFileName, segmentPath } from './names';
import type { SegmentContext } from './segment';

/** Segments and index files found, after the clean-up. */
export interface FolderContents {
  /** Of the `.log` files, rising. */
  readonly bases: readonly Offset[];
  /** Bases of segments that lack `.index` or `.timeindex`. */
  readonly withoutIndex: ReadonlySet<Offset>;
  /** Bases of segments that have a `.txnindex`. */
  readonly withAborted: ReadonlySet<Offset>;
  /** Of the `.snapshot` files, rising. */
  readonly snapshots: readonly Offset[];
}

interface Found extends SegmentFileName {
  readonly path: string;
}

/**
 * `.deleted` and `.cleaned` files go. A `.swap` segment takes the place of those it was made from,
 * unless a `.cleaned` one at or below it shows that the set was not complete (Kafka: a split).
 * Index files without data go. Files of other names are left alone.
 */
export function cleanUpFolder(context: SegmentContext, folder: string): FolderContents {
  const { disk } = context;
  const found = findFiles(disk, folder);
  if (found.every(({ state }) => state === '')) return removeOrphans(disk, found);
  for (const { state, path } of found) {
    if (state === '.deleted' || state === '.cleaned') disk.remove(path);
  }
  const cleaned = found.filter(({ state }) => state === '.cleaned').map(({ offset }) => offset);
  const lowestCleaned = Math.min(...cleaned, Number.POSITIVE_INFINITY);
  const swaps = found.filter(({ state }) => state === '.swap');
  for (const swap of swaps) {
    if (swap.offset >= lowestCleaned) disk.remove(swap.path);
  }
  finishSwaps(
    context,
    folder,
    found.filter(({ state }) => state === ''),
    swaps.filter(({ offset }) => offset < lowestCleaned),
  );
  return removeOrphans(disk, findFiles(disk, folder));
}

function findFiles(disk: SegmentContext['disk'], folder: string): Found[] {
  const found: Found[] = [];
  for (const { name, isFolder } of disk.list(folder)) {
    const file = isFolder ? undefined : parseSegmentFile(name);
    if (file !== undefined) found.push({ ...file, path: `${folder}/${name}` });
  }
  return found;
}

/** Ordinary files whose offset lies within the swapped range were replaced: they go first. */
function finishSwaps(
  context: SegmentContext,
  folder: string,
  ordinary: readonly Found[],
  swaps: readonly Found[],
): void {
  const logs = swaps.filter(({ suffix }) => suffix === '.log');
  const first = Math.min(...logs.map(({ offset }) => offset), Number.POSITIVE_INFINITY);
  const end = Math.max(...logs.map(({ path, offset }) => endOffsetOf(context, path, offset)), -1);
  for (const { offset, path } of ordinary) {
    if (offset >= first && offset < end) context.disk.remove(path);
  }
  for (const { offset, suffix, path } of swaps) {
    context.disk.rename(path, segmentPath(folder, offset, suffix));
  }
}

function removeOrphans(disk: SegmentContext['disk'], found: readonly Found[]): FolderContents {
  const has = new Set(found.map(({ offset, suffix }) => `${offset}${suffix}`));
  const bases: Offset[] = [];
  const snapshots: Offset[] = [];
  const withoutIndex = new Set<Offset>();
  const withAborted = new Set<Offset>();
  for (const { offset, suffix, path } of found) {
    if (suffix === '.log') {
      bases.push(offset);
      if (!has.has(`${offset}.index`) || !has.has(`${offset}.timeindex`)) withoutIndex.add(offset);
    } else if (suffix === '.snapshot') {
      snapshots.push(offset);
    } else if (!has.has(`${offset}.log`)) {
      disk.remove(path);
    } else if (suffix === '.txnindex') {
      withAborted.add(offset);
    }
  }
  return { bases, withoutIndex, withAborted, snapshots };
}

function endOffsetOf(context: SegmentContext, path: string, baseOffset: Offset): Offset {
  const data = DataFile.open(path, context.openFiles);
  const walk = new BatchWalk(data, context.block, 0, data.size);
  let end = baseOffset;
  while (walk.next()) end = walk.lastOffset + 1;
  data.close();
  return end;
}

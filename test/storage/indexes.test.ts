/** Offset and time index against naive lists. */
import fc from 'fast-check';
import { memoryDisk } from '../../src/platform/memory-disk';
import { FileEntries, MemoryEntries } from '../../src/storage/entries';
import { IndexCache } from '../../src/storage/index-cache';
import {
  addOffsetEntry,
  boundaryAtMost,
  OFFSET_ENTRY_BYTES,
  positionForOffset,
  truncateOffsetEntries,
} from '../../src/storage/offset-index';
import {
  addTimeEntry,
  lastTimeEntry,
  offsetBefore,
  TIME_ENTRY_BYTES,
  truncateTimeEntries,
} from '../../src/storage/time-index';

const risingPairs = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 5000 })))
  .map((steps) => {
    let offset = -1;
    let position = 0;
    return steps.map(([byOffset, byPosition]) => {
      offset += byOffset;
      position += byPosition;
      return { offset, position };
    });
  });

function offsetIndex(pairs: readonly { offset: number; position: number }[]): MemoryEntries {
  const index = new MemoryEntries(OFFSET_ENTRY_BYTES);
  for (const { offset, position } of pairs) addOffsetEntry(index, offset, position);
  return index;
}

/** The same entries, looked up in a file. */
function inFile(index: MemoryEntries, entryBytes: number): FileEntries {
  const file = memoryDisk().open('/index', 'create');
  file.write([index.bytes()], 0);
  return new FileEntries(file, entryBytes);
}

test('an offset index finds the last entry that is not above an offset, or the start', () => {
  fc.assert(
    fc.property(risingPairs, fc.nat(2600), (pairs, offset) => {
      const index = offsetIndex(pairs);
      const below = pairs.filter((pair) => pair.offset <= offset);
      const expected = below[below.length - 1]?.position ?? 0;
      expect(positionForOffset(index, offset)).toBe(expected);
      expect(positionForOffset(inFile(index, OFFSET_ENTRY_BYTES), offset)).toBe(expected);
    }),
  );
});

test('an offset index finds the last boundary that is not above a position', () => {
  fc.assert(
    fc.property(risingPairs, fc.nat(60_000), (pairs, position) => {
      const below = pairs.filter((pair) => pair.position <= position);
      const expected = below[below.length - 1]?.position ?? 0;
      expect(boundaryAtMost(offsetIndex(pairs), position)).toBe(expected);
    }),
  );
});

test('a truncated offset index keeps exactly what is below the offset, and goes on from there', () => {
  fc.assert(
    fc.property(risingPairs, fc.nat(2600), (pairs, offset) => {
      const index = offsetIndex(pairs);
      truncateOffsetEntries(index, offset);
      const kept = pairs.filter((pair) => pair.offset < offset);
      expect(index.bytes()).toEqual(offsetIndex(kept).bytes());
      addOffsetEntry(index, 3000, 70_000);
      expect(positionForOffset(index, 3000)).toBe(70_000);
    }),
  );
});

const timeEntries = fc.array(fc.tuple(fc.integer({ min: -5, max: 100 }), fc.nat(4)));

function timeIndex(steps: readonly (readonly [number, number])[]) {
  const index = new MemoryEntries(TIME_ENTRY_BYTES);
  const naive: { timestamp: number; offset: number }[] = [];
  let offset = 0;
  let greatest = -1;
  for (const [timestamp, byOffset] of steps) {
    offset += byOffset;
    if (timestamp > greatest) {
      naive.push({ timestamp, offset });
      greatest = timestamp;
    }
    addTimeEntry(index, timestamp, offset);
  }
  return { index, naive };
}

test('a time index keeps the greatest timestamp so far and finds what is older', () => {
  fc.assert(
    fc.property(timeEntries, fc.integer({ min: -5, max: 110 }), (steps, timestamp) => {
      const { index, naive } = timeIndex(steps);
      const older = naive.filter((entry) => entry.timestamp < timestamp);
      const expected = older[older.length - 1]?.offset ?? -1;
      expect(offsetBefore(index, timestamp)).toBe(expected);
      expect(offsetBefore(inFile(index, TIME_ENTRY_BYTES), timestamp)).toBe(expected);
      const last = naive[naive.length - 1];
      expect(lastTimeEntry(index)).toEqual(
        last && { timestamp: last.timestamp, relativeOffset: last.offset },
      );
    }),
  );
});

test('a truncated time index keeps exactly what is below the offset', () => {
  fc.assert(
    fc.property(timeEntries, fc.nat(200), (steps, offset) => {
      const { index, naive } = timeIndex(steps);
      truncateTimeEntries(index, offset);
      expect(index.count).toBe(naive.filter((entry) => entry.offset < offset).length);
    }),
  );
});

test('timestamps of any size keep their order', () => {
  const index = new MemoryEntries(TIME_ENTRY_BYTES);
  for (const [offset, timestamp] of [0, 1, 2 ** 32, 2 ** 53, 2 ** 62, 2 ** 63].entries()) {
    addTimeEntry(index, timestamp, offset);
  }
  expect(index.count).toBe(6);
  expect(index.int64(3, 0)).toBe(2 ** 53);
  expect(index.bytes().readBigInt64BE(5 * TIME_ENTRY_BYTES)).toBeGreaterThan(2n ** 62n);
});

describe('the cache of closed indexes', () => {
  function diskWith(files: Readonly<Record<string, number>>) {
    const disk = memoryDisk();
    for (const [path, count] of Object.entries(files)) {
      const pairs = Array.from({ length: count }, (_, at) => ({ offset: at, position: at * 10 }));
      const file = disk.open(path, 'create');
      file.write([offsetIndex(pairs).bytes()], 0);
      file.close();
    }
    return disk;
  }

  test('answers from memory until the file is forgotten', () => {
    const disk = diskWith({ '/a': 5 });
    const cache = new IndexCache(disk, 100_000);
    expect(cache.entries('/a', OFFSET_ENTRY_BYTES).count).toBe(5);
    disk.open('/a', 'write').truncate(8);
    expect(cache.entries('/a', OFFSET_ENTRY_BYTES).count).toBe(5);
    cache.forget('/a');
    expect(cache.entries('/a', OFFSET_ENTRY_BYTES).count).toBe(1);
  });

  test('drops the longest unused ones beyond its limit', () => {
    const paths = Array.from({ length: 10 }, (_, at) => `/${at}`);
    const disk = diskWith(Object.fromEntries(paths.map((path) => [path, 500])));
    // Ten of them take 50,240 bytes with what keeping one costs.
    const cache = new IndexCache(disk, 33_000);
    for (const path of paths) cache.entries(path, OFFSET_ENTRY_BYTES);
    for (const path of paths) disk.open(path, 'write').truncate(0);
    expect(cache.entries('/9', OFFSET_ENTRY_BYTES).count).toBe(500);
    expect(cache.entries('/0', OFFSET_ENTRY_BYTES).count).toBe(0);
  });

  test('searches an index that is too large to keep in its file', () => {
    const cache = new IndexCache(diskWith({ '/large': 1000 }), 8000);
    expect(positionForOffset(cache.entries('/large', OFFSET_ENTRY_BYTES), 777)).toBe(7770);
  });
});

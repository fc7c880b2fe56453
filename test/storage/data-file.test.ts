/** The bytes of one segment: appends that fail, slices that outlive their file, bounded handles. */
import { diskError } from '../../src/platform/disk-error';
import { memoryDisk } from '../../src/platform/memory-disk';
import type { Disk, DiskFile } from '../../src/platform/platform';
import { DataFile } from '../../src/storage/data-file';
import { OpenFiles } from '../../src/storage/open-files';

const bytes = (text: string): Buffer => Buffer.from(text);

function textOf(slice: { file: DiskFile; position: number; length: number }): string {
  const into = Buffer.alloc(slice.length);
  return into.toString('utf8', 0, slice.file.read(into, 0, slice.length, slice.position));
}

/** A disk that counts its open files and whose writes can fail after some bytes. */
function watchedDisk() {
  const disk = memoryDisk();
  const state = { open: 0, failAfterBytes: Number.POSITIVE_INFINITY };
  const watched: Disk = {
    ...bound(disk),
    open: (path, mode) => {
      const file = disk.open(path, mode);
      state.open++;
      let isOpen = true;
      return {
        path,
        read: (into, offset, length, position) => file.read(into, offset, length, position),
        write: (parts, position) => {
          const all = Buffer.concat(parts);
          if (all.length <= state.failAfterBytes) return file.write([all], position);
          file.write([all.subarray(0, state.failAfterBytes)], position);
          throw diskError('ENOSPC', 'write', path);
        },
        truncate: (length) => file.truncate(length),
        length: () => file.length(),
        sync: () => file.sync(),
        close: () => {
          if (isOpen) state.open--;
          isOpen = false;
          file.close();
        },
      };
    },
  };
  return { disk: watched, state };
}

function bound(disk: Disk): Omit<Disk, 'open'> {
  return {
    exists: (path) => disk.exists(path),
    readFile: (path) => disk.readFile(path),
    list: (path) => disk.list(path),
    makeFolder: (path) => disk.makeFolder(path),
    rename: (from, to) => disk.rename(from, to),
    remove: (path) => disk.remove(path),
    removeFolder: (path) => disk.removeFolder(path),
    syncFolder: (path) => disk.syncFolder(path),
    replace: (path, contents) => disk.replace(path, contents),
    lock: (path) => disk.lock(path),
  };
}

test('a write that fails halfway leaves the file as it was', () => {
  const { disk, state } = watchedDisk();
  const file = DataFile.create('/a', new OpenFiles(disk, 10));
  file.append(bytes('sound'));
  state.failAfterBytes = 3;
  expect(() => file.append(bytes('broken'))).toThrow('ENOSPC');
  expect(file.size).toBe(5);
  expect(disk.readFile('/a').toString()).toBe('sound');
  state.failAfterBytes = 100;
  file.append(bytes(' again'));
  expect(disk.readFile('/a').toString()).toBe('sound again');
});

test('what an earlier life left under a new file’s name is cut off', () => {
  const disk = memoryDisk();
  const openFiles = new OpenFiles(disk, 10);
  DataFile.create('/a', openFiles).append(bytes('old'));
  expect(DataFile.create('/a', openFiles).size).toBe(0);
  expect(disk.readFile('/a').length).toBe(0);
});

test('a slice stays readable after its file was closed and removed', () => {
  const { disk, state } = watchedDisk();
  const file = DataFile.create('/a', new OpenFiles(disk, 10));
  file.append(bytes('0123456789'));
  const slice = file.slice(2, 5);
  file.close();
  disk.remove('/a');
  expect(textOf(slice)).toBe('23456');
  expect(state.open).toBe(1);
  slice.release();
  expect(state.open).toBe(0);
  expect(() => slice.release()).toThrow('released once');
});

test('only so many files that nobody appends to stay open, and all stay readable', async () => {
  const { disk, state } = watchedDisk();
  const openFiles = new OpenFiles(disk, 3);
  const files = Array.from({ length: 10 }, (_, at) => {
    const file = DataFile.create(`/${at}`, openFiles);
    file.append(bytes(`file ${at}`));
    return file;
  });
  expect(state.open).toBe(10);
  for (const file of files) {
    await file.sync();
    file.setActive(false);
  }
  expect(state.open).toBe(3);
  for (const [at, file] of files.entries()) {
    const slice = file.slice(0, file.size);
    expect(textOf(slice)).toBe(`file ${at}`);
    slice.release();
  }
  expect(state.open).toBe(3);
});

test('a file with bytes that are not durable, or on their way out, keeps its handle', () => {
  const { disk, state } = watchedDisk();
  const openFiles = new OpenFiles(disk, 1);
  const files = ['/a', '/b', '/c'].map((path) => DataFile.create(path, openFiles));
  for (const file of files) {
    file.append(bytes('unsynced'));
    file.setActive(false);
  }
  expect(state.open).toBe(3);
});

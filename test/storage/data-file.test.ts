/** The bytes of one segment: appends that fail, slices that outlive their file, bounded handles. */
import { memoryDisk } from '../../src/platform/memory-disk';
import type { DiskFile } from '../../src/platform/platform';
import { DataFile } from '../../src/storage/data-file';
import { OpenFiles } from '../../src/storage/open-files';
import { WatchedDisk } from './watched-disk';

const bytes = (text: string): Buffer => Buffer.from(text);

function textOf(slice: { file: DiskFile; position: number; length: number }): string {
  const into = Buffer.alloc(slice.length);
  return into.toString('utf8', 0, slice.file.read(into, 0, slice.length, slice.position));
}

test('a write that fails halfway leaves the file as it was', () => {
  const disk = new WatchedDisk();
  const file = DataFile.create('/a', new OpenFiles(disk, 10));
  file.append(bytes('sound'));
  disk.writableBytes = 3;
  expect(() => file.append(bytes('broken'))).toThrow('ENOSPC');
  expect(file.size).toBe(5);
  expect(disk.readFile('/a').toString()).toBe('sound');
  disk.writableBytes = 100;
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
  const disk = new WatchedDisk();
  const file = DataFile.create('/a', new OpenFiles(disk, 10));
  file.append(bytes('0123456789'));
  const slice = file.slice(2, 5);
  file.close();
  disk.remove('/a');
  expect(textOf(slice)).toBe('23456');
  expect(disk.openHandles).toBe(1);
  slice.release();
  expect(disk.openHandles).toBe(0);
  expect(() => slice.release()).toThrow('released once');
});

test('only so many files that nobody appends to stay open, and all stay readable', async () => {
  const disk = new WatchedDisk();
  const openFiles = new OpenFiles(disk, 3);
  const files = Array.from({ length: 10 }, (_, at) => {
    const file = DataFile.create(`/${at}`, openFiles);
    file.append(bytes(`file ${at}`));
    return file;
  });
  expect(disk.openHandles).toBe(10);
  for (const file of files) {
    await file.sync();
    file.setActive(false);
  }
  expect(disk.openHandles).toBe(3);
  for (const [at, file] of files.entries()) {
    const slice = file.slice(0, file.size);
    expect(textOf(slice)).toBe(`file ${at}`);
    slice.release();
  }
  expect(disk.openHandles).toBe(3);
});

test('a file with bytes that are not durable, or on their way out, keeps its handle', () => {
  const disk = new WatchedDisk();
  const openFiles = new OpenFiles(disk, 1);
  const files = ['/a', '/b', '/c'].map((path) => DataFile.create(path, openFiles));
  for (const file of files) {
    file.append(bytes('unsynced'));
    file.setActive(false);
  }
  expect(disk.openHandles).toBe(3);
});

/** The disk of one life: once that is over, nothing it still does reaches a file. */
import type { Disk, DiskFile, DiskLock } from '../platform/platform';
import type { Life } from './life';

export function lifeDisk(disk: Disk, life: Life): Disk {
  const files = new Set<DiskFile>();
  const locks = new Set<DiskLock>();
  life.listen({
    over: () => {
      for (const file of files) file.close();
      for (const lock of locks) lock.release();
    },
  });
  const alive = <Value>(act: () => Value): Value => {
    if (life.isOver) throw new Error('the node was killed');
    return act();
  };
  return {
    open: (path, mode) => {
      const file = alive(() => disk.open(path, mode));
      files.add(file);
      return lifeFile(file, life, alive, () => files.delete(file));
    },
    exists: (path) => alive(() => disk.exists(path)),
    readFile: (path) => alive(() => disk.readFile(path)),
    list: (path) => alive(() => disk.list(path)),
    makeFolder: (path) => alive(() => disk.makeFolder(path)),
    rename: (from, to) => alive(() => disk.rename(from, to)),
    remove: (path) => alive(() => disk.remove(path)),
    removeFolder: (path) => alive(() => disk.removeFolder(path)),
    syncFolder: (path) => later(life, () => disk.syncFolder(path)),
    replace: (path, bytes) => later(life, () => disk.replace(path, bytes)),
    space: (path) => alive(() => disk.space(path)),
    lock: (path) => {
      const lock = alive(() => disk.lock(path));
      if (lock !== undefined) locks.add(lock);
      return lock;
    },
  };
}

function lifeFile(
  file: DiskFile,
  life: Life,
  alive: <Value>(act: () => Value) => Value,
  forget: () => void,
): DiskFile {
  return {
    path: file.path,
    read: (into, offset, length, position) =>
      alive(() => file.read(into, offset, length, position)),
    write: (parts, position) => alive(() => file.write(parts, position)),
    truncate: (length) => alive(() => file.truncate(length)),
    length: () => alive(() => file.length()),
    sync: () => later(life, () => file.sync()),
    close: () => {
      forget();
      file.close();
    },
  };
}

/** What is done on the disk is done; that it is, only a living node learns. */
function later(life: Life, act: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    if (life.isOver) return;
    act().then(
      () => life.run(resolve),
      (error: unknown) => life.run(() => reject(error)),
    );
  });
}

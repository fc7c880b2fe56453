/**
 * Files that live in memory, for embedding and tests: the contract of the real disk, errors
 * included, with every fsync done at once.
 */
import { posix } from 'node:path';
import { invariant } from '../base/invariant';
import { Chunks } from './chunks';
import { diskError } from './disk-error';
import type { Disk, DiskEntry, DiskFile, DiskLock, DiskSpace, OpenMode } from './platform';

/** `capacityBytes` bounds the contents of all files together; beyond it writes fail with ENOSPC. */
export function memoryDisk(capacityBytes = Number.POSITIVE_INFINITY): Disk {
  return new MemoryDisk(capacityBytes);
}

interface Folder {
  readonly kind: 'folder';
  readonly entries: Map<string, Inode>;
}

interface Contents {
  readonly kind: 'file';
  readonly bytes: Chunks;
  /** How many names and open files hold it; its bytes are free again when none does. */
  holders: number;
}

type Inode = Folder | Contents;

class MemoryDisk implements Disk {
  readonly #root: Folder = { kind: 'folder', entries: new Map() };
  readonly #locked = new Set<string>();
  readonly #space: Space;

  constructor(capacityBytes: number) {
    this.#space = new Space(capacityBytes);
  }

  open(path: string, mode: OpenMode): DiskFile {
    const { folder, name } = this.#place(path, 'open');
    let contents = folder.entries.get(name);
    if (contents === undefined) {
      if (mode !== 'create') throw diskError('ENOENT', 'open', path);
      contents = { kind: 'file', bytes: new Chunks(), holders: 1 };
      folder.entries.set(name, contents);
    }
    if (contents.kind === 'folder') throw diskError('EISDIR', 'open', path);
    return new MemoryFile(path, mode, contents, this.#space);
  }

  exists(path: string): boolean {
    return this.#find(path) !== undefined;
  }

  readFile(path: string): Buffer {
    const file = this.open(path, 'read');
    const bytes = Buffer.alloc(file.length());
    file.read(bytes, 0, bytes.byteLength, 0);
    file.close();
    return bytes;
  }

  list(path: string): readonly DiskEntry[] {
    const folder = this.#find(path);
    if (folder === undefined) throw diskError('ENOENT', 'scandir', path);
    if (folder.kind === 'file') throw diskError('ENOTDIR', 'scandir', path);
    return [...folder.entries]
      .map(([name, inode]) => ({ name, isFolder: inode.kind === 'folder' }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  makeFolder(path: string): void {
    let folder = this.#root;
    const names = segments(path);
    for (const [at, name] of names.entries()) {
      let next = folder.entries.get(name);
      if (next?.kind === 'file') {
        throw diskError(at === names.length - 1 ? 'EEXIST' : 'ENOTDIR', 'mkdir', path);
      }
      if (next === undefined) {
        next = { kind: 'folder', entries: new Map() };
        folder.entries.set(name, next);
      }
      folder = next;
    }
  }

  rename(from: string, to: string): void {
    const source = this.#place(from, 'rename');
    const target = this.#place(to, 'rename');
    const moved = source.folder.entries.get(source.name);
    if (moved === undefined) throw diskError('ENOENT', 'rename', from);
    const replaced = target.folder.entries.get(target.name);
    if (replaced === moved) return;
    if (replaced !== undefined) assertReplaceable(moved, replaced, to);
    source.folder.entries.delete(source.name);
    target.folder.entries.set(target.name, moved);
    if (replaced !== undefined) this.#space.release(replaced);
  }

  remove(path: string): void {
    const { folder, name } = this.#place(path, 'unlink');
    const inode = folder.entries.get(name);
    if (inode === undefined) throw diskError('ENOENT', 'unlink', path);
    if (inode.kind === 'folder') throw diskError('EISDIR', 'unlink', path);
    folder.entries.delete(name);
    this.#space.release(inode);
  }

  removeFolder(path: string): void {
    const inode = this.#find(path);
    if (inode === undefined) return;
    const { folder, name } = this.#place(path, 'rm');
    folder.entries.delete(name);
    this.#space.release(inode);
  }

  async syncFolder(path: string): Promise<void> {
    if (this.#find(path) === undefined) throw diskError('ENOENT', 'open', path);
  }

  async replace(path: string, bytes: Uint8Array): Promise<void> {
    const temporary = `${path}.tmp`;
    const file = this.open(temporary, 'create');
    try {
      file.truncate(0);
      file.write([bytes], 0);
    } finally {
      file.close();
    }
    this.rename(temporary, path);
  }

  space(path: string): DiskSpace {
    if (!this.exists(path)) throw diskError('ENOENT', 'statfs', path);
    const { capacityBytes, usedBytes } = this.#space;
    return { totalBytes: capacityBytes, usableBytes: capacityBytes - usedBytes };
  }

  lock(path: string): DiskLock | undefined {
    const key = posix.normalize(path);
    if (this.#locked.has(key)) return undefined;
    this.open(path, 'create').close();
    this.#locked.add(key);
    let isHeld = true;
    return {
      isEnforced: true,
      release: () => {
        if (isHeld) this.#locked.delete(key);
        isHeld = false;
      },
    };
  }

  #find(path: string): Inode | undefined {
    let inode: Inode = this.#root;
    for (const name of segments(path)) {
      const next: Inode | undefined = inode.kind === 'folder' ? inode.entries.get(name) : undefined;
      if (next === undefined) return undefined;
      inode = next;
    }
    return inode;
  }

  #place(path: string, syscall: string): { readonly folder: Folder; readonly name: string } {
    const folder = this.#find(posix.dirname(path));
    if (folder === undefined) throw diskError('ENOENT', syscall, path);
    if (folder.kind === 'file') throw diskError('ENOTDIR', syscall, path);
    return { folder, name: posix.basename(path) };
  }
}

class MemoryFile implements DiskFile {
  #isClosed = false;

  constructor(
    readonly path: string,
    readonly mode: OpenMode,
    readonly contents: Contents,
    readonly space: Space,
  ) {
    contents.holders += 1;
  }

  read(into: Uint8Array, offset: number, length: number, position: number): number {
    this.#assertOpen();
    return this.contents.bytes.read(into, offset, length, position);
  }

  write(parts: readonly Uint8Array[], position: number): void {
    this.#assertWritable('write');
    let at = position;
    for (const part of parts) {
      this.#grow(at + part.byteLength, 'write');
      this.contents.bytes.write(part, at);
      at += part.byteLength;
    }
  }

  truncate(length: number): void {
    this.#assertWritable('ftruncate');
    this.#grow(length, 'ftruncate');
    this.space.usedBytes -= Math.max(this.contents.bytes.length - length, 0);
    this.contents.bytes.truncate(length);
  }

  length(): number {
    this.#assertOpen();
    return this.contents.bytes.length;
  }

  sync(): Promise<void> {
    this.#assertOpen();
    return Promise.resolve();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.space.release(this.contents);
  }

  #grow(end: number, syscall: string): void {
    const moreBytes = Math.max(end - this.contents.bytes.length, 0);
    if (this.space.usedBytes + moreBytes > this.space.capacityBytes) {
      throw diskError('ENOSPC', syscall, this.path);
    }
    this.space.usedBytes += moreBytes;
  }

  #assertOpen(): void {
    invariant(!this.#isClosed, 'a closed file is not used');
  }

  #assertWritable(syscall: string): void {
    this.#assertOpen();
    if (this.mode === 'read') throw diskError('EBADF', syscall, this.path);
  }
}

class Space {
  usedBytes = 0;

  constructor(readonly capacityBytes: number) {}

  release(inode: Inode): void {
    if (inode.kind === 'folder') {
      for (const child of inode.entries.values()) this.release(child);
      return;
    }
    inode.holders -= 1;
    if (inode.holders === 0) this.usedBytes -= inode.bytes.length;
  }
}

function assertReplaceable(moved: Inode, replaced: Inode, to: string): void {
  if (replaced.kind === 'file') {
    if (moved.kind === 'folder') throw diskError('ENOTDIR', 'rename', to);
    return;
  }
  if (moved.kind === 'file') throw diskError('EISDIR', 'rename', to);
  if (replaced.entries.size > 0) throw diskError('ENOTEMPTY', 'rename', to);
}

/** Works for this machine's own absolute paths too: only the separator matters. */
const segments = (path: string): readonly string[] => path.split('/').filter((name) => name !== '');

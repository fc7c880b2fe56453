/**
 * What is on a simulated machine's disk: for every file the page cache's view and what would
 * survive a power loss, and the same for the names in folders.
 */
import { posix } from 'node:path';
import { Chunks } from '../../../src/platform/chunks';
import { diskError } from '../../../src/platform/disk-error';
import type { Stream } from './seeds';

const PAGE_BYTES = 4096;
/** A disk writes whole sectors; a page can be torn between them. */
const SECTOR_BYTES = 512;

export type Inode = ImageFile | ImageFolder;

export class ImageFolder {
  readonly kind = 'folder';
  readonly entries = new Map<string, Inode>();
  /** What the folder holds after a power loss. */
  readonly durableEntries = new Map<string, Inode>();
}

/** A file's bytes: `current` in the page cache, `durable` on the platter. */
export class ImageFile {
  readonly kind = 'file';
  readonly current = new Chunks();
  readonly #durable = new Chunks();
  /** Pages that differ from what is durable, each with the number of its last write. */
  readonly #dirty = new Map<number, number>();
  #writes = 0;
  #syncsBegun = 0;
  #lastSyncEnded = 0;

  write(bytes: Uint8Array, position: number): void {
    const { length } = this.current;
    this.current.write(bytes, position);
    // What a hole is filled with is as little durable as what was written behind it.
    this.#markDirty(Math.min(length, position), position + bytes.byteLength);
  }

  truncate(length: number): void {
    const shorter = Math.min(length, this.current.length);
    this.#markDirty(shorter, Math.max(length, this.current.length));
    this.current.truncate(length);
  }

  /** Remembers what an fsync that begins now will make durable; call the result when it ends. */
  beginSync(): () => void {
    const pages = [...this.#dirty].map(
      ([page, write]) => ({ page, write, bytes: pageOf(this.current, page) }) as const,
    );
    const { length } = this.current;
    this.#syncsBegun += 1;
    const number = this.#syncsBegun;
    return () => {
      // One that began later and has ended covers all of this one.
      if (number < this.#lastSyncEnded) return;
      this.#lastSyncEnded = number;
      for (const { page, write, bytes } of pages) {
        this.#durable.write(bytes, page * PAGE_BYTES);
        if (this.#dirty.get(page) === write) this.#dirty.delete(page);
      }
      this.#durable.truncate(length);
    };
  }

  /** A copy for the next life, page cache included; an fsync under way has not happened. */
  copy(): ImageFile {
    const copy = new ImageFile();
    copyBytes(this.current, copy.current);
    copyBytes(this.#durable, copy.#durable);
    for (const [page, write] of this.#dirty) copy.#dirty.set(page, write);
    copy.#writes = this.#writes;
    return copy;
  }

  /** The file after a power loss: of what was not durable, each piece is there or not. */
  afterPowerLoss(chance: Stream): ImageFile {
    const survivor = new ImageFile();
    copyBytes(this.#durable, survivor.current);
    const lengths = [this.#durable.length, this.current.length];
    const length = chance.chance(0.2)
      ? chance.between(Math.min(...lengths), Math.max(...lengths))
      : chance.pick(lengths);
    const keptShare = chance.pick([0, 0, 0.5, 0.9, 1]);
    for (const page of [...this.#dirty.keys()].sort((a, b) => a - b)) {
      if (!chance.chance(keptShare)) continue;
      const sectors = PAGE_BYTES / SECTOR_BYTES;
      const keptSectors = chance.chance(0.1) ? chance.below(sectors) : sectors;
      const kept = pageOf(this.current, page).subarray(0, keptSectors * SECTOR_BYTES);
      survivor.current.write(kept, page * PAGE_BYTES);
    }
    survivor.current.truncate(length);
    copyBytes(survivor.current, survivor.#durable);
    return survivor;
  }

  #markDirty(start: number, end: number): void {
    this.#writes += 1;
    for (let page = Math.floor(start / PAGE_BYTES); page * PAGE_BYTES < end; page += 1) {
      this.#dirty.set(page, this.#writes);
    }
  }
}

/** A change of names that a power loss undoes unless its folder was synced since. */
interface NameChange {
  readonly folder: ImageFolder;
  readonly name: string;
  readonly inode: Inode | undefined;
}

/** Renames change two names at once: both survive, or neither. */
type NameChanges = readonly NameChange[];

export class DiskImage {
  readonly #root: ImageFolder;
  #unsynced: NameChanges[] = [];

  constructor(root = new ImageFolder()) {
    this.#root = root;
  }

  find(path: string): Inode | undefined {
    let inode: Inode = this.#root;
    for (const name of segments(path)) {
      const next: Inode | undefined = inode.kind === 'folder' ? inode.entries.get(name) : undefined;
      if (next === undefined) return undefined;
      inode = next;
    }
    return inode;
  }

  /** The folder and the last name of a path. */
  place(path: string, syscall: string): { readonly folder: ImageFolder; readonly name: string } {
    const folder = this.find(posix.dirname(path));
    if (folder === undefined) throw diskError('ENOENT', syscall, path);
    if (folder.kind === 'file') throw diskError('ENOTDIR', syscall, path);
    return { folder, name: posix.basename(path) };
  }

  change(changes: NameChanges): void {
    for (const { folder, name, inode } of changes) {
      if (inode === undefined) folder.entries.delete(name);
      else folder.entries.set(name, inode);
    }
    this.#unsynced.push(changes);
  }

  /** Remembers which names an fsync of the folder that begins now makes durable. */
  beginSync(folder: ImageFolder): () => void {
    const synced = this.#unsynced.filter((changes) => changes.some((one) => one.folder === folder));
    return () => {
      // A later one of the same folder may have ended first and covered these.
      const isUnsynced = new Set(this.#unsynced);
      for (const changes of synced) if (isUnsynced.has(changes)) makeDurable(changes);
      const isSynced = new Set(synced);
      this.#unsynced = this.#unsynced.filter((changes) => !isSynced.has(changes));
    };
  }

  /** The disk after its process ended: all that was written is in the page cache. */
  afterProcessCrash(): DiskImage {
    const copier = new Copier();
    const image = new DiskImage(copier.folder(this.#root));
    image.#unsynced = this.#unsynced.map((changes) =>
      changes.map(({ folder, name, inode }) => ({
        folder: copier.folder(folder),
        name,
        inode: inode === undefined ? undefined : copier.inode(inode),
      })),
    );
    return image;
  }

  /** The disk after a power loss: unsynced names and bytes are there or not, by chance. */
  afterPowerLoss(chance: Stream): DiskImage {
    const isInOrder = chance.chance(0.5);
    const keptInOrder = chance.between(0, this.#unsynced.length);
    this.#unsynced.forEach((changes, index) => {
      if (isInOrder ? index < keptInOrder : chance.chance(0.5)) makeDurable(changes);
    });
    return new DiskImage(survivingFolder(this.#root, chance));
  }
}

function makeDurable(changes: NameChanges): void {
  for (const { folder, name, inode } of changes) {
    if (inode === undefined) folder.durableEntries.delete(name);
    else folder.durableEntries.set(name, inode);
  }
}

/** Copies inodes, each once, however many names lead to it. */
class Copier {
  readonly #copies = new Map<Inode, Inode>();

  inode(inode: Inode): Inode {
    if (inode.kind === 'folder') return this.folder(inode);
    const copy = this.#copies.get(inode) ?? inode.copy();
    this.#copies.set(inode, copy);
    return copy;
  }

  folder(folder: ImageFolder): ImageFolder {
    const known = this.#copies.get(folder);
    if (known?.kind === 'folder') return known;
    const copy = new ImageFolder();
    this.#copies.set(folder, copy);
    for (const [name, inode] of folder.entries) copy.entries.set(name, this.inode(inode));
    for (const [name, inode] of folder.durableEntries) {
      copy.durableEntries.set(name, this.inode(inode));
    }
    return copy;
  }
}

function survivingFolder(folder: ImageFolder, chance: Stream): ImageFolder {
  const survivor = new ImageFolder();
  for (const name of [...folder.durableEntries.keys()].sort()) {
    const inode = folder.durableEntries.get(name) as Inode;
    const surviving =
      inode.kind === 'folder' ? survivingFolder(inode, chance) : inode.afterPowerLoss(chance);
    survivor.entries.set(name, surviving);
    survivor.durableEntries.set(name, surviving);
  }
  return survivor;
}

function pageOf(bytes: Chunks, page: number): Buffer {
  const into = Buffer.alloc(PAGE_BYTES);
  bytes.read(into, 0, PAGE_BYTES, page * PAGE_BYTES);
  return into;
}

function copyBytes(from: Chunks, to: Chunks): void {
  const bytes = Buffer.allocUnsafe(from.length);
  from.read(bytes, 0, bytes.byteLength, 0);
  to.write(bytes, 0);
}

const segments = (path: string): readonly string[] => path.split('/').filter((name) => name !== '');

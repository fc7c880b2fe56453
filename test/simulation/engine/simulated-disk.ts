/**
 * The disk of one simulated process. It counts its operations, so that a crash or a failure can be
 * set for any of them. When the process dies the machine keeps the image of that moment; the disk
 * goes on for the doomed process, but nobody will ever see what it does.
 */
import { posix } from 'node:path';
import { type DiskErrorCode, diskError } from '../../../src/platform/disk-error';
import type {
  Disk,
  DiskEntry,
  DiskFile,
  DiskLock,
  DiskSpace,
  OpenMode,
} from '../../../src/platform/platform';
import { DiskImage, ImageFile, ImageFolder } from './disk-image';
import type { Life } from './life';
import type { Stream } from './seeds';
import { SimulatedFile } from './simulated-file';
import type { Simulation } from './simulation';

/** What is counted: everything that changes the disk or makes a change durable. */
export type DiskOperation = 'write' | 'truncate' | 'name' | 'sync';

export type CrashKind = 'process-crash' | 'power-loss';

export interface DiskTraits {
  /** Draws durations, and how much of an interrupted operation was done. */
  readonly chance: Stream;
  /** The longest an fsync usually takes. */
  readonly syncUs: number;
}

/** The disk that a machine keeps from one life of its process to the next. */
export class MachineDisk {
  image = new DiskImage();
  /** Paths locked by the life that runs. */
  readonly locked = new Set<string>();
  /** No fsync takes unusually long: work has an end that can be waited for. */
  isAtPeace = false;
}

/** However slow a disk is: far less than what a world waits for in the end. */
const LONGEST_SYNC_US = 20_000_000;

export class SimulatedDisk implements Disk {
  readonly #simulation: Simulation;
  readonly #life: Life;
  readonly #machine: MachineDisk;
  readonly #traits: DiskTraits;
  readonly #image: DiskImage;
  readonly #replacing = new Map<string, Promise<void>>();
  readonly #failures: { after: number; readonly code: DiskErrorCode; operation: DiskOperation }[] =
    [];
  #crash: { after: number; readonly crash: (beforeDying: () => void) => void } | undefined;
  #isFull = false;
  #slowness = 1;
  #operations = 0;

  constructor(simulation: Simulation, life: Life, machine: MachineDisk, traits: DiskTraits) {
    this.#simulation = simulation;
    this.#life = life;
    this.#machine = machine;
    this.#traits = traits;
    this.#image = machine.image;
  }

  /** How many operations this life has done. */
  get operations(): number {
    return this.#operations;
  }

  /**
   * Calls `crash` in the midst of the operation that is `after` from now (0 = the next), with
   * what does a part of it.
   */
  crashAt(after: number, crash: (doPart: () => void) => void): void {
    this.#crash = { after, crash };
  }

  /** Lets the operation of that kind which is `after` from now (0 = the next) fail. */
  failAt(after: number, operation: DiskOperation, code: DiskErrorCode): void {
    this.#failures.push({ after, operation, code });
  }

  /** How many failures that were set have not happened yet. */
  get failuresLeft(): number {
    return this.#failures.length;
  }

  /** From now on nothing is set to go wrong. */
  calm(): void {
    this.#crash = undefined;
    this.#failures.length = 0;
    this.#isFull = false;
    this.#slowness = 1;
  }

  /** Multiplies the time that an fsync takes. */
  slow(factor: number): void {
    this.#slowness = factor;
  }

  /** While full, nothing that needs more room succeeds. */
  setFull(isFull: boolean): void {
    this.#isFull = isFull;
  }

  open(path: string, mode: OpenMode): DiskFile {
    const { folder, name } = this.#image.place(path, 'open');
    let inode = folder.entries.get(name);
    if (inode === undefined) {
      if (mode !== 'create') throw diskError('ENOENT', 'open', path);
      inode = new ImageFile();
      this.#changeNames('open', path, [{ folder, name, inode }]);
    }
    if (inode.kind === 'folder') throw diskError('EISDIR', 'open', path);
    return new SimulatedFile(path, mode, inode, this);
  }

  exists(path: string): boolean {
    return this.#image.find(path) !== undefined;
  }

  readFile(path: string): Buffer {
    const file = this.open(path, 'read');
    const bytes = Buffer.alloc(file.length());
    file.read(bytes, 0, bytes.byteLength, 0);
    file.close();
    return bytes;
  }

  list(path: string): readonly DiskEntry[] {
    return [...this.#folder(path, 'scandir').entries]
      .map(([name, inode]) => ({ name, isFolder: inode.kind === 'folder' }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  makeFolder(path: string): void {
    const existing = this.#image.find(path);
    if (existing?.kind === 'folder') return;
    if (existing !== undefined) throw diskError('EEXIST', 'mkdir', path);
    if (this.#image.find(posix.dirname(path))?.kind === 'file') {
      throw diskError('ENOTDIR', 'mkdir', path);
    }
    this.makeFolder(posix.dirname(path));
    const { folder, name } = this.#image.place(path, 'mkdir');
    this.#changeNames('mkdir', path, [{ folder, name, inode: new ImageFolder() }]);
  }

  rename(from: string, to: string): void {
    const source = this.#image.place(from, 'rename');
    const target = this.#image.place(to, 'rename');
    const moved = source.folder.entries.get(source.name);
    if (moved === undefined) throw diskError('ENOENT', 'rename', from);
    const replaced = target.folder.entries.get(target.name);
    if (replaced === moved) return;
    if (replaced?.kind === 'file' && moved.kind === 'folder') {
      throw diskError('ENOTDIR', 'rename', to);
    }
    if (replaced?.kind === 'folder') {
      if (moved.kind === 'file') throw diskError('EISDIR', 'rename', to);
      if (replaced.entries.size > 0) throw diskError('ENOTEMPTY', 'rename', to);
    }
    this.#changeNames('rename', from, [
      { ...source, inode: undefined },
      { ...target, inode: moved },
    ]);
  }

  remove(path: string): void {
    const { folder, name } = this.#image.place(path, 'unlink');
    const inode = folder.entries.get(name);
    if (inode === undefined) throw diskError('ENOENT', 'unlink', path);
    if (inode.kind === 'folder') throw diskError('EISDIR', 'unlink', path);
    this.#changeNames('unlink', path, [{ folder, name, inode: undefined }]);
  }

  removeFolder(path: string): void {
    const inode = this.#image.find(path);
    if (inode === undefined) return;
    if (inode.kind === 'folder') {
      // Name by name, as the system does: a crash can leave the folder half empty.
      for (const { name } of this.list(path)) this.removeFolder(posix.join(path, name));
    }
    const { folder, name } = this.#image.place(path, 'rm');
    this.#changeNames('rm', path, [{ folder, name, inode: undefined }]);
  }

  syncFolder(path: string): Promise<void> {
    const folder = this.#folder(path, 'open');
    return this.runSync(path, () => this.#image.beginSync(folder));
  }

  replace(path: string, bytes: Uint8Array): Promise<void> {
    const before = this.#replacing.get(path) ?? Promise.resolve();
    const replaced = before.catch(() => undefined).then(() => this.#replace(path, bytes));
    this.#replacing.set(path, replaced);
    return replaced;
  }

  space(path: string): DiskSpace {
    if (!this.exists(path)) throw diskError('ENOENT', 'statfs', path);
    return { totalBytes: Number.POSITIVE_INFINITY, usableBytes: Number.POSITIVE_INFINITY };
  }

  lock(path: string): DiskLock | undefined {
    const { locked } = this.#machine;
    if (locked.has(path)) return undefined;
    this.open(path, 'create').close();
    locked.add(path);
    let isHeld = true;
    return {
      isEnforced: true,
      release: () => {
        if (isHeld && !this.#life.isOver) locked.delete(path);
        isHeld = false;
      },
    };
  }

  /** Counts an operation: it fails if that was set, is done, and the process dies if that was. */
  do(operation: DiskOperation, syscall: string, path: string, work: (share: number) => void): void {
    this.#operations += 1;
    this.#simulation.note(this.#operations);
    const code = this.#failureOf(operation);
    if (code !== undefined) {
      // A failed write may have written something.
      if (operation === 'write') work(this.#traits.chance.next() / 2 ** 32);
      throw diskError(code, syscall, path);
    }
    const crash = this.#crash;
    if (crash !== undefined && !this.#life.isOver) {
      if (crash.after === 0) {
        const share = this.#traits.chance.pick([0, 1, this.#traits.chance.next() / 2 ** 32]);
        crash.crash(() => work(share));
      }
      crash.after -= 1;
    }
    work(1);
  }

  /** Throws if `moreBytes` do not fit. */
  reserve(moreBytes: number, syscall: string, path: string): void {
    if (this.#isFull && moreBytes > 0) throw diskError('ENOSPC', syscall, path);
  }

  /** An fsync: durable is what was there when it began, once it has ended. */
  runSync(path: string, begin: () => () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      let end: () => void = () => undefined;
      let failure: unknown;
      try {
        this.do('sync', 'fdatasync', path, () => {
          end = begin();
        });
      } catch (error) {
        failure = error;
      }
      const { chance, syncUs } = this.#traits;
      // Now and then a disk thinks for long.
      const isLong = chance.chance(0.02) && !this.#machine.isAtPeace;
      const delayUs = isLong ? syncUs * 50 : chance.between(50, syncUs);
      const slowUs = Math.min(delayUs * this.#slowness, LONGEST_SYNC_US);
      this.#simulation.schedule(slowUs, 'disk', this.#life, () => {
        if (failure !== undefined) return reject(failure);
        end();
        resolve();
      });
    });
  }

  async #replace(path: string, bytes: Uint8Array): Promise<void> {
    const temporary = `${path}.tmp`;
    const file = this.open(temporary, 'create');
    try {
      file.truncate(0);
      file.write([bytes], 0);
      await file.sync();
    } finally {
      file.close();
    }
    this.rename(temporary, path);
    await this.syncFolder(posix.dirname(path));
  }

  #changeNames(syscall: string, path: string, changes: Parameters<DiskImage['change']>[0]): void {
    if (syscall === 'open' || syscall === 'mkdir') this.reserve(1, syscall, path);
    this.do('name', syscall, path, (share) => {
      // Names change whole or not at all.
      if (share >= 0.5) this.#image.change(changes);
    });
  }

  #folder(path: string, syscall: string): ImageFolder {
    const inode = this.#image.find(path);
    if (inode === undefined) throw diskError('ENOENT', syscall, path);
    if (inode.kind === 'file') throw diskError('ENOTDIR', syscall, path);
    return inode;
  }

  #failureOf(operation: DiskOperation): DiskErrorCode | undefined {
    let code: DiskErrorCode | undefined;
    for (const failure of [...this.#failures]) {
      if (failure.operation !== operation) continue;
      if (failure.after === 0) {
        code = failure.code;
        this.#failures.splice(this.#failures.indexOf(failure), 1);
      }
      failure.after -= 1;
    }
    return code;
  }
}

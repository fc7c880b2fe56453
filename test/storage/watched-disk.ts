/** Files in memory that count what is done to them and fail when told to. */
import { diskError } from '../../src/platform/disk-error';
import { memoryDisk } from '../../src/platform/memory-disk';
import type {
  Disk,
  DiskEntry,
  DiskFile,
  DiskLock,
  DiskSpace,
  OpenMode,
} from '../../src/platform/platform';

export class WatchedDisk implements Disk {
  readonly #disk = memoryDisk();
  /** Handles open now. */
  openHandles = 0;
  openLimit = Number.POSITIVE_INFINITY;
  /** So many opens beyond the limit work all the same, before none does. */
  opensLeft = 0;
  /** Paths in the order of their fsyncs; folders end in a slash. */
  readonly synced: string[] = [];
  /** Path and new length of every truncation. */
  readonly truncated: (readonly [string, number])[] = [];
  /** A longer write fails after so many bytes. */
  writableBytes = Number.POSITIVE_INFINITY;
  /** Every fsync fails. */
  isSyncFailing = false;
  /** Those below this folder do. */
  failingFolder: string | undefined;
  /** Syncs wait until `releaseSyncs`. */
  isSyncHeld = false;
  #held: (() => void)[] = [];

  open(path: string, mode: OpenMode): DiskFile {
    this.#needHandle(path);
    this.openHandles++;
    return new WatchedFile(this, this.#disk.open(path, mode));
  }

  exists(path: string): boolean {
    return this.#disk.exists(path);
  }

  readFile(path: string): Buffer {
    this.#needHandle(path);
    return this.#disk.readFile(path);
  }

  list(path: string): readonly DiskEntry[] {
    return this.#disk.list(path);
  }

  makeFolder(path: string): void {
    this.#disk.makeFolder(path);
  }

  rename(from: string, to: string): void {
    this.#disk.rename(from, to);
  }

  remove(path: string): void {
    this.#disk.remove(path);
  }

  removeFolder(path: string): void {
    this.#disk.removeFolder(path);
  }

  async syncFolder(path: string): Promise<void> {
    await this.sync(`${path}/`);
  }

  async replace(path: string, bytes: Uint8Array): Promise<void> {
    this.#needHandle(path);
    await this.sync(path);
    await this.#disk.replace(path, bytes);
  }

  space(path: string): DiskSpace {
    return this.#disk.space(path);
  }

  lock(path: string): DiskLock | undefined {
    return this.#disk.lock(path);
  }

  async sync(path: string): Promise<void> {
    this.synced.push(path);
    const isBelow = this.failingFolder !== undefined && path.startsWith(`${this.failingFolder}/`);
    if (this.isSyncFailing || isBelow) throw diskError('EIO', 'fdatasync', path);
    if (this.isSyncHeld) await new Promise<void>((resolve) => this.#held.push(resolve));
  }

  #needHandle(path: string): void {
    if (this.openHandles < this.openLimit) return;
    if (this.opensLeft-- > 0) return;
    throw Object.assign(new Error(`EMFILE: too many open files, open '${path}'`), {
      code: 'EMFILE',
    });
  }

  releaseSyncs(): void {
    for (const release of this.#held.splice(0)) release();
  }
}

class WatchedFile implements DiskFile {
  readonly #disk: WatchedDisk;
  readonly #file: DiskFile;
  #isOpen = true;

  constructor(disk: WatchedDisk, file: DiskFile) {
    this.#disk = disk;
    this.#file = file;
  }

  get path(): string {
    return this.#file.path;
  }

  read(into: Uint8Array, offset: number, length: number, position: number): number {
    return this.#file.read(into, offset, length, position);
  }

  write(parts: readonly Uint8Array[], position: number): void {
    const all = Buffer.concat(parts);
    const { writableBytes } = this.#disk;
    this.#file.write([all.subarray(0, writableBytes)], position);
    if (all.length > writableBytes) throw diskError('ENOSPC', 'write', this.path);
  }

  truncate(length: number): void {
    this.#disk.truncated.push([this.path, length]);
    this.#file.truncate(length);
  }

  length(): number {
    return this.#file.length();
  }

  sync(): Promise<void> {
    return this.#disk.sync(this.path);
  }

  close(): void {
    if (this.#isOpen) this.#disk.openHandles--;
    this.#isOpen = false;
    this.#file.close();
  }
}

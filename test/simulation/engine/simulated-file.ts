/** An open file of a simulated process. */
import { invariant } from '../../../src/base/invariant';
import { diskError } from '../../../src/platform/disk-error';
import { joined } from '../../../src/platform/join';
import type { DiskFile, OpenMode } from '../../../src/platform/platform';
import type { ImageFile } from './disk-image';
import type { SimulatedDisk } from './simulated-disk';

export class SimulatedFile implements DiskFile {
  readonly path: string;
  readonly #mode: OpenMode;
  readonly #file: ImageFile;
  readonly #disk: SimulatedDisk;
  readonly #sync: () => Promise<void>;
  #isClosed = false;

  constructor(path: string, mode: OpenMode, file: ImageFile, disk: SimulatedDisk) {
    this.path = path;
    this.#mode = mode;
    this.#file = file;
    this.#disk = disk;
    this.#sync = joined(() => disk.runSync(path, () => file.beginSync()), true);
  }

  read(into: Uint8Array, offset: number, length: number, position: number): number {
    this.#assertOpen();
    return this.#file.current.read(into, offset, length, position);
  }

  write(parts: readonly Uint8Array[], position: number): void {
    this.#assertWritable('write');
    const length = parts.reduce((sum, part) => sum + part.byteLength, 0);
    this.#disk.reserve(position + length - this.#file.current.length, 'write', this.path);
    this.#disk.do('write', 'write', this.path, (share) => {
      const bytes = Buffer.concat(parts).subarray(0, Math.ceil(length * share));
      if (bytes.byteLength > 0) this.#file.write(bytes, position);
    });
  }

  truncate(length: number): void {
    this.#assertWritable('ftruncate');
    this.#disk.reserve(length - this.#file.current.length, 'ftruncate', this.path);
    this.#disk.do('truncate', 'ftruncate', this.path, (share) => {
      if (share >= 0.5) this.#file.truncate(length);
    });
  }

  length(): number {
    this.#assertOpen();
    return this.#file.current.length;
  }

  sync(): Promise<void> {
    this.#assertOpen();
    return this.#sync();
  }

  close(): void {
    this.#isClosed = true;
  }

  #assertOpen(): void {
    invariant(!this.#isClosed, 'a closed file is not used');
  }

  #assertWritable(syscall: string): void {
    this.#assertOpen();
    if (this.#mode === 'read') throw diskError('EBADF', syscall, this.path);
  }
}

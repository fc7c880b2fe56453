/** Keeps the number of open file handles bounded: files nobody needs right now are closed. */
import { systemErrorCode } from '../base/system-error';
import type { Disk, DiskFile, OpenMode } from '../platform/platform';

/** One open handle, shared by its file and by the slices on their way out. */
export class SharedHandle {
  readonly file: DiskFile;
  #references = 0;
  #isRetired = false;

  constructor(file: DiskFile) {
    this.file = file;
  }

  get isReferenced(): boolean {
    return this.#references > 0;
  }

  acquire(): void {
    this.#references++;
  }

  release(): void {
    this.#references--;
    if (this.#isRetired && this.#references === 0) this.file.close();
  }

  /** Closes the handle as soon as no slice needs it. */
  retire(): void {
    this.#isRetired = true;
    if (this.#references === 0) this.file.close();
  }
}

/** A file whose handle may be closed and opened again. */
export interface Closable {
  /** False while the handle must stay open: active segments, bytes not yet synced, slices. */
  readonly mayClose: boolean;
  closeHandle(): void;
}

/**
 * The open handles of closed segments, least recently used first. Kafka keeps every segment open;
 * with a bound, ten thousand partitions of many segments need no raised limit of descriptors.
 */
export class OpenFiles {
  readonly #disk: Disk;
  readonly #limit: number;
  readonly #files = new Set<Closable>();

  constructor(disk: Disk, limit: number) {
    this.#disk = disk;
    this.#limit = limit;
  }

  /** When the process has no descriptor left, all that nobody needs right now are given up. */
  open(path: string, mode: OpenMode): SharedHandle {
    try {
      return new SharedHandle(this.#disk.open(path, mode));
    } catch (error) {
      if (!isOutOfDescriptors(error) || !this.#closeUnused()) throw error;
      return new SharedHandle(this.#disk.open(path, mode));
    }
  }

  /** Notes a use of `file`, and closes the longest unused ones beyond the limit. */
  touch(file: Closable): void {
    this.#files.delete(file);
    this.#files.add(file);
    if (this.#files.size <= this.#limit) return;
    for (const oldest of this.#files) {
      if (oldest === file || !oldest.mayClose) continue;
      this.#files.delete(oldest);
      oldest.closeHandle();
      return;
    }
  }

  forget(file: Closable): void {
    this.#files.delete(file);
  }

  /** True if there was any. */
  #closeUnused(): boolean {
    const unused = [...this.#files].filter(({ mayClose }) => mayClose);
    for (const file of unused) {
      this.#files.delete(file);
      file.closeHandle();
    }
    return unused.length > 0;
  }
}

/** The process's or the machine's limit, which is no failure of a disk. */
export function isOutOfDescriptors(error: unknown): boolean {
  const code = systemErrorCode(error);
  return code === 'EMFILE' || code === 'ENFILE';
}

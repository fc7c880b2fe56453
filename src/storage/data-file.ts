/** The lowest rung: the bytes of one `.log` file. Appends at its end, reads and slices anywhere. */
import { invariant } from '../base/invariant';
import type { DiskFile } from '../platform/platform';
import type { OpenFiles, SharedHandle } from './open-files';

/** Bytes of a file on their way out. The bytes stay readable until `release` (once). */
export interface FileSlice {
  readonly file: DiskFile;
  readonly position: number;
  /** Bytes. A shorter read means that the log was truncated meanwhile: drop the connection. */
  readonly length: number;
  release(): void;
}

export class DataFile {
  #path: string;
  readonly #openFiles: OpenFiles;
  #handle: SharedHandle | undefined;
  #size: number;
  /** Appended to: its handle stays open. */
  #isActive: boolean;
  #hasUnsyncedChanges: boolean;

  private constructor(path: string, openFiles: OpenFiles, handle: SharedHandle, size: number) {
    this.#path = path;
    this.#openFiles = openFiles;
    this.#handle = handle;
    this.#size = size;
    this.#isActive = true;
    this.#hasUnsyncedChanges = false;
  }

  /** Makes the file; what an earlier life left under that name is cut off. */
  static create(path: string, openFiles: OpenFiles): DataFile {
    const handle = openFiles.open(path, 'create');
    if (handle.file.length() > 0) handle.file.truncate(0);
    const file = new DataFile(path, openFiles, handle, 0);
    file.#hasUnsyncedChanges = true;
    return file;
  }

  static open(path: string, openFiles: OpenFiles): DataFile {
    const handle = openFiles.open(path, 'write');
    return new DataFile(path, openFiles, handle, handle.file.length());
  }

  get path(): string {
    return this.#path;
  }

  get size(): number {
    return this.#size;
  }

  get hasUnsyncedChanges(): boolean {
    return this.#hasUnsyncedChanges;
  }

  /** What the file holds may be unsynced although this process has not written to it. */
  markUnsynced(): void {
    this.#hasUnsyncedChanges = true;
  }

  /**
   * One write of all `bytes` at the end. If it fails (a short write included) the file is cut back
   * to its old length before the error goes on.
   */
  append(bytes: Uint8Array): void {
    const { file } = this.#open();
    this.#hasUnsyncedChanges = true;
    try {
      file.write([bytes], this.#size);
    } catch (error) {
      this.#cutBack();
      throw error;
    }
    this.#size += bytes.length;
  }

  /** Returns how many bytes were read; fewer than `length` only at the end of the file. */
  readAt(into: Uint8Array, offset: number, length: number, position: number): number {
    return this.#open().file.read(into, offset, length, position);
  }

  /** Keeps the handle open until released, whatever becomes of the file meanwhile. */
  slice(position: number, length: number): FileSlice {
    invariant(position + length <= this.#size, 'a slice lies within its file');
    const handle = this.#open();
    handle.acquire();
    return new HandleSlice(handle, position, length);
  }

  truncate(length: number): void {
    if (length === this.#size) return;
    this.#hasUnsyncedChanges = true;
    this.#open().file.truncate(length);
    this.#size = length;
  }

  /** Makes everything written so far durable. */
  async sync(): Promise<void> {
    if (!this.#hasUnsyncedChanges) return;
    this.#hasUnsyncedChanges = false;
    await this.#open().file.sync();
  }

  /** An active file keeps its handle; one that is not may be closed when unused. */
  setActive(isActive: boolean): void {
    this.#isActive = isActive;
    if (isActive) this.#openFiles.forget(this);
    else if (this.#handle !== undefined) this.#openFiles.touch(this);
  }

  get mayClose(): boolean {
    return !this.#isActive && !this.#hasUnsyncedChanges && !this.#handle?.isReferenced;
  }

  closeHandle(): void {
    this.#handle?.retire();
    this.#handle = undefined;
  }

  /** Where the file lies after a rename, of itself or of its folder. */
  moved(path: string): void {
    this.#path = path;
  }

  close(): void {
    this.#openFiles.forget(this);
    this.closeHandle();
  }

  #open(): SharedHandle {
    this.#handle ??= this.#openFiles.open(this.#path, 'write');
    if (!this.#isActive) this.#openFiles.touch(this);
    return this.#handle;
  }

  /** After a failed write the folder is given up; a failure here too leaves a tail for recovery. */
  #cutBack(): void {
    try {
      this.#handle?.file.truncate(this.#size);
    } catch {
      // The owner hears of the write's error; recovery cuts what could not be cut now.
    }
  }
}

class HandleSlice implements FileSlice {
  readonly #handle: SharedHandle;
  readonly position: number;
  readonly length: number;
  #isReleased = false;

  constructor(handle: SharedHandle, position: number, length: number) {
    this.#handle = handle;
    this.position = position;
    this.length = length;
  }

  get file() {
    return this.#handle.file;
  }

  release(): void {
    invariant(!this.#isReleased, 'a slice is released once');
    this.#isReleased = true;
    this.#handle.release();
  }
}

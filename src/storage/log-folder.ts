/** One of a broker's log folders (`log.dirs`): whose it is, and whether it still works. */
import type { Uuid } from '../base/ids';
import { reasonOf, systemErrorCode } from '../base/system-error';
import { StorageError } from './errors';
import { isOutOfDescriptors } from './open-files';

/** Whoever has files in the folder and wants to know when it fails. */
export interface FolderMember {
  folderFailed(error: StorageError): void;
}

export class LogFolder {
  /** Absolute. */
  readonly path: string;
  /** `directory.id` of its meta.properties. */
  readonly directoryId: Uuid;
  readonly #members = new Set<FolderMember>();
  #failure: StorageError | undefined;
  #forgetting: Promise<void> = Promise.resolve();
  #forgetAgain: (() => Promise<void>) | undefined;

  constructor(path: string, directoryId: Uuid) {
    this.path = path;
    this.directoryId = directoryId;
  }

  get isOffline(): boolean {
    return this.#failure !== undefined;
  }

  get failure(): StorageError | undefined {
    return this.#failure;
  }

  /**
   * `write` puts down checkpoints of this folder that no longer name a deleted log. A new log of
   * that name promises nothing before: after a crash it would be taken for the old one. Each write
   * begins when the one before has ended, and makes good what that could not.
   */
  forget(write: () => Promise<void>): void {
    this.#forgetAgain = write;
    this.#forgetting = this.#forgetting.then(write, write);
    // Whoever waits hears of a failure.
    this.#forgetting.catch(() => undefined);
  }

  /**
   * Resolves when what was deleted before is forgotten for good. What failed while the folder goes
   * on (for want of a descriptor) is tried again: one failure shall not be that of every later log.
   */
  async forgotten(): Promise<void> {
    try {
      await this.#forgetting;
    } catch (error) {
      const isShortage = error instanceof StorageError && !this.isOffline;
      if (!isShortage || this.#forgetAgain === undefined) throw error;
      this.forget(this.#forgetAgain);
      await this.#forgetting;
    }
  }

  join(member: FolderMember): void {
    this.#members.add(member);
  }

  leave(member: FolderMember): void {
    this.#members.delete(member);
  }

  /**
   * The folder failed: offline until a restart. Tells every member, the first time only, and
   * returns what to throw. `what` says what was being done.
   */
  fail(what: string, cause: unknown): StorageError {
    if (this.#failure !== undefined) return this.#failure;
    const failure = new StorageError(`${what} failed: ${reasonOf(cause)}`, { cause });
    this.#failure = failure;
    for (const member of [...this.#members]) member.folderFailed(failure);
    return failure;
  }

  /**
   * What to throw for an error: the disk's own is the folder's end, a lack of descriptors only that
   * of the call; whatever else it is stays itself.
   */
  failureOf(what: string, error: unknown): unknown {
    if (systemErrorCode(error) === undefined) return error;
    if (!isOutOfDescriptors(error)) return this.fail(what, error);
    return new StorageError(`${what} failed: ${reasonOf(error)}`, { cause: error });
  }
}

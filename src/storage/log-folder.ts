/** One of a broker's log folders (`log.dirs`): whose it is, and whether it still works. */
import type { Uuid } from '../base/ids';
import { StorageError } from './errors';

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
    const reason = cause instanceof Error ? cause.message : String(cause);
    const failure = new StorageError(`${what} failed: ${reason}`, { cause });
    this.#failure = failure;
    for (const member of [...this.#members]) member.folderFailed(failure);
    return failure;
  }
}

/** Takes the files of removed segments out of a log's folder. */
import type { Offset } from '../base/ids';
import { raiseInvariant } from '../platform/raise';
import type { LogContext } from './log-context';
import type { LogFolder } from './log-folder';
import { segmentPath } from './names';

/** A segment out of service, its file closed. */
export interface RemovedSegment {
  readonly baseOffset: Offset;
}

const SUFFIXES = ['.log', '.index', '.timeindex', '.txnindex'] as const;

/**
 * Files are renamed to `….deleted` at once, which hides them from a next start, and unlinked after
 * `file.delete.delay.ms`.
 */
export class SegmentRemover {
  readonly #context: LogContext;
  readonly #folder: LogFolder;
  readonly #path: string;
  readonly #oldest: { readonly segment: RemovedSegment; readonly delayMs: number }[] = [];
  #removing: Promise<void> | undefined;
  #isStopped = false;

  constructor(context: LogContext, folder: LogFolder, path: string) {
    this.#context = context;
    this.#folder = folder;
    this.#path = path;
  }

  /** Segments at the end of the log, or all of them: the next flush makes their absence durable. */
  removeNewest(segments: readonly RemovedSegment[], delayMs: number): void {
    for (const segment of segments) this.#remove(segment, delayMs);
  }

  /**
   * Segments at the start of the log, one after another, each durably before the next goes: a power
   * loss must not bring one back and leave a hole behind it, which would look like a lost tail.
   */
  removeOldest(segments: readonly RemovedSegment[], delayMs: number): void {
    for (const segment of segments) this.#oldest.push({ segment, delayMs });
    this.#removing ??= this.#removeInOrder();
  }

  /** Resolves when all of it is done. Never rejects: a failure is the folder's. */
  async settled(): Promise<void> {
    await this.#removing;
  }

  /** The log was closed or deleted; its folder may have another name. */
  stop(): void {
    this.#isStopped = true;
  }

  async #removeInOrder(): Promise<void> {
    try {
      for (let next = this.#oldest.shift(); next !== undefined; next = this.#oldest.shift()) {
        if (this.#isStopped || this.#folder.isOffline) return;
        this.#remove(next.segment, next.delayMs);
        await this.#context.disk.syncFolder(this.#path);
      }
    } catch (error) {
      raiseInvariant(this.#context.clock, error);
      if (!this.#isStopped) this.#folder.fail(`removing segments of ${this.#path}`, error);
    } finally {
      this.#removing = undefined;
    }
  }

  #remove({ baseOffset }: RemovedSegment, delayMs: number): void {
    for (const suffix of SUFFIXES) {
      const path = segmentPath(this.#path, baseOffset, suffix);
      if (!this.#context.disk.exists(path)) continue;
      const retired = `${path}.deleted`;
      this.#context.disk.rename(path, retired);
      this.#context.removeLater(retired, 'file', delayMs);
    }
  }
}

/** What the logs of one owner share: the platform, bounded caches, scratch memory. */
import type { Clock, Disk, Logger, Random, Timer } from '../platform/platform';
import { newWalkBlock, type WalkBlock } from './batch-walk';
import { IndexCache } from './index-cache';
import { OpenFiles } from './open-files';

/** The part of the platform that storage needs. */
export interface StoragePlatform {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

export interface LogContextOptions {
  /** `producer.id.expiration.ms` (86,400,000). */
  readonly producerIdExpirationMs: number;
  /** Bytes that indexes of closed segments may take in memory. */
  readonly indexCacheBytes?: number;
  /** Handles of closed segments that stay open while unused. */
  readonly openFileLimit?: number;
  /** A recovery point, start offset or high watermark changed: checkpoints are due in time. */
  readonly onChange?: () => void;
  /** A log was cut below its checkpointed recovery point: that checkpoint is due now. */
  readonly onRecoveryPointFell?: () => void;
}

const INDEX_CACHE_BYTES = 32 * 1024 * 1024;
const OPEN_FILE_LIMIT = 1024;

export class LogContext {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly openFiles: OpenFiles;
  readonly indexes: IndexCache;
  readonly block: WalkBlock;
  readonly producerIdExpirationMs: number;
  readonly changed: () => void;
  readonly recoveryPointFell: () => void;
  readonly #removals = new Set<Timer>();

  constructor(platform: StoragePlatform, options: LogContextOptions) {
    this.disk = platform.disk;
    this.clock = platform.clock;
    this.random = platform.random;
    this.log = platform.log;
    this.openFiles = new OpenFiles(this.disk, options.openFileLimit ?? OPEN_FILE_LIMIT);
    this.indexes = new IndexCache(this.disk, options.indexCacheBytes ?? INDEX_CACHE_BYTES);
    this.block = newWalkBlock();
    this.producerIdExpirationMs = options.producerIdExpirationMs;
    this.changed = options.onChange ?? (() => undefined);
    this.recoveryPointFell = options.onRecoveryPointFell ?? (() => undefined);
  }

  /**
   * Removes a renamed file or folder after `delayMs`. What is still there at a stop is removed by
   * the next start; a removal that fails is only worth a line, for nothing depends on it.
   */
  removeLater(path: string, kind: 'file' | 'folder', delayMs: number): void {
    if (delayMs === 0) {
      this.#remove(path, kind);
      return;
    }
    const timer = this.clock.setTimer(delayMs, () => {
      this.#removals.delete(timer);
      this.#remove(path, kind);
    });
    this.#removals.add(timer);
  }

  close(): void {
    for (const timer of this.#removals) timer.cancel();
    this.#removals.clear();
    this.indexes.clear();
  }

  #remove(path: string, kind: 'file' | 'folder'): void {
    try {
      if (kind === 'folder') this.disk.removeFolder(path);
      else if (this.disk.exists(path)) this.disk.remove(path);
    } catch (error) {
      this.log.warn('could not remove what was deleted', { path, error });
    }
  }
}

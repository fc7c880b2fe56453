/** What the logs of one owner share: the platform, bounded caches, scratch memory. */
import type { Clock, Disk, Logger, Random } from '../platform/platform';
import { newWalkBlock, type WalkBlock } from './batch-walk';
import { IndexCache } from './index-cache';
import { OpenFiles } from './open-files';
import { Removals } from './removals';

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
  readonly #removals: Removals;

  constructor(platform: StoragePlatform, options: LogContextOptions) {
    this.disk = platform.disk;
    this.clock = platform.clock;
    this.random = platform.random;
    this.log = platform.log;
    this.openFiles = new OpenFiles(this.disk, options.openFileLimit ?? OPEN_FILE_LIMIT);
    this.indexes = new IndexCache(this.disk, options.indexCacheBytes ?? INDEX_CACHE_BYTES);
    this.block = newWalkBlock();
    this.#removals = new Removals(this.disk, this.clock, this.log);
    this.producerIdExpirationMs = options.producerIdExpirationMs;
    this.changed = options.onChange ?? (() => undefined);
    this.recoveryPointFell = options.onRecoveryPointFell ?? (() => undefined);
  }

  /** Unlinks a renamed file or folder after `delayMs`, little by little. */
  removeLater(path: string, kind: 'file' | 'folder', delayMs: number): void {
    this.#removals.later(path, kind, delayMs);
  }

  close(): void {
    this.#removals.stop();
    this.indexes.clear();
  }
}

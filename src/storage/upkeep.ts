/** What happens to logs in the background: checkpoints, retention, forgetting idle producers. */
import type { Clock, Timer } from '../platform/platform';
import { raise, raiseInvariant } from '../platform/raise';
import {
  type CheckpointEntry,
  HIGH_WATERMARK_FILE,
  RECOVERY_POINT_FILE,
  START_OFFSET_FILE,
} from './checkpoint';
import { StorageError } from './errors';
import type { HeldFolder } from './held-folder';
import type { Log } from './log';
import type { LogContext } from './log-context';
import type { CheckpointFile } from './offset-checkpoints';

export interface UpkeepIntervals {
  readonly retentionCheckIntervalMs: number;
  readonly recoveryPointCheckpointIntervalMs: number;
  readonly startOffsetCheckpointIntervalMs: number;
  readonly highWatermarkCheckpointIntervalMs: number;
  readonly producerIdExpirationCheckIntervalMs: number;
}

/** What the upkeep looks after. */
export interface UpkeepOwner {
  all(): Iterable<Log>;
  held(): Iterable<HeldFolder>;
}

/** The first retention check comes this long after it may, as after Kafka's start. */
const FIRST_CHECK_MS = 30_000;
/** Logs looked at in one turn of the loop. */
const LOGS_PER_TURN = 64;

type Task = 'retention' | 'producers' | CheckpointFile;

export class Upkeep {
  readonly #context: LogContext;
  readonly #clock: Clock;
  readonly #owner: UpkeepOwner;
  readonly #intervals: UpkeepIntervals;
  readonly #timers = new Map<Task, Timer>();
  readonly #running = new Set<Promise<void>>();
  /** Folders whose checkpoints are about to be written without what went in this turn. */
  readonly #forgetting = new Set<HeldFolder>();
  #isStopped = true;
  #isRetaining = false;

  constructor(context: LogContext, owner: UpkeepOwner, intervals: UpkeepIntervals) {
    this.#context = context;
    this.#clock = context.clock;
    this.#owner = owner;
    this.#intervals = intervals;
  }

  /** All but retention, which needs to know what topics are set to. */
  start(): void {
    this.#isStopped = false;
    this.#schedule('producers', this.#intervals.producerIdExpirationCheckIntervalMs);
  }

  /** Every log has its topic's settings from now on. Nothing happens the second time. */
  startRetention(): void {
    if (this.#isStopped || this.#isRetaining) return;
    this.#isRetaining = true;
    const { retentionCheckIntervalMs } = this.#intervals;
    this.#schedule('retention', Math.min(FIRST_CHECK_MS, retentionCheckIntervalMs));
  }

  /** Checkpoints are due in time; while nothing changes, none is written. */
  changed(): void {
    if (this.#isStopped) return;
    this.#schedule(HIGH_WATERMARK_FILE, this.#intervals.highWatermarkCheckpointIntervalMs);
    this.#schedule(START_OFFSET_FILE, this.#intervals.startOffsetCheckpointIntervalMs);
    this.#schedule(RECOVERY_POINT_FILE, this.#intervals.recoveryPointCheckpointIntervalMs);
  }

  checkpointSoon(file: CheckpointFile): void {
    if (!this.#isStopped) this.#run(this.#checkpoint(file));
  }

  /** No more timers; resolves when what ran is done. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
    await Promise.all(this.#running);
  }

  /** Writes one checkpoint of a folder; durable when it resolves. */
  async checkpointFolder({ folder, checkpoints }: HeldFolder, file: CheckpointFile): Promise<void> {
    if (folder.isOffline) return;
    const entries: CheckpointEntry[] = [];
    for (const log of this.#owner.all()) {
      if (log.folder === folder) addEntry(entries, file, log);
    }
    await checkpoints.write(file, entries);
  }

  /**
   * Checkpoints name no log that is not there: after a crash they would be believed of one made
   * again under its name, cutting it to the old one's start offset.
   */
  async forgetLost(held: HeldFolder): Promise<void> {
    const files = [START_OFFSET_FILE, RECOVERY_POINT_FILE, HIGH_WATERMARK_FILE] as const;
    await Promise.all(files.map((file) => this.checkpointFolder(held, file)));
  }

  /** As `forgetLost`, once for all that is retired or made in this turn. */
  forgetSoon(held: HeldFolder): void {
    if (this.#forgetting.has(held)) return;
    this.#forgetting.add(held);
    held.folder.forget(async () => {
      await turn(this.#clock);
      this.#forgetting.delete(held);
      await this.forgetLost(held);
    });
  }

  async #checkpoint(file: CheckpointFile): Promise<void> {
    await Promise.all([...this.#owner.held()].map((held) => this.checkpointFolder(held, file)));
  }

  #schedule(task: Task, delayMs: number): void {
    if (this.#timers.has(task)) return;
    const timer = this.#clock.setTimer(delayMs, () => {
      this.#timers.delete(task);
      this.#run(this.#perform(task));
    });
    this.#timers.set(task, timer);
  }

  #run(work: Promise<void>): void {
    const settled = work.then(
      () => undefined,
      // The folder is offline already, and has said why.
      (error: unknown) => {
        if (!(error instanceof StorageError)) raise(this.#clock, error);
      },
    );
    this.#running.add(settled);
    void settled.then(() => this.#running.delete(settled));
  }

  async #perform(task: Task): Promise<void> {
    switch (task) {
      case 'retention':
        await this.#forEachLog((log) => log.deleteOldSegments(this.#clock.wallMs()));
        if (!this.#isStopped) this.#schedule(task, this.#intervals.retentionCheckIntervalMs);
        return;
      case 'producers':
        await this.#forEachLog((log) => log.removeExpiredProducers(this.#clock.wallMs()));
        if (!this.#isStopped) {
          this.#schedule(task, this.#intervals.producerIdExpirationCheckIntervalMs);
        }
        return;
      case RECOVERY_POINT_FILE:
        await this.#forEachLog((log) => log.writeFlushedIndexes());
        await this.#checkpoint(task);
        return;
      default:
        await this.#checkpoint(task);
    }
  }

  async #forEachLog(work: (log: Log) => void): Promise<void> {
    let count = 0;
    for (const log of [...this.#owner.all()]) {
      if (this.#isStopped) return;
      if (log.failure !== undefined || log.isClosed) continue;
      this.#attempt(log, work);
      count++;
      if (count % LOGS_PER_TURN === 0) await turn(this.#clock);
    }
  }

  /** One log's failure is the end of its folder, or a damaged batch; not of the round. */
  #attempt(log: Log, work: (log: Log) => void): void {
    try {
      work(log);
    } catch (error) {
      raiseInvariant(this.#clock, error);
      this.#context.log.error('upkeep of a log failed', { path: log.path, error });
    }
  }
}

/** Lets sockets be served. */
export const turn = (clock: Clock): Promise<void> =>
  new Promise((resolve) => {
    clock.nextTurn(resolve);
  });

function addEntry(entries: CheckpointEntry[], file: CheckpointFile, log: Log): void {
  const { topic, partition } = log;
  if (file === RECOVERY_POINT_FILE) {
    entries.push({ topic, partition, offset: log.flushedEndOffset });
  } else if (file === HIGH_WATERMARK_FILE) {
    entries.push({ topic, partition, offset: log.highWatermark });
  } else if (log.startOffset > log.firstSegmentOffset) {
    entries.push({ topic, partition, offset: log.startOffset });
  }
}

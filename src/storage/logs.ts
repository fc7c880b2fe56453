/** The log folders of one node and every log in them. */
import type { BrokerEpoch, TopicPartition, Uuid } from '../base/ids';
import { invariant } from '../base/invariant';
import { systemErrorCode } from '../base/system-error';
import {
  HIGH_WATERMARK_FILE,
  PARTITION_METADATA_FILE,
  RECOVERY_POINT_FILE,
  START_OFFSET_FILE,
} from './checkpoint';
import { CorruptLogError, StorageError } from './errors';
import { type FoundLog, HeldFolder } from './held-folder';
import type { Log, LogOptions } from './log';
import { LogContext, type StoragePlatform } from './log-context';
import type { LogFolder } from './log-folder';
import { assertStillThere, createLog, openLog } from './log-opening';
import { LogTable } from './log-table';
import { partitionFolderName, retiredFolderName } from './names';
import type { LogSettings } from './settings';
import { turn, Upkeep, type UpkeepIntervals } from './upkeep';

export type { StoragePlatform } from './log-context';

/**
 * The intervals are `log.retention.check.interval.ms` (300,000),
 * `log.flush.offset.checkpoint.interval.ms` (60,000),
 * `log.flush.start.offset.checkpoint.interval.ms` (60,000),
 * `replica.high.watermark.checkpoint.interval.ms` (5,000) and
 * `producer.id.expiration.check.interval.ms` (600,000).
 */
export interface LogsOptions extends UpkeepIntervals {
  /** `log.dirs` and `metadata.log.dir`: absolute, each once, formatted. */
  readonly folders: readonly string[];
  /** The effective settings of a topic, as far as they are known: at opening and creating. */
  readonly settingsOf: (topic: string) => LogSettings;
  /** `producer.id.expiration.ms` (86,400,000). */
  readonly producerIdExpirationMs: number;
  /** A folder went offline; called once each, in a turn of its own. */
  readonly onFolderOffline?: (folder: LogFolder, error: Error) => void;
}

/** How far `open` is, for a progress line. */
export interface OpenProgress {
  readonly logsOpened: number;
  readonly logsTotal: number;
  /** Unflushed bytes read again after a crash. */
  readonly bytesScanned: number;
}

/** Logs opened in one turn of the loop when there is nothing to read again: about 2 ms. */
const LOGS_PER_TURN = 16;
/** Logs closed side by side, each with a few fsyncs. */
const CLOSING_AT_ONCE = 8;

export class Logs {
  readonly #context: LogContext;
  readonly #options: LogsOptions;
  readonly #upkeep: Upkeep;
  readonly #logs = new LogTable();
  #held: HeldFolder[] = [];
  #isOpen = false;

  constructor(platform: StoragePlatform, options: LogsOptions) {
    this.#options = options;
    this.#context = new LogContext(platform, {
      producerIdExpirationMs: options.producerIdExpirationMs,
      onChange: () => this.#upkeep.changed(),
      onRecoveryPointFell: () => this.#upkeep.checkpointSoon(RECOVERY_POINT_FILE),
    });
    const owner = { all: () => this.all(), held: () => this.#held };
    this.#upkeep = new Upkeep(this.#context, owner, options);
  }

  /**
   * Takes the folders: locks them, reads whose they are. Throws FolderLockedError and
   * MetaPropertiesError (sentences for the person) with nothing taken. The folders may then be
   * used, raft's included, before `open`.
   */
  lock(): void {
    try {
      for (const path of this.#options.folders) {
        const held = HeldFolder.take(this.#context, path);
        this.#held.push(held);
        const { folder } = held;
        folder.join({ folderFailed: (error) => this.#folderFailed(folder, error) });
      }
    } catch (error) {
      this.unlock();
      throw error;
    }
  }

  /** Gives the folders back without having opened them. */
  unlock(): void {
    for (const held of this.#held) held.release();
    this.#held = [];
  }

  get folders(): readonly LogFolder[] {
    return this.#held.map(({ folder }) => folder);
  }

  /** Of the last clean stop, if all folders agree (PreviousBrokerEpoch of the registration). */
  get previousBrokerEpoch(): BrokerEpoch | undefined {
    const [first, ...others] = this.#held.map(({ brokerEpoch }) => brokerEpoch);
    return others.every((epoch) => epoch === first) ? first : undefined;
  }

  /**
   * Opens every log, recovering those of a folder that was not stopped cleanly, and starts the
   * upkeep but for retention. A folder that fails goes offline; StorageError if it was the last.
   * CorruptLogError if a partition lies in two folders (under one topic id: else both are opened,
   * and the wrong one is to be set aside), or it is not known which one a log is of.
   */
  async open(progress: (progress: OpenProgress) => void = () => undefined): Promise<void> {
    const found: { held: HeldFolder; log: FoundLog; options: Parameters<typeof openLog>[2] }[] = [];
    for (const held of this.#held) {
      await this.#survive(held, async () => {
        await held.begin();
        const optionsOf = held.optionsReader(this.#options.settingsOf);
        for (const log of held.findLogs()) found.push({ held, log, options: optionsOf(log) });
      });
    }
    const state = { logsOpened: 0, logsTotal: found.length, bytesScanned: 0 };
    for (const { held, log, options } of found) {
      await this.#survive(held, async () => {
        if (log.state !== 'current') {
          this.#leaveAside(log, options.settings);
          return;
        }
        const opening = openLog(this.#context, held.folder, options);
        const opened = await this.#inTurns(opening, (bytes) => {
          state.bytesScanned += bytes;
          progress({ ...state });
        });
        if (isUnfinished(opened)) this.#removeUnfinished(opened);
        else if (opened.topicId === undefined && wasDurable(options)) refuseNameless(opened);
        else this.#logs.add(opened);
      });
      state.logsOpened++;
      progress({ ...state });
      if (state.logsOpened % LOGS_PER_TURN === 0) await turn(this.#context.clock);
    }
    for (const held of this.#held) await this.#upkeep.forgetLost(held).catch(ignoreStorageError);
    this.#assertOneOnline();
    this.#isOpen = true;
    this.#upkeep.start();
  }

  /**
   * To be called once every log has the settings of its topic: those of the node, which it has
   * before, may keep less. Harmless when called again.
   */
  startRetention(): void {
    this.#upkeep.startRetention();
  }

  /** Logs of folders that are offline included. */
  get count(): number {
    return this.#logs.count;
  }

  /** All logs in service: not those of folders that are offline. */
  *all(): Generator<Log> {
    for (const log of this.#logs.values()) if (log.failure === undefined) yield log;
  }

  /**
   * Also a log whose folder is offline: its calls throw StorageError. Of several with this name and
   * different topic ids one at a time: when it is set aside, the next one.
   */
  get(topic: string, partition: number): Log | undefined {
    return this.#logs.get({ topic, partition });
  }

  /**
   * A new empty log with its partition.metadata, in the named folder or else in the online one with
   * the fewest logs. Throws StorageError if there is none.
   */
  create(partition: TopicPartition, topicId: Uuid, directoryId?: Uuid): Log {
    invariant(this.#logs.get(partition) === undefined, 'a log is made once');
    const { topic } = partition;
    const folder = this.#chooseFolder(directoryId);
    assertStillThere(this.#context, folder);
    const path = `${folder.path}/${partitionFolderName(partition)}`;
    const settings = this.#options.settingsOf(topic);
    this.#clearPlace(folder, path, partition);
    const log = createLog(this.#context, folder, partition, path, topicId, settings);
    this.#logs.add(log);
    this.#upkeep.changed();
    return log;
  }

  /** Renamed to `…-delete` at once, removed after `file.delete.delay.ms`. */
  delete(log: Log): void {
    const path = this.#retire(log, 'delete');
    this.#context.log.info('deleted a log', { path: log.path });
    this.#context.removeLater(path, 'folder', log.settings.fileDeleteDelayMs);
  }

  /** A log that the picture does not know: renamed to `…-stray`, kept, not served. */
  setAside(log: Log): void {
    const path = this.#retire(log, 'stray');
    this.#context.log.warn('a log that the cluster does not know is set aside', { path });
  }

  /** New settings of a topic, for all its logs. */
  applySettings(topic: string, settings: LogSettings): void {
    for (const log of this.#logs.values()) if (log.topic === topic) log.applySettings(settings);
  }

  /**
   * Flushes and closes all, writes the checkpoints and, where all went well, the clean-shutdown
   * files; unlocks. Never rejects for a folder's failure: such a folder is recovered at the next
   * start. The metadata log is closed before.
   */
  async close(
    brokerEpoch: BrokerEpoch,
    progress: (closed: number, total: number) => void = () => undefined,
  ): Promise<void> {
    await this.#upkeep.stop();
    await this.#forgotten();
    try {
      await this.#closeLogs(progress);
      for (const held of this.#held) {
        if (this.#isOpen) await this.#survive(held, () => this.#markClean(held, brokerEpoch));
      }
    } finally {
      this.#end();
    }
  }

  /**
   * As a crash would leave them: nothing is flushed, no folder is marked as stopped cleanly, so the
   * next start trusts no more than what was durable. Files are closed and folders unlocked.
   */
  async abandon(): Promise<void> {
    await this.#upkeep.stop();
    await this.#forgotten();
    for (const log of this.#logs.values()) log.abandon();
    this.#end();
  }

  #end(): void {
    this.#context.close();
    this.unlock();
    this.#isOpen = false;
  }

  async #closeLogs(progress: (closed: number, total: number) => void): Promise<void> {
    const waiting = [...this.#logs.values()];
    const total = waiting.length;
    let closed = 0;
    const closeNext = async (): Promise<void> => {
      for (let log = waiting.pop(); log !== undefined; log = waiting.pop()) {
        await log.close().catch(ignoreStorageError);
        closed++;
        progress(closed, total);
      }
    };
    await Promise.all(Array.from({ length: CLOSING_AT_ONCE }, closeNext));
  }

  async #markClean(held: HeldFolder, brokerEpoch: BrokerEpoch): Promise<void> {
    for (const file of [RECOVERY_POINT_FILE, START_OFFSET_FILE, HIGH_WATERMARK_FILE] as const) {
      await this.#upkeep.checkpointFolder(held, file);
    }
    if (!held.folder.isOffline) await held.markClean(brokerEpoch);
  }

  /** What was deleted is forgotten for good, or its folder has failed. */
  async #forgotten(): Promise<void> {
    for (const folder of this.folders) await folder.forgotten().catch(ignoreStorageError);
  }

  /** Runs what may be long with a turn of the loop after each slice. */
  async #inTurns<T>(work: Generator<number, T>, slice: (bytes: number) => void): Promise<T> {
    for (;;) {
      const { done, value } = work.next();
      if (done === true) return value;
      slice(value);
      await turn(this.#context.clock);
    }
  }

  /** The disk's failure is the folder's, not the node's. (A lack of descriptors is the node's.) */
  async #survive(held: HeldFolder, work: () => Promise<void>): Promise<void> {
    if (held.folder.isOffline) return;
    try {
      await work();
    } catch (error) {
      if (error instanceof StorageError && held.folder.isOffline) return;
      if (systemErrorCode(error) === undefined) throw error;
      held.folder.fail(`using ${held.folder.path}`, error);
    }
  }

  /**
   * A future replica (moved between folders) is not served; a deleted log waits for its removal.
   */
  #leaveAside({ state, path }: FoundLog, settings: LogSettings): void {
    if (state === 'delete') {
      this.#context.removeLater(path, 'folder', settings.fileDeleteDelayMs);
    } else {
      this.#context.log.warn('a log that is not in service is left alone', { path, state });
    }
  }

  #removeUnfinished(log: Log): void {
    const { path } = log;
    this.#context.log.info('a log unmade when the process ended is removed', { path });
    log.abandon();
    this.#context.removeLater(path, 'folder', 0);
  }

  #chooseFolder(directoryId: Uuid | undefined): LogFolder {
    const online = this.folders.filter(({ isOffline }) => !isOffline);
    const named = online.find((folder) => folder.directoryId === directoryId);
    if (named !== undefined) return named;
    const counts = new Map<LogFolder, number>(online.map((folder) => [folder, 0]));
    for (const { folder } of this.all()) counts.set(folder, (counts.get(folder) ?? 0) + 1);
    const [least] = [...counts].sort(([, one], [, other]) => one - other)[0] ?? [];
    if (least === undefined) throw new StorageError('no log folder is online');
    return least;
  }

  #retire(log: Log, kind: 'delete' | 'stray'): string {
    this.#logs.remove(log);
    log.abandon();
    const { folder } = log;
    if (folder.failure !== undefined) throw folder.failure;
    const path = this.#moveAside(folder, log.path, log, kind);
    for (const held of this.#held) if (held.folder === folder) this.#upkeep.forgetSoon(held);
    this.#upkeep.changed();
    return path;
  }

  /** Nothing of an older log of that name is in the way of a new one, nor believed of it. */
  #clearPlace(folder: LogFolder, path: string, partition: TopicPartition): void {
    if (this.#context.disk.exists(path)) {
      const aside = this.#moveAside(folder, path, partition, 'stray');
      this.#context.log.warn('what lay in the place of a new log is set aside', { path: aside });
    }
    for (const held of this.#held) {
      const { isOffline } = held.folder;
      if (!isOffline && held.checkpoints.forget(partition)) this.#upkeep.forgetSoon(held);
    }
  }

  /** What lies in a partition's place gets a name that no log has. */
  #moveAside(
    folder: LogFolder,
    from: string,
    partition: TopicPartition,
    kind: 'delete' | 'stray',
  ): string {
    const unique = this.#context.random.bytes(16).toString('hex');
    const path = `${folder.path}/${retiredFolderName(partition, unique, kind)}`;
    try {
      this.#context.disk.rename(from, path);
    } catch (error) {
      throw folder.fail(`renaming ${from}`, error);
    }
    return path;
  }

  #folderFailed(folder: LogFolder, error: Error): void {
    this.#context.log.error('a log folder is offline until the next start', {
      path: folder.path,
      error,
    });
    this.#logs.folderFailed();
    this.#context.clock.nextTurn(() => this.#options.onFolderOffline?.(folder, error));
  }

  #assertOneOnline(): void {
    const failures = this.folders.map(({ failure }) => failure);
    const [first] = failures;
    if (first !== undefined && failures.every((failure) => failure !== undefined)) throw first;
  }
}

/** Its folder was made, and before its partition.metadata the process ended. */
const isUnfinished = ({ topicId, startOffset, endOffset }: Log): boolean =>
  topicId === undefined && startOffset === 0 && endOffset === 0;

/** Something of it was flushed, and its partition.metadata with that. */
const wasDurable = ({ isClean, recoveryPoint }: LogOptions): boolean =>
  isClean || recoveryPoint > 0;

/** Taken for a log of no topic it would be set aside, and its records with it. */
function refuseNameless(log: Log): never {
  log.abandon();
  throw new CorruptLogError(
    `${log.path}/${PARTITION_METADATA_FILE} is missing or damaged, so it is not known of which ` +
      'topic the records beside it are. Restore it, or move the folder out of the log folder.',
  );
}

/** The folder is offline already, and has said why. */
function ignoreStorageError(error: unknown): void {
  if (!(error instanceof StorageError)) throw error;
}

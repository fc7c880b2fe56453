/** The folder `__cluster_metadata-0`: log, checkpoints and vote as found at the start. */
import { METADATA_TOPIC, METADATA_TOPIC_ID, type Offset } from '../base/ids';
import { invariant } from '../base/invariant';
import type { Platform } from '../platform/platform';
import { isControl, lastOffset } from '../protocol/records/batch';
import type { Log } from '../storage/log';
import { LogContext } from '../storage/log-context';
import type { LogFolder } from '../storage/log-folder';
import { createLog, openLog } from '../storage/log-opening';
import { isOutOfDescriptors } from '../storage/open-files';
import { DEFAULT_LOG_SETTINGS, type LogSettings } from '../storage/settings';
import { CorruptMetadataError, eachBatch } from './batches';
import { quorumRecordsIn } from './control-records';
import type { QuorumSettings } from './driver-options';
import { QuorumHistory } from './history';
import {
  BOOTSTRAP_SNAPSHOT,
  compareEnds,
  type EpochStart,
  LogView,
  type OffsetAndEpoch,
} from './log-view';
import type { RecordSerde } from './quorum-log';
import { listSnapshots, SnapshotReader, snapshotName } from './snapshots';
import {
  decodeVoteFile,
  type ElectionState,
  encodeVoteFile,
  VOTE_FILE,
  VOTE_FILE_ADVICE,
  VoteFileError,
} from './vote-file';
import type { VoterSet } from './voters';

/** Written by `kafka-storage format` of releases up to 4.3. */
const LEGACY_BOOTSTRAP_FILE = 'bootstrap.checkpoint';

/** Bytes read from the log at a time. */
const READ_BYTES = 1024 * 1024;
/** How long it waits for other files to be closed. */
const DESCRIPTORS_MS = 100;

export type MetadataPlatform = Pick<Platform, 'clock' | 'random' | 'disk' | 'log'>;

export class MetadataFolder {
  readonly path: string;
  readonly log: Log;
  readonly #platform: MetadataPlatform;
  readonly #context: LogContext;
  readonly #folder: LogFolder;

  private constructor(
    platform: MetadataPlatform,
    context: LogContext,
    folder: LogFolder,
    path: string,
    log: Log,
  ) {
    this.#platform = platform;
    this.#context = context;
    this.#folder = folder;
    this.path = path;
    this.log = log;
  }

  /** Opens or makes it, and reads the log whole as after a crash: what is there is durable then. */
  static async open(
    platform: MetadataPlatform,
    folder: LogFolder,
    settings: QuorumSettings,
  ): Promise<MetadataFolder> {
    const path = `${folder.path}/${METADATA_TOPIC}-0`;
    const context = new LogContext(platform, { producerIdExpirationMs: Number.POSITIVE_INFINITY });
    const log = openMetadataLog(platform, context, folder, path, logSettings(settings));
    const opened = new MetadataFolder(platform, context, folder, path, log);
    opened.#settleSnapshots();
    await log.flush();
    return opened;
  }

  /** What the core starts from. */
  view(): LogView {
    const snapshots = this.#completeSnapshots();
    return new LogView({
      startOffset: this.log.startOffset,
      endOffset: this.log.endOffset,
      epochs: epochsOf(this.log),
      snapshots,
    });
  }

  /** Voters and kraft.version, from the newest checkpoint and all of the log behind it. */
  history(staticVoters: VoterSet): QuorumHistory {
    const history = new QuorumHistory(staticVoters);
    const latest = this.#completeSnapshots().at(-1);
    if (latest !== undefined) history.reset(this.#headOf(latest).quorum);
    let next = Math.max(latest?.offset ?? 0, this.log.startOffset);
    while (next < this.log.endOffset) {
      next = this.#scan(next, (buffer, position) => {
        if (isControl(buffer, position)) history.add(quorumRecordsIn(buffer, position));
      });
    }
    return history;
  }

  readVote(): ElectionState | undefined {
    const path = `${this.path}/${VOTE_FILE}`;
    const { disk } = this.#platform;
    if (!disk.exists(path)) return undefined;
    try {
      return decodeVoteFile(disk.readFile(path));
    } catch (error) {
      if (!(error instanceof VoteFileError)) throw error;
      throw new VoteFileError(`${path} is damaged: ${error.message}. ${VOTE_FILE_ADVICE}`);
    }
  }

  /** Durable when it resolves. A lack of descriptors passes: it is tried until there is one. */
  async writeVote(state: ElectionState): Promise<void> {
    const { clock, disk, log } = this.#platform;
    const path = `${this.path}/${VOTE_FILE}`;
    for (let failed = 0; ; failed += 1) {
      try {
        return await disk.replace(path, encodeVoteFile(state));
      } catch (error) {
        if (!isOutOfDescriptors(error)) throw this.#folder.failureOf(`writing ${path}`, error);
        if (failed === 0) log.warn('no file can be opened to write the vote down', { error });
      }
      await clock.sleep(DESCRIPTORS_MS);
    }
  }

  openSnapshot(id: OffsetAndEpoch): SnapshotReader {
    return new SnapshotReader(this.#platform.disk, `${this.path}/${snapshotName(id)}`, id);
  }

  hasSnapshotFile(id: OffsetAndEpoch): boolean {
    return this.#platform.disk.exists(`${this.path}/${snapshotName(id)}`);
  }

  /** Bytes of a checkpoint. */
  snapshotSize(id: OffsetAndEpoch): number {
    const reader = this.openSnapshot(id);
    reader.close();
    return reader.sizeBytes;
  }

  /** The data records of the 0-0 checkpoint, or of the file that releases before 4.4 wrote. */
  bootstrapRecords<R>(serde: RecordSerde<R>): readonly R[] | undefined {
    const checkpoint = `${this.path}/${snapshotName(BOOTSTRAP_SNAPSHOT)}`;
    for (const path of [checkpoint, `${this.log.folder.path}/${LEGACY_BOOTSTRAP_FILE}`]) {
      if (!this.#platform.disk.exists(path)) continue;
      const reader = new SnapshotReader(this.#platform.disk, path, BOOTSTRAP_SNAPSHOT);
      try {
        const records = [...reader.batches(serde)].flat();
        if (records.length > 0) return records;
      } finally {
        reader.close();
      }
    }
    return undefined;
  }

  /** Starts the log anew at a checkpoint that is ahead of it; older checkpoints go. */
  startAt(id: OffsetAndEpoch): void {
    this.log.truncateFullyAndStartAt(id.offset);
    this.#removeSnapshotsBefore(id);
  }

  /** Prefix truncation: the log starts at that checkpoint, what is wholly before goes. */
  deleteBefore(id: OffsetAndEpoch): void {
    this.log.advanceStartOffset(id.offset);
    this.log.deleteOldSegments(this.#platform.clock.wallMs());
    this.#removeSnapshotsBefore(id);
  }

  /** Nothing more is written to a log that is in doubt. */
  async close(isInDoubt: boolean): Promise<void> {
    if (isInDoubt) this.log.abandon();
    else await this.log.close();
    this.#context.close();
  }

  #scan(from: Offset, visit: (buffer: Buffer, position: number) => void): Offset {
    const read = this.log.readBytes(from, { maxBytes: READ_BYTES, atLeastOneBatch: true });
    invariant(read !== undefined && read.bytes.length > 0, 'the log is read up to its end');
    let next = from;
    eachBatch(read.bytes, (position) => {
      visit(read.bytes, position);
      next = lastOffset(read.bytes, position) + 1;
    });
    return next;
  }

  #headOf(id: OffsetAndEpoch) {
    const reader = this.openSnapshot(id);
    reader.close();
    return reader.head;
  }

  #completeSnapshots(): OffsetAndEpoch[] {
    return listSnapshots(this.#platform.disk, this.path)
      .filter(({ state }) => state === 'complete')
      .map(({ id }) => id)
      .sort(compareEnds);
  }

  /** Half and outdated checkpoints go; one that the log does not reach takes its place. */
  #settleSnapshots(): void {
    const { startOffset } = this.log;
    const kept: OffsetAndEpoch[] = [];
    const { disk } = this.#platform;
    for (const { name, id, state } of listSnapshots(disk, this.path)) {
      if (state === 'complete' && id.offset >= startOffset) kept.push(id);
      else disk.remove(`${this.path}/${name}`);
    }
    const latest = kept.sort(compareEnds).at(-1);
    if (latest === undefined && startOffset > 0) {
      throw new CorruptMetadataError(
        `${this.path} starts at offset ${startOffset} but has no checkpoint for what was before`,
      );
    }
    if (latest === undefined) return;
    const end = { epoch: this.log.latestEpoch ?? 0, offset: this.log.endOffset };
    // A follower that crashed between fetching a checkpoint and emptying its log.
    if (compareEnds(latest, end) > 0) this.startAt(latest);
  }

  #removeSnapshotsBefore(id: OffsetAndEpoch): void {
    const { disk } = this.#platform;
    for (const file of listSnapshots(disk, this.path)) {
      if (file.state !== 'complete' || compareEnds(file.id, id) >= 0) continue;
      const path = `${this.path}/${file.name}`;
      // Renamed first, as in Kafka: a start in between finds it on its way out.
      disk.rename(path, `${path}.deleted`);
      this.#context.removeLater(`${path}.deleted`, 'file', DEFAULT_LOG_SETTINGS.fileDeleteDelayMs);
    }
  }
}

function openMetadataLog(
  platform: MetadataPlatform,
  context: LogContext,
  folder: LogFolder,
  path: string,
  settings: LogSettings,
): Log {
  const partition = { topic: METADATA_TOPIC, partition: 0 };
  const hasLog =
    platform.disk.exists(path) &&
    platform.disk.list(path).some(({ name }) => name.endsWith('.log'));
  if (!hasLog) return createLog(context, folder, partition, path, METADATA_TOPIC_ID, settings);
  const opening = openLog(context, folder, {
    ...partition,
    path,
    settings,
    recoveryPoint: 0,
    startOffset: 0,
    highWatermark: 0,
    isClean: false,
  });
  for (;;) {
    const step = opening.next();
    if (step.done === true) return step.value;
  }
}

const logSettings = (settings: QuorumSettings): LogSettings => ({
  ...DEFAULT_LOG_SETTINGS,
  segmentBytes: settings.logSegmentBytes,
  segmentMs: settings.logSegmentMs,
  // Only snapshots say what may go.
  retentionMs: -1,
  retentionBytes: -1,
});

/** The epochs of the log from what it says of each: newest first, each ends the one before. */
function epochsOf(log: Log): EpochStart[] {
  const epochs: EpochStart[] = [];
  let epoch = log.latestEpoch;
  while (epoch !== undefined) {
    const before = epoch > 0 ? log.endOffsetForEpoch(epoch - 1) : undefined;
    const startOffset = Math.max(before?.endOffset ?? 0, log.startOffset);
    if (startOffset < log.endOffset) epochs.unshift({ epoch, startOffset });
    epoch = before !== undefined && before.endOffset > log.startOffset ? before.epoch : undefined;
  }
  return epochs;
}

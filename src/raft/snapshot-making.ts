/** When this node writes a checkpoint of its own, and what may go afterwards (KIP-630). */
import type { Offset } from '../base/ids';
import { raiseInvariant } from '../platform/raise';
import type { Delivered, Delivery } from './delivery';
import type { QuorumDriverOptions } from './driver-options';
import type { OffsetAndEpoch } from './log-view';
import type { MetadataFolder } from './metadata-folder';
import type { Raft } from './raft';
import { encodeSnapshot, PartialSnapshot } from './snapshots';

/** Bytes of a checkpoint written in one turn. */
const SLICE_BYTES = 1024 * 1024;

export class SnapshotMaking<R> {
  readonly #options: QuorumDriverOptions<R>;
  readonly #folder: MetadataFolder;
  readonly #delivery: Delivery<R>;
  readonly #raft: Raft;
  #lastMadeAtMs: number;
  #lastEnd: Offset;
  #running: Promise<void> | undefined;
  #isStopped = false;

  constructor(
    options: QuorumDriverOptions<R>,
    folder: MetadataFolder,
    delivery: Delivery<R>,
    raft: Raft,
  ) {
    this.#options = options;
    this.#folder = folder;
    this.#delivery = delivery;
    this.#raft = raft;
    this.#lastMadeAtMs = options.platform.clock.monotonicMs();
    this.#lastEnd = raft.log.latestSnapshot?.offset ?? 0;
  }

  /** Begins one if enough was delivered since the last, or it is long ago. */
  maybeStart(): void {
    if (this.#running !== undefined || this.#isStopped || !this.#isDue()) return;
    const { delivered } = this.#delivery;
    if (delivered.end.offset <= this.#lastEnd || delivered.end.epoch === 0) return;
    const records = this.#options.listener.snapshotRecords();
    if (records === undefined) return;
    this.#lastMadeAtMs = this.#options.platform.clock.monotonicMs();
    this.#delivery.bytesSinceSnapshot = 0;
    this.#running = this.#make(delivered, records)
      .catch((error: unknown) => {
        const { offset, epoch } = delivered.end;
        const { log, clock } = this.#options.platform;
        log.error('metadata checkpoint failed', { offset, epoch, error });
        raiseInvariant(clock, error);
      })
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** Waits for one under way to end; no other begins. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  #isDue(): boolean {
    const { settings, platform } = this.#options;
    const { bytesSinceSnapshot } = this.#delivery;
    if (bytesSinceSnapshot === 0) return false;
    if (bytesSinceSnapshot >= settings.maxRecordBytesBetweenSnapshots) return true;
    const ageMs = platform.clock.monotonicMs() - this.#lastMadeAtMs;
    return settings.maxSnapshotIntervalMs > 0 && ageMs >= settings.maxSnapshotIntervalMs;
  }

  async #make({ end, lastTimestampMs }: Delivered, records: Iterable<readonly R[]>): Promise<void> {
    const { platform, serde } = this.#options;
    const { disk, clock, random, log } = platform;
    const { history } = this.#raft;
    const parts = encodeSnapshot({
      serde,
      epoch: end.epoch,
      lastContainedLogTimestampMs: lastTimestampMs,
      nowMs: clock.wallMs(),
      kraftVersion: history.kraftVersionAt(end.offset - 1),
      voters: history.votersAt(end.offset - 1),
      records,
    });
    const unique = random.bytes(6).toString('hex');
    const partial = new PartialSnapshot(disk, this.#folder.path, end, unique);
    try {
      let writtenBytes = 0;
      for (const part of parts) {
        partial.append(part);
        writtenBytes += part.length;
        if (writtenBytes < SLICE_BYTES) continue;
        writtenBytes = 0;
        await new Promise<void>((resolve) => clock.nextTurn(resolve));
        if (this.#isStopped) return partial.drop();
      }
      await partial.freeze();
    } catch (error) {
      partial.drop();
      throw error;
    }
    log.info('metadata checkpoint made', { ...end, sizeBytes: partial.sizeBytes });
    // A fetched one that is ahead may have taken the place of the log meanwhile.
    if (end.offset < this.#raft.log.startOffset) return;
    this.#lastEnd = end.offset;
    this.#raft.snapshotMade(end);
    this.#applyRetention();
  }

  /** Deletes the oldest checkpoints, and the log before the next, while there is too much. */
  #applyRetention(): void {
    const { maxRetentionBytes, maxRetentionMs } = this.#options.settings;
    const { log: view } = this.#raft;
    while (view.snapshots.length > 1) {
      const [oldest, next] = view.snapshots as [OffsetAndEpoch, OffsetAndEpoch];
      const isTooMuch = maxRetentionBytes >= 0 && this.#totalBytes() > maxRetentionBytes;
      const isTooOld = maxRetentionMs >= 0 && this.#ageMs(oldest) > maxRetentionMs;
      if (!isTooMuch && !isTooOld) return;
      this.#folder.deleteBefore(next);
      this.#raft.deletedBefore(next);
      this.#options.platform.log.info('metadata log shortened', { startOffset: next.offset });
    }
  }

  #totalBytes(): number {
    let total = this.#folder.log.sizeInBytes;
    for (const id of this.#raft.log.snapshots) total += this.#folder.snapshotSize(id);
    return total;
  }

  #ageMs(id: OffsetAndEpoch): number {
    const reader = this.#folder.openSnapshot(id);
    reader.close();
    return this.#options.platform.clock.wallMs() - reader.head.lastContainedLogTimestampMs;
  }
}

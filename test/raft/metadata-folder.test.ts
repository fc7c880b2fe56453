/** What a life finds in the folder of the metadata log is what the life before knew of it. */
import fc from 'fast-check';
import { wallMs } from '../../src/base/times';
import { memoryDisk } from '../../src/platform/memory-disk';
import { nodePlatform } from '../../src/platform/node';
import { dataBatch } from '../../src/raft/batches';
import { DEFAULT_QUORUM_SETTINGS } from '../../src/raft/driver-options';
import { LogView, type OffsetAndEpoch } from '../../src/raft/log-view';
import { MetadataFolder } from '../../src/raft/metadata-folder';
import { encodeSnapshot, PartialSnapshot } from '../../src/raft/snapshots';
import { LogFolder } from '../../src/storage/log-folder';
import { textSerde } from './text-log';

const SETTINGS = { ...DEFAULT_QUORUM_SETTINGS, logSegmentBytes: 300 };

/** A log whose every record is of a known epoch, and which dies again and again. */
class Lives {
  readonly #platform = { ...nodePlatform(), disk: memoryDisk() };
  #folder!: MetadataFolder;
  /** The epoch of each record. */
  readonly #epochs: number[] = [];
  #made = 0;

  async begin(): Promise<void> {
    this.#platform.disk.makeFolder('/data');
    await this.die();
  }

  /** The process is killed, and started again. */
  async die(): Promise<void> {
    const folder = new LogFolder('/data', 'mABQqJbFRSGbaoaJnXTEKA');
    this.#folder = await MetadataFolder.open(this.#platform, folder, SETTINGS);
  }

  append(newerBy: number): void {
    const epoch = (this.#epochs.at(-1) ?? 1) + newerBy;
    const baseOffset = this.#epochs.length;
    this.#folder.log.appendAsFollower(
      dataBatch([Buffer.from('record')], { baseOffset, epoch, timestampMs: wallMs(0) }),
    );
    this.#epochs.push(epoch);
  }

  async checkpoint(back: number): Promise<void> {
    const offset = this.#epochs.length - back;
    if (offset <= (this.#folder.view().latestSnapshot?.offset ?? 0)) return;
    const id = this.#endAt(offset);
    const partial = new PartialSnapshot(
      this.#platform.disk,
      this.#folder.path,
      id,
      `${this.#made++}`,
    );
    const parts = encodeSnapshot({
      serde: textSerde,
      epoch: id.epoch,
      lastContainedLogTimestampMs: wallMs(0),
      nowMs: wallMs(0),
      kraftVersion: 0,
      voters: undefined,
      records: [],
    });
    for (const part of parts) partial.append(part);
    await partial.freeze();
    this.#folder.log.setHighWatermark(offset);
  }

  shorten(): void {
    const next = this.#folder.view().snapshots[1];
    if (next === undefined) return;
    this.#folder.log.setHighWatermark(next.offset);
    this.#folder.deleteBefore(next);
  }

  /** A leader has other records than the last ones, which are not committed. */
  cutBack(by: number): void {
    const least = this.#folder.view().latestSnapshot?.offset ?? 0;
    const offset = Math.max(least, this.#epochs.length - by);
    this.#folder.log.truncateTo(offset);
    this.#epochs.length = Math.min(offset, this.#epochs.length);
  }

  /** Wherever the log is cut back to, it knows the epoch of what is its last record then. */
  check(): void {
    const { startOffset, epochs, snapshots, latestSnapshot } = this.#folder.view();
    const least = Math.max(latestSnapshot?.offset ?? 0, startOffset);
    for (let offset = least; offset <= this.#epochs.length; offset++) {
      const endOffset = this.#epochs.length;
      const view = new LogView({ startOffset, endOffset, epochs, snapshots });
      expect(view.validate(offset, this.#endAt(offset).epoch)).toEqual({ kind: 'valid' });
      view.truncateTo(offset);
      expect(view.end).toEqual(this.#endAt(offset));
    }
  }

  #endAt(offset: number): OffsetAndEpoch {
    return { offset, epoch: this.#epochs[offset - 1] ?? 0 };
  }
}

test('a log that was shortened knows its epochs in every later life', async () => {
  const step = fc.record({
    what: fc.constantFrom('append', 'append', 'checkpoint', 'shorten', 'cut back', 'die'),
    by: fc.nat(4),
  });
  const lives = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
    const log = new Lives();
    await log.begin();
    for (const { what, by } of steps) {
      if (what === 'append') log.append(by % 3);
      else if (what === 'checkpoint') await log.checkpoint(by);
      else if (what === 'shorten') log.shorten();
      else if (what === 'cut back') log.cutBack(by);
      else {
        await log.die();
        log.check();
      }
    }
  });
  await fc.assert(lives, { numRuns: 300 });
});

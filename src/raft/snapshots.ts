/**
 * Checkpoint files of the metadata log (KIP-630): `<end offset>-<epoch>.checkpoint`, written under
 * a `.part` name and complete once renamed. Batches count their offsets from 0: a control batch
 * with SnapshotHeader (and kraft.version and voters in a dynamic quorum), data, SnapshotFooter.
 */
import type { Offset } from '../base/ids';
import { invariant } from '../base/invariant';
import { type WallMs, wallMs } from '../base/times';
import type { Disk, DiskFile } from '../platform/platform';
import {
  hasValidCrc,
  isControl,
  LOG_OVERHEAD,
  magic,
  sizeInBytes,
} from '../protocol/records/batch';
import { batchSizeAt } from '../protocol/records/batches';
import { CorruptMetadataError, dataBatch, MAX_BATCH_BYTES, readDataRecords } from './batches';
import { controlBatch, quorumRecordsIn, readControlBatch } from './control-records';
import type { QuorumRecords } from './history';
import type { OffsetAndEpoch } from './log-view';
import type { ControlRecord } from './messages';
import type { RecordSerde } from './quorum-log';
import type { VoterSet } from './voters';

/** What a data batch of a checkpoint holds at most; small, since readers hold one at a time. */
const TARGET_BATCH_BYTES = 256 * 1024;
/** The varints and lengths around a value. */
const RECORD_OVERHEAD_BYTES = 24;

export interface SnapshotFile {
  readonly name: string;
  readonly id: OffsetAndEpoch;
  readonly state: 'complete' | 'partial' | 'deleted';
}

const SNAPSHOT_FILE = /^(\d{20})-(\d{10})(?:-[^.]*)?\.checkpoint(\.part|\.deleted)?$/;

export const snapshotName = ({ offset, epoch }: OffsetAndEpoch): string =>
  `${String(offset).padStart(20, '0')}-${String(epoch).padStart(10, '0')}.checkpoint`;

function parseSnapshotName(name: string): SnapshotFile | undefined {
  const match = SNAPSHOT_FILE.exec(name);
  if (match === null) return undefined;
  const state = match[3] === '.part' ? 'partial' : match[3] === '.deleted' ? 'deleted' : 'complete';
  return { name, id: { offset: Number(match[1]), epoch: Number(match[2]) }, state };
}

/** All checkpoint files of a folder, whole or not. */
export function listSnapshots(disk: Disk, folder: string): SnapshotFile[] {
  const files: SnapshotFile[] = [];
  for (const { name, isFolder } of disk.list(folder)) {
    const file = isFolder ? undefined : parseSnapshotName(name);
    if (file !== undefined) files.push(file);
  }
  return files;
}

/** A checkpoint under construction; its bytes come from the records here, or from a leader. */
export class PartialSnapshot {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #path: string;
  readonly #file: DiskFile;
  #size = 0;

  /** `unique` tells apart several attempts at the same checkpoint. */
  constructor(
    disk: Disk,
    folder: string,
    readonly id: OffsetAndEpoch,
    unique: string,
  ) {
    this.#disk = disk;
    this.#folder = folder;
    const name = snapshotName(id).replace('.checkpoint', `-${unique}.checkpoint.part`);
    this.#path = `${folder}/${name}`;
    this.#file = disk.open(this.#path, 'create');
    this.#file.truncate(0);
  }

  get sizeBytes(): number {
    return this.#size;
  }

  append(bytes: Uint8Array): void {
    this.#file.write([bytes], this.#size);
    this.#size += bytes.length;
  }

  /** Makes it durable under its final name. */
  async freeze(): Promise<void> {
    try {
      await this.#file.sync();
    } finally {
      this.#file.close();
    }
    this.#disk.rename(this.#path, `${this.#folder}/${snapshotName(this.id)}`);
    await this.#disk.syncFolder(this.#folder);
  }

  drop(): void {
    this.#file.close();
    if (this.#disk.exists(this.#path)) this.#disk.remove(this.#path);
  }
}

export interface SnapshotContent<R> {
  readonly serde: RecordSerde<R>;
  readonly epoch: number;
  readonly lastContainedLogTimestampMs: WallMs;
  readonly nowMs: WallMs;
  /** 0: neither version nor voters are written. */
  readonly kraftVersion: number;
  readonly voters: VoterSet | undefined;
  /** In slices of any size; metadata.version first. */
  readonly records: Iterable<readonly R[]>;
}

/** The bytes of a checkpoint, batch after batch, so that the writer can pause in between. */
export function* encodeSnapshot<R>(content: SnapshotContent<R>): Generator<Buffer> {
  const { epoch, nowMs: timestampMs, serde } = content;
  let offset: Offset = 0;
  const header = headerRecords(content);
  yield controlBatch(header, { baseOffset: offset, epoch, timestampMs });
  offset += header.length;
  let values: Uint8Array[] = [];
  let size = 0;
  for (const slice of content.records) {
    for (const record of slice) {
      const value = serde.encode(record);
      invariant(value.length < MAX_BATCH_BYTES, 'a metadata record fits one batch');
      if (size > 0 && size + value.length > TARGET_BATCH_BYTES) {
        yield dataBatch(values, { baseOffset: offset, epoch, timestampMs });
        offset += values.length;
        values = [];
        size = 0;
      }
      values.push(value);
      size += value.length + RECORD_OVERHEAD_BYTES;
    }
  }
  if (values.length > 0) yield dataBatch(values, { baseOffset: offset, epoch, timestampMs });
  offset += values.length;
  yield controlBatch([{ kind: 'snapshot-footer' }], { baseOffset: offset, epoch, timestampMs });
}

/** What stands at the head of a checkpoint. */
export interface SnapshotHead {
  readonly lastContainedLogTimestampMs: WallMs;
  /** As of the checkpoint's last offset. */
  readonly quorum: QuorumRecords;
}

/** An open checkpoint. Throws CorruptMetadataError at the first batch that is not sound. */
export class SnapshotReader {
  readonly head: SnapshotHead;
  readonly sizeBytes: number;
  readonly #file: DiskFile;

  constructor(
    disk: Disk,
    readonly path: string,
    id: OffsetAndEpoch,
  ) {
    this.#file = disk.open(path, 'read');
    this.sizeBytes = this.#file.length();
    try {
      this.head = this.#readHead(id);
    } catch (error) {
      this.#file.close();
      throw error;
    }
  }

  /** The records of each data batch. A file without its footer is not complete. */
  *batches<R>(serde: RecordSerde<R>): Generator<readonly R[]> {
    let hasFooter = false;
    for (const batch of this.#batches()) {
      if (isControl(batch, 0)) {
        for (const { control } of readControlBatch(batch, 0)) {
          hasFooter ||= control.type === 'snapshot-footer';
        }
      } else yield readDataRecords(batch, 0, serde);
    }
    if (!hasFooter) throw new CorruptMetadataError(`${this.path} ends without its footer`);
  }

  /** Bytes of the file as they are, for a follower. */
  read(position: number, maxBytes: number): Buffer {
    const length = Math.max(0, Math.min(maxBytes, this.sizeBytes - position));
    const bytes = Buffer.allocUnsafe(length);
    return bytes.subarray(0, this.#file.read(bytes, 0, length, position));
  }

  close(): void {
    this.#file.close();
  }

  #readHead(id: OffsetAndEpoch): SnapshotHead {
    for (const batch of this.#batches()) {
      if (!isControl(batch, 0)) break;
      const [first] = readControlBatch(batch, 0);
      if (first?.control.type !== 'snapshot-header') break;
      return {
        lastContainedLogTimestampMs: wallMs(first.control.message.lastContainedLogTimestamp),
        quorum: quorumRecordsIn(batch, 0, id.offset - 1),
      };
    }
    throw new CorruptMetadataError(`${this.path} begins without its header`);
  }

  *#batches(): Generator<Buffer> {
    const prefix = Buffer.alloc(LOG_OVERHEAD);
    let position = 0;
    while (position < this.sizeBytes) {
      const got = this.#file.read(prefix, 0, LOG_OVERHEAD, position);
      const size = got === LOG_OVERHEAD ? sizeInBytes(prefix, 0) : 0;
      if (size < LOG_OVERHEAD || size > MAX_BATCH_BYTES + LOG_OVERHEAD)
        throw this.#corrupt(position);
      const batch = Buffer.allocUnsafe(size);
      const isWhole =
        this.#file.read(batch, 0, size, position) === size && batchSizeAt(batch, 0, size) === size;
      if (!isWhole || magic(batch, 0) !== 2 || !hasValidCrc(batch, 0))
        throw this.#corrupt(position);
      yield batch;
      position += size;
    }
  }

  #corrupt(position: number): CorruptMetadataError {
    return new CorruptMetadataError(`${this.path} is damaged at position ${position}`);
  }
}

function headerRecords<R>(content: SnapshotContent<R>) {
  const header = {
    kind: 'snapshot-header',
    lastContainedLogTimestampMs: content.lastContainedLogTimestampMs,
  } as const;
  if (content.kraftVersion === 0) return [header];
  const quorum: ControlRecord[] = [{ kind: 'kraft-version', level: content.kraftVersion }];
  if (content.voters !== undefined) quorum.push({ kind: 'voters', voters: content.voters });
  return [header, ...quorum];
}

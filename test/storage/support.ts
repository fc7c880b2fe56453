/** What the tests of storage share: a world, logs in it, batches of known contents. */
import { METADATA_TOPIC_ID, type Offset } from '../../src/base/ids';
import type { Disk } from '../../src/platform/platform';
import { readBatchHeader } from '../../src/protocol/records/batch';
import { batchPositions } from '../../src/protocol/records/batches';
import { type BatchOptions, buildBatch, type RecordIn } from '../../src/protocol/records/builder';
import { recordsOf } from '../../src/protocol/records/record';
import type { Log, LogOptions, LogRead } from '../../src/storage/log';
import { LogContext } from '../../src/storage/log-context';
import { LogFolder } from '../../src/storage/log-folder';
import { createLog, openLog } from '../../src/storage/log-opening';
import { writeMetaProperties } from '../../src/storage/meta-properties';
import { DEFAULT_LOG_SETTINGS, type LogSettings } from '../../src/storage/settings';
import { finish } from '../../src/storage/slices';
import { type TestMachine, TestWorld } from '../support/world';

export const FOLDER = '/data';
export const TOPIC_ID = 'vWQ2Zv5cSfyvN8x_sjnLPA';
export const DIRECTORY_ID = 'R4mbT3ckSRyR4mbT3ckSRw';
/** Where the tests' world begins to count wall time. */
const PARTITION = { topic: 'orders', partition: 3 };
export const PARTITION_PATH = `${FOLDER}/orders-3`;

/** One machine whose clock stands still unless told, and one log folder on its disk. */
export class StorageBench {
  readonly world: TestWorld;
  readonly machine: TestMachine;
  context: LogContext;
  folder: LogFolder;

  constructor(disk?: Disk) {
    this.world = new TestWorld();
    this.machine = this.world.machine('host', disk);
    this.machine.disk.makeFolder(FOLDER);
    this.context = newContext(this.machine);
    this.folder = new LogFolder(FOLDER, DIRECTORY_ID);
  }

  get disk(): Disk {
    return this.machine.disk;
  }

  create(settings: Partial<LogSettings> = {}): Log {
    return createLog(
      this.context,
      this.folder,
      PARTITION,
      PARTITION_PATH,
      TOPIC_ID,
      withDefaults(settings),
    );
  }

  /** Opens the log again as another process would, after a clean stop or after a crash. */
  reopen(settings: Partial<LogSettings> = {}, options: Partial<LogOptions> = {}): Log {
    this.context = newContext(this.machine);
    this.folder = new LogFolder(FOLDER, DIRECTORY_ID);
    return finish(openLog(this.context, this.folder, logOptions(settings, options)));
  }

  done<Value>(promise: Promise<Value>): Promise<Value> {
    return this.world.outcome(promise);
  }
}

function newContext(machine: TestMachine): LogContext {
  return new LogContext(machine, { producerIdExpirationMs: 86_400_000 });
}

export function withDefaults(settings: Partial<LogSettings>): LogSettings {
  return { ...DEFAULT_LOG_SETTINGS, ...settings };
}

function logOptions(settings: Partial<LogSettings>, options: Partial<LogOptions> = {}): LogOptions {
  return {
    ...PARTITION,
    path: PARTITION_PATH,
    settings: withDefaults(settings),
    recoveryPoint: 0,
    startOffset: 0,
    highWatermark: 0,
    isClean: false,
    ...options,
  };
}

/** A batch of `count` records with the given timestamp(s). */
export function batchOf(
  count: number,
  timestamps: number | readonly number[] = 1000,
  options: BatchOptions & { readonly valueBytes?: number } = {},
): Buffer {
  const { valueBytes = 10, ...rest } = options;
  const records = Array.from({ length: count }, (_, index): RecordIn => {
    const timestamp = typeof timestamps === 'number' ? timestamps : (timestamps[index] ?? -1);
    return { timestamp, key: `k${index}`, value: Buffer.alloc(valueBytes, index) };
  });
  return buildBatch(records, rest);
}

/** A batch of an idempotent producer. */
export function batchBy(
  producerId: number,
  producerEpoch: number,
  baseSequence: number,
  count = 1,
  timestamp = 1000,
  options: BatchOptions = {},
): Buffer {
  return batchOf(count, timestamp, { producerId, producerEpoch, baseSequence, ...options });
}

/** A transaction marker. */
export function markerBy(
  producerId: number,
  producerEpoch: number,
  kind: 'abort' | 'commit',
  coordinatorEpoch: number,
  timestamp = 1000,
): Buffer {
  const key = Buffer.from([0, 0, 0, kind === 'commit' ? 1 : 0]);
  const value = Buffer.alloc(6);
  value.writeInt32BE(coordinatorEpoch, 2);
  const options = { producerId, producerEpoch, isTransactional: true, isControl: true };
  return buildBatch([{ timestamp, key, value }], options);
}

/** The bytes of a read, its slice released. */
export function bytesOf(read: LogRead | undefined): Buffer {
  if (read?.slice === undefined) return Buffer.alloc(0);
  const { file, position, length } = read.slice;
  const bytes = Buffer.alloc(length);
  const count = file.read(bytes, 0, length, position);
  read.slice.release();
  return bytes.subarray(0, count);
}

/** The offsets of all records of a log, as a consumer from `from` on would see them. */
export function offsetsOf(log: Log, from: Offset = log.startOffset, maxBytes = 1024): Offset[] {
  const offsets: Offset[] = [];
  for (let next = from; next < log.endOffset; ) {
    const read = log.readBytes(next, { maxBytes, atLeastOneBatch: true });
    if (read === undefined || read.bytes.length === 0) break;
    for (const at of batchPositions(read.bytes)) {
      for (const { offset } of recordsOf(read.bytes, at)) if (offset >= next) offsets.push(offset);
    }
    next = read.nextOffset;
  }
  return offsets;
}

export function headersOf(bytes: Buffer) {
  return batchPositions(bytes).map((at) => readBatchHeader(bytes, at));
}

/** Names in a folder. */
export const namesIn = (disk: Disk, path: string): string[] =>
  disk.list(path).map(({ name }) => name);

/** Makes `folder` a formatted log folder. */
export async function format(disk: Disk, folder: string, directoryId: string): Promise<void> {
  disk.makeFolder(folder);
  await writeMetaProperties(disk, folder, { clusterId: METADATA_TOPIC_ID, nodeId: 1, directoryId });
}

export const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);

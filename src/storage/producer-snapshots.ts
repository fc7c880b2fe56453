/**
 * The `.snapshot` files of one log: producer states as of an offset, so that opening the log need
 * not read all of it. i16 version 1 · u32 CRC-32C of the rest · i32 count · entries of 46 bytes.
 *
 * An entry has room for one batch. A producer of which more are known has an entry for each, oldest
 * first: Kafka takes the last of them, we take all. With the last alone, a clean restart would
 * refuse as out of order a batch sent again whose acknowledgement was lost with four others.
 */
import type { Offset, ProducerId } from '../base/ids';
import type { Disk } from '../platform/platform';
import { crc32c } from '../protocol/records/crc32c';
import { parseSegmentFile, segmentPath } from './names';
import { BATCHES_KEPT, type ProducerBatch, type ProducerState } from './producers';

const VERSION = 1;
const CRC_AT = 2;
const COUNT_AT = 6;
const ENTRIES_AT = 10;
const ENTRY_BYTES = 46;

export class ProducerSnapshots {
  readonly #disk: Disk;
  #folder: string;
  /** Of the files on disk, rising. */
  #offsets: Offset[];

  constructor(disk: Disk, folder: string, offsets: readonly Offset[]) {
    this.#disk = disk;
    this.#folder = folder;
    this.#offsets = [...offsets].sort((a, b) => a - b);
  }

  /** As found in the folder. */
  static find(disk: Disk, folder: string): ProducerSnapshots {
    const offsets: Offset[] = [];
    for (const { name, isFolder } of disk.list(folder)) {
      const file = isFolder ? undefined : parseSegmentFile(name);
      if (file?.suffix === '.snapshot' && file.state === '') offsets.push(file.offset);
    }
    return new ProducerSnapshots(disk, folder, offsets);
  }

  get offsets(): readonly Offset[] {
    return this.#offsets;
  }

  get latest(): Offset | undefined {
    return this.#offsets[this.#offsets.length - 1];
  }

  pathOf(offset: Offset): string {
    return segmentPath(this.#folder, offset, '.snapshot');
  }

  /** Writes the file without fsync; a torn one is noticed by its checksum. */
  write(offset: Offset, states: Iterable<ProducerState>): void {
    const bytes = encode([...states]);
    const file = this.#disk.open(this.pathOf(offset), 'create');
    try {
      file.write([bytes], 0);
      file.truncate(bytes.length);
    } finally {
      file.close();
    }
    if (!this.#offsets.includes(offset)) {
      this.#offsets.push(offset);
      this.#offsets.sort((a, b) => a - b);
    }
  }

  /** Undefined if the file is damaged. */
  read(offset: Offset): ProducerState[] | undefined {
    return decode(this.#disk.readFile(this.pathOf(offset)));
  }

  remove(offset: Offset): void {
    const at = this.#offsets.indexOf(offset);
    if (at < 0) return;
    this.#offsets.splice(at, 1);
    this.#disk.remove(this.pathOf(offset));
  }

  removeWhere(isUnwanted: (offset: Offset) => boolean): void {
    for (const offset of this.#offsets.filter(isUnwanted)) this.remove(offset);
  }

  /** Keeps those that begin a segment, and the newest of the others if it is past all segments. */
  removeStray(segmentBases: readonly Offset[]): void {
    const bases = new Set(segmentBases);
    const lastBase = segmentBases[segmentBases.length - 1] ?? 0;
    const stray = this.#offsets.filter((offset) => !bases.has(offset));
    const newest = stray[stray.length - 1] ?? -1;
    this.removeWhere((offset) => !bases.has(offset) && (offset < newest || newest < lastBase));
  }

  moved(folder: string): void {
    this.#folder = folder;
  }
}

function encode(states: readonly ProducerState[]): Buffer {
  const entries = states.flatMap((state) =>
    (state.batches.length === 0 ? [undefined] : state.batches).map((one) => ({ state, one })),
  );
  const bytes = Buffer.allocUnsafe(ENTRIES_AT + entries.length * ENTRY_BYTES);
  bytes.writeInt16BE(VERSION, 0);
  bytes.writeInt32BE(entries.length, COUNT_AT);
  entries.forEach(({ state, one }, index) => {
    encodeEntry(bytes, ENTRIES_AT + index * ENTRY_BYTES, state, one);
  });
  bytes.writeUInt32BE(crc32c(bytes, COUNT_AT), CRC_AT);
  return bytes;
}

function encodeEntry(
  bytes: Buffer,
  at: number,
  state: ProducerState,
  one: ProducerBatch | undefined,
): void {
  const isLast = one === state.batches[state.batches.length - 1];
  const timestamp = one === undefined || isLast ? state.lastTimestamp : one.timestamp;
  bytes.writeBigInt64BE(BigInt(state.producerId), at);
  bytes.writeInt16BE(state.producerEpoch, at + 8);
  bytes.writeInt32BE(one?.lastSequence ?? -1, at + 10);
  bytes.writeBigInt64BE(BigInt(one?.lastOffset ?? -1), at + 14);
  bytes.writeInt32BE(one?.offsetDelta ?? 0, at + 22);
  bytes.writeBigInt64BE(BigInt.asIntN(64, BigInt(timestamp)), at + 26);
  bytes.writeInt32BE(state.coordinatorEpoch, at + 34);
  bytes.writeBigInt64BE(BigInt(state.currentTxnFirstOffset), at + 38);
}

function decode(bytes: Buffer): ProducerState[] | undefined {
  if (bytes.length < ENTRIES_AT || bytes.readInt16BE(0) !== VERSION) return undefined;
  const count = bytes.readInt32BE(COUNT_AT);
  if (bytes.length !== ENTRIES_AT + count * ENTRY_BYTES) return undefined;
  if (bytes.readUInt32BE(CRC_AT) !== crc32c(bytes, COUNT_AT)) return undefined;
  const states = new Map<ProducerId, ProducerState>();
  for (let at = ENTRIES_AT; at < bytes.length; at += ENTRY_BYTES) {
    const entry = decodeEntry(bytes, at);
    const before = states.get(entry.producerId);
    if (before?.producerEpoch === entry.producerEpoch) {
      entry.batches = [...before.batches, ...entry.batches].slice(-BATCHES_KEPT);
    }
    states.set(entry.producerId, entry);
  }
  return [...states.values()];
}

function decodeEntry(bytes: Buffer, at: number): ProducerState {
  const timestamp = Number(bytes.readBigInt64BE(at + 26));
  const lastOffset = Number(bytes.readBigInt64BE(at + 14));
  const lastSequence = bytes.readInt32BE(at + 10);
  const offsetDelta = bytes.readInt32BE(at + 22);
  return {
    producerId: Number(bytes.readBigInt64BE(at)),
    producerEpoch: bytes.readInt16BE(at + 8),
    coordinatorEpoch: bytes.readInt32BE(at + 34),
    lastTimestamp: timestamp,
    currentTxnFirstOffset: Math.max(-1, Number(bytes.readBigInt64BE(at + 38))),
    batches: lastOffset < 0 ? [] : [{ lastSequence, lastOffset, offsetDelta, timestamp }],
  };
}

/**
 * The metadata log, replayed from its first record: whatever nodes have cut off meanwhile or taken
 * from checkpoints, each picture they act on and each checkpoint must be what the whole log says
 * at that offset.
 */
import { inspect, isDeepStrictEqual } from 'node:util';
import type { Image } from '../../../src/metadata/image';
import { MetadataLoader } from '../../../src/metadata/loader';
import { decodeMetadataRecord, metadataRecordSerde } from '../../../src/metadata/metadata-record';
import { snapshotRecords } from '../../../src/metadata/snapshot';
import type { Disk } from '../../../src/platform/platform';
import { baseOffset, lastOffset } from '../../../src/protocol/records/batch';
import { walkBatches } from '../../../src/protocol/records/batches';
import { readBatch } from '../../../src/raft/batches';
import { listSnapshots, SnapshotReader } from '../../../src/raft/snapshots';
import { parseSegmentFile } from '../../../src/storage/names';
import { Violation } from './history';

/** The metadata log as one node has it, of one life, from when it is opened. */
export interface MetadataLog {
  readonly disk: Disk;
  readonly folder: string;
  startOffset(): number;
  highWatermark(): number;
  /** The picture of the cluster that the node acts on. */
  image(): Image;
}

/** Where in a segment the next batch is, so that what was read is not read again. */
interface Cursor {
  readonly log: MetadataLog;
  readonly path: string;
  readonly position: number;
}

/** A picture to be compared: the records that make it, in no order, and where it is from. */
interface Written {
  readonly provenance: Image['provenance'];
  readonly records: ReadonlySet<string>;
}

export class MetadataReplay {
  /** By the offset of the last record in them. */
  readonly #pictures = new Map<number, Image>();
  readonly #loader = new MetadataLoader((image) => this.#pictures.set(image.offset, image));
  readonly #held = new WeakMap<MetadataLog, Image>();
  #cursor: Cursor | undefined;
  #nextOffset = 0;
  #written: Written | undefined;

  /** Takes what was committed since from that node, if it has it. To be called often. */
  follow(log: MetadataLog): void {
    const until = log.highWatermark();
    while (this.#nextOffset < until && this.#nextOffset >= log.startOffset()) {
      const before = this.#nextOffset;
      this.#readSegment(log, until);
      if (this.#nextOffset === before) return;
    }
  }

  /**
   * Holds the picture that a node acts on against the log. If the log is not known so far, that is
   * put off: another node may have what is missing.
   */
  hold(nodeId: number, log: MetadataLog): void {
    const image = log.image();
    const isNews = image.offset >= 0 && this.#held.get(log) !== image;
    if (!isNews || image.offset >= this.#nextOffset) return;
    this.#expectEqual(`the picture of node ${nodeId}`, image);
    this.#held.set(log, image);
  }

  /** At rest: each node's picture and all its checkpoints; nothing is put off. */
  holdAll(nodeId: number, log: MetadataLog): void {
    this.#expectRead(log.image().offset, `node ${nodeId} is`);
    this.hold(nodeId, log);
    for (const { id, name, state } of listSnapshots(log.disk, log.folder)) {
      // What formatting leaves is no checkpoint of the log.
      if (state !== 'complete' || id.offset === 0) continue;
      this.#expectRead(id.offset - 1, `a checkpoint of node ${nodeId} is`);
      this.#expectEqual(`checkpoint ${name} of node ${nodeId}`, checkpointImage(log, name, id));
    }
  }

  #expectRead(offset: number, whoIs: string): void {
    if (offset < this.#nextOffset) return;
    throw new Violation(
      `the metadata log at ${this.#nextOffset} was not to be had while any node was looked at, ` +
        `and ${whoIs} at ${offset}`,
    );
  }

  #readSegment(log: MetadataLog, until: number): void {
    const path = segmentWith(log, this.#nextOffset);
    if (path === undefined) return;
    const isKnown = this.#cursor?.log === log && this.#cursor.path === path;
    const start = isKnown ? (this.#cursor?.position ?? 0) : 0;
    const bytes = readFrom(log.disk, path, start);
    walkBatches(bytes, 0, bytes.length, (at, size) => {
      if (baseOffset(bytes, at) !== this.#nextOffset || lastOffset(bytes, at) >= until) return;
      this.#loader.committed([readBatch(bytes, at, size, metadataRecordSerde)]);
      this.#nextOffset = lastOffset(bytes, at) + 1;
      this.#cursor = { log, path, position: start + at + size };
    });
  }

  #expectEqual(what: string, image: Image): void {
    const { offset } = image;
    const replayed = this.#pictures.get(offset);
    if (replayed === undefined) throw new Violation(`${what} ends within a batch, at ${offset}`);
    if (this.#written?.provenance !== replayed.provenance) this.#written = written(replayed);
    const expected = this.#written;
    const found = written(image);
    const isFromThere = isDeepStrictEqual(found.provenance, expected.provenance);
    if (isFromThere && isDeepStrictEqual(found.records, expected.records)) return;
    throw new Violation(
      `${what} is not what the whole log says at ${offset}: ` +
        inspect(
          {
            only: without(found, expected),
            missing: without(expected, found),
            ...(isFromThere ? {} : { from: found.provenance, not: expected.provenance }),
          },
          { depth: null, breakLength: Number.POSITIVE_INFINITY },
        ),
    );
  }
}

/** The segment that would hold a batch at that offset. */
function segmentWith({ disk, folder }: MetadataLog, offset: number): string | undefined {
  let found: string | undefined;
  for (const { name } of disk.list(folder)) {
    const segment = parseSegmentFile(name);
    if (segment?.suffix !== '.log' || segment.state !== '' || segment.offset > offset) continue;
    found = `${folder}/${name}`;
  }
  return found;
}

function readFrom(disk: Disk, path: string, position: number): Buffer {
  const file = disk.open(path, 'read');
  const bytes = Buffer.alloc(Math.max(0, file.length() - position));
  file.read(bytes, 0, bytes.length, position);
  file.close();
  return bytes;
}

/** What a node would start from that has this checkpoint. */
function checkpointImage(
  { disk, folder }: MetadataLog,
  name: string,
  id: { readonly offset: number; readonly epoch: number },
): Image {
  const reader = new SnapshotReader(disk, `${folder}/${name}`, id);
  const loader = new MetadataLoader(() => undefined);
  const { lastContainedLogTimestampMs } = reader.head;
  const batches = reader.batches(metadataRecordSerde);
  loader.snapshotLoaded({
    endOffset: id.offset,
    epoch: id.epoch,
    lastContainedLogTimestampMs,
    batches,
  });
  reader.close();
  return loader.image;
}

/** A picture without a metadata.version is that of a log in which nothing stands yet. */
function written(image: Image): Written {
  const records = new Set<string>();
  if (image.metadataVersion > 0) {
    for (const record of snapshotRecords(image)) {
      records.add(metadataRecordSerde.encode(record).toString('latin1'));
    }
  }
  return { provenance: image.provenance, records };
}

const without = (one: Written, other: Written): unknown[] =>
  [...one.records]
    .filter((record) => !other.records.has(record))
    .map((record) => decodeMetadataRecord(Buffer.from(record, 'latin1')));

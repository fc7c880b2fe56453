/**
 * Turns what the quorum commits into pictures, in the order of the log. Between the begin and the
 * end of a metadata transaction (KIP-868) the picture stands still; an abort leaves it as it was.
 */
import type { LeaderEpoch, Offset } from '../base/ids';
import { invariant } from '../base/invariant';
import type { Delta } from './delta';
import { diff } from './diff';
import { Image, type Provenance } from './image';
import { ImageBuilder } from './image-builder';
import type { MetadataRecord } from './metadata-record';

/** A committed batch; one without records (a change of leader) only moves the offset on. */
export interface LoadedBatch {
  /** The offset of the first record; the others follow without gaps. */
  readonly baseOffset: Offset;
  /** Inclusive. */
  readonly lastOffset: Offset;
  readonly epoch: LeaderEpoch;
  readonly appendTimestampMs: number;
  readonly records: readonly MetadataRecord[];
}

/** A snapshot that takes the place of everything loaded before. */
export interface LoadedImage {
  /** Exclusive. */
  readonly endOffset: Offset;
  readonly epoch: LeaderEpoch;
  readonly lastContainedLogTimestampMs: number;
  readonly batches: Iterable<readonly MetadataRecord[]>;
}

export type Publish = (image: Image, delta: Delta) => void;

/** The picture at the last committed record, and a transaction that may be open over it. */
export class MetadataLoader {
  private current = Image.empty;
  /** What was read since `current`; in a transaction, what was read of it. */
  private builder: ImageBuilder | undefined;
  private isInTransaction = false;

  /** `publish` is told of every next picture, within the calls below. */
  constructor(private readonly publish: Publish) {}

  /** The newest picture; within a transaction that of its beginning. */
  get image(): Image {
    return this.current;
  }

  /** No snapshot can be taken while a transaction is open. */
  get hasOpenTransaction(): boolean {
    return this.isInTransaction;
  }

  /**
   * Applies batches and publishes once for all of them (twice where a transaction begins among
   * them). A record that contradicts the picture is a failed invariant.
   */
  committed(batches: readonly LoadedBatch[]): void {
    for (const batch of batches) {
      batch.records.forEach((record, index) => {
        this.apply(record, batch, batch.baseOffset + index);
      });
    }
    const last = batches.at(-1);
    if (last === undefined || this.isInTransaction) return;
    this.advance(provenanceOf(last, last.lastOffset));
  }

  /** Replaces the picture; a transaction that was open is no more. */
  snapshotLoaded(snapshot: LoadedImage): void {
    const builder = new ImageBuilder(Image.empty);
    for (const batch of snapshot.batches) {
      for (const record of batch) builder.apply(record);
    }
    const before = this.current;
    this.builder = undefined;
    this.isInTransaction = false;
    this.current = builder.build({
      offset: snapshot.endOffset - 1,
      epoch: snapshot.epoch,
      timestampMs: snapshot.lastContainedLogTimestampMs,
    }).image;
    this.publish(this.current, diff(before, this.current));
  }

  private apply(record: MetadataRecord, batch: LoadedBatch, offset: Offset): void {
    switch (record.type) {
      case 'BeginTransactionRecord':
        invariant(!this.isInTransaction, `a metadata transaction begins within one at ${offset}`);
        if (this.builder !== undefined) this.advance(provenanceOf(batch, offset - 1));
        this.isInTransaction = true;
        return;
      case 'EndTransactionRecord':
        invariant(this.isInTransaction, `no metadata transaction is open that ends at ${offset}`);
        this.isInTransaction = false;
        return;
      case 'AbortTransactionRecord':
        invariant(this.isInTransaction, `no metadata transaction is open to abort at ${offset}`);
        this.isInTransaction = false;
        this.builder = undefined;
        return;
      default:
        this.builder ??= new ImageBuilder(this.current);
        this.builder.apply(record);
    }
  }

  private advance(provenance: Provenance): void {
    const builder = this.builder ?? new ImageBuilder(this.current);
    this.builder = undefined;
    const { image, delta } = builder.build(provenance);
    this.current = image;
    this.publish(image, delta);
  }
}

function provenanceOf(batch: LoadedBatch, offset: Offset): Provenance {
  return { offset, epoch: batch.epoch, timestampMs: batch.appendTimestampMs };
}

/** A partition of the toy node: one file, what is in it, and what producers have sent. */
import type { DiskFile } from '../../src/platform/platform';
import * as batch from '../../src/protocol/records/batch';
import { batchPositions, batchSizeAt } from '../../src/protocol/records/batches';

export class ToyPartition {
  readonly batches: { readonly base: number; readonly end: number; readonly bytes: Buffer }[] = [];
  /** Where each batch of a producer is, by producer and sequence. */
  readonly #places = new Map<string, number>();
  readonly #nextSequences = new Map<number, number>();
  readonly file: DiskFile;
  end = 0;
  visibleEnd = 0;
  #bytes = 0;

  constructor(file: DiskFile, forgetsProducers: boolean) {
    this.file = file;
    const bytes = Buffer.alloc(file.length());
    file.read(bytes, 0, bytes.length, 0);
    for (const position of batchPositions(bytes)) {
      const size = batchSizeAt(bytes, position, bytes.length);
      if (!batch.hasValidCrc(bytes, position)) break;
      this.#keep(bytes.subarray(position, position + size), !forgetsProducers);
    }
    file.truncate(this.#bytes);
    this.visibleEnd = this.end;
  }

  /** The offset of a batch that has been appended already. */
  known(bytes: Buffer): number | undefined {
    if (!batch.hasProducerId(bytes, 0)) return undefined;
    return this.#places.get(`${batch.producerId(bytes, 0)}/${batch.baseSequence(bytes, 0)}`);
  }

  /** Whether the batch follows the one before of its producer. */
  isInSequence(bytes: Buffer): boolean {
    if (!batch.hasProducerId(bytes, 0)) return true;
    const next = this.#nextSequences.get(batch.producerId(bytes, 0));
    return next === undefined || next === batch.baseSequence(bytes, 0);
  }

  /** Assigns offsets; the bytes are written by `write`. */
  append(bytes: Buffer): { readonly base: number; write(): void } {
    const owned = Buffer.from(bytes);
    batch.setBaseOffset(owned, 0, this.end);
    const base = this.end;
    const position = this.#bytes;
    return {
      base,
      write: () => {
        this.file.write([owned], position);
        this.#keep(owned, true);
      },
    };
  }

  #keep(bytes: Buffer, remembersProducer: boolean): void {
    const base = batch.baseOffset(bytes, 0);
    this.end = base + batch.lastOffsetDelta(bytes, 0) + 1;
    this.#bytes += bytes.length;
    this.batches.push({ base, end: this.end, bytes });
    if (!remembersProducer || !batch.hasProducerId(bytes, 0)) return;
    const producerId = batch.producerId(bytes, 0);
    this.#places.set(`${producerId}/${batch.baseSequence(bytes, 0)}`, base);
    this.#nextSequences.set(producerId, batch.lastSequence(bytes, 0) + 1);
  }
}

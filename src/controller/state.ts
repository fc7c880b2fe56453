/**
 * The hard state of the active controller: a picture at the uncommitted head of the log, and
 * indexes into it. Made from the committed picture when this node takes over, dropped when it
 * gives up.
 */
import type { NodeId, Offset } from '../base/ids';
import { invariant } from '../base/invariant';
import type { MonotonicMs } from '../base/times';
import type { State } from '../machine/machine';
import type { Image } from '../metadata/image';
import { ImageBuilder } from '../metadata/image-builder';
import type { MetadataRecord } from '../metadata/metadata-record';
import { Indexes } from './indexes';

/** Where the state starts from. */
export interface Committed {
  readonly image: Image;
  /** A metadata transaction was begun and neither ended nor aborted. */
  readonly hasOpenTransaction: boolean;
  /** The offset of every broker's registration record. */
  readonly registrationOffsets: ReadonlyMap<NodeId, Offset>;
  /** The node that decided before, and when this one heard it last; absent where it did not. */
  readonly former?: { readonly nodeId: NodeId; readonly atMs: MonotonicMs } | undefined;
}

export class ControllerState implements State<MetadataRecord> {
  private current: Image;
  private builder: ImageBuilder | undefined;
  private index: Indexes;
  private readonly registrations: Map<NodeId, Offset>;
  /** The head at the beginning of the transaction that is open. */
  private transaction: { readonly image: Image } | undefined;
  private lastOffset: Offset;

  constructor(committed: Committed) {
    this.current = committed.image;
    this.index = new Indexes(committed.image);
    this.registrations = new Map(committed.registrationOffsets);
    this.transaction = committed.hasOpenTransaction ? { image: committed.image } : undefined;
    this.lastOffset = committed.image.offset;
  }

  /** The picture with everything appended so far. */
  get image(): Image {
    this.settle();
    return this.current;
  }

  get indexes(): Indexes {
    this.settle();
    return this.index;
  }

  get hasOpenTransaction(): boolean {
    return this.transaction !== undefined;
  }

  /** Where the broker's registration record stands. */
  registrationOffset(broker: NodeId): Offset | undefined {
    return this.registrations.get(broker);
  }

  replay(record: MetadataRecord, at: { readonly offset: Offset }): void {
    this.lastOffset = at.offset;
    switch (record.type) {
      case 'BeginTransactionRecord':
        invariant(this.transaction === undefined, 'a metadata transaction begins within one');
        this.transaction = { image: this.image };
        return;
      case 'EndTransactionRecord':
        invariant(this.transaction !== undefined, 'no metadata transaction is open to end');
        this.transaction = undefined;
        return;
      case 'AbortTransactionRecord':
        this.abort();
        return;
      case 'RegisterBrokerRecord':
        this.registrations.set(record.value.brokerId, at.offset);
        break;
      case 'UnregisterBrokerRecord':
        this.registrations.delete(record.value.brokerId);
        break;
      default:
    }
    this.builder ??= new ImageBuilder(this.current);
    this.builder.apply(record);
  }

  /** The metadata log has no transactions of producers. */
  replayMarker(): never {
    invariant(false, 'a transaction marker in the metadata log');
  }

  private settle(): void {
    if (this.builder === undefined) return;
    const { epoch, timestampMs } = this.current.provenance;
    const { image, delta } = this.builder.build({ offset: this.lastOffset, epoch, timestampMs });
    this.builder = undefined;
    this.current = image;
    this.index.apply(delta);
  }

  private abort(): void {
    invariant(this.transaction !== undefined, 'no metadata transaction is open to abort');
    this.settle();
    const { image } = this.transaction;
    this.transaction = undefined;
    if (image === this.current) return;
    this.current = image;
    this.index = new Indexes(image);
  }
}

/** Checkpoints that are being fetched from the leader, part by part. */
import { invariant } from '../base/invariant';
import type { Platform } from '../platform/platform';
import type { OffsetAndEpoch } from './log-view';
import type { MetadataFolder } from './metadata-folder';
import { PartialSnapshot, snapshotName } from './snapshots';

export class Incoming {
  readonly #folder: MetadataFolder;
  readonly #platform: Pick<Platform, 'disk' | 'random'>;
  readonly #partial = new Map<string, PartialSnapshot>();

  constructor(folder: MetadataFolder, platform: Pick<Platform, 'disk' | 'random'>) {
    this.#folder = folder;
    this.#platform = platform;
  }

  begin(id: OffsetAndEpoch): void {
    this.drop(id);
    const { disk, random } = this.#platform;
    const unique = random.bytes(6).toString('hex');
    this.#partial.set(snapshotName(id), new PartialSnapshot(disk, this.#folder.path, id, unique));
  }

  append(id: OffsetAndEpoch, bytes: Uint8Array): void {
    this.#get(id).append(bytes);
  }

  /** Makes the checkpoint durable under its name. */
  async complete(id: OffsetAndEpoch): Promise<void> {
    const partial = this.#get(id);
    this.#partial.delete(snapshotName(id));
    await partial.freeze();
  }

  drop(id: OffsetAndEpoch): void {
    this.#partial.get(snapshotName(id))?.drop();
    this.#partial.delete(snapshotName(id));
  }

  dropAll(): void {
    for (const partial of this.#partial.values()) partial.drop();
    this.#partial.clear();
  }

  #get(id: OffsetAndEpoch): PartialSnapshot {
    const partial = this.#partial.get(snapshotName(id));
    invariant(partial !== undefined, 'a checkpoint is begun before it is written to');
    return partial;
  }
}

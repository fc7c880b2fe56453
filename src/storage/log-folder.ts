/** One of a broker's log folders (`log.dirs`): its id, its lock, its files outside the partitions. */
import type { Uuid } from '../base/ids';

export interface LogFolder {
  /** Absolute. */
  readonly path: string;
  /** `directory.id` of its meta.properties. */
  readonly directoryId: Uuid;
  readonly isOffline: boolean;
}

/** What meta.properties of a KRaft node says (version 1). */
export interface MetaProperties {
  readonly clusterId: string;
  readonly nodeId: number;
  /** Missing in folders formatted by old releases. */
  readonly directoryId: Uuid | undefined;
}

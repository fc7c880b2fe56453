/** Makes log folders ready for a node: what Kafka's `kafka-storage format` and `info` do. */
import type { NodeId, Uuid } from '../base/ids';
import type { Clock, Disk, Random } from '../platform/platform';

/** One of `--initial-controllers` (`id@host:port:directoryId`). */
export interface InitialController {
  readonly id: NodeId;
  readonly host: string;
  readonly port: number;
  readonly directoryId: Uuid;
}

export interface FormatOptions {
  /** `log.dirs` and `metadata.log.dir`, absolute. */
  readonly folders: readonly string[];
  /** The one of them that holds `__cluster_metadata-0`. */
  readonly metadataFolder: string;
  readonly nodeId: NodeId;
  readonly clusterId: string;
  /** `process.roles` has controller. */
  readonly isController: boolean;
  /** `controller.quorum.voters` is set: no voters are written to the log. */
  readonly hasStaticVoters: boolean;
  /** The first of `controller.listener.names`. */
  readonly controllerListenerName: string;
  /**
   * How a dynamic quorum starts: `standalone` with this node alone (reached at that address),
   * `initial` with the voters named, `none` joining later.
   */
  readonly initial:
    | { readonly kind: 'standalone'; readonly host: string; readonly port: number }
    | { readonly kind: 'initial'; readonly controllers: readonly InitialController[] }
    | { readonly kind: 'none' }
    | undefined;
  readonly ignoreFormatted: boolean;
  /** `--release-version`, as Kafka writes it (`4.4`, `4.4-IV2`); the newest if undefined. */
  readonly releaseVersion: string | undefined;
  /** `--feature name=level`. */
  readonly features: ReadonlyMap<string, number>;
}

/** A request to format that must be refused; the message is a sentence for the person. */
export class FormatError extends Error {
  override readonly name = 'FormatError';
}

export type FormatPlatform = {
  readonly disk: Disk;
  readonly random: Random;
  readonly clock: Clock;
};

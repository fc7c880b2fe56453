/** What the world needs of a client, and what it gives one. */
import type { Platform } from '../../../src/platform/platform';
import type { Machine } from '../engine/machine';
import type { ClusterView } from './cluster-view';

export interface Client {
  /** Whether everything that was asked of it is done. */
  readonly isIdle: boolean;
  /** Lets it end. */
  finish(): void;
  /** Rejects if something happens that must not. */
  run(): Promise<void>;
}

/** A process of a client, on a machine of its own. */
export interface ClientProcess {
  readonly machine: Machine;
  readonly platform: Platform;
  readonly cluster: ClusterView;
}

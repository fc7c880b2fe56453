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

/** Works until it is told to finish, and says when it has come to rest. */
export abstract class FinishingClient implements Client {
  #isFinishing = false;
  #isIdle = false;

  get isIdle(): boolean {
    return this.#isIdle;
  }

  finish(): void {
    this.#isFinishing = true;
  }

  abstract run(): Promise<void>;

  protected get isFinishing(): boolean {
    return this.#isFinishing;
  }

  /** Everything that was asked of it is done. */
  protected rest(): void {
    this.#isIdle = true;
  }
}

/** A process of a client, on a machine of its own. */
export interface ClientProcess {
  readonly machine: Machine;
  readonly platform: Platform;
  readonly cluster: ClusterView;
}

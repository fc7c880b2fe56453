/**
 * Which nodes may be taken down in a world that loses power and flushes nothing, where eligible
 * leader replicas (KIP-966) protect what was acknowledged: as many as `min.insync.replicas` minus
 * one since every replica was last in sync. Freezes and cut connections lose nothing and are free.
 */
import type { Image } from '../../../src/metadata/image';
import type { Inside } from './watch';

/** What is asked of a node: a `SimulatedNode` is one. */
export interface Mortal {
  readonly id: number;
  readonly isUp: boolean;
  readonly machine: { readonly life: object | undefined };
  readonly inside: Pick<Inside, 'image'> | undefined;
}

export class Casualties {
  readonly #brokers: readonly Mortal[];
  readonly #limit: number;
  /** Who was struck since every replica was last in sync, and in which life the last time. */
  readonly #struck = new Map<Mortal, object>();

  constructor(brokers: readonly Mortal[], limit: number) {
    this.#brokers = brokers;
    this.#limit = limit;
  }

  /**
   * Whether the node may go down now or, being set to die, later in its life; it counts from now
   * on if so. A node that does not run is not struck.
   */
  admits(node: Mortal): boolean {
    const { life } = node.machine;
    if (life === undefined) return false;
    if (!this.#brokers.includes(node)) return true;
    if (this.#areWhole()) this.#struck.clear();
    if (!this.#struck.has(node) && this.#struck.size >= this.#limit) return false;
    this.#struck.set(node, life);
    return true;
  }

  /** All run, whoever was struck in a new life, and every replica is in sync. */
  #areWhole(): boolean {
    for (const [node, life] of this.#struck) if (node.machine.life === life) return false;
    // Who is up has registered, which takes what its former life was in sync with from it.
    if (!this.#brokers.every(({ isUp }) => isUp)) return false;
    const images = this.#brokers.flatMap(({ inside }) => inside?.image() ?? []);
    const [newest] = images.sort((a, b) => b.offset - a.offset);
    return newest !== undefined && areAllInSync(newest);
  }
}

function areAllInSync(image: Image): boolean {
  for (const { partitions } of image.topics()) {
    for (const { replicas, isr } of partitions) if (isr.length < replicas.length) return false;
  }
  return true;
}

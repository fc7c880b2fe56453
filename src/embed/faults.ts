/** What goes wrong between the nodes of a cluster in one process. */
import type { NodeId } from '../base/ids';

/** How one node reaches others. */
export interface Reach {
  /** The node that has that port; undefined if none of the cluster has. */
  nodeAt(port: number): NodeId | undefined;
  /** Whether anything passes between this node and that one. */
  isCutOffFrom(node: NodeId): boolean;
  /** Told whenever that may have changed; returns how to stop listening. */
  onChange(listener: () => void): () => void;
}

/** Nodes that do not reach each other, though their processes run. Clients reach all of them. */
export class Faults {
  readonly #nodesByPort = new Map<number, NodeId>();
  readonly #cuts = new Set<string>();
  readonly #listeners = new Set<() => void>();

  /** Says whose port that is. */
  place(node: NodeId, port: number): void {
    this.#nodesByPort.set(port, node);
  }

  of(own: NodeId): Reach {
    return {
      nodeAt: (port) => this.#nodesByPort.get(port),
      isCutOffFrom: (node) => this.#cuts.has(pairOf(own, node)),
      onChange: (listener) => {
        this.#listeners.add(listener);
        return () => void this.#listeners.delete(listener);
      },
    };
  }

  /** From now on nothing passes between the two; what is sent waits. */
  cut(one: NodeId, other: NodeId): void {
    if (one !== other) this.#cuts.add(pairOf(one, other));
    this.#tell();
  }

  /** Everything passes again between the two, soon followed by what waited. */
  mend(one: NodeId, other: NodeId): void {
    this.#cuts.delete(pairOf(one, other));
    this.#tell();
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

const pairOf = (one: NodeId, other: NodeId): string =>
  one < other ? `${one} ${other}` : `${other} ${one}`;

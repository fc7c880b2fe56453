/** One request and its answer, from the moment it was decoded until the answer left. */
import type { MonotonicMs } from '../base/times';
import type { Part } from '../protocol/schema';
import type { ConnectionFacts, Context } from './context';
import type { AnyHandler } from './handler';

/** What an exchange asks of its connection. */
export interface ExchangeOwner {
  readonly facts: ConnectionFacts;
  /** Calls back when the connection closes, at once if it has; returns how to take that back. */
  onClosed(callback: () => void): () => void;
  nameSoftware(name: string, version: string): void;
  /** The next request may execute. */
  released(exchange: Exchange): void;
}

export class Exchange implements Context {
  /** The encoded answer, once it is there; empty for a request without one. */
  parts: readonly Part[] | undefined;
  /** The connection executes nothing else meanwhile. */
  isHolding = true;
  frame: Uint8Array | undefined;
  #closing: Set<() => void> | undefined;
  #isClosed = false;

  constructor(
    private readonly owner: ExchangeOwner,
    readonly handler: AnyHandler,
    readonly request: unknown,
    readonly apiVersion: number,
    readonly correlationId: number,
    readonly clientId: string | null,
    readonly receivedAtMs: MonotonicMs,
  ) {}

  get connection(): ConnectionFacts {
    return this.owner.facts;
  }

  release(): void {
    if (!this.isHolding) return;
    this.isHolding = false;
    this.owner.released(this);
  }

  /** Calls back at once if the connection is gone already. */
  onClosed(callback: () => void): () => void {
    if (this.#isClosed) {
      callback();
      return () => undefined;
    }
    this.#closing ??= new Set();
    this.#closing.add(callback);
    return () => void this.#closing?.delete(callback);
  }

  onConnectionClosed(callback: () => void): () => void {
    return this.owner.onClosed(callback);
  }

  nameSoftware(name: string, version: string): void {
    this.owner.nameSoftware(name, version);
  }

  /** The connection is gone, the answer can no longer leave. */
  closed(): void {
    this.#isClosed = true;
    const closing = this.#closing;
    this.#closing = undefined;
    if (closing !== undefined) for (const callback of closing) callback();
  }
}

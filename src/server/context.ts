/** What a handler is told besides the request itself: who asked, on which connection, and how. */
import type { MonotonicMs } from '../base/times';
import type { ApiListener } from '../protocol/api';

/** One request's surroundings. */
export interface Context {
  readonly apiVersion: number;
  readonly correlationId: number;
  /** As the client named itself in the request's header. */
  readonly clientId: string | null;
  /** When its last byte was read. */
  readonly receivedAtMs: MonotonicMs;
  readonly connection: ConnectionFacts;
  /** Header and body as they came, for a handler that `keepsFrame`. */
  readonly frame: Uint8Array | undefined;
  /**
   * Lets the next request of this connection execute while this one still waits for its answer
   * (answers leave in order all the same). Without it, the connection is held until the answer.
   */
  release(): void;
  /**
   * Calls `callback` once if the connection closes before the answer was given. Returns how to
   * take that back.
   */
  onClosed(callback: () => void): () => void;
  /**
   * Calls `callback` once when the connection closes, however long after the answer; at once if it
   * has. Returns how to take that back.
   */
  onConnectionClosed(callback: () => void): () => void;
  /** Notes what the client's software calls itself. */
  nameSoftware(name: string, version: string): void;
}

/** What is known of a connection. */
export interface ConnectionFacts {
  /** Unique within one life of the broker. */
  readonly id: number;
  /** The listener's name, `PLAINTEXT` for one. */
  readonly listener: string;
  /** What kind of listener that is. */
  readonly serves: ApiListener;
  /** The peer's address, without the slash that Kafka's own texts show before it. */
  readonly clientHost: string;
  readonly clientPort: number;
  readonly principal: Principal;
  /** From ApiVersions v3 on; `unknown` before. */
  readonly clientSoftwareName: string;
  readonly clientSoftwareVersion: string;
}

/** Who asks: `User:alice`. Without authentication `User:ANONYMOUS`. */
export interface Principal {
  readonly type: string;
  readonly name: string;
}

export const ANONYMOUS: Principal = { type: 'User', name: 'ANONYMOUS' };

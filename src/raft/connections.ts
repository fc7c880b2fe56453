/** Which nodes have been asked something, and which have to be left alone for a while. */
import type { NodeId } from '../base/ids';
import { after, type MonotonicMs, monotonicMs } from '../base/times';
import type { Destination } from './voters';

/** Later than every moment. */
export const NEVER = monotonicMs(Number.POSITIVE_INFINITY);

/** Tells the answer to the newest request of a node from answers that come too late. */
export type RequestId = number;

type Connection =
  | { readonly kind: 'waiting'; readonly requestId: RequestId; readonly timesOutAtMs: MonotonicMs }
  | { readonly kind: 'backing-off'; readonly untilMs: MonotonicMs };

export interface ConnectionSettings {
  readonly requestTimeoutMs: number;
  readonly retryBackoffMs: number;
  /** Where a node without a known leader asks around; at least one. */
  readonly bootstrapServers: readonly Destination[];
  /** A whole number from 0 to bound - 1. */
  readonly below: (bound: number) => number;
}

export class Connections {
  readonly #settings: ConnectionSettings;
  readonly #connections = new Map<NodeId, Connection>();
  #lastRequestId = 0;

  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
  }

  /** Whether a request may go to that node now. */
  isReady(id: NodeId, nowMs: MonotonicMs): boolean {
    return this.#current(id, nowMs) === undefined;
  }

  isBackingOff(id: NodeId, nowMs: MonotonicMs): boolean {
    return this.#current(id, nowMs)?.kind === 'backing-off';
  }

  /** Its last request was never answered (told once, the node is ready afterwards). */
  hasTimedOut(id: NodeId, nowMs: MonotonicMs): boolean {
    const connection = this.#connections.get(id);
    return connection?.kind === 'waiting' && nowMs >= connection.timesOutAtMs;
  }

  /** When the node may be asked again at the latest; never earlier than now if it is ready. */
  readyAtMs(id: NodeId, nowMs: MonotonicMs): MonotonicMs {
    const connection = this.#current(id, nowMs);
    if (connection === undefined) return nowMs;
    return connection.kind === 'waiting' ? connection.timesOutAtMs : connection.untilMs;
  }

  /** Notes a request that is about to be sent. */
  sent(id: NodeId, nowMs: MonotonicMs): RequestId {
    this.#lastRequestId++;
    const timesOutAtMs = after(nowMs, this.#settings.requestTimeoutMs);
    this.#connections.set(id, { kind: 'waiting', requestId: this.#lastRequestId, timesOutAtMs });
    return this.#lastRequestId;
  }

  /**
   * Whether that answer still counts. One that comes after its time does not: something else was
   * asked since, and acting on both would undo what the other did.
   */
  isExpected(id: NodeId, requestId: RequestId, nowMs: MonotonicMs): boolean {
    const connection = this.#current(id, nowMs);
    return connection?.kind === 'waiting' && connection.requestId === requestId;
  }

  /** The answer was dealt with; unless it was of use, the node is left alone for a while. */
  answered(id: NodeId, requestId: RequestId, wasOfUse: boolean, nowMs: MonotonicMs): void {
    if (!this.isExpected(id, requestId, nowMs)) return;
    if (wasOfUse) this.#connections.delete(id);
    else {
      const untilMs = after(nowMs, this.#settings.retryBackoffMs);
      this.#connections.set(id, { kind: 'backing-off', untilMs });
    }
  }

  reset(id: NodeId): void {
    this.#connections.delete(id);
  }

  /** Answers to everything that was asked come too late now. */
  resetAll(): void {
    this.#connections.clear();
  }

  /** At most one Fetch may be on its way, or the same offset would be written twice. */
  hasAnyWaiting(nowMs: MonotonicMs): boolean {
    return this.#firstWaiting(nowMs) !== undefined;
  }

  /** A bootstrap server to fetch from, chosen at random; undefined if none may be asked now. */
  readyBootstrapServer(nowMs: MonotonicMs): Destination | undefined {
    const servers = this.#settings.bootstrapServers;
    if (servers.length === 0 || this.hasAnyWaiting(nowMs)) return undefined;
    const first = this.#settings.below(servers.length);
    for (let i = 0; i < servers.length; i++) {
      const server = servers[(first + i) % servers.length] as Destination;
      if (this.isReady(server.id, nowMs)) return server;
    }
    return undefined;
  }

  bootstrapServer(id: NodeId): Destination | undefined {
    return this.#settings.bootstrapServers.find((server) => server.id === id);
  }

  /** When `readyBootstrapServer` is worth asking again. */
  bootstrapAtMs(nowMs: MonotonicMs): MonotonicMs {
    const waiting = this.#firstWaiting(nowMs);
    if (waiting !== undefined) return waiting;
    let earliest = after(nowMs, this.#settings.retryBackoffMs);
    for (const id of this.#connections.keys()) {
      const readyAtMs = this.readyAtMs(id, nowMs);
      if (readyAtMs > nowMs && readyAtMs < earliest) earliest = readyAtMs;
    }
    return earliest;
  }

  #firstWaiting(nowMs: MonotonicMs): MonotonicMs | undefined {
    for (const id of this.#connections.keys()) {
      const connection = this.#current(id, nowMs);
      if (connection?.kind === 'waiting') return connection.timesOutAtMs;
    }
    return undefined;
  }

  #current(id: NodeId, nowMs: MonotonicMs): Connection | undefined {
    const connection = this.#connections.get(id);
    if (connection === undefined) return undefined;
    const endsAtMs = connection.kind === 'waiting' ? connection.timesOutAtMs : connection.untilMs;
    return nowMs >= endsAtMs ? undefined : connection;
  }
}

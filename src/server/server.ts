/**
 * Listeners and the connections they accepted: how many there may be, how long they may idle, and
 * how they all end.
 */
import type { MonotonicMs } from '../base/times';
import type {
  Clock,
  Link,
  Listening,
  Logger,
  Network,
  Timer,
  TlsSettings,
} from '../platform/platform';
import type { ApiListener } from '../protocol/api';
import { SharedBuffer } from '../protocol/frame';
import { SlabPool } from '../protocol/slabs';
import { Connection, type ConnectionWorld } from './connection';
import { ConnectionCounts, type ConnectionLimits } from './connection-counts';
import { ANONYMOUS } from './context';
import { Dispatch } from './dispatch';
import type { Registry } from './registry';
import { RequestMemory } from './request-memory';
import type { Services } from './services';

/** A request that stops coming is given up after so long; sooner when memory is short. */
const PARTIAL_IDLE_MS = 30_000;
const PARTIAL_IDLE_SHORT_MS = 2_000;
/** Memory for answers that clients do not read, shared out among the connections there are. */
const ANSWER_BYTES = 64 * 1024 * 1024;
const LARGEST_ANSWER_SHARE_BYTES = 1024 * 1024;
const SMALLEST_ANSWER_SHARE_BYTES = 16 * 1024;
/** How often connections are looked through; only while there are any. */
const SWEEP_MS = 1_000;

export interface ServerLimits extends ConnectionLimits {
  /** `socket.request.max.bytes`. */
  readonly maxFrameBytes: number;
  /** `queued.max.request.bytes`; ottla's default is 256 MiB. */
  readonly maxQueuedBytes: number;
  /** `connections.max.idle.ms`; Infinity = for ever. */
  readonly maxIdleMs: number;
}

export interface ServerOptions {
  readonly clock: Clock;
  readonly network: Network;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly services: Services;
  readonly limits: ServerLimits;
  /** Lent memory is overwritten when it is given back; for tests and simulation. */
  readonly overwritesLentBytes?: boolean;
}

export interface ListenerOptions {
  /** `PLAINTEXT` for one. */
  readonly name: string;
  readonly serves: ApiListener;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly tls?: TlsSettings;
}

export class Server {
  readonly #connections = new Set<Connection>();
  readonly #listening: Listening[] = [];
  readonly #counts: ConnectionCounts;
  readonly #world: ConnectionWorld;
  readonly #memory: RequestMemory;
  #answerShareBytes = LARGEST_ANSWER_SHARE_BYTES;
  #nextConnectionId = 1;
  #sweep: Timer | undefined;
  #whenEmpty: (() => void) | undefined;
  #isClosed = false;

  constructor(private readonly options: ServerOptions) {
    const { clock, logger, registry, services, limits, overwritesLentBytes } = options;
    const overwrites = overwritesLentBytes === true;
    const requestSlabs = new SlabPool({ overwrites });
    this.#memory = new RequestMemory(requestSlabs, limits.maxQueuedBytes);
    this.#counts = new ConnectionCounts(limits);
    this.#world = {
      clock,
      logger,
      dispatch: new Dispatch(registry, services),
      shared: new SharedBuffer(),
      requestSlabs,
      requestMemory: this.#memory,
      answerSlabs: new SlabPool({ overwrites }),
      maxFrameBytes: limits.maxFrameBytes,
      maxAnswerBytes: () => this.#answerShareBytes,
      closed: (connection) => this.#forget(connection),
    };
  }

  get connectionCount(): number {
    return this.#connections.size;
  }

  /** Rejects with the system's error (`code` EADDRINUSE, …), and if it is closed meanwhile. */
  async listen(listener: ListenerOptions): Promise<Listening> {
    const { host, port, tls } = listener;
    const where = tls === undefined ? { host, port } : { host, port, tls };
    const listening = await this.options.network.listen(where, (link) => {
      return this.#accept(listener, link);
    });
    this.#listening.push(listening);
    if (this.#isClosed) {
      await this.stopAccepting();
      throw new Error('the server was closed before it listened');
    }
    return listening;
  }

  /** Stops accepting; connections stay. */
  async stopAccepting(): Promise<void> {
    await Promise.all(this.#listening.splice(0).map((listening) => listening.close()));
  }

  /** Stops accepting and ends every connection; resolves when all are gone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const stopped = this.stopAccepting();
    const gone = new Promise<void>((resolve) => {
      this.#whenEmpty = resolve;
    });
    if (this.#connections.size === 0) this.#whenEmpty?.();
    for (const connection of this.#connections) connection.destroy();
    this.#sweep?.cancel();
    await Promise.all([stopped, gone]);
  }

  #accept(listener: ListenerOptions, link: Link): Connection {
    const id = this.#nextConnectionId;
    this.#nextConnectionId += 1;
    const connection = new Connection(this.#world, link, {
      id,
      listener: listener.name,
      serves: listener.serves,
      clientHost: link.remoteAddress,
      clientPort: link.remotePort,
      principal: ANONYMOUS,
      clientSoftwareName: 'unknown',
      clientSoftwareVersion: 'unknown',
    });
    this.#connections.add(connection);
    this.#shareAnswers();
    const excess = this.#counts.add(link.remoteAddress);
    if (excess !== undefined) connection.refuse(excess);
    this.#sweep ??= this.options.clock.setTimer(SWEEP_MS, () => this.#sweepOnce());
    return connection;
  }

  #forget(connection: Connection): void {
    if (!this.#connections.delete(connection)) return;
    this.#shareAnswers();
    this.#counts.remove(connection.facts.clientHost);
    if (this.#connections.size === 0) this.#whenEmpty?.();
  }

  #shareAnswers(): void {
    const share = Math.floor(ANSWER_BYTES / this.#connections.size);
    const atLeast = Math.max(share, SMALLEST_ANSWER_SHARE_BYTES);
    this.#answerShareBytes = Math.min(atLeast, LARGEST_ANSWER_SHARE_BYTES);
  }

  /** Closes who is idle for too long. */
  #sweepOnce(): void {
    this.#sweep = undefined;
    if (this.#connections.size === 0) return;
    const nowMs = this.options.clock.monotonicMs();
    for (const connection of this.#connections) this.#closeIfIdle(connection, nowMs);
    this.#sweep = this.options.clock.setTimer(SWEEP_MS, () => this.#sweepOnce());
  }

  #closeIfIdle(connection: Connection, nowMs: MonotonicMs): void {
    const idleMs = nowMs - connection.activeAtMs;
    const partialMs = this.#memory.hasRoom ? PARTIAL_IDLE_MS : PARTIAL_IDLE_SHORT_MS;
    if (connection.isInFrame && idleMs >= partialMs) {
      connection.refuse('the rest of a request did not come', { idleMs });
    } else if (!connection.isBusy && idleMs >= this.options.limits.maxIdleMs) {
      connection.destroy();
    }
  }
}

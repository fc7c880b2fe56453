/**
 * One connection to a broker or controller: requests go out one behind another, and answers come
 * back in the same order.
 */
import { invariant } from '../base/invariant';
import { systemErrorCode } from '../base/system-error';
import type { Clock, Link, Network, Timer, TlsSettings } from '../platform/platform';
import type { AnyApi, RequestDraft, ResponseOf } from '../protocol/api';
import { ApiVersions } from '../protocol/apis';
import { decodeResponse, encodeBytes } from '../protocol/codec';
import { Errors, errorName, MalformedFrameError } from '../protocol/errors';
import { FrameAssembler, keepFrame, SharedBuffer } from '../protocol/frame';
import { readResponseHeader, writeRequestFrame } from '../protocol/header';
import { Reader } from '../protocol/reader';
import { SlabPool, type SlabPoolOptions } from '../protocol/slabs';

/** What channels are made of; one for all channels of a process. */
export interface ChannelWorld {
  readonly clock: Pick<Clock, 'setTimer' | 'sleep'>;
  readonly network: Pick<Network, 'connect'>;
  readonly buffers: ChannelBuffers;
}

export interface ChannelBuffers {
  readonly shared: SharedBuffer;
  readonly slabs: SlabPool;
}

/** Of large answers only those up to `largestKeptBytes` (4 MiB) get their memory again. */
export const channelBuffers = (options: SlabPoolOptions = {}): ChannelBuffers => ({
  shared: new SharedBuffer(),
  slabs: new SlabPool(options),
});

export interface ChannelOptions {
  readonly host: string;
  readonly port: number;
  readonly tls?: TlsSettings;
  readonly clientId: string;
  readonly connectTimeoutMs: number;
  /** A request unanswered for so long closes the channel, as in Kafka's own clients. */
  readonly requestTimeoutMs: number;
  /** Larger answers close the channel; 256 MiB by default. */
  readonly maxResponseBytes?: number;
}

const DEFAULT_MAX_RESPONSE_BYTES = 256 * 1024 * 1024;
const SOFTWARE = { clientSoftwareName: 'ottla', clientSoftwareVersion: '0' };

/**
 * - `unreachable`: no connection came about
 * - `closed`: it ended, or was closed, before the answer
 * - `timed-out`: no answer in time
 * - `malformed`: the answer is no message
 * - `unsupported`: no version that both sides speak
 */
export type ChannelFailure = 'unreachable' | 'closed' | 'timed-out' | 'malformed' | 'unsupported';

export class ChannelError extends Error {
  override readonly name = 'ChannelError';

  constructor(
    readonly failure: ChannelFailure,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }

  /** Nobody listens there: the other side is gone, or not there yet. */
  get isRefused(): boolean {
    const { failure, cause } = this;
    return failure === 'unreachable' && systemErrorCode(cause) === 'ECONNREFUSED';
  }
}

export interface RequestOptions {
  /** Instead of the channel's. */
  readonly timeoutMs?: number;
  /** Copies the answer's bytes, which are lent, to where they are kept; by default elsewhere. */
  readonly keep?: KeepFrame;
}

export type KeepFrame = (buffer: Buffer, start: number, end: number) => Buffer;

/** A version, or the newest that both sides speak (needs `negotiate`). */
export type RequestVersion = number | 'newest';

interface Pending {
  readonly api: AnyApi;
  readonly version: number;
  readonly correlationId: number;
  readonly timer: Timer;
  readonly keep: KeepFrame;
  resolve(response: unknown): void;
  reject(error: ChannelError): void;
}

export class Channel {
  readonly host: string;
  readonly port: number;
  readonly #world: ChannelWorld;
  readonly #options: ChannelOptions;
  readonly #assembler: FrameAssembler;
  readonly #link: Link;
  readonly #pending: Pending[] = [];
  readonly #closeListeners: (() => void)[] = [];
  #connecting: { resolve(): void; reject(error: ChannelError): void } | undefined;
  #isOpened = false;
  #failure: ChannelError | undefined;
  #lastCorrelationId = 0;
  #ranges: ReadonlyMap<number, readonly [first: number, last: number]> | undefined;

  /** Connects. Rejects with a ChannelError (`unreachable`). */
  static async connect(world: ChannelWorld, options: ChannelOptions): Promise<Channel> {
    const channel = new Channel(world, options);
    const timer = world.clock.setTimer(options.connectTimeoutMs, () => {
      channel.#fail(new ChannelError('unreachable', `no connection to ${channel.#name} in time`));
    });
    try {
      await new Promise<void>((resolve, reject) => {
        channel.#connecting = { resolve, reject };
      });
    } finally {
      timer.cancel();
    }
    return channel;
  }

  private constructor(world: ChannelWorld, options: ChannelOptions) {
    const { host, port, tls, maxResponseBytes = DEFAULT_MAX_RESPONSE_BYTES } = options;
    this.host = host;
    this.port = port;
    this.#world = world;
    this.#options = options;
    this.#assembler = new FrameAssembler(
      { ...world.buffers, maxFrameBytes: maxResponseBytes },
      { frame: (buffer, start, end) => this.#answered(buffer, start, end) },
    );
    this.#link = world.network.connect(
      { host, port, ...(tls === undefined ? {} : { tls }) },
      {
        opened: () => this.#opened(),
        buffer: () => this.#assembler.buffer(),
        received: (length) => this.#received(length),
        ended: () => this.#link.end(),
        closed: (error) => this.#closed(error),
      },
    );
  }

  get isClosed(): boolean {
    return this.#failure !== undefined;
  }

  /** Called once, when the channel is closed for whatever reason; at once if it is already. */
  onClosed(listener: () => void): void {
    if (this.isClosed) listener();
    else this.#closeListeners.push(listener);
  }

  /** Asks which versions the other side serves, so that `newest` can be asked for. */
  async negotiate(): Promise<void> {
    let answer = await this.request(ApiVersions, ApiVersions.served[1], SOFTWARE);
    if (answer.errorCode === Errors.UNSUPPORTED_VERSION) {
      const range = answer.apiKeys.find(({ apiKey }) => apiKey === ApiVersions.key);
      const version = Math.min(range?.maxVersion ?? 0, ApiVersions.served[1]);
      answer = await this.request(ApiVersions, version, SOFTWARE);
    }
    if (answer.errorCode !== Errors.NONE) {
      throw new ChannelError('unsupported', `ApiVersions got ${errorName(answer.errorCode)}`);
    }
    this.#ranges = new Map(
      answer.apiKeys.map(({ apiKey, minVersion, maxVersion }) => [
        apiKey,
        [minVersion, maxVersion] as const,
      ]),
    );
  }

  /** First and last version of each API that the other side serves; needs `negotiate`. */
  get served(): ReadonlyMap<number, readonly [first: number, last: number]> | undefined {
    return this.#ranges;
  }

  /** The newest version of the API that both sides speak; `undefined` if there is none. */
  newestVersion(api: AnyApi): number | undefined {
    invariant(this.#ranges !== undefined, 'versions are negotiated before one is chosen');
    const range = this.#ranges.get(api.key);
    if (range === undefined) return undefined;
    const version = Math.min(range[1], api.served[1]);
    return version >= Math.max(range[0], api.served[0]) ? version : undefined;
  }

  /** Sends a request and gives its answer, whose bytes are its own. Rejects with a ChannelError. */
  request<A extends AnyApi>(
    api: A,
    version: RequestVersion,
    body: RequestDraft<A>,
    options: RequestOptions = {},
  ): Promise<ResponseOf<A>> {
    return new Promise((resolve, reject) => {
      const sent = this.#send(api, version, body);
      const { timeoutMs = this.#options.requestTimeoutMs, keep = keepFrame } = options;
      const pending: Pending = {
        ...sent,
        api,
        keep,
        timer: this.#world.clock.setTimer(timeoutMs, () => this.#timedOut(pending)),
        resolve: resolve as Pending['resolve'],
        reject,
      };
      this.#pending.push(pending);
    });
  }

  /** Sends a request that gets no answer: Produce with acks 0. Throws a ChannelError. */
  tell<A extends AnyApi>(api: A, version: RequestVersion, body: RequestDraft<A>): void {
    this.#send(api, version, body);
  }

  /** Closes at once; what is unanswered rejects. */
  close(): void {
    this.#fail(new ChannelError('closed', `the channel to ${this.#name} was closed`));
  }

  get #name(): string {
    return `${this.host}:${this.port}`;
  }

  #send<A extends AnyApi>(
    api: A,
    version: RequestVersion,
    body: RequestDraft<A>,
  ): { readonly version: number; readonly correlationId: number } {
    if (this.#failure !== undefined) throw this.#failure;
    const chosen = version === 'newest' ? this.newestVersion(api) : version;
    if (chosen === undefined) {
      throw new ChannelError('unsupported', `${this.#name} serves no version of ${api.name}`);
    }
    this.#lastCorrelationId = (this.#lastCorrelationId + 1) & 0x7fffffff;
    const correlationId = this.#lastCorrelationId;
    const { clientId } = this.#options;
    const frame = encodeBytes((writer) =>
      writeRequestFrame(writer, api, chosen, correlationId, clientId, body),
    );
    this.#link.write(frame);
    return { version: chosen, correlationId };
  }

  #opened(): void {
    this.#isOpened = true;
    this.#connecting?.resolve();
  }

  #received(length: number): void {
    try {
      this.#assembler.received(length);
    } catch (error) {
      if (!(error instanceof MalformedFrameError)) throw error;
      this.#fail(new ChannelError('malformed', `${this.#name} sent no message`, error));
    }
  }

  #answered(buffer: Buffer, start: number, end: number): boolean {
    const pending = this.#pending.shift();
    if (pending === undefined) throw new MalformedFrameError('an answer that nobody waits for');
    pending.timer.cancel();
    try {
      // The caller goes on in a later microtask, when the lent bytes are somebody else's.
      pending.resolve(decodeAnswer(pending, new Reader(pending.keep(buffer, start, end))));
    } catch (error) {
      const message = `${this.#name} sent a malformed answer to ${pending.api.name}`;
      pending.reject(new ChannelError('malformed', message, error));
      throw error;
    }
    return true;
  }

  #timedOut(pending: Pending): void {
    const { api } = pending;
    // Answers come in order, so nothing behind this one could be had either.
    this.#fail(new ChannelError('timed-out', `${this.#name} did not answer ${api.name} in time`));
  }

  #closed(error: Error | undefined): void {
    const failure = this.#isOpened ? 'closed' : 'unreachable';
    this.#fail(new ChannelError(failure, `the connection to ${this.#name} ended`, error));
  }

  #fail(error: ChannelError): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#link.destroy();
    this.#assembler.close();
    this.#connecting?.reject(error);
    for (const { timer, reject } of this.#pending.splice(0)) {
      timer.cancel();
      reject(error);
    }
    for (const listener of this.#closeListeners.splice(0)) listener();
  }
}

function decodeAnswer({ api, version, correlationId }: Pending, reader: Reader): unknown {
  const id = readResponseHeader(reader, api, version);
  if (id !== correlationId) throw new MalformedFrameError(`an answer to ${id} came out of order`);
  if (api === ApiVersions && isUnsupportedVersion(reader)) {
    // A node that does not know the version answers in the oldest (KIP-511).
    return decodeResponse(api, 0, reader);
  }
  return decodeResponse(api, version, reader);
}

function isUnsupportedVersion(reader: Reader): boolean {
  const { position } = reader;
  const errorCode = reader.int16();
  reader.position = position;
  return errorCode === Errors.UNSUPPORTED_VERSION;
}

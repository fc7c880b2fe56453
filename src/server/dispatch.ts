/** From a frame to its handler, and from an answer to bytes. Knows nothing of sockets. */
import type { MonotonicMs } from '../base/times';
import { ApiVersions } from '../protocol/apis/api-versions';
import { decodeRequest } from '../protocol/codec';
import { Errors } from '../protocol/errors';
import {
  type RequestStart,
  readRequestHeader,
  writeFrameOf,
  writeResponseFrame,
} from '../protocol/header';
import { Reader } from '../protocol/reader';
import type { Part } from '../protocol/schema';
import { Writer } from '../protocol/writer';
import { Exchange, type ExchangeOwner } from './exchange';
import { type AnyHandler, CloseConnection } from './handler';
import { RawAnswer } from './raw-answer';
import { refusalOf } from './refusal';
import { type Registry, servedVersions } from './registry';
import type { Services } from './services';

/** What a handler gave: a response to encode, nothing to send, or a promise of either. */
export type Outcome = unknown;

export class Dispatch {
  readonly #reader = new Reader();
  readonly #writer = new Writer();

  constructor(
    private readonly registry: Registry,
    private readonly services: Services,
  ) {}

  /**
   * Reads a frame and runs its handler. Throws MalformedFrameError for bytes that are no request,
   * CloseConnection for what cannot be answered; other errors are bugs.
   */
  execute(
    buffer: Buffer,
    start: number,
    end: number,
    owner: ExchangeOwner,
    receivedAtMs: MonotonicMs,
  ): { readonly exchange: Exchange; readonly outcome: Outcome } {
    const reader = this.#reader.reset(buffer, start, end);
    const header = readRequestHeader(reader);
    const handler = this.registry.find(header.api.key, owner.facts.serves);
    if (handler === undefined) {
      throw new CloseConnection(`${header.api.name} is not served on this listener`);
    }
    const { requestApiVersion, correlationId, clientId } = header;
    const [first, last] = servedVersions(handler);
    if (requestApiVersion < first || requestApiVersion > last) {
      return unsupported(header, handler, owner, receivedAtMs);
    }
    const request = decodeRequest(handler.api, requestApiVersion, reader);
    const exchange = new Exchange(
      owner,
      handler,
      request,
      requestApiVersion,
      correlationId,
      clientId,
      receivedAtMs,
    );
    if (handler.keepsFrame === true) exchange.frame = Buffer.from(buffer.subarray(start, end));
    try {
      return { exchange, outcome: handler.handle(request, exchange, this.services) };
    } catch (error) {
      return { exchange, outcome: this.refusal(exchange, error) };
    }
  }

  /** The answer where the handler threw, if there is one: see `refusalOf`. */
  refusal({ handler, request, apiVersion }: Exchange, error: unknown): unknown {
    return refusalOf(handler, request, apiVersion, error, this.services);
  }

  /** Adds the answer's frame to those that were encoded and not taken. */
  encode(exchange: Exchange, response: unknown): void {
    if (response === undefined) return;
    if (response instanceof RawAnswer) {
      writeFrameOf(this.#writer, response.bytes);
      return;
    }
    const { handler, apiVersion, correlationId } = exchange;
    writeResponseFrame(this.#writer, handler.api, apiVersion, correlationId, response);
  }

  /** Bytes that were encoded and not taken. */
  get encodedBytes(): number {
    return this.#writer.length;
  }

  /** All that was encoded since the last time. */
  take(): readonly Part[] {
    return this.#writer.length === 0 ? NO_PARTS : this.#writer.take();
  }
}

const NO_PARTS: readonly Part[] = [];

/**
 * A version that is not served. Clients ask for ApiVersions before they know which there are:
 * that alone is answered, in version 0 (KIP-511).
 */
function unsupported(
  header: RequestStart,
  handler: AnyHandler,
  owner: ExchangeOwner,
  receivedAtMs: MonotonicMs,
): { exchange: Exchange; outcome: Outcome } {
  const { api, requestApiVersion, correlationId, clientId } = header;
  if (api.key !== ApiVersions.key) {
    throw new CloseConnection(`version ${requestApiVersion} of ${api.name} is not served`);
  }
  const [minVersion, maxVersion] = servedVersions(handler);
  const exchange = new Exchange(owner, handler, {}, 0, correlationId, clientId, receivedAtMs);
  const outcome = {
    errorCode: Errors.UNSUPPORTED_VERSION,
    apiKeys: [{ apiKey: api.key, minVersion, maxVersion }],
  };
  return { exchange, outcome };
}

/** A client of raw frames over a test world's network: it sends bytes and collects what comes. */
import type { Link, LinkOwner, Network } from '../../src/platform/platform';
import type { AnyApi, RequestDraft, ResponseOf } from '../../src/protocol/api';
import { decodeResponse, encodeBytes } from '../../src/protocol/codec';
import { readResponseHeader, writeRequestFrame } from '../../src/protocol/header';
import { Reader } from '../../src/protocol/reader';

/** An answer that has come; `body` begins after its correlation id and header. */
export interface RawAnswer {
  readonly correlationId: number;
  readonly frame: Buffer;
}

export class RawClient implements LinkOwner {
  readonly link: Link;
  isOpen = false;
  isClosed = false;
  hasEnded = false;
  /** How often bytes came: answers that were written together come together. */
  arrivals = 0;
  receivedBytes = 0;
  #bytes = Buffer.alloc(0);
  readonly #buffer = Buffer.alloc(1024 * 1024);
  readonly #answers: RawAnswer[] = [];
  #nextCorrelationId = 1;

  constructor(network: Network, host: string, port: number) {
    this.link = network.connect({ host, port }, this);
  }

  /** Sends a request; returns its correlation id. */
  send<A extends AnyApi>(api: A, version: number, request: RequestDraft<A>): number {
    const correlationId = this.#nextCorrelationId;
    this.#nextCorrelationId += 1;
    this.link.write(requestBytes(api, version, request, correlationId));
    return correlationId;
  }

  /** Answers that have come, the oldest first; each is given once. */
  answers(): RawAnswer[] {
    return this.#answers.splice(0);
  }

  /** The one answer that has come, decoded. */
  answer<A extends AnyApi>(api: A, version: number): ResponseOf<A> {
    const answers = this.answers();
    if (answers.length !== 1) throw new Error(`${answers.length} answers have come`);
    return decodeAnswer(api, version, answers[0] as RawAnswer);
  }

  opened(): void {
    this.isOpen = true;
  }

  buffer(): Uint8Array {
    return this.#buffer;
  }

  received(length: number): void {
    this.arrivals += 1;
    this.receivedBytes += length;
    this.#bytes = Buffer.concat([this.#bytes, this.#buffer.subarray(0, length)]);
    while (this.#bytes.length >= 4) {
      const end = 4 + this.#bytes.readInt32BE(0);
      if (this.#bytes.length < end) return;
      const frame = this.#bytes.subarray(4, end);
      this.#answers.push({ correlationId: frame.readInt32BE(0), frame });
      this.#bytes = this.#bytes.subarray(end);
    }
  }

  ended(): void {
    this.hasEnded = true;
    this.link.end();
  }

  closed(): void {
    this.isClosed = true;
  }
}

export function requestBytes<A extends AnyApi>(
  api: A,
  version: number,
  request: RequestDraft<A>,
  correlationId = 1,
): Buffer {
  return encodeBytes((writer) =>
    writeRequestFrame(writer, api, version, correlationId, 'raw', request),
  );
}

export function decodeAnswer<A extends AnyApi>(
  api: A,
  version: number,
  answer: RawAnswer,
): ResponseOf<A> {
  const reader = new Reader(answer.frame);
  readResponseHeader(reader, api, version);
  const response = decodeResponse(api, version, reader);
  if (reader.remaining > 0) throw new Error('bytes are left over behind the answer');
  return response;
}

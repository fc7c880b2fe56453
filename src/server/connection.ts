/**
 * One connection of a client. Its requests execute one after another and their answers leave in
 * that order; what is owed and what is held is bounded, beyond it the socket is not read.
 */
import type { MonotonicMs } from '../base/times';
import type { Clock, Link, LinkOwner, Logger } from '../platform/platform';
import { raise } from '../platform/raise';
import { MalformedFrameError } from '../protocol/errors';
import { FrameAssembler, type SharedBuffer } from '../protocol/frame';
import type { SlabPool } from '../protocol/slabs';
import type { ConnectionFacts } from './context';
import type { Dispatch } from './dispatch';
import type { Exchange, ExchangeOwner } from './exchange';
import { foreignProtocol } from './foreign';
import { CloseConnection } from './handler';
import { Outbox } from './outbox';
import type { RequestMemory } from './request-memory';

/** Answers that may be owed at once to one client. */
const MAX_OUTSTANDING = 1000;
/** Requests that one connection executes before others have their turn: some 1 ms. */
const MAX_REQUESTS_A_TURN = 64;
/** The same where they take long: some decompress what they look through. */
const MAX_TURN_MS = 10;

/** What all connections of a broker share. */
export interface ConnectionWorld {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly dispatch: Dispatch;
  readonly shared: SharedBuffer;
  /** Partial and waiting requests. */
  readonly requestSlabs: SlabPool;
  readonly requestMemory: RequestMemory;
  /** File bytes on their way out. */
  readonly answerSlabs: SlabPool;
  /** `socket.request.max.bytes`. */
  readonly maxFrameBytes: number;
  /** Answer bytes of one connection beyond which it executes nothing more until some have left. */
  maxAnswerBytes(): number;
  /** The connection is gone. */
  closed(connection: Connection): void;
}

export class Connection implements LinkOwner, ExchangeOwner {
  readonly #frames: FrameAssembler;
  readonly #outbox: Outbox;
  /** Requests whose answers have not been passed on, in the order of execution. */
  #open: Exchange[] = [];
  #holder: Exchange | undefined;
  /** Bytes of answers that wait behind an open one. */
  #apartBytes = 0;
  #receivedAtMs: MonotonicMs;
  #isReading = true;
  #executedThisTurn = 0;
  #turnBeganAtMs: MonotonicMs;
  /** Nothing more executes until others had their turn. */
  #isTurnOver = false;
  #isYielding = false;
  #isFlushing = false;
  #isEnding = false;
  #isClosed = false;
  #closedListeners: Set<() => void> | undefined;
  #hasReceived = false;

  constructor(
    private readonly world: ConnectionWorld,
    private readonly link: Link,
    private connectionFacts: ConnectionFacts,
  ) {
    const { shared, requestSlabs: slabs, maxFrameBytes } = world;
    this.#frames = new FrameAssembler({ shared, slabs, maxFrameBytes }, this);
    this.#outbox = new Outbox(link, world.answerSlabs, (error) => this.#left(error));
    this.#receivedAtMs = world.clock.monotonicMs();
    this.#turnBeganAtMs = this.#receivedAtMs;
  }

  get facts(): ConnectionFacts {
    return this.connectionFacts;
  }

  /** When bytes last came or an answer was passed on. */
  get activeAtMs(): MonotonicMs {
    return this.#receivedAtMs;
  }

  /** A request is being executed, or an answer waits to leave. */
  get isBusy(): boolean {
    return this.#open.length > 0;
  }

  /** Some bytes of a request have come, the rest have not. */
  get isInFrame(): boolean {
    return this.#frames.isInFrame;
  }

  onClosed(callback: () => void): () => void {
    if (this.#isClosed) {
      callback();
      return () => undefined;
    }
    this.#closedListeners ??= new Set();
    this.#closedListeners.add(callback);
    return () => void this.#closedListeners?.delete(callback);
  }

  nameSoftware(clientSoftwareName: string, clientSoftwareVersion: string): void {
    this.connectionFacts = {
      ...this.connectionFacts,
      clientSoftwareName,
      clientSoftwareVersion,
    };
  }

  buffer(): Uint8Array {
    return this.#frames.buffer();
  }

  received(length: number): void {
    if (this.#isClosed) return;
    this.#receivedAtMs = this.world.clock.monotonicMs();
    if (!this.#hasReceived && this.#isForeign(length)) return;
    this.#hasReceived = true;
    this.#turnBeganAtMs = this.#receivedAtMs;
    this.#turn(() => this.#frames.received(length));
  }

  /** Called by the assembler with each whole frame; true if the next may follow. */
  frame(buffer: Buffer, start: number, end: number): boolean {
    const { dispatch } = this.world;
    this.#executedThisTurn += 1;
    const { exchange, outcome } = dispatch.execute(buffer, start, end, this, this.#receivedAtMs);
    if (outcome instanceof Promise) {
      this.#open.push(exchange);
      if (exchange.isHolding) this.#holder = exchange;
      outcome.then(
        (response) => this.#answered(exchange, response),
        (error) => this.#failed(exchange, error),
      );
    } else if (this.#open.length === 0) {
      dispatch.encode(exchange, outcome);
    } else {
      this.#encodeApart(exchange, outcome);
      this.#open.push(exchange);
    }
    this.#isTurnOver =
      this.#executedThisTurn >= MAX_REQUESTS_A_TURN ||
      this.world.clock.monotonicMs() - this.#turnBeganAtMs >= MAX_TURN_MS;
    return this.#mayExecute;
  }

  released(exchange: Exchange): void {
    if (this.#holder !== exchange) return;
    this.#holder = undefined;
    this.#resume();
  }

  ended(): void {
    this.#isEnding = true;
    // Who has ended waits for nothing any more, but is given what can be given at once.
    if (this.isBusy) this.destroy();
    else this.#endIfDone();
  }

  closed(error?: Error): void {
    this.#isClosed = true;
    this.#frames.close();
    this.#outbox.close();
    this.world.requestMemory.forget(this);
    try {
      this.#tellClosed();
    } catch (other) {
      raise(this.world.clock, other);
    }
    if (error !== undefined) this.world.logger.debug('A connection broke', this.#named({ error }));
    this.world.closed(this);
  }

  #tellClosed(): void {
    const open = this.#open;
    this.#open = [];
    for (const exchange of open) exchange.closed();
    const listeners = this.#closedListeners;
    this.#closedListeners = undefined;
    if (listeners !== undefined) for (const listener of listeners) listener();
  }

  /** Closes the connection with one line that says why. */
  refuse(reason: string, fields: Readonly<Record<string, unknown>> = {}): void {
    if (this.#isClosed) return;
    this.world.logger.info(`A connection was closed: ${reason}`, this.#named(fields));
    this.destroy();
  }

  /** Closes the connection without a word. */
  destroy(): void {
    this.#isClosed = true;
    this.link.destroy();
  }

  /** There is room again for requests that wait. */
  roomAgain(): void {
    this.#updateReading();
  }

  get #mayExecute(): boolean {
    return (
      !this.#isClosed &&
      this.#holder === undefined &&
      this.#open.length < MAX_OUTSTANDING &&
      this.#answerBytes < this.world.maxAnswerBytes() &&
      !this.#isTurnOver
    );
  }

  /** All that is held for this client: encoded in this turn, waiting in order, or queued. */
  get #answerBytes(): number {
    return this.world.dispatch.encodedBytes + this.#apartBytes + this.#outbox.queuedBytes;
  }

  /** Runs what may execute requests, then sends what they gave in one write. */
  #turn(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#broke(error);
    }
    this.#outbox.add(this.world.dispatch.take());
    if (this.#isClosed) return;
    this.#outbox.flush();
    this.world.requestMemory.changed();
    this.#updateReading();
    // What held it up may have left at once; then nobody tells of it.
    const hasRoomAgain = this.#frames.isHeldUp && this.#mayExecute;
    if (hasRoomAgain || this.#isTurnOver) this.#yield();
    else this.#executedThisTurn = 0;
  }

  /** Lets other connections have their turn before this one goes on. */
  #yield(): void {
    if (this.#isYielding) return;
    this.#isYielding = true;
    this.world.clock.nextTurn(() => {
      this.#isYielding = false;
      this.#executedThisTurn = 0;
      this.#isTurnOver = false;
      if (this.#isClosed) return;
      this.#resume();
      this.#endIfDone();
    });
  }

  /** Executes what waits, if it may. */
  #resume(): void {
    if (!this.#frames.isHeldUp || !this.#mayExecute) return;
    this.#turnBeganAtMs = this.world.clock.monotonicMs();
    this.#turn(() => this.#frames.resume());
  }

  #answered(exchange: Exchange, response: unknown): void {
    try {
      this.#encodeApart(exchange, response);
    } catch (error) {
      this.#broke(error);
      return;
    }
    if (this.#isClosed) {
      // What it holds of files is let go.
      this.#outbox.add(exchange.parts ?? []);
      return;
    }
    this.#deliver();
    if (this.#holder === exchange) {
      this.#holder = undefined;
      this.#resume();
    }
    this.#flushAfterTurn();
  }

  #failed(exchange: Exchange, error: unknown): void {
    if (this.#isClosed) return;
    try {
      this.#answered(exchange, this.world.dispatch.refusal(exchange, error));
    } catch (other) {
      this.#broke(other);
    }
  }

  /** Encodes an answer that cannot leave yet, or comes by itself. */
  #encodeApart(exchange: Exchange, response: unknown): void {
    const { dispatch } = this.world;
    this.#outbox.add(dispatch.take());
    dispatch.encode(exchange, response);
    this.#apartBytes += dispatch.encodedBytes;
    exchange.parts = dispatch.take();
  }

  /** Passes on the answers that are next. */
  #deliver(): void {
    let count = 0;
    for (const { parts } of this.#open) {
      if (parts === undefined) break;
      this.#apartBytes -= this.#outbox.add(parts);
      count += 1;
    }
    if (count > 0) this.#open.splice(0, count);
  }

  /** Answers that come by themselves are joined with others of the same turn. */
  #flushAfterTurn(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    this.world.clock.afterTurn(() => {
      this.#isFlushing = false;
      if (this.#isClosed) return;
      this.#outbox.flush();
      this.#resume();
      this.#endIfDone();
    });
  }

  /** Bytes have left, or an answer's file could not be read. */
  #left(error?: Error): void {
    if (error !== undefined) {
      this.refuse('its answer could not be sent', { error });
      return;
    }
    this.#receivedAtMs = this.world.clock.monotonicMs();
    this.#resume();
    this.#endIfDone();
  }

  #endIfDone(): void {
    if (!this.#isEnding || this.#isClosed || this.isBusy || this.#frames.isHeldUp) return;
    if (this.#outbox.isEmpty) this.link.end();
  }

  /** Reads on unless requests wait for their turn, or the memory for them is used up. */
  #updateReading(): void {
    const frames = this.#frames;
    const isFull = frames.isInFrame && !this.world.requestMemory.hasRoom;
    if (isFull) this.world.requestMemory.wait(this);
    const isReading = !isFull && !(frames.isHeldUp && frames.heldBytes > 0);
    if (isReading === this.#isReading) return;
    this.#isReading = isReading;
    if (isReading) this.link.resume();
    else this.link.pause();
  }

  #isForeign(length: number): boolean {
    const start = this.world.shared.tail.subarray(0, Math.min(length, 4));
    const protocol = foreignProtocol(start);
    if (protocol === undefined) return false;
    this.refuse(`the client speaks ${protocol}, this listener Kafka's protocol in plain text`);
    return true;
  }

  #broke(error: unknown): void {
    if (error instanceof CloseConnection || error instanceof MalformedFrameError) {
      this.refuse(error.message);
    } else if (!this.#isClosed) {
      const fields = this.#named({ error });
      this.world.logger.error('A connection was closed for a mistake of our own', fields);
      this.destroy();
    }
  }

  #named(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const { listener, clientHost, clientPort } = this.connectionFacts;
    return { listener, clientHost, clientPort, ...fields };
  }
}

/**
 * Cuts a byte stream into frames: a length of four bytes, then as many bytes. Sans I/O: its owner
 * passes on `buffer` and `received` of a link.
 *
 * All connections read into one shared buffer, in which whole frames are handled in place. Bytes
 * of an unfinished frame wait in a slab. A short piece is put before the bytes of the next read
 * (the shared buffer has room there); a long one stays where it is, and the link reads behind it,
 * exactly to the end of the frame. A slab grows with the bytes that came: a length alone claims
 * no memory. So a byte is copied at most twice, and mostly never.
 */
import { invariant } from '../base/invariant';
import { MalformedFrameError } from './errors';
import { OVERWRITTEN, type SlabPool } from './slabs';

/** How many bytes of an unfinished frame can be put before the next read. */
export const HEADROOM_BYTES = 64 * 1024;
/** How many bytes a read may bring. 64 KiB cost 10 to 15 % of the throughput, 1 MiB gains none. */
export const READ_BYTES = 256 * 1024;

const LENGTH_BYTES = 4;
/** How much larger than what has come a slab may be. */
const GROWTH = 4;

/**
 * The buffer that all connections of one thread read into. `received` of one connection must not
 * lead to `received` of another before it returns.
 */
export class SharedBuffer {
  readonly whole = Buffer.allocUnsafeSlow(HEADROOM_BYTES + READ_BYTES);
  /** Where reads go. */
  readonly tail = this.whole.subarray(HEADROOM_BYTES);
}

/** Takes the frames of one connection. */
export interface FrameSink {
  /**
   * One frame: bytes `start` to `end` - 1, its length left out. They are lent for this call; what
   * lives longer is copied. Returns whether the next frame may follow; otherwise it is held until
   * `resume`. Does not call the assembler back.
   */
  frame(buffer: Buffer, start: number, end: number): boolean;
}

export interface FrameAssemblerOptions {
  readonly shared: SharedBuffer;
  readonly slabs: SlabPool;
  /** The greatest length a frame may have (`socket.request.max.bytes`). */
  readonly maxFrameBytes: number;
}

export class FrameAssembler {
  /** May change at any time (after authentication, for one); counts from the next frame on. */
  maxFrameBytes: number;
  readonly #shared: SharedBuffer;
  readonly #slabs: SlabPool;
  readonly #sink: FrameSink;
  /** Bytes `#from` to `#to` - 1 of it wait. */
  #slab: Buffer | undefined;
  #from = 0;
  #to = 0;
  /** The sink wants no frame now. */
  #isHeldUp = false;
  /** The link is to read behind what waits in the slab, not into the shared buffer. */
  #isDirect = false;
  /** The same, as it was when the link last asked for a buffer. */
  #wasDirect = false;
  #isDelivering = false;
  #isClosed = false;

  constructor(options: FrameAssemblerOptions, sink: FrameSink) {
    this.#shared = options.shared;
    this.#slabs = options.slabs;
    this.maxFrameBytes = options.maxFrameBytes;
    this.#sink = sink;
  }

  /** Bytes that wait here, whole frames included. */
  get heldBytes(): number {
    return this.#to - this.#from;
  }

  /** Whether the sink has refused more frames and `resume` was not called since. */
  get isHeldUp(): boolean {
    return this.#isHeldUp;
  }

  /** Whether what waits is (or begins with) a frame that has not come whole. */
  get isInFrame(): boolean {
    return this.heldBytes > 0 && !this.#isHeldUp;
  }

  /** Where the next bytes go. */
  buffer(): Uint8Array {
    this.#wasDirect = this.#isDirect;
    if (!this.#isDirect || this.#slab === undefined) return this.#shared.tail;
    const frameEnd = this.#from + LENGTH_BYTES + this.#slab.readInt32BE(this.#from);
    return this.#slab.subarray(this.#to, Math.min(this.#slab.length, frameEnd));
  }

  /**
   * `length` bytes stand at the start of the last `buffer()`. Throws MalformedFrameError for a
   * length that no frame may have; the connection is then to be closed.
   */
  received(length: number): void {
    invariant(!this.#isClosed, 'bytes came on a closed connection');
    if (this.#wasDirect) this.receivedBehind(length);
    else if (this.#isHeldUp) this.hold(this.#shared.tail, 0, length);
    else if (this.heldBytes <= HEADROOM_BYTES) this.receivedShared(length);
    else {
      // Asked for while held up, and resumed since.
      this.hold(this.#shared.tail, 0, length);
      this.deliverHeld();
    }
    if (!this.#wasDirect) this.overwrite(length);
  }

  /** The sink wants frames again: hands out those that came meanwhile. */
  resume(): void {
    if (!this.#isHeldUp || this.#isClosed) return;
    this.#isHeldUp = false;
    this.deliverHeld();
  }

  /** Gives back what waits. */
  close(): void {
    this.#isClosed = true;
    if (!this.#isDelivering) this.release();
  }

  private receivedShared(length: number): void {
    const { whole } = this.#shared;
    const start = HEADROOM_BYTES - this.heldBytes;
    this.#slab?.copy(whole, start, this.#from, this.#to);
    this.release();
    const end = HEADROOM_BYTES + length;
    const rest = this.deliver(whole, start, end);
    if (rest < end && !this.#isClosed) this.hold(whole, rest, end);
    this.settle();
  }

  private receivedBehind(length: number): void {
    this.#to += length;
    this.deliverHeld();
  }

  private deliverHeld(): void {
    if (this.#slab !== undefined) this.#from = this.deliver(this.#slab, this.#from, this.#to);
    this.settle();
  }

  /** Hands out whole frames while there are and the sink wants them; returns where it got to. */
  private deliver(buffer: Buffer, start: number, end: number): number {
    let at = start;
    this.#isDelivering = true;
    try {
      while (end - at >= LENGTH_BYTES && !this.#isHeldUp && !this.#isClosed) {
        const next = at + LENGTH_BYTES + this.frameBytes(buffer, at);
        if (next > end) break;
        const body = at + LENGTH_BYTES;
        at = next;
        this.#isHeldUp = !this.#sink.frame(buffer, body, next);
      }
    } finally {
      this.#isDelivering = false;
    }
    return at;
  }

  /** The length that a frame claims. */
  private frameBytes(buffer: Buffer, at: number): number {
    const length = buffer.readInt32BE(at);
    if (length >= 0 && length <= this.maxFrameBytes) return length;
    throw new MalformedFrameError(`a frame of ${length} bytes`);
  }

  /** Decides how to go on with what waits. */
  private settle(): void {
    this.#isDirect = false;
    if (this.heldBytes === 0 || this.#isClosed) this.release();
    else if (!this.#isHeldUp && this.heldBytes > HEADROOM_BYTES) this.readBehind();
  }

  private readBehind(): void {
    const slab = this.#slab;
    invariant(slab !== undefined, 'bytes wait nowhere');
    this.#isDirect = true;
    const bytes = LENGTH_BYTES + slab.readInt32BE(this.#from);
    const isRoomy = this.#from === 0 || this.#from + bytes <= slab.length;
    if (this.#to === slab.length || !isRoomy) this.move(Math.min(bytes, GROWTH * this.heldBytes));
  }

  /** Adds bytes to those that wait. */
  private hold(buffer: Buffer, start: number, end: number): void {
    const length = end - start;
    if (this.#slab === undefined) this.move(this.firstSlabBytes(buffer, start, length));
    else if (this.#to + length > this.#slab.length) this.move(2 * (this.heldBytes + length));
    invariant(this.#slab !== undefined, 'a slab was just leased');
    buffer.copy(this.#slab, this.#to, start, end);
    this.#to += length;
  }

  /** A long unfinished frame gets a slab in which it may well end. */
  private firstSlabBytes(buffer: Buffer, start: number, length: number): number {
    if (this.#isHeldUp || length <= HEADROOM_BYTES) return length;
    return Math.min(LENGTH_BYTES + this.frameBytes(buffer, start), GROWTH * length);
  }

  /** Goes on in a slab of at least `bytes`. */
  private move(bytes: number): void {
    const before = this.#slab;
    const slab = this.#slabs.lease(bytes);
    before?.copy(slab, 0, this.#from, this.#to);
    if (before !== undefined) this.#slabs.release(before);
    this.#to -= this.#from;
    this.#from = 0;
    this.#slab = slab;
  }

  private release(): void {
    if (this.#slab !== undefined) this.#slabs.release(this.#slab);
    this.#slab = undefined;
    this.#from = 0;
    this.#to = 0;
  }

  private overwrite(length: number): void {
    if (!this.#slabs.overwrites) return;
    this.#shared.whole.fill(OVERWRITTEN, 0, HEADROOM_BYTES + length);
  }
}

/** A frame's bytes as a copy that may be kept. */
export function keepFrame(buffer: Buffer, start: number, end: number): Buffer {
  const copy = Buffer.allocUnsafeSlow(end - start);
  buffer.copy(copy, 0, start, end);
  return copy;
}

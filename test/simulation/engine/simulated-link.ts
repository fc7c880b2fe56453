/**
 * One direction-pair of a simulated connection, byte by byte: what is written lies in the sender's
 * queue, is flushed into the wire, arrives in order after a delay, and is read in pieces of any
 * size. Flow control holds the sender back when the receiver does not read.
 */
import type { Link, LinkOwner } from '../../../src/platform/platform';
import type { Life } from './life';
import type { SimulatedNetworks } from './simulated-network';

/** What the receiver's system keeps for a process that does not read. */
const WINDOW_BYTES = 256 * 1024;

export interface LinkPlace {
  readonly life: Life;
  readonly host: string;
  readonly port: number;
}

interface Queued {
  readonly bytes: Uint8Array;
  sent: number;
  readonly written: ((error?: Error) => void) | undefined;
}

/** What travels: bytes, the end of the stream, or a reset. */
type Parcel =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | { readonly kind: 'end' }
  | { readonly kind: 'reset' };

export class SimulatedLink implements Link {
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly localPort: number;
  readonly life: Life;
  readonly place: LinkPlace;
  peerName?: string;

  readonly #networks: SimulatedNetworks;
  #peer: SimulatedLink | undefined;
  #owner: LinkOwner | undefined;
  /** Waiting to be flushed. */
  #queue: Queued[] = [];
  #queuedBytes = 0;
  #isFlushScheduled = false;
  /** Flushed and not yet read by the peer's process. */
  #unreadBytes = 0;
  /** Nothing overtakes what was sent before. */
  #lastArrivalUs = 0;
  /** Arrived and not yet read. */
  #arrived: Buffer[] = [];
  #hasEnded = false;
  #isEndSent = false;
  #isEndArrived = false;
  #isEndTold = false;
  #isPaused = false;
  #isReadScheduled = false;
  #isOpen = false;
  #isGone = false;
  #isClosedTold = false;
  #error: Error | undefined;

  constructor(networks: SimulatedNetworks, place: LinkPlace, remote: Omit<LinkPlace, 'life'>) {
    this.#networks = networks;
    this.place = place;
    this.life = place.life;
    this.remoteAddress = remote.host;
    this.remotePort = remote.port;
    this.localPort = place.port;
  }

  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** One that broke before anybody accepted it tells its end to whoever does. */
  own(owner: LinkOwner): void {
    this.#owner = owner;
    if (this.#isGone) this.#later(() => this.#close());
  }

  /** Who is at the other end. */
  meet(peer: SimulatedLink): void {
    this.#peer = peer;
  }

  /** The connection stands; whoever asked for it is told. */
  open(isAsked: boolean): void {
    if (this.#isGone) return;
    this.#isOpen = true;
    if (isAsked) this.#guarded(() => this.#owner?.opened?.(this));
    this.#scheduleFlush();
    this.#scheduleRead();
  }

  write(bytes: Uint8Array, written?: (error?: Error) => void): void {
    if (this.#isGone || this.#hasEnded) {
      this.#later(() => written?.(new Error('the link has ended')));
      return;
    }
    this.#queue.push({ bytes, sent: 0, written });
    this.#queuedBytes += bytes.byteLength;
    this.#scheduleFlush();
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#scheduleRead();
  }

  end(): void {
    if (this.#hasEnded || this.#isGone) return;
    this.#hasEnded = true;
    this.#scheduleFlush();
  }

  destroy(): void {
    if (this.#isGone) return;
    const peer = this.#peer;
    // The system says goodbye for it: in good order, or rudely if something was left unread.
    const isRude = this.#arrived.length > 0 || this.#networks.chance.chance(0.3);
    if (peer !== undefined) this.#send(peer, isRude ? { kind: 'reset' } : { kind: 'end' });
    this.fail(undefined);
  }

  /** The process died; its system closes the connection, or is gone itself. */
  abandon(isMachineAlive: boolean): void {
    if (isMachineAlive) this.destroy();
    else this.#isGone = true;
  }

  /** Both ends break, as when a router on the way forgets the connection. */
  breakBoth(): void {
    this.#peer?.fail(networkError('ECONNRESET', 'read'));
    this.fail(networkError('ECONNRESET', 'read'));
  }

  /** The link is broken here; the owner is told in a turn of its own. */
  fail(error: Error | undefined): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#error = error;
    this.#arrived = [];
    this.#networks.forget(this);
    this.#later(() => this.#close());
  }

  #close(): void {
    if (this.#isClosedTold || this.#owner === undefined) return;
    this.#isClosedTold = true;
    const queue = this.#queue;
    this.#queue = [];
    this.#queuedBytes = 0;
    for (const { written } of queue) {
      this.#guarded(() => written?.(this.#error ?? new Error('the link is closed')));
    }
    this.#guarded(() => this.#owner?.closed(this.#error));
  }

  #scheduleFlush(): void {
    if (this.#isFlushScheduled || !this.#isOpen || this.#isGone) return;
    this.#isFlushScheduled = true;
    this.#networks.schedule(this.#networks.chance.between(1, 40), this.life, () => {
      this.#isFlushScheduled = false;
      this.#flush();
    });
  }

  /** Hands to the wire what the window takes. */
  #flush(): void {
    const peer = this.#peer;
    if (this.#isGone || peer === undefined) return;
    const parts: Uint8Array[] = [];
    const done: Queued[] = [];
    while (this.#queue.length > 0 && this.#unreadBytes < WINDOW_BYTES) {
      const first = this.#queue[0] as Queued;
      const room = WINDOW_BYTES - this.#unreadBytes;
      const part = first.bytes.subarray(first.sent, first.sent + room);
      parts.push(part);
      first.sent += part.byteLength;
      this.#unreadBytes += part.byteLength;
      this.#queuedBytes -= part.byteLength;
      if (first.sent === first.bytes.byteLength) done.push(this.#queue.shift() as Queued);
    }
    // Read now, not when it was written: whoever changes lent bytes too early is found out.
    if (parts.length > 0) this.#send(peer, { kind: 'bytes', bytes: Buffer.concat(parts) });
    for (const { written } of done) this.#guarded(() => written?.());
    if (this.#hasEnded && this.#queue.length === 0 && !this.#isEndSent && !this.#isGone) {
      this.#isEndSent = true;
      this.#send(peer, { kind: 'end' });
      this.#closeIfBothEnded();
    }
  }

  #send(peer: SimulatedLink, parcel: Parcel): void {
    const arrivalUs = this.#networks.arrivalUs(this.place.host, peer.place.host);
    if (arrivalUs === undefined) return;
    this.#lastArrivalUs = Math.max(this.#lastArrivalUs + 1, arrivalUs);
    this.#networks.deliver(this.#lastArrivalUs, this, peer, () => peer.#arrive(parcel));
  }

  #arrive(parcel: Parcel): void {
    if (this.#isGone) {
      // Nobody there any more: the sender learns it.
      if (parcel.kind === 'bytes' && this.#peer !== undefined && !this.#peer.isGone) {
        const peer = this.#peer;
        this.#send(peer, { kind: 'reset' });
      }
      return;
    }
    switch (parcel.kind) {
      case 'bytes':
        this.#arrived.push(parcel.bytes);
        break;
      case 'end':
        this.#isEndArrived = true;
        break;
      case 'reset':
        this.fail(networkError('ECONNRESET', 'read'));
        return;
    }
    this.#scheduleRead();
  }

  #scheduleRead(): void {
    const isSomethingThere = this.#arrived.length > 0 || (this.#isEndArrived && !this.#isEndTold);
    if (!isSomethingThere || !this.#isOpen) return;
    if (this.#isReadScheduled || this.#isPaused || this.#isGone) return;
    this.#isReadScheduled = true;
    this.#networks.schedule(this.#networks.chance.between(0, 20), this.life, () => {
      this.#isReadScheduled = false;
      if (!this.#isGone && !this.#isPaused) this.#read();
    });
  }

  #read(): void {
    const first = this.#arrived[0];
    if (first === undefined) {
      this.#tellEnd();
      return;
    }
    this.#guarded(() => {
      const into = this.#owner?.buffer() as Uint8Array;
      const length = this.#take(into);
      this.#networks.noteBytes(into.subarray(0, length));
      this.#unreadByPeer(length);
      this.#owner?.received(length);
    });
    this.#scheduleRead();
  }

  /** Fills `into` with what has arrived, now and then with less than there is. */
  #take(into: Uint8Array): number {
    const { chance } = this.#networks;
    let room = into.byteLength;
    if (chance.chance(0.1)) room = Math.min(room, chance.between(1, 64));
    let length = 0;
    while (this.#arrived.length > 0 && length < room) {
      const next = this.#arrived[0] as Buffer;
      const part = next.subarray(0, room - length);
      into.set(part, length);
      length += part.byteLength;
      if (part.byteLength === next.byteLength) this.#arrived.shift();
      else this.#arrived[0] = next.subarray(part.byteLength);
    }
    return length;
  }

  #unreadByPeer(length: number): void {
    const peer = this.#peer;
    if (peer === undefined) return;
    peer.#unreadBytes -= length;
    peer.#scheduleFlush();
  }

  #tellEnd(): void {
    if (this.#isEndTold) return;
    this.#isEndTold = true;
    this.#guarded(() => this.#owner?.ended());
    this.#closeIfBothEnded();
  }

  #closeIfBothEnded(): void {
    if (this.#isEndSent && this.#isEndTold) this.fail(undefined);
  }

  #later(action: () => void): void {
    this.#networks.schedule(0, this.life, () => this.#guarded(action));
  }

  #guarded(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#networks.ownerFailed(this, error);
      this.destroy();
    }
  }
}

/** An error in the shape of Node's own. */
export function networkError(code: string, syscall: string): Error {
  return Object.assign(new Error(`${syscall} ${code}`), { code, syscall });
}

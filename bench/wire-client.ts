/** A client of a few nodes close to the wire: it tries again at once, wherever it is answered. */
import { Channel, channelBuffers } from '../src/client/channel';
import { nodePlatform } from '../src/platform/node';
import type { AnyApi, RequestDraft, ResponseOf } from '../src/protocol/api';

const CONNECT_TIMEOUT_MS = 500;

const world = { ...nodePlatform(), buffers: channelBuffers() };

export class WireClient {
  readonly #ports: readonly number[];
  readonly #requestTimeoutMs: number;
  readonly #channels = new Map<number, Promise<Channel>>();
  #next = 0;

  constructor(ports: readonly number[], requestTimeoutMs: number) {
    this.#ports = ports;
    this.#requestTimeoutMs = requestTimeoutMs;
  }

  /** Rejects with ChannelError. */
  async ask<A extends AnyApi>(port: number, api: A, body: RequestDraft<A>): Promise<ResponseOf<A>> {
    const channel = await this.#channel(port);
    return channel.request(api, 'newest', body);
  }

  /** Asks the next node at every call. Rejects with ChannelError. */
  askAny<A extends AnyApi>(api: A, body: RequestDraft<A>): Promise<ResponseOf<A>> {
    this.#next = (this.#next + 1) % this.#ports.length;
    return this.ask(this.#ports[this.#next] as number, api, body);
  }

  close(): void {
    for (const channel of this.#channels.values()) {
      channel.then(
        (opened) => opened.close(),
        // It never came about.
        () => undefined,
      );
    }
  }

  #channel(port: number): Promise<Channel> {
    const known = this.#channels.get(port);
    if (known !== undefined) return known;
    const opening = this.#open(port);
    const forget = (): void => {
      if (this.#channels.get(port) === opening) this.#channels.delete(port);
    };
    this.#channels.set(port, opening);
    opening.then((channel) => channel.onClosed(forget), forget);
    return opening;
  }

  async #open(port: number): Promise<Channel> {
    const channel = await Channel.connect(world, {
      host: '127.0.0.1',
      port,
      clientId: 'bench',
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      requestTimeoutMs: this.#requestTimeoutMs,
    });
    await channel.negotiate();
    return channel;
  }
}

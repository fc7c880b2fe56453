/** Channels to the other nodes of the cluster, by node id, opened when needed and kept. */
import type { NodeId } from '../base/ids';
import type { Random } from '../platform/platform';
import type { AnyApi, RequestDraft, ResponseOf } from '../protocol/api';
import {
  Channel,
  ChannelError,
  type ChannelOptions,
  type ChannelWorld,
  type RequestOptions,
} from './channel';

export interface PeerAddress {
  readonly host: string;
  readonly port: number;
}

export interface PeersOptions extends Omit<ChannelOptions, 'host' | 'port'> {
  /** The first wait after a failed connection (`reconnect.backoff.ms`); doubles up to the last. */
  readonly reconnectBackoffMs: number;
  readonly reconnectBackoffMaxMs: number;
}

interface Peer {
  readonly address: PeerAddress;
  channel: Promise<Channel> | undefined;
  failures: number;
  /** Ends the wait for a connection that is on its way. */
  abandon: ((error: ChannelError) => void) | undefined;
  isForgotten: boolean;
}

export class Peers {
  readonly #world: ChannelWorld & { readonly random: Pick<Random, 'below'> };
  readonly #options: PeersOptions;
  readonly #peers = new Map<NodeId, Peer>();
  #isClosed = false;

  constructor(
    world: ChannelWorld & { readonly random: Pick<Random, 'below'> },
    options: PeersOptions,
  ) {
    this.#world = world;
    this.#options = options;
  }

  /** Tells where a node is reached; a changed address closes the channel to the old one. */
  locate(nodeId: NodeId, address: PeerAddress): void {
    const known = this.#peers.get(nodeId)?.address;
    if (known?.host === address.host && known.port === address.port) return;
    this.forget(nodeId);
    this.#peers.set(nodeId, {
      address,
      channel: undefined,
      failures: 0,
      abandon: undefined,
      isForgotten: false,
    });
  }

  forget(nodeId: NodeId): void {
    const peer = this.#peers.get(nodeId);
    this.#peers.delete(nodeId);
    if (peer !== undefined) closeChannel(peer);
  }

  /**
   * Asks a node, in the newest version that both speak. Rejects with a ChannelError; while the
   * node is not reached, each attempt waits out its back-off first.
   */
  async request<A extends AnyApi>(
    nodeId: NodeId,
    api: A,
    body: RequestDraft<A>,
    options: RequestOptions = {},
  ): Promise<ResponseOf<A>> {
    const channel = await this.channelTo(nodeId);
    return channel.request(api, 'newest', body, options);
  }

  /**
   * The negotiated channel to a node, for who chooses versions itself. Rejects as `request` does.
   */
  async channelTo(nodeId: NodeId): Promise<Channel> {
    const peer = this.#peers.get(nodeId);
    if (peer === undefined || this.#isClosed) {
      throw new ChannelError('unreachable', `it is not known where node ${nodeId} is`);
    }
    return this.#channel(peer);
  }

  /** Closes all channels for good. */
  close(): void {
    this.#isClosed = true;
    for (const nodeId of [...this.#peers.keys()]) this.forget(nodeId);
  }

  #channel(peer: Peer): Promise<Channel> {
    if (peer.channel !== undefined) return peer.channel;
    const opened = new Promise<Channel>((resolve, reject) => {
      peer.abandon = reject;
      this.#open(peer).then(resolve, reject);
    });
    peer.channel = opened;
    const lost = (): void => {
      if (peer.channel === opened) peer.channel = undefined;
    };
    opened.then((channel) => channel.onClosed(lost), lost);
    return opened;
  }

  async #open(peer: Peer): Promise<Channel> {
    const waitMs = this.#backoffMs(peer.failures);
    if (waitMs > 0) await this.#world.clock.sleep(waitMs);
    if (peer.isForgotten) throw forgotten();
    let channel: Channel | undefined;
    try {
      channel = await Channel.connect(this.#world, { ...this.#options, ...peer.address });
      await channel.negotiate();
    } catch (error) {
      peer.failures += 1;
      channel?.close();
      throw error;
    }
    // Nobody waits for it any more: its address has changed, or all is being closed.
    if (peer.isForgotten) channel.close();
    peer.failures = 0;
    return channel;
  }

  /** Exponential, with a jitter of ± 20 % as in Kafka's clients. */
  #backoffMs(failures: number): number {
    if (failures === 0) return 0;
    const { reconnectBackoffMs, reconnectBackoffMaxMs } = this.#options;
    const backoffMs = Math.min(reconnectBackoffMs * 2 ** (failures - 1), reconnectBackoffMaxMs);
    return Math.round(backoffMs * (0.8 + this.#world.random.below(401) / 1000));
  }
}

const forgotten = (): ChannelError =>
  new ChannelError('closed', 'the node is reached in another way now, or not at all');

function closeChannel(peer: Peer): void {
  peer.isForgotten = true;
  peer.abandon?.(forgotten());
  peer.channel?.then(
    (channel) => channel.close(),
    // It never came about, and whoever asked for it was told.
    () => undefined,
  );
}

/** Carries the quorum's requests over channels to the other nodes. */
import type { ChannelWorld } from '../client/channel';
import { Peers, type PeersOptions } from '../client/peers';
import type { Random } from '../platform/platform';
import type { QuorumTransport } from './driver-options';
import type { IncomingResponse, OutgoingRequest } from './messages';
import { ask } from './outgoing';
import type { Destination } from './voters';

export interface PeerTransportOptions
  extends Omit<PeersOptions, 'reconnectBackoffMs' | 'reconnectBackoffMaxMs'> {
  /** The first of `controller.listener.names`. */
  readonly listenerName: string;
}

/** The quorum itself waits before it tries a node again, and asks nobody else meanwhile. */
const RECONNECT_BACKOFF_MS = 20;
const RECONNECT_BACKOFF_MAX_MS = 100;

export class PeerTransport implements QuorumTransport {
  /** Fetches wait at the leader, and would hold up what a channel carries behind them. */
  readonly #fetching: Peers;
  readonly #asking: Peers;
  readonly #listenerName: string;

  constructor(
    world: ChannelWorld & { readonly random: Pick<Random, 'below'> },
    { listenerName, ...options }: PeerTransportOptions,
  ) {
    const peersOptions: PeersOptions = {
      ...options,
      reconnectBackoffMs: RECONNECT_BACKOFF_MS,
      reconnectBackoffMaxMs: RECONNECT_BACKOFF_MAX_MS,
    };
    this.#fetching = new Peers(world, peersOptions);
    this.#asking = new Peers(world, peersOptions);
    this.#listenerName = listenerName;
  }

  async send(to: Destination, request: OutgoingRequest): Promise<IncomingResponse> {
    const peers = request.kind === 'fetch' ? this.#fetching : this.#asking;
    peers.locate(to.id, { host: to.host, port: to.port });
    const channel = await peers.channelTo(to.id);
    return ask(channel, request, this.#listenerName);
  }

  close(): void {
    this.#fetching.close();
    this.#asking.close();
  }
}

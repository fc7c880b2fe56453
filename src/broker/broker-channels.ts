/** Requests of this broker to other brokers, found in the picture by their id. */
import type { NodeId } from '../base/ids';
import { ChannelError, type ChannelWorld } from '../client/channel';
import { Peers, type PeersOptions } from '../client/peers';
import { endpointOf } from '../metadata/brokers';
import type { Image } from '../metadata/image';
import type { Random } from '../platform/platform';
import type { AnyApi, RequestDraft, ResponseOf } from '../protocol/api';

export interface BrokerChannelsOptions extends PeersOptions {
  readonly world: ChannelWorld & { readonly random: Pick<Random, 'below'> };
  /** The listener on which brokers speak to each other. */
  readonly listenerName: string;
  /** The newest published picture. */
  readonly picture: () => Image;
}

/** One connection to each broker; answers come in the order of requests. */
export class BrokerChannels {
  readonly #peers: Peers;
  readonly #listenerName: string;
  readonly #picture: () => Image;

  constructor({ world, listenerName, picture, ...options }: BrokerChannelsOptions) {
    this.#peers = new Peers(world, options);
    this.#listenerName = listenerName;
    this.#picture = picture;
  }

  /** In the newest version that both speak. Rejects with ChannelError. */
  async request<A extends AnyApi>(
    nodeId: NodeId,
    api: A,
    body: RequestDraft<A>,
  ): Promise<ResponseOf<A>> {
    const broker = this.#picture().broker(nodeId);
    const endpoint = broker === undefined ? undefined : endpointOf(broker, this.#listenerName);
    if (endpoint === undefined) {
      this.#peers.forget(nodeId);
      throw new ChannelError('unreachable', `broker ${nodeId} is not registered`);
    }
    this.#peers.locate(nodeId, { host: endpoint.host, port: endpoint.port });
    return this.#peers.request(nodeId, api, body);
  }

  close(): void {
    this.#peers.close();
  }
}

/** Connections of this node to the active controller on another one. */
import type { NodeId } from '../base/ids';
import { type Channel, ChannelError, type ChannelWorld } from '../client/channel';
import { Peers, type PeersOptions } from '../client/peers';
import type { Clock, Random } from '../platform/platform';
import type { AnyApi, RequestDraft, ResponseOf, Versions } from '../protocol/api';
import type { Destination } from '../raft/voters';

/**
 * What a connection is for. Answers come in order, so what may take long has one apart:
 * `heartbeat` for what this broker's life depends on, `node` for all else that it asks for itself,
 * `client` for what it passes on.
 */
export type Purpose = 'heartbeat' | 'node' | 'client';

/** Requests that are passed on at once, each on a connection of its own, before they queue. */
const MAX_CLIENT_LANES = 8;
/** How long a former controller may still answer what it was asked before. */
const FORMER_CONTROLLER_MS = 1_500;

interface Lane {
  readonly peers: Peers;
  readonly purpose: Purpose;
  open: number;
}

export interface ControllerChannelsOptions extends PeersOptions {
  readonly world: Omit<ChannelWorld, 'clock'> & {
    readonly clock: Clock;
    readonly random: Pick<Random, 'below'>;
  };
  /** How long a heartbeat may stay unanswered before another connection is tried. */
  readonly heartbeatTimeoutMs: number;
}

export class ControllerChannels {
  readonly #options: ControllerChannelsOptions;
  readonly #lanes: Lane[] = [];
  /** Controllers that were asked something since they were last forgotten. */
  readonly #asked = new Set<NodeId>();
  #served: ReadonlyMap<number, Versions> | undefined;
  #isClosed = false;

  constructor(options: ControllerChannelsOptions) {
    this.#options = options;
  }

  /** The versions that the controller asked last serves, by API key; undefined before. */
  get served(): ReadonlyMap<number, Versions> | undefined {
    return this.#served;
  }

  /** One attempt. Rejects with ChannelError. */
  async ask<A extends AnyApi>(
    controller: Destination,
    purpose: Purpose,
    api: A,
    body: RequestDraft<A>,
  ): Promise<ResponseOf<A>> {
    if (this.#isClosed) throw new ChannelError('closed', 'this node stops');
    const lane = this.#laneFor(purpose);
    lane.open += 1;
    try {
      const channel = await this.#channel(lane, controller);
      const { requestTimeoutMs, heartbeatTimeoutMs } = this.#options;
      const timeoutMs = purpose === 'heartbeat' ? heartbeatTimeoutMs : requestTimeoutMs;
      return await channel.request(api, 'newest', body, { timeoutMs });
    } finally {
      lane.open -= 1;
    }
  }

  /** Another node is the active controller: others are let go once they had time to answer. */
  controllerChanged(controller: NodeId | undefined): void {
    for (const former of this.#asked) {
      if (former === controller) continue;
      this.#asked.delete(former);
      this.#options.world.clock.setTimer(FORMER_CONTROLLER_MS, () => {
        if (this.#asked.has(former)) return;
        for (const { peers } of this.#lanes) peers.forget(former);
      });
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const { peers } of this.#lanes) peers.close();
  }

  async #channel({ peers }: Lane, { id, host, port }: Destination): Promise<Channel> {
    peers.locate(id, { host, port });
    this.#asked.add(id);
    const channel = await peers.channelTo(id);
    this.#served = channel.served;
    return channel;
  }

  #laneFor(purpose: Purpose): Lane {
    const lanes = this.#lanes.filter((lane) => lane.purpose === purpose);
    const [first, ...others] = lanes;
    const most = purpose === 'client' ? MAX_CLIENT_LANES : 1;
    if (first === undefined) return this.#newLane(purpose);
    const freest = others.reduce((one, other) => (other.open < one.open ? other : one), first);
    return freest.open > 0 && lanes.length < most ? this.#newLane(purpose) : freest;
  }

  #newLane(purpose: Purpose): Lane {
    const { world, ...options } = this.#options;
    const lane = { peers: new Peers(world, options), purpose, open: 0 };
    this.#lanes.push(lane);
    return lane;
  }
}

/**
 * Tells the controller of brokers that are gone sooner than their silence does: the connection on
 * which one said that it is alive has ended, and nobody takes a connection any more anywhere where
 * it listened. One that merely hangs, or cannot be reached, keeps its session.
 */
import type { BrokerEpoch, NodeId } from '../base/ids';
import type { Broker, Endpoint } from '../metadata/brokers';
import type { Clock, Logger, Network, Timer } from '../platform/platform';
import type { Context } from '../server/context';
import type { Heartbeats } from '../server/services';
import type { NodeQuorum } from './quorum';
import type { QuorumDoor } from './quorum-door';

/** How long a probe waits for an answer, whatever it is. */
const PROBE_MS = 1_000;

export interface LostBrokersOptions {
  readonly clock: Clock;
  readonly network: Pick<Network, 'connect'>;
  readonly logger: Logger;
  readonly door: QuorumDoor;
  /** This node, which is not gone. */
  readonly nodeId: NodeId;
  /** `ottla.broker.lost.grace.ms`. */
  readonly graceMs: number;
}

/** The connection on which one life of a broker was heard last. */
interface Heard {
  readonly epoch: BrokerEpoch;
  readonly connectionId: number;
  readonly stop: () => void;
}

export class LostBrokers implements Heartbeats {
  readonly #options: LostBrokersOptions;
  readonly #heard = new Map<NodeId, Heard>();
  /** Brokers that may be gone, and the next look at each. */
  readonly #suspects = new Map<NodeId, Timer>();
  readonly #stopListening: () => void;
  #epoch = -1;

  constructor(options: LostBrokersOptions) {
    this.#options = options;
    this.#stopListening = options.door.onLeader(() => this.#leaderChanged());
  }

  heard(broker: NodeId, epoch: BrokerEpoch, context: Context): void {
    this.#acquit(broker);
    const { id: connectionId } = context.connection;
    const known = this.#heard.get(broker);
    if (known?.epoch === epoch && known.connectionId === connectionId) return;
    known?.stop();
    this.#heard.delete(broker);
    const stop = context.onConnectionClosed(() => {
      if (this.#heard.get(broker)?.connectionId === connectionId) this.#heard.delete(broker);
      this.#suspect(broker);
    });
    if (!this.#suspects.has(broker)) this.#heard.set(broker, { epoch, connectionId, stop });
  }

  close(): void {
    this.#stopListening();
    this.#forgetAll();
  }

  /** A new controller knows nobody: it looks for those that do not find it. */
  #leaderChanged(): void {
    const quorum = this.#active();
    const epoch = quorum?.driver.leader.epoch ?? -1;
    if (epoch === this.#epoch) return;
    this.#epoch = epoch;
    this.#forgetAll();
    if (quorum === undefined) return;
    for (const broker of quorum.publisher.image.brokers.values()) {
      if (!broker.isFenced) this.#suspect(broker.id, this.#graceAtClaimMs(broker.id, quorum));
    }
  }

  /** The former controller is known to be gone since before the election that its end led to. */
  #graceAtClaimMs(broker: NodeId, { driver: { formerLeader } }: NodeQuorum): number {
    const { clock, graceMs } = this.#options;
    if (formerLeader?.nodeId !== broker || formerLeader.goneAtMs === undefined) return graceMs;
    return Math.max(0, graceMs - (clock.monotonicMs() - formerLeader.goneAtMs));
  }

  #suspect(broker: NodeId, delayMs = this.#options.graceMs): void {
    const { clock, nodeId } = this.#options;
    if (broker === nodeId || this.#active() === undefined) return;
    this.#acquit(broker);
    const timer = clock.setTimer(delayMs, () => this.#look(broker, timer));
    this.#suspects.set(broker, timer);
  }

  #acquit(broker: NodeId): void {
    this.#suspects.get(broker)?.cancel();
    this.#suspects.delete(broker);
  }

  #look(id: NodeId, suspicion: Timer): void {
    const broker = this.#active()?.publisher.image.broker(id);
    if (broker === undefined || broker.isFenced) {
      this.#acquit(id);
      return;
    }
    this.#probe(broker, (isRefused) => {
      // It was heard meanwhile, or another controller took over.
      if (this.#suspects.get(id) !== suspicion) return;
      if (isRefused) this.#lost(broker);
      else this.#suspect(id);
    });
  }

  #lost({ id, epoch }: Broker): void {
    this.#acquit(id);
    const quorum = this.#active();
    if (quorum?.publisher.image.broker(id)?.epoch !== epoch) return;
    this.#options.logger.warn('a broker is gone: it hung up and listens no more', { broker: id });
    quorum.controller?.lost(id, epoch);
  }

  /**
   * Whether all of the broker's listeners refuse a connection; `told` is called once. What one of
   * them is advertised as may stand for another machine here: `localhost`, for one.
   */
  #probe({ endpoints }: Broker, told: (isRefused: boolean) => void): void {
    let open = endpoints.length;
    let refused = 0;
    if (open === 0) told(false);
    for (const endpoint of endpoints) {
      this.#probeOne(endpoint, (isRefused) => {
        open -= 1;
        refused += isRefused ? 1 : 0;
        if (open === 0) told(refused === endpoints.length);
      });
    }
  }

  #probeOne(endpoint: Endpoint, told: (isRefused: boolean) => void): void {
    const { clock, network } = this.#options;
    const timer = clock.setTimer(PROBE_MS, () => link.destroy());
    const link = network.connect(
      { host: endpoint.host, port: endpoint.port },
      {
        opened: () => link.destroy(),
        buffer: () => NOTHING,
        received: () => undefined,
        ended: () => link.destroy(),
        closed: (error) => {
          timer.cancel();
          told(error !== undefined && 'code' in error && error.code === 'ECONNREFUSED');
        },
      },
    );
  }

  #active(): NodeQuorum | undefined {
    const quorum = this.#options.door.opened;
    return quorum?.controller?.isActive === true ? quorum : undefined;
  }

  #forgetAll(): void {
    for (const broker of [...this.#suspects.keys()]) this.#acquit(broker);
    for (const { stop } of this.#heard.values()) stop();
    this.#heard.clear();
  }
}

const NOTHING = new Uint8Array(1);

/**
 * The soft state of the active controller: when each broker was last heard, how far it has read,
 * and whether it is on its way out. A new controller starts with a fresh session for every
 * unfenced broker.
 */
import type { BrokerEpoch, NodeId, Offset } from '../base/ids';
import { after, type MonotonicMs } from '../base/times';
import type { SoftState } from '../machine/machine';

/** One life of a broker, as the controller hears of it. */
export interface Session {
  readonly epoch: BrokerEpoch;
  /** When its session was last renewed; undefined until the first time in this life. */
  readonly contactMs: MonotonicMs | undefined;
  /**
   * This controller heard it itself, rather than granting a session for want of better knowledge.
   */
  readonly isHeard: boolean;
  /** The last record it says to have applied; -1 = none. */
  readonly metadataOffset: Offset;
  /** It may stop once every active broker has applied this offset; -1 = it is not stopping. */
  readonly controlledShutdownOffset: Offset;
}

export type SessionChange =
  | { readonly kind: 'registered'; readonly broker: NodeId; readonly epoch: BrokerEpoch }
  | { readonly kind: 'forgotten'; readonly broker: NodeId }
  | {
      readonly kind: 'heard' | 'granted';
      readonly broker: NodeId;
      readonly epoch: BrokerEpoch;
      readonly atMs: MonotonicMs;
    }
  | { readonly kind: 'applied'; readonly broker: NodeId; readonly offset: Offset }
  | { readonly kind: 'shutting-down'; readonly broker: NodeId; readonly offset: Offset }
  | { readonly kind: 'shutdown-ended'; readonly broker: NodeId }
  | { readonly kind: 'expired'; readonly broker: NodeId };

export class Sessions implements SoftState<SessionChange> {
  private readonly byBroker = new Map<NodeId, Session>();

  constructor(private readonly timeoutMs: number) {}

  get(broker: NodeId): Session | undefined {
    return this.byBroker.get(broker);
  }

  has(broker: NodeId, epoch: BrokerEpoch): boolean {
    return this.byBroker.get(broker)?.epoch === epoch;
  }

  /** Heard of within its session's time: that life is not over. */
  isAlive(broker: NodeId, epoch: BrokerEpoch, nowMs: MonotonicMs): boolean {
    const session = this.byBroker.get(broker);
    if (session?.epoch !== epoch || session.contactMs === undefined) return false;
    if (!session.isHeard) return false;
    return nowMs <= after(session.contactMs, this.timeoutMs);
  }

  isShuttingDown(broker: NodeId): boolean {
    return (this.byBroker.get(broker)?.controlledShutdownOffset ?? -1) >= 0;
  }

  get isAnyShuttingDown(): boolean {
    for (const broker of this.byBroker.keys()) if (this.isShuttingDown(broker)) return true;
    return false;
  }

  /** Brokers not heard of in time, longest silence first. */
  expired(nowMs: MonotonicMs): readonly NodeId[] {
    return this.bySilence()
      .filter(([, contactMs]) => nowMs > after(contactMs, this.timeoutMs))
      .map(([broker]) => broker);
  }

  /** When the next session ends; `undefined` while there is none. */
  nextExpiryMs(): MonotonicMs | undefined {
    const [first] = this.bySilence();
    return first === undefined ? undefined : after(first[1], this.timeoutMs);
  }

  apply(change: SessionChange): void {
    switch (change.kind) {
      case 'registered':
        this.byBroker.set(change.broker, fresh(change.epoch));
        return;
      case 'forgotten':
        this.byBroker.delete(change.broker);
        return;
      case 'heard':
      case 'granted': {
        const known = this.byBroker.get(change.broker);
        const session = known?.epoch === change.epoch ? known : fresh(change.epoch);
        const isHeard = change.kind === 'heard';
        this.byBroker.set(change.broker, { ...session, contactMs: change.atMs, isHeard });
        return;
      }
      case 'applied':
        this.applied(change.broker, change.offset);
        return;
      case 'shutting-down':
        if (this.isShuttingDown(change.broker)) return;
        this.update(change.broker, { controlledShutdownOffset: change.offset });
        return;
      case 'shutdown-ended':
        this.update(change.broker, { controlledShutdownOffset: -1 });
        return;
      case 'expired':
        this.update(change.broker, { contactMs: undefined, controlledShutdownOffset: -1 });
        return;
    }
  }

  /** Said on two ways, of which one may be late. */
  private applied(broker: NodeId, offset: Offset): void {
    const known = this.byBroker.get(broker)?.metadataOffset ?? -1;
    if (offset > known) this.update(broker, { metadataOffset: offset });
  }

  private update(broker: NodeId, change: Partial<Session>): void {
    const session = this.byBroker.get(broker);
    if (session !== undefined) this.byBroker.set(broker, { ...session, ...change });
  }

  private bySilence(): [NodeId, MonotonicMs][] {
    const heard: [NodeId, MonotonicMs][] = [];
    for (const [broker, { contactMs }] of this.byBroker) {
      if (contactMs !== undefined) heard.push([broker, contactMs]);
    }
    return heard.sort((a, b) => a[1] - b[1]);
  }
}

const fresh = (epoch: BrokerEpoch): Session => ({
  epoch,
  contactMs: undefined,
  isHeard: false,
  metadataOffset: -1,
  controlledShutdownOffset: -1,
});

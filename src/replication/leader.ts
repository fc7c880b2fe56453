/**
 * What only a partition's leader knows: how far its followers are, and what follows from that for
 * the high watermark and the low watermark. Pure: time and the liveness of brokers are arguments.
 */
import type { BrokerEpoch, NodeId, Offset } from '../base/ids';
import { invariant } from '../base/invariant';
import { type MonotonicMs, monotonicMs } from '../base/times';
import type { Partition as Registration } from '../metadata/topics';

/** What the leader has seen of one follower. */
export interface Follower {
  /** Exclusive; -1 until its first fetch in this leader's time. */
  readonly endOffset: Offset;
  readonly startOffset: Offset;
  /** When it last had all that the leader had, as far as that was looked at; see `appended`. */
  readonly caughtUpAtMs: MonotonicMs;
  /** -1 = its fetches name none; undefined until its first fetch. */
  readonly brokerEpoch: BrokerEpoch | undefined;
  readonly fetchedAtMs: MonotonicMs;
  /** The leader's end at that fetch. */
  readonly leaderEndAtFetch: Offset;
}

/** One fetch of a follower. */
export interface FollowerFetch {
  readonly endOffset: Offset;
  readonly startOffset: Offset;
  readonly brokerEpoch: BrokerEpoch;
}

/** What the leader must know of other brokers; answered from the picture. */
export interface Peers {
  /** Registered and not fenced. */
  isAlive(node: NodeId): boolean;
  /** Alive, not shutting down, and in the life that `brokerEpoch` names (-1 = any). */
  isEligible(node: NodeId, brokerEpoch: BrokerEpoch | undefined): boolean;
  /** `brokerEpoch` names a life of the broker that is over (-1 = none is named). */
  isStale(node: NodeId, brokerEpoch: BrokerEpoch): boolean;
}

/** A change of the ISR on its way to the controller; compared by identity. */
export interface PendingIsr {
  readonly isr: readonly NodeId[];
}

const UNKNOWN: Offset = -1;
const NEVER = monotonicMs(Number.NEGATIVE_INFINITY);

/** One term of leadership of one partition. */
export class Leader {
  #followers = new Map<NodeId, Follower>();
  #isr: ReadonlySet<NodeId> = new Set();
  /** The committed ISR and the replica of a pending expansion (KIP-497). */
  #maximalIsr: ReadonlySet<NodeId> = new Set();
  #pending: PendingIsr | undefined;
  #replicaCount = 0;

  constructor(
    private readonly nodeId: NodeId,
    /** The end of the log when this term began. */
    readonly epochStartOffset: Offset,
  ) {}

  /**
   * The next term of the same leader: what followers have is still known, but nobody joins the ISR
   * on the strength of a fetch of the term before.
   */
  renewed(epochStartOffset: Offset, isr: readonly NodeId[], nowMs: MonotonicMs): Leader {
    const next = new Leader(this.nodeId, epochStartOffset);
    for (const [id, follower] of this.#followers) {
      const at = isr.includes(id) ? nowMs : NEVER;
      next.#followers.set(id, {
        ...follower,
        caughtUpAtMs: at,
        fetchedAtMs: at,
        leaderEndAtFetch: epochStartOffset,
      });
    }
    return next;
  }

  /** Replicas and ISR as the picture has them now. A pending change is over with it. */
  update(registration: Pick<Registration, 'replicas' | 'isr'>, nowMs: MonotonicMs): void {
    const known = this.#followers;
    this.#followers = new Map();
    for (const id of registration.replicas) {
      if (id === this.nodeId) continue;
      const isInSync = registration.isr.includes(id);
      this.#followers.set(id, known.get(id) ?? newFollower(isInSync, nowMs));
    }
    this.#isr = new Set(registration.isr);
    this.#maximalIsr = this.#isr;
    this.#pending = undefined;
    this.#replicaCount = registration.replicas.length;
  }

  /** The change of the ISR that was proposed and is not in the picture yet: one at a time. */
  get pending(): PendingIsr | undefined {
    return this.#pending;
  }

  /** An expansion counts from now on, a shrink not before it is in the picture (KIP-497). */
  propose(isr: readonly NodeId[]): PendingIsr {
    invariant(this.#pending === undefined, 'one change of the ISR is proposed at a time');
    this.#pending = { isr };
    this.#maximalIsr = new Set([...this.#isr, ...isr]);
    return this.#pending;
  }

  /** The controller has not made the proposed change and never will. */
  withdraw(): void {
    this.#pending = undefined;
    this.#maximalIsr = this.#isr;
  }

  /**
   * Whether that follower may join the ISR: it has all that is committed and has reached this
   * term (what was committed in former terms may lie above our high watermark), and is eligible.
   */
  mayJoin(id: NodeId, highWatermark: Offset, peers: Peers): boolean {
    if (this.#pending !== undefined || this.#isr.has(id)) return false;
    const follower = this.#followers.get(id);
    if (follower === undefined || follower.endOffset < highWatermark) return false;
    if (follower.endOffset < this.epochStartOffset) return false;
    return peers.isEligible(id, follower.brokerEpoch);
  }

  /** Those in the ISR that have not had everything for too long; none while a change is pending. */
  outOfSync(leaderEnd: Offset, lagTimeMaxMs: number, nowMs: MonotonicMs): readonly NodeId[] {
    if (this.#pending !== undefined) return [];
    return [...this.#isr].filter((id) => {
      if (id === this.nodeId) return false;
      const follower = this.#followers.get(id);
      return follower === undefined || !this.isCaughtUp(follower, leaderEnd, lagTimeMaxMs, nowMs);
    });
  }

  /** The followers in the ISR that have `offset`, for consumers who would rather read there. */
  *inSyncWith(offset: Offset): IterableIterator<[NodeId, Follower]> {
    for (const [id, follower] of this.#followers) {
      const isHeld = follower.startOffset <= offset && follower.endOffset >= offset;
      if (isHeld && this.#isr.has(id)) yield [id, follower];
    }
  }

  follower(id: NodeId): Follower | undefined {
    return this.#followers.get(id);
  }

  get followers(): ReadonlyMap<NodeId, Follower> {
    return this.#followers;
  }

  get isr(): ReadonlySet<NodeId> {
    return this.#isr;
  }

  get maximalIsr(): ReadonlySet<NodeId> {
    return this.#maximalIsr;
  }

  /** More in-sync replicas than are assigned cannot be asked for. */
  effectiveMinIsr(minInsyncReplicas: number): number {
    return Math.min(minInsyncReplicas, this.#replicaCount);
  }

  isUnderMinIsr(minInsyncReplicas: number): boolean {
    return this.#isr.size < this.effectiveMinIsr(minInsyncReplicas);
  }

  /** Notes a fetch of the replica `id`, which must be assigned. True if its end moved. */
  fetched(id: NodeId, fetch: FollowerFetch, leaderEnd: Offset, nowMs: MonotonicMs): boolean {
    const before = this.#followers.get(id);
    if (before === undefined) return false;
    let caughtUpAtMs = before.caughtUpAtMs;
    if (fetch.endOffset >= leaderEnd) caughtUpAtMs = laterOf(caughtUpAtMs, nowMs);
    else if (fetch.endOffset >= before.leaderEndAtFetch) {
      // It now has all that the leader had when it asked before.
      caughtUpAtMs = laterOf(caughtUpAtMs, before.fetchedAtMs);
    }
    this.#followers.set(id, {
      endOffset: fetch.endOffset,
      startOffset: fetch.startOffset,
      caughtUpAtMs,
      brokerEpoch: fetch.brokerEpoch,
      fetchedAtMs: nowMs,
      leaderEndAtFetch: leaderEnd,
    });
    return before.endOffset !== fetch.endOffset;
  }

  /**
   * Records were appended from `offset` on. Who had all until now was caught up until now: while
   * nothing happens, nobody notes the fetches of a follower that has everything.
   */
  appended(offset: Offset, nowMs: MonotonicMs): void {
    for (const [id, follower] of this.#followers) {
      if (follower.endOffset !== offset) continue;
      this.#followers.set(id, { ...follower, caughtUpAtMs: laterOf(follower.caughtUpAtMs, nowMs) });
    }
  }

  /**
   * The offset below which all is on every replica that counts: those of the maximal ISR and those
   * about to join it. `undefined` while too few are in sync: then it does not move.
   */
  highWatermark(
    ownEnd: Offset,
    minInsyncReplicas: number,
    lagTimeMaxMs: number,
    peers: Peers,
    nowMs: MonotonicMs,
  ): Offset | undefined {
    if (this.isUnderMinIsr(minInsyncReplicas)) return undefined;
    let lowest = ownEnd;
    for (const [id, follower] of this.#followers) {
      if (follower.endOffset >= lowest) continue;
      const isCounted =
        this.#maximalIsr.has(id) ||
        (this.isCaughtUp(follower, ownEnd, lagTimeMaxMs, nowMs) &&
          peers.isEligible(id, follower.brokerEpoch));
      if (isCounted) lowest = follower.endOffset;
    }
    return lowest;
  }

  /** Has everything, or had everything at most `lagTimeMaxMs` ago. */
  isCaughtUp(
    follower: Follower,
    leaderEnd: Offset,
    lagTimeMaxMs: number,
    nowMs: MonotonicMs,
  ): boolean {
    return follower.endOffset === leaderEnd || nowMs - follower.caughtUpAtMs <= lagTimeMaxMs;
  }

  /** The lowest log start of all live replicas: what is below is deleted everywhere. */
  lowWatermark(ownStart: Offset, peers: Peers): Offset {
    let lowest = ownStart;
    for (const [id, follower] of this.#followers) {
      if (follower.startOffset < lowest && peers.isAlive(id)) lowest = follower.startOffset;
    }
    return lowest;
  }
}

/**
 * A follower of which nothing is known: in the ISR it counts as caught up until the lag is over.
 */
function newFollower(isInSync: boolean, nowMs: MonotonicMs): Follower {
  return {
    endOffset: UNKNOWN,
    startOffset: UNKNOWN,
    caughtUpAtMs: isInSync ? nowMs : NEVER,
    brokerEpoch: undefined,
    fetchedAtMs: NEVER,
    leaderEndAtFetch: UNKNOWN,
  };
}

const laterOf = (one: MonotonicMs, other: MonotonicMs): MonotonicMs => (one > other ? one : other);

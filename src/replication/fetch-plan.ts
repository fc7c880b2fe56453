/**
 * Which partitions a fetcher asks its leader for, and from where on. All work here is in proportion
 * to what has changed, not to how many partitions are followed.
 */
import type { NodeId } from '../base/ids';
import { after, type MonotonicMs } from '../base/times';
import type { Followed } from './followed';
import type { FetchItem, FollowerSession } from './follower-session';
import type { Partition } from './partition';
import type { FetchPosition } from './partition-types';
import { isThrottled, type ReplicationThrottle } from './throttle';
import type { Wake } from './wake';

export interface FetchPlanOptions {
  readonly nodeId: NodeId;
  readonly throttle: ReplicationThrottle;
  /** The leader is told our high watermarks, and answers at once when its own moves (KIP-1166). */
  readonly tellsHighWatermark: boolean;
  /** Of the main request. */
  readonly session: FollowerSession;
}

/** One partition as it is asked for. */
export interface Asked {
  readonly followed: Followed;
  readonly position: FetchPosition;
}

export class FetchPlan {
  readonly #options: FetchPlanOptions;
  readonly #followed = new Map<string, Followed>();
  /** What the main request asks for, as the session has it. */
  readonly #ready = new Map<string, Asked>();
  /** Those that may have to be asked for in another way than the main request has it. */
  readonly #changed = new Set<Followed>();
  /** Those that are to be looked at again at a time. */
  readonly #waiting = new Map<Followed, MonotonicMs>();

  constructor(options: FetchPlanOptions) {
    this.#options = options;
  }

  get partitionCount(): number {
    return this.#followed.size;
  }

  get(key: string): Followed | undefined {
    return this.#followed.get(key);
  }

  /** Takes the place of what was followed in another term. */
  add(followed: Followed): void {
    this.#followed.set(followed.key, followed);
    this.#changed.add(followed);
  }

  remove(key: string): void {
    this.#followed.delete(key);
    this.#leaveOut(key);
  }

  /** False if it is gone, or followed in another term. */
  has(followed: Followed): boolean {
    return this.#followed.get(followed.key) === followed;
  }

  /** Something about it is no longer as it was asked for. */
  review(followed: Followed): void {
    this.#changed.add(followed);
  }

  /** As `review`, for all that wait for a time. */
  reviewWaiting(): void {
    for (const followed of this.#waiting.keys()) this.#changed.add(followed);
  }

  /** As `review`, for those whose time has come; the others say when theirs does. */
  reviewDue(nowMs: MonotonicMs, wake: Wake): void {
    for (const [followed, atMs] of this.#waiting) {
      if (atMs <= nowMs) this.#changed.add(followed);
      else wake.at(atMs);
    }
  }

  /** Whether there may be anything to ask for. */
  get isEmpty(): boolean {
    return this.#changed.size + this.#ready.size === 0;
  }

  /** All that can be asked for now, as the session tells it; stays as it is until asked again. */
  main(nowMs: MonotonicMs): ReadonlyMap<string, Asked> {
    const { session } = this.#options;
    for (const followed of this.#changed) {
      const position = this.has(followed) ? this.#positionOf(followed, nowMs) : undefined;
      if (position !== undefined) {
        this.#ready.set(followed.key, { followed, position });
        session.set(followed.key, this.itemOf({ followed, position }));
      } else if (this.has(followed)) {
        this.#leaveOut(followed.key);
      } else {
        this.#waiting.delete(followed);
      }
    }
    this.#changed.clear();
    return this.#ready;
  }

  /** Whether any cannot wait for a main request that asks for `asked`, since that is not in it. */
  hasFresh(asked: ReadonlyMap<string, Asked>): boolean {
    for (const followed of this.#changed) if (this.#isFresh(followed, asked)) return true;
    return false;
  }

  /** Those of them that can be asked for now. */
  fresh(asked: ReadonlyMap<string, Asked>, nowMs: MonotonicMs): ReadonlyMap<string, Asked> {
    const fresh = new Map<string, Asked>();
    for (const followed of [...this.#changed]) {
      if (!this.#isFresh(followed, asked)) continue;
      const position = this.#positionOf(followed, nowMs);
      if (position !== undefined) {
        fresh.set(followed.key, { followed, position });
      } else {
        // It comes back by itself; what was asked for in another term does not count any more.
        this.#changed.delete(followed);
        this.#leaveOut(followed.key);
      }
    }
    return fresh;
  }

  itemOf({ followed, position }: Asked): FetchItem {
    const { topicId, index } = followed.partition;
    const highWatermark = this.#options.tellsHighWatermark ? position.highWatermark : undefined;
    return { topicId, partition: index, position, highWatermark };
  }

  isThrottled({ settings, index }: Partition): boolean {
    return isThrottled(settings.followerThrottledReplicas, index, this.#options.nodeId);
  }

  #isFresh(followed: Followed, asked: ReadonlyMap<string, Asked>): boolean {
    return this.has(followed) && asked.get(followed.key)?.followed !== followed;
  }

  #leaveOut(key: string): void {
    this.#ready.delete(key);
    this.#options.session.forget(key);
  }

  /** Where it is to be asked for now; undefined: not now. */
  #positionOf(followed: Followed, nowMs: MonotonicMs): FetchPosition | undefined {
    this.#waiting.delete(followed);
    if (followed.isAskingRange) return undefined;
    if (followed.pausedUntilMs !== undefined && followed.pausedUntilMs > nowMs) {
      this.#waiting.set(followed, followed.pausedUntilMs);
      return undefined;
    }
    if (this.#isHeldBack(followed)) {
      this.#waiting.set(followed, after(nowMs, this.#options.throttle.freeInMs()));
      return undefined;
    }
    return followed.following.position();
  }

  /** KIP-73: replicas out of sync wait while more was taken than is allowed. */
  #isHeldBack(followed: Followed): boolean {
    if (followed.lag === 0 || !this.isThrottled(followed.partition)) return false;
    return this.#options.throttle.isExceeded;
  }
}

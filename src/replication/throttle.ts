/**
 * Bounds on the bytes per second of replication (KIP-73), for replicas that are named as throttled
 * and not in sync. The rate is what passed in the last windows, as Kafka measures it.
 */
import type { NodeId } from '../base/ids';
import type { MonotonicMs } from '../base/times';
import type { Clock } from '../platform/platform';

export interface ThrottleOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** `replication.quota.window.num`: windows kept. */
  readonly windowCount: number;
  /** `replication.quota.window.size.seconds` in milliseconds. */
  readonly windowMs: number;
  /** Bytes a second as set now; Infinity = no bound. */
  readonly bytesPerSecond: () => number;
}

interface Window {
  readonly beganAtMs: MonotonicMs;
  bytes: number;
}

/** Shortest pause that `freeInMs` names: the grain of timers. */
const LEAST_PAUSE_MS = 10;

/** One direction of this node: what it sends as leader, or takes as follower. */
export class ReplicationThrottle {
  readonly #options: ThrottleOptions;
  /** Oldest first. */
  #windows: Window[] = [];
  #bytes = 0;

  constructor(options: ThrottleOptions) {
    this.#options = options;
  }

  /** Counts bytes of a throttled replica, in sync or not. */
  record(bytes: number): void {
    if (bytes === 0) return;
    const nowMs = this.#options.clock.monotonicMs();
    this.#forgetOld(nowMs);
    let window = this.#windows[this.#windows.length - 1];
    if (window === undefined || nowMs - window.beganAtMs >= this.#options.windowMs) {
      window = { beganAtMs: nowMs, bytes: 0 };
      this.#windows.push(window);
    }
    window.bytes += bytes;
    this.#bytes += bytes;
  }

  /** More bytes passed than are allowed: throttled replicas out of sync get nothing now. */
  get isExceeded(): boolean {
    const limit = this.#options.bytesPerSecond();
    if (limit === Number.POSITIVE_INFINITY || this.#bytes === 0) return false;
    const nowMs = this.#options.clock.monotonicMs();
    this.#forgetOld(nowMs);
    return this.#bytes > (limit * this.#elapsedMs(nowMs)) / 1000;
  }

  /** How long about until it is no longer exceeded; worth asking again then. */
  freeInMs(): number {
    const nowMs = this.#options.clock.monotonicMs();
    const limit = this.#options.bytesPerSecond();
    if (limit === Number.POSITIVE_INFINITY) return 0;
    const { windowMs } = this.#options;
    const neededMs = limit > 0 ? (this.#bytes / limit) * 1000 - this.#elapsedMs(nowMs) : windowMs;
    return Math.max(LEAST_PAUSE_MS, Math.min(windowMs, Math.ceil(neededMs)));
  }

  /** Since the oldest window began; the first counts whole, lest a burst look like a rate. */
  #elapsedMs(nowMs: MonotonicMs): number {
    const oldest = this.#windows[0]?.beganAtMs ?? nowMs;
    return Math.max(nowMs - oldest, this.#options.windowMs);
  }

  #forgetOld(nowMs: MonotonicMs): void {
    const keptMs = this.#options.windowCount * this.#options.windowMs;
    while (this.#windows[0] !== undefined && nowMs - this.#windows[0].beganAtMs >= keptMs) {
      this.#bytes -= this.#windows.shift()?.bytes ?? 0;
    }
  }
}

/** Replicas named by a topic's `….replication.throttled.replicas`. */
export type ThrottledReplicas = 'all' | ReadonlySet<string>;

/** From the setting's text: `partition:broker` pairs, `*` for all. */
export function throttledReplicas(text: string): ThrottledReplicas {
  if (text.trim() === '*') return 'all';
  return new Set(
    text
      .split(',')
      .map((pair) => pair.trim())
      .filter((pair) => pair !== ''),
  );
}

/** Whether the replica of that partition on that broker is among them. */
export const isThrottled = (among: ThrottledReplicas, index: number, broker: NodeId): boolean =>
  among === 'all' || (among.size > 0 && among.has(`${index}:${broker}`));

/** How far the replicas that follow one leader are behind, and lines about it while they are. */
import type { NodeId, Offset } from '../base/ids';
import type { MonotonicMs } from '../base/times';
import type { Logger } from '../platform/platform';

/** Shorter delays are everyday life and get no line. */
const TOLD_AFTER_MS = 5_000;
const TOLD_EVERY_MS = 10_000;

export class CatchUp {
  readonly #leaderId: NodeId;
  readonly #logger: Logger;
  /** Records behind, of those that are; by partition. */
  readonly #lags = new Map<string, Offset>();
  #sinceMs: MonotonicMs | undefined;
  #toldAtMs: MonotonicMs | undefined;
  #bytes = 0;
  #bytesWhenTold = 0;

  constructor(leaderId: NodeId, logger: Logger) {
    this.#leaderId = leaderId;
    this.#logger = logger;
  }

  /** That partition has taken so many bytes and is still so many records behind. */
  note(key: string, bytes: number, lag: Offset): void {
    this.#bytes += bytes;
    if (lag > 0) this.#lags.set(key, lag);
    else this.#lags.delete(key);
  }

  forget(key: string): void {
    this.#lags.delete(key);
  }

  /** To be called after each answer. */
  tell(nowMs: MonotonicMs): void {
    if (this.#lags.size === 0) {
      this.#done(nowMs);
      return;
    }
    this.#sinceMs ??= nowMs;
    const lastMs = this.#toldAtMs ?? this.#sinceMs;
    const everyMs = this.#toldAtMs === undefined ? TOLD_AFTER_MS : TOLD_EVERY_MS;
    if (nowMs - lastMs < everyMs) return;
    let recordsBehind = 0;
    for (const lag of this.#lags.values()) recordsBehind += lag;
    const bytes = this.#bytes - this.#bytesWhenTold;
    this.#logger.info('replicas are catching up with their leader', {
      leaderId: this.#leaderId,
      partitionsBehind: this.#lags.size,
      recordsBehind,
      bytesPerSecond: Math.round((bytes / (nowMs - lastMs)) * 1000),
    });
    this.#toldAtMs = nowMs;
    this.#bytesWhenTold = this.#bytes;
  }

  #done(nowMs: MonotonicMs): void {
    if (this.#toldAtMs !== undefined && this.#sinceMs !== undefined) {
      this.#logger.info('replicas have caught up with their leader', {
        leaderId: this.#leaderId,
        bytes: this.#bytes,
        tookMs: nowMs - this.#sinceMs,
      });
    }
    this.#sinceMs = undefined;
    this.#toldAtMs = undefined;
    this.#bytes = 0;
    this.#bytesWhenTold = 0;
  }
}

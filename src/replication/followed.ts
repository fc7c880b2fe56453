/** One partition that a fetcher fetches for, in one term of its leader: how it fares. */
import type { NodeId, Offset } from '../base/ids';
import { after, type MonotonicMs } from '../base/times';
import type { Clock, Logger } from '../platform/platform';
import { Errors } from '../protocol/errors';
import { keyOf } from './fetch-lane';
import type { Following } from './following';
import type { Partition } from './partition';

export interface FollowedOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly logger: Logger;
  readonly leaderId: NodeId;
  /** `replica.fetch.backoff.ms`: the longest pause after an error. */
  readonly backoffMs: number;
}

/** The first pause after an error; it doubles. */
export const FIRST_PAUSE_MS = 20;

export class Followed {
  readonly key: string;
  readonly partition: Partition;
  readonly following: Following;
  /** The leader is being asked where its log lies. */
  isAskingRange = false;
  readonly #options: FollowedOptions;
  #pausedUntilMs: MonotonicMs | undefined;
  #failures = 0;
  #lag: Offset | undefined;

  constructor(partition: Partition, following: Following, options: FollowedOptions) {
    this.key = keyOf(partition.topicId, partition.index);
    this.partition = partition;
    this.following = following;
    this.#options = options;
  }

  /** Not to be asked for before, after an error; undefined: at any time. */
  get pausedUntilMs(): MonotonicMs | undefined {
    return this.#pausedUntilMs;
  }

  /** Records behind the leader's high watermark; undefined until the first answer. */
  get lag(): Offset | undefined {
    return this.#lag;
  }

  succeeded(lag: Offset): void {
    this.#lag = lag;
    this.#failures = 0;
    this.#pausedUntilMs = undefined;
  }

  /** Pauses; once its errors last, they are told. */
  failed(errorCode: number, reason: string): void {
    const { clock, logger, leaderId, backoffMs } = this.#options;
    this.#failures += 1;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (this.#failures - 1), backoffMs);
    this.#pausedUntilMs = after(clock.monotonicMs(), pauseMs);
    const toldAt = PASSING.has(errorCode) ? TOLD_AFTER_FAILURES : 1;
    if (this.#failures !== toldAt) return;
    const { topic, index: partition } = this.partition;
    const { leaderEpoch } = this.following;
    const told = { topic, partition, leaderId, leaderEpoch, reason };
    logger.warn('a replica gets no records from its leader', told);
  }
}

/** Errors of a picture that has not come everywhere yet: told only when they last. */
const PASSING: ReadonlySet<number> = new Set([
  Errors.NOT_LEADER_OR_FOLLOWER,
  Errors.UNKNOWN_LEADER_EPOCH,
  Errors.FENCED_LEADER_EPOCH,
  Errors.UNKNOWN_TOPIC_OR_PARTITION,
  Errors.UNKNOWN_TOPIC_ID,
  Errors.NETWORK_EXCEPTION,
  Errors.OFFSET_OUT_OF_RANGE,
]);
/** About three seconds with the usual pauses. */
const TOLD_AFTER_FAILURES = 8;

/**
 * Fetches for replicas on this broker what one leader has: one connection with a session, on which
 * a request waits at the leader nearly always; and an express connection for what cannot wait for
 * that request to return (new partitions, what has just become durable), until it is in the next.
 */
import type { NodeId } from '../base/ids';
import { after, type MonotonicMs } from '../base/times';
import { type Channel, ChannelError } from '../client/channel';
import type { Clock, Logger, Timer } from '../platform/platform';
import type { ResponseOf } from '../protocol/api';
import type { Fetch } from '../protocol/apis/fetch';
import { Errors, errorName } from '../protocol/errors';
import { CatchUp } from './catch-up';
import { answersOf, FetchLane, type FetchLaneOptions, keyOf } from './fetch-lane';
import { type Asked, FetchPlan, type FetchPlanOptions } from './fetch-plan';
import { FIRST_PAUSE_MS, Followed } from './followed';
import { FollowerSession } from './follower-session';
import { askRange } from './leader-range';
import type { Partition } from './partition';
import type { Fetched, FetchPosition } from './partition-types';
import { Wake } from './wake';

export interface FetcherOptions
  extends Omit<FetchLaneOptions, 'waitMs' | 'session'>,
    Omit<FetchPlanOptions, 'session'> {
  readonly leaderId: NodeId;
  readonly clock: Pick<Clock, 'monotonicMs' | 'setTimer' | 'afterTurn' | 'nextTurn'>;
  readonly logger: Logger;
  /** The connections; both reject with a ChannelError, each attempt after its back-off. */
  readonly mainChannel: () => Promise<Channel>;
  readonly expressChannel: () => Promise<Channel>;
  /** A bug was found. */
  readonly failed: (error: unknown) => void;
}

type Answers = ResponseOf<typeof Fetch>;

interface Lane {
  readonly lane: FetchLane;
  readonly channel: () => Promise<Channel>;
  /** What the request that is under way asks for, until its answer is taken. */
  asked: ReadonlyMap<string, Asked>;
  isBusy: boolean;
  failures: number;
  pausedUntilMs: MonotonicMs | undefined;
}

/**
 * An express request asks for what there is at its time alone; it must return soon to take in what
 * came since. About ten of them fit into one wait of the main one.
 */
const EXPRESS_WAIT_MS = 50;
/** The main request waits so long for what it brought last to become durable. */
const FLUSH_WAIT_MS = 20;
/** Bytes appended before others have a turn (docs: a turn costs at most 10 ms or 1 MiB). */
const TURN_BYTES = 1 << 20;

export class Fetcher {
  readonly #options: FetcherOptions;
  readonly #session = new FollowerSession();
  readonly #plan: FetchPlan;
  readonly #main: Lane;
  readonly #express: Lane;
  readonly #catchUp: CatchUp;
  /** Followers whose last records are not durable yet. */
  readonly #flushing = new Set<string>();
  readonly #running = new Set<Promise<void>>();
  #flushWaitUntilMs: MonotonicMs | undefined;
  #timer: Timer | undefined;
  #isDue = false;
  #isStopped = false;
  /** It was told. */
  #isUnreachable = false;

  constructor(options: FetcherOptions) {
    this.#options = options;
    const { settings, mainChannel, expressChannel, leaderId, logger } = options;
    this.#catchUp = new CatchUp(leaderId, logger);
    this.#plan = new FetchPlan({ ...options, session: this.#session });
    const lane = (
      channel: Lane['channel'],
      more: Pick<FetchLaneOptions, 'waitMs' | 'session'>,
    ): Lane => ({
      lane: new FetchLane({ ...options, ...more }),
      channel,
      asked: NOTHING,
      isBusy: false,
      failures: 0,
      pausedUntilMs: undefined,
    });
    const session = this.#session;
    this.#main = lane(mainChannel, { waitMs: settings.waitMaxMs, session });
    const expressWaitMs = Math.min(EXPRESS_WAIT_MS, settings.waitMaxMs);
    this.#express = lane(expressChannel, { waitMs: expressWaitMs, session: undefined });
  }

  get partitionCount(): number {
    return this.#plan.partitionCount;
  }

  /** Fetches for it from now on, or goes on in the new term. */
  add(partition: Partition): void {
    const { following, topicId, index } = partition;
    const key = keyOf(topicId, index);
    if (following === undefined || this.#plan.get(key)?.following === following) return;
    const { clock, logger, leaderId, settings } = this.#options;
    const { backoffMs } = settings;
    const options = { clock, logger, leaderId, backoffMs };
    this.#plan.add(new Followed(partition, following, options));
    this.#flushing.delete(key);
    this.#pumpSoon();
  }

  remove({ topicId, index }: Partition): void {
    const key = keyOf(topicId, index);
    this.#plan.remove(key);
    this.#flushing.delete(key);
    this.#catchUp.forget(key);
  }

  /** What it has is durable now, so that it may claim it. */
  readyToFetch({ topicId, index }: Partition): void {
    const key = keyOf(topicId, index);
    const followed = this.#plan.get(key);
    if (followed === undefined) return;
    this.#flushing.delete(key);
    this.#review(followed);
  }

  /** The leader has moved to another address, or a throttle has: whoever waits tries again. */
  retry(): void {
    for (const lane of [this.#main, this.#express]) {
      lane.failures = 0;
      lane.pausedUntilMs = undefined;
    }
    this.#plan.reviewWaiting();
    this.#pumpSoon();
  }

  #review(followed: Followed): void {
    this.#plan.review(followed);
    this.#pumpSoon();
  }

  /** The owner closes the channels, which ends what is under way; resolves when that has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await Promise.all(this.#running);
  }

  #pumpSoon(): void {
    if (this.#isDue || this.#isStopped) return;
    this.#isDue = true;
    this.#options.clock.afterTurn(() => {
      this.#isDue = false;
      this.#pump();
    });
  }

  /** Sends what can be sent now, and comes back when more can. */
  #pump(): void {
    if (this.#isStopped || this.#plan.partitionCount === 0) return;
    const nowMs = this.#options.clock.monotonicMs();
    this.#timer?.cancel();
    const wake = new Wake(nowMs);
    this.#plan.reviewDue(nowMs, wake);
    if (!this.#main.isBusy) this.#begin(this.#main, nowMs, wake);
    // Until the main connection is up there is nothing to be faster than.
    else if (this.#main.asked.size > 0 && !this.#express.isBusy) {
      this.#begin(this.#express, nowMs, wake);
    }
    if (wake.inMs !== undefined) {
      this.#timer = this.#options.clock.setTimer(wake.inMs, () => this.#pump());
    }
  }

  #begin(lane: Lane, nowMs: MonotonicMs, wake: Wake): void {
    if (lane.pausedUntilMs !== undefined && lane.pausedUntilMs > nowMs) {
      wake.at(lane.pausedUntilMs);
      return;
    }
    if (lane === this.#express) {
      if (this.#plan.hasFresh(this.#main.asked)) this.#run(lane, this.#fetchFresh());
      return;
    }
    if (this.#plan.isEmpty || this.#isFlushAwaited(nowMs, wake)) return;
    this.#run(lane, this.#fetchAll());
  }

  /** Whether the main request waits a little, so that it can name what is about to be durable. */
  #isFlushAwaited(nowMs: MonotonicMs, wake: Wake): boolean {
    const untilMs = this.#flushWaitUntilMs;
    if (this.#flushing.size === 0 || untilMs === undefined || nowMs >= untilMs) return false;
    wake.at(untilMs);
    return true;
  }

  #run(lane: Lane, work: Promise<void>): void {
    lane.isBusy = true;
    const running: Promise<void> = work
      .catch((error: unknown) => this.#laneFailed(lane, error))
      .finally(() => {
        this.#running.delete(running);
        lane.asked = NOTHING;
        lane.isBusy = false;
        this.#pumpSoon();
      });
    this.#running.add(running);
  }

  /** The main request: all that can be asked for. */
  async #fetchAll(): Promise<void> {
    const lane = this.#main;
    const channel = await lane.channel();
    if (this.#isStopped) return;
    // Connecting takes time: what can be asked for is looked up when it can be asked.
    const asked = this.#plan.main(this.#options.clock.monotonicMs());
    if (asked.size === 0) return;
    lane.asked = asked;
    await this.#answered(lane, await lane.lane.fetch(channel));
  }

  /** An express request: what the main one does not ask for. */
  async #fetchFresh(): Promise<void> {
    const lane = this.#express;
    const channel = await lane.channel();
    if (this.#isStopped) return;
    const asked = this.#plan.fresh(this.#main.asked, this.#options.clock.monotonicMs());
    if (asked.size === 0) return;
    lane.asked = asked;
    const items = Array.from(asked.values(), (one) => this.#plan.itemOf(one));
    await this.#answered(lane, await lane.lane.fetch(channel, items));
  }

  async #answered(lane: Lane, answer: Answers | undefined): Promise<void> {
    if (answer === undefined) {
      this.#pause(lane);
      return;
    }
    this.#recovered(lane);
    await this.#take(lane, answer);
  }

  /** Appends what came, a turn's worth at a time. */
  async #take(lane: Lane, answer: Answers): Promise<void> {
    const { clock } = this.#options;
    let bytesThisTurn = 0;
    for (const [key, answered] of answersOf(answer)) {
      const asked = lane.asked.get(key);
      if (asked === undefined || !this.#plan.has(asked.followed)) continue;
      this.#plan.review(asked.followed);
      bytesThisTurn += this.#takeOne(asked, {
        errorCode: answered.errorCode,
        highWatermark: answered.highWatermark,
        startOffset: answered.logStartOffset,
        records: answered.records,
        divergingEpoch: answered.divergingEpoch,
      });
      if (bytesThisTurn < TURN_BYTES) continue;
      await new Promise<void>((resolve) => clock.nextTurn(resolve));
      if (this.#isStopped) return;
      bytesThisTurn = 0;
    }
    const nowMs = clock.monotonicMs();
    if (lane === this.#main) this.#flushWaitUntilMs = after(nowMs, FLUSH_WAIT_MS);
    this.#catchUp.tell(nowMs);
  }

  /** How many bytes were appended. */
  #takeOne({ followed, position }: Asked, answered: Fetched): number {
    const taken = followed.following.take(position, answered);
    switch (taken.kind) {
      case 'followed':
        followed.succeeded(taken.lag);
        this.#appended(followed, taken.bytes);
        return taken.bytes;
      case 'out-of-range':
        this.#askRange(followed, position);
        return 0;
      case 'failed':
        followed.failed(taken.errorCode, taken.reason);
        return 0;
      case 'damaged':
        this.#catchUp.forget(followed.key);
        return 0;
      case 'truncated':
      case 'stale':
      case 'offline':
        // Asked for again at once; or by whoever follows next; or nobody, until it is told gone.
        return 0;
    }
  }

  #appended(followed: Followed, bytes: number): void {
    const { key, partition, following } = followed;
    this.#catchUp.note(key, bytes, followed.lag ?? 0);
    if (bytes === 0) return;
    if (this.#plan.isThrottled(partition)) this.#options.throttle.record(bytes);
    if (following.position() === undefined) this.#flushing.add(key);
    // Whoever got records has its turn last next time, where the order is ours.
    this.#session.moveLast(key);
  }

  /** The leader's log does not reach here: where does it lie? */
  #askRange(followed: Followed, position: FetchPosition): void {
    followed.isAskingRange = true;
    const asking = this.#range(followed, position)
      .catch((error: unknown) => {
        if (!(error instanceof ChannelError)) throw error;
        if (this.#isStopped) return;
        followed.failed(Errors.NETWORK_EXCEPTION, error.message);
      })
      .catch((error: unknown) => this.#options.failed(error))
      .finally(() => {
        followed.isAskingRange = false;
        this.#running.delete(asking);
        this.#review(followed);
      });
    this.#running.add(asking);
  }

  async #range(followed: Followed, position: FetchPosition): Promise<void> {
    const { expressChannel, nodeId, metadataVersion } = this.#options;
    const { topic, index } = followed.partition;
    const { errorCode, startOffset, endOffset } = await askRange(await expressChannel(), {
      nodeId,
      metadataVersion: metadataVersion(),
      topic,
      index,
      leaderEpoch: position.leaderEpoch,
    });
    if (!this.#plan.has(followed)) return;
    if (errorCode !== Errors.NONE) {
      followed.failed(errorCode, errorName(errorCode));
      return;
    }
    followed.following.takeRange(position, startOffset, endOffset);
    // The leader may say the same again, while its log moves: not in a tight circle.
    followed.failed(Errors.OFFSET_OUT_OF_RANGE, 'out of range');
  }

  #laneFailed(lane: Lane, error: unknown): void {
    if (this.#isStopped) return;
    if (!(error instanceof ChannelError)) {
      this.#isStopped = true;
      this.#options.failed(error);
      return;
    }
    const { logger, leaderId } = this.#options;
    if (!this.#isUnreachable && lane === this.#main) {
      this.#isUnreachable = true;
      const partitions = this.#plan.partitionCount;
      logger.warn('a leader cannot be reached', { leaderId, partitions, reason: error.message });
    }
    this.#pause(lane);
  }

  #pause(lane: Lane): void {
    const { clock, settings } = this.#options;
    lane.failures += 1;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (lane.failures - 1), settings.backoffMs);
    lane.pausedUntilMs = after(clock.monotonicMs(), pauseMs);
  }

  #recovered(lane: Lane): void {
    if (this.#isUnreachable && lane === this.#main) {
      this.#isUnreachable = false;
      this.#options.logger.info('a leader is reached again', { leaderId: this.#options.leaderId });
    }
    lane.failures = 0;
    lane.pausedUntilMs = undefined;
  }
}

const NOTHING: ReadonlyMap<string, Asked> = new Map();

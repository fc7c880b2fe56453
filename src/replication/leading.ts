/**
 * What a replica does while it leads: it takes note of its followers' fetches, moves the high
 * watermark, proposes who is in sync and holds back whoever is throttled.
 */
import type { BrokerEpoch, NodeId, Offset, Uuid } from '../base/ids';
import type { MonotonicMs } from '../base/times';
import type { Partition as Registration } from '../metadata/topics';
import type { Logger } from '../platform/platform';
import type { Log } from '../storage/log';
import { proposeIsr } from './isr';
import { type FollowerFetch, Leader } from './leader';
import type { PartitionSettings } from './partition-settings';
import type { PartitionRead, PartitionWorld } from './partition-types';
import { isThrottled } from './throttle';
import { Change, type Watchers } from './waiting';

export interface LeadingOptions {
  readonly world: PartitionWorld;
  readonly topicId: Uuid;
  readonly index: number;
  readonly log: Log;
  readonly watchers: Pick<Watchers, 'changed'>;
  /** Its lines name the partition. */
  readonly logger: Logger;
  /** As they are now. */
  readonly settings: () => PartitionSettings;
}

/** From the first picture in which it leads to the first in which it does not. */
export class Leading {
  readonly #options: LeadingOptions;
  #leader: Leader;
  #registration: Registration;
  #isOver = false;

  /** Throws StorageError if the log folder fails. */
  constructor(options: LeadingOptions, registration: Registration, nowMs: MonotonicMs) {
    this.#options = options;
    this.#registration = registration;
    this.#leader = new Leader(options.world.nodeId, options.log.endOffset);
    this.#beginTerm(registration);
    this.#update(registration, nowMs);
  }

  /** What it knows of its followers. */
  get leader(): Leader {
    return this.#leader;
  }

  /** A picture in which it leads still, or again. Throws StorageError if the log folder fails. */
  take(registration: Registration, nowMs: MonotonicMs): void {
    if (registration.leaderEpoch > this.#registration.leaderEpoch) {
      const { endOffset } = this.#options.log;
      this.#leader = this.#leader.renewed(endOffset, registration.isr, nowMs);
      this.#beginTerm(registration);
    }
    this.#update(registration, nowMs);
  }

  /** It leads no more: answers to what it proposed mean nothing. */
  end(): void {
    this.#isOver = true;
  }

  #beginTerm({ leaderEpoch, isRecovering, replicas }: Registration): void {
    const { log, logger } = this.#options;
    // Kept although it has no record yet: followers may have later epochs than our records.
    log.startEpoch(leaderEpoch);
    // The only replica there is loses nothing by its election, and recovers from it with nobody.
    if (!isRecovering || replicas.length === 1) return;
    const told = { leaderEpoch, endOffset: log.endOffset };
    logger.warn('it leads after an unclean election: records may be lost', told);
  }

  #update(registration: Registration, nowMs: MonotonicMs): void {
    this.#registration = registration;
    this.#leader.update(registration, nowMs);
    this.advanceHighWatermark();
  }

  /** A follower has what it does not ask for: that may commit records, or let it join the ISR. */
  noteFetch(id: NodeId, fetch: FollowerFetch): void {
    const { log, world, watchers } = this.#options;
    const lowBefore = this.lowWatermark;
    const hasMoved = this.#leader.fetched(id, fetch, log.endOffset, world.clock.monotonicMs());
    if (this.#leader.mayJoin(id, log.highWatermark, world.peers)) {
      this.#propose([...this.#leader.isr, id]);
    }
    if (hasMoved) this.advanceHighWatermark();
    if (this.lowWatermark > lowBefore) watchers.changed(Change.logStart);
  }

  /** The lowest start of all live replicas. */
  get lowWatermark(): Offset {
    const { log, world } = this.#options;
    return this.#leader.lowWatermark(log.startOffset, world.peers);
  }

  /** Records were appended from `offset` on. */
  appended(offset: Offset): void {
    this.#leader.appended(offset, this.#options.world.clock.monotonicMs());
    this.advanceHighWatermark();
  }

  /** Recomputes the high watermark; it never falls. */
  advanceHighWatermark(): void {
    const { log, world, watchers, settings } = this.#options;
    const next = this.#leader.highWatermark(
      log.claimableEndOffset,
      settings().minInsyncReplicas,
      world.replicaLagTimeMaxMs,
      world.peers,
      world.clock.monotonicMs(),
    );
    if (next === undefined || next <= log.highWatermark) return;
    log.setHighWatermark(next);
    watchers.changed(Change.highWatermark | Change.lastStable);
  }

  /** Proposes that whoever has been behind for too long leaves the ISR. */
  shrinkIsr(nowMs: MonotonicMs): void {
    const { log, world, logger } = this.#options;
    const { endOffset, highWatermark } = log;
    const lagging = this.#leader.outOfSync(endOffset, world.replicaLagTimeMaxMs, nowMs);
    if (lagging.length === 0) return;
    const isr = [...this.#leader.isr];
    const endOf = (id: NodeId): Offset => this.#leader.follower(id)?.endOffset ?? -1;
    logger.info('replicas have fallen behind and are to leave the ISR', {
      isr,
      endOffset,
      highWatermark,
      lagging: lagging.map((id) => ({ id, endOffset: endOf(id) })),
    });
    this.#propose(isr.filter((id) => !lagging.includes(id)));
  }

  #propose(isr: readonly NodeId[]): void {
    const { world, topicId, index, logger } = this.#options;
    const { leaderEpoch, partitionEpoch } = this.#registration;
    const leader = this.#leader;
    const brokerEpoch: BrokerEpoch = world.brokerEpoch();
    const proposal = proposeIsr(leader, isr, {
      nodeId: world.nodeId,
      topicId,
      index,
      leaderEpoch,
      partitionEpoch,
      brokerEpoch,
      logger,
      isLeading: () => !this.#isOver && this.#leader === leader,
      withdrawn: () => this.advanceHighWatermark(),
    });
    world.proposals.propose(proposal);
  }

  /** KIP-73: counts what a throttled replica gets, and gives nothing beyond the bound. */
  withinThrottle(id: NodeId, read: PartitionRead): PartitionRead {
    if (!this.#isThrottled) return read;
    if (this.isHeldBack(id)) {
      read.slice?.release();
      return { ...read, slice: undefined, sizeInBytes: 0 };
    }
    this.#options.world.leaderThrottle.record(read.sizeInBytes);
    return read;
  }

  /** Only replicas out of sync are held back: the others hold up every all-acks write. */
  isHeldBack(id: NodeId): boolean {
    if (!this.#isThrottled || this.#leader.isr.has(id)) return false;
    return this.#options.world.leaderThrottle.isExceeded;
  }

  get #isThrottled(): boolean {
    const { settings, index, world } = this.#options;
    return isThrottled(settings().leaderThrottledReplicas, index, world.nodeId);
  }
}

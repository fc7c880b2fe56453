/**
 * One replica of one partition on this node: its log, its role, its high watermark. All of it is
 * synchronous; who waits is told after the turn. Answers carry Kafka's error codes; a failing disk
 * is caught here and answered as KAFKA_STORAGE_ERROR.
 */
import type { LeaderEpoch, NodeId, Offset, Uuid } from '../base/ids';
import type { MonotonicMs } from '../base/times';
import { NO_LEADER, type Partition as Registration } from '../metadata/topics';
import type { Logger } from '../platform/platform';
import { Errors } from '../protocol/errors';
import type { ValidationSettings } from '../protocol/records/validate';
import { CorruptLogError, StorageError } from '../storage/errors';
import type {
  AppendChecks,
  AppendOrigin,
  Beginning,
  EpochAndEndOffset,
  Log,
  OffsetAndTimestamp,
  Verification,
} from '../storage/log';
import { Following } from './following';
import type { Follower, Leader } from './leader';
import { Leading } from './leading';
import { appendToLog } from './partition-append';
import {
  deleteBelow,
  failedRead,
  findOffset,
  ok,
  readLog,
  refused,
  type Shown,
} from './partition-reads';
import type { PartitionSettings } from './partition-settings';
import type {
  AppendOutcome,
  Believed,
  PartitionRead,
  PartitionWorld,
  ReadRequest,
  Refused,
  ReplicaReadRequest,
  Result,
} from './partition-types';
import { Change, type Watchers } from './waiting';

export { NO_READ } from './partition-reads';
export * from './partition-types';

export class Partition {
  /** Requests that wait for this partition to change. */
  readonly watchers: Watchers;
  readonly #logger: Logger;
  #registration: Registration | undefined;
  #leading: Leading | undefined;
  #following: Following | undefined;
  #log: Log | undefined;
  #settings: PartitionSettings;

  constructor(
    private readonly world: PartitionWorld,
    readonly topic: string,
    readonly topicId: Uuid,
    readonly index: number,
    settings: PartitionSettings,
    log: Log | undefined,
  ) {
    this.watchers = world.waiting.place();
    this.#logger = world.logger.with({ topic, partition: index });
    this.#settings = settings;
    this.#log = log;
    const startRose = () => this.watchers.changed(Change.logStart);
    log?.listen({ flushed: () => this.#flushed(), failed: () => this.goOffline(), startRose });
  }

  /** Undefined once its folder failed: every request is then answered KAFKA_STORAGE_ERROR. */
  get log(): Log | undefined {
    return this.#log;
  }

  get isOffline(): boolean {
    return this.#log === undefined;
  }

  get isLeader(): boolean {
    return this.#leading !== undefined;
  }

  /** What only the leader knows; undefined on followers. */
  get leader(): Leader | undefined {
    return this.#leading?.leader;
  }

  /** What a follower fetches; undefined on leaders, and where no leader is known. */
  get following(): Following | undefined {
    return this.#following;
  }

  get settings(): PartitionSettings {
    return this.#settings;
  }

  /** As the picture has it; undefined before the first role. */
  get registration(): Registration | undefined {
    return this.#registration;
  }

  /** -1 = none is known. */
  get leaderId(): NodeId {
    return this.#registration?.leader ?? NO_LEADER;
  }

  get leaderEpoch(): LeaderEpoch {
    return this.#registration?.leaderEpoch ?? -1;
  }

  get highWatermark(): Offset {
    return this.#log?.highWatermark ?? -1;
  }

  /** The high watermark, or where the first open transaction begins. */
  get lastStableOffset(): Offset {
    return this.#log?.lastStableOffset ?? -1;
  }

  get startOffset(): Offset {
    return this.#log?.startOffset ?? -1;
  }

  get endOffset(): Offset {
    return this.#log?.endOffset ?? -1;
  }

  get isUnderMinIsr(): boolean {
    return this.leader?.isUnderMinIsr(this.#settings.minInsyncReplicas) ?? false;
  }

  /** Takes the role that the picture gives this replica; older pictures are ignored. */
  become(registration: Registration, nowMs: MonotonicMs): void {
    const before = this.#registration;
    if (before !== undefined && registration.partitionEpoch < before.partitionEpoch) return;
    const isNewEpoch = registration.leaderEpoch > (before?.leaderEpoch ?? -1);
    this.#registration = registration;
    const log = this.#log;
    if (log === undefined) return;
    try {
      if (registration.leader === this.world.nodeId) this.#lead(log, registration, nowMs);
      else this.#follow(log, registration, isNewEpoch);
    } catch (error) {
      // That the folder has failed it tells by itself, in a turn of its own.
      if (error instanceof CorruptLogError) this.#logger.error('its log is damaged', { error });
      else if (!(error instanceof StorageError)) throw error;
      this.#endRole();
    }
    this.watchers.changed(Change.role);
  }

  #lead(log: Log, registration: Registration, nowMs: MonotonicMs): void {
    if (this.#leading !== undefined) {
      this.#leading.take(registration, nowMs);
      return;
    }
    this.#endRole();
    const { world, topicId, index, watchers } = this;
    const logger = this.#logger;
    const settings = () => this.#settings;
    const options = { world, topicId, index, log, watchers, logger, settings };
    this.#leading = new Leading(options, registration, nowMs);
  }

  #follow(log: Log, { leader, leaderEpoch }: Registration, isNewEpoch: boolean): void {
    if (!isNewEpoch && this.#following !== undefined) return;
    this.#endRole();
    if (leader === NO_LEADER) return;
    const told = { watchers: this.watchers, logger: this.#logger };
    this.#following = new Following({ log, leaderId: leader, leaderEpoch, ...told });
  }

  #endRole(): void {
    this.#leading?.end();
    this.#leading = undefined;
    this.#following?.end();
    this.#following = undefined;
  }

  applySettings(settings: PartitionSettings): void {
    this.#settings = settings;
    this.#leading?.advanceHighWatermark();
  }

  /** Its folder failed, or the partition is no longer held here. Who waits is told. */
  goOffline(): void {
    this.#log = undefined;
    this.#endRole();
    this.watchers.changed(Change.role);
  }

  /** Kafka's order of checks: fenced, unknown epoch, role. 0 = all as believed. */
  check(believed: Believed): number {
    if (this.#log === undefined) return Errors.KAFKA_STORAGE_ERROR;
    if (believed.leaderEpoch !== -1) {
      if (believed.leaderEpoch < this.leaderEpoch) return Errors.FENCED_LEADER_EPOCH;
      if (believed.leaderEpoch > this.leaderEpoch) return Errors.UNKNOWN_LEADER_EPOCH;
    }
    if (believed.isLeaderRequired && !this.isLeader) return Errors.NOT_LEADER_OR_FOLLOWER;
    return Errors.NONE;
  }

  /** Whether this replica may append now; 0 = yes. */
  checkAppend(isAllAcks: boolean): number {
    if (this.#log === undefined) return Errors.KAFKA_STORAGE_ERROR;
    if (!this.isLeader) return Errors.NOT_LEADER_OR_FOLLOWER;
    return isAllAcks && this.isUnderMinIsr ? Errors.NOT_ENOUGH_REPLICAS : Errors.NONE;
  }

  /** How a client's batch that comes in that version of Produce is validated. */
  validation(produceVersion: number): ValidationSettings {
    return produceVersion < 7 ? this.#settings.validationBefore7 : this.#settings.validation;
  }

  /**
   * Appends what a coordinator on this node wrote: batches it built itself, as an all-acks write.
   * The bytes are patched in place.
   */
  appendAsCoordinator(batches: Buffer, checks?: AppendChecks): AppendOutcome {
    return this.#append(batches, 'coordinator', true, checks);
  }

  /**
   * Appends one validated batch of a client. The bytes are patched in place. What begins a
   * transaction needs a verification: INVALID_TXN_STATE without.
   */
  appendAsLeader(batch: Buffer, isAllAcks: boolean, checks?: AppendChecks): AppendOutcome {
    return this.#append(batch, 'client', isAllAcks, checks);
  }

  /** As `Log.beginVerification`; also refused where this replica does not lead. */
  beginVerification(beginning: Beginning): Verification | 'open' | Refused {
    const errorCode = this.checkAppend(false);
    const log = this.#log;
    if (errorCode !== Errors.NONE || log === undefined) return refused(errorCode, '');
    const begun = log.beginVerification(beginning);
    if (begun === 'open' || !('outcome' in begun)) return begun;
    return refused(begun.errorCode, begun.message);
  }

  #append(
    batches: Buffer,
    origin: AppendOrigin,
    isAllAcks: boolean,
    checks: AppendChecks | undefined,
  ): AppendOutcome {
    const errorCode = this.checkAppend(isAllAcks);
    const log = this.#log;
    if (errorCode !== Errors.NONE || log === undefined) return refused(errorCode, '');
    const isLogAppendTime = this.#settings.validation.timestampType === 'LogAppendTime';
    const append = { batches, leaderEpoch: this.leaderEpoch, origin, checks, isLogAppendTime };
    return appendToLog(log, append, (baseOffset) => {
      this.watchers.changed(Change.end);
      this.#leading?.appended(baseOffset);
    });
  }

  /**
   * What an all-acks write up to `lastOffset` comes to: undefined while it is not yet on every
   * in-sync replica.
   */
  settled(lastOffset: Offset): number | undefined {
    if (this.#log === undefined) return Errors.KAFKA_STORAGE_ERROR;
    const { leader } = this;
    if (leader === undefined) return Errors.NOT_LEADER_OR_FOLLOWER;
    if (this.#log.highWatermark <= lastOffset) return undefined;
    const minIsr = leader.effectiveMinIsr(this.#settings.minInsyncReplicas);
    if (leader.maximalIsr.size < minIsr) return Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND;
    return Errors.NONE;
  }

  /** For consumers, and for the bytes of followers. */
  read(request: ReadRequest): PartitionRead {
    const errorCode = this.check(request);
    const log = this.#log;
    if (errorCode !== Errors.NONE || log === undefined) return failedRead(errorCode);
    return readLog(log, request, this.#bound(request.upTo), this.#shown);
  }

  get #shown(): Shown {
    const { highWatermark, lastStableOffset, startOffset } = this;
    return { highWatermark, lastStableOffset, startOffset };
  }

  #bound(upTo: ReadRequest['upTo']): Offset {
    switch (upTo) {
      case 'end':
        return this.endOffset;
      case 'high-watermark':
        return this.highWatermark;
      case 'last-stable':
        return this.lastStableOffset;
    }
  }

  /**
   * How many bytes a read would give now, at most about `maxBytes`; Infinity if it would tell
   * something else (an error, a divergence, a start that passed the offset).
   */
  measure(request: ReadRequest): number {
    const log = this.#log;
    if (log === undefined || this.check(request) !== Errors.NONE) return Number.POSITIVE_INFINITY;
    const fetchOffset = Number(request.fetchOffset);
    const bound = this.#bound(request.upTo);
    if (fetchOffset < log.startOffset || fetchOffset > log.endOffset) {
      return Number.POSITIVE_INFINITY;
    }
    if (fetchOffset >= bound) return 0;
    // Any data at all is enough for most: the rest need not be looked for.
    if (request.maxBytes <= 1) return 1;
    const read = this.read(request);
    read.slice?.release();
    const isOther = read.errorCode !== Errors.NONE || read.divergingEpoch !== undefined;
    return isOther ? Number.POSITIVE_INFINITY : read.sizeInBytes;
  }

  /** As `measure`, for the replica of another broker: nothing while that one is throttled. */
  measureAsReplica(id: NodeId, request: ReadRequest): number {
    const measured = this.measure(request);
    return Number.isFinite(measured) && this.#leading?.isHeldBack(id) === true ? 0 : measured;
  }

  /** For the replica of another broker: reads, and notes how far it is. */
  readAsReplica(id: NodeId, request: ReplicaReadRequest): PartitionRead {
    const errorCode = this.check(request);
    const leading = this.#leading;
    if (errorCode !== Errors.NONE || leading === undefined) return failedRead(errorCode);
    if (leading.leader.follower(id) === undefined) {
      // With an epoch it may know of an assignment that is on its way here: it shall try again.
      return failedRead(
        request.leaderEpoch === -1 ? Errors.NOT_LEADER_OR_FOLLOWER : Errors.UNKNOWN_LEADER_EPOCH,
      );
    }
    if (this.world.peers.isStale(id, request.brokerEpoch)) {
      return failedRead(Errors.NOT_LEADER_OR_FOLLOWER);
    }
    const read = this.read(request);
    if (read.errorCode !== Errors.NONE || read.divergingEpoch !== undefined) return read;
    if (request.isNoted) {
      leading.noteFetch(id, {
        endOffset: Number(request.fetchOffset),
        startOffset: request.startOffset,
        brokerEpoch: request.brokerEpoch,
      });
    }
    // What this very fetch has committed is told with its answer.
    const isRaised = this.highWatermark > read.highWatermark;
    return leading.withinThrottle(id, isRaised ? { ...read, ...this.#shown } : read);
  }

  /** Proposes that whoever has been behind for too long leaves the ISR; called now and then. */
  shrinkIsr(nowMs: MonotonicMs): void {
    this.#leading?.shrinkIsr(nowMs);
  }

  /** The in-sync followers where a consumer could read from `offset` on; empty on followers. */
  readableAt(offset: bigint): Iterable<[NodeId, Follower]> {
    return this.leader?.inSyncWith(Number(offset)) ?? [];
  }

  /**
   * ListOffsets. `isolation` undefined: asked by a replica, up to the end of the log. The value is
   * undefined where no record has such a timestamp.
   */
  offsetForTimestamp(
    timestamp: number,
    isolation: 'high-watermark' | 'last-stable' | undefined,
    believed: Believed,
  ): Result<OffsetAndTimestamp | undefined> {
    const errorCode = this.check(believed);
    const log = this.#log;
    if (errorCode !== Errors.NONE || log === undefined) return refused(errorCode, '');
    const bound = isolation === undefined ? log.endOffset : this.#bound(isolation);
    const epochStartOffset = this.leader?.epochStartOffset ?? 0;
    const isHighWatermarkBehind = isolation !== undefined && epochStartOffset > log.highWatermark;
    return findOffset(log, timestamp, bound, isHighWatermarkBehind, this.leaderEpoch);
  }

  /** OffsetForLeaderEpoch: undefined where the epoch is not known. */
  endOffsetForEpoch(epoch: LeaderEpoch, believed: Believed): Result<EpochAndEndOffset | undefined> {
    const errorCode = this.check(believed);
    if (errorCode !== Errors.NONE) return refused(errorCode, '');
    return ok(this.#log?.endOffsetForEpoch(epoch));
  }

  /**
   * DeleteRecords: everything below `offset` (-1 = the high watermark) goes. The value is the low
   * watermark and what it must reach until all live replicas have deleted it.
   */
  deleteRecords(offset: bigint): Result<{ lowWatermark: Offset; required: Offset }> {
    const log = this.#log;
    if (log === undefined) return refused(Errors.KAFKA_STORAGE_ERROR, '');
    if (!this.isLeader) return refused(Errors.NOT_LEADER_OR_FOLLOWER, '');
    if (!this.#settings.log.isDeleting && this.#settings.log.isCompacting) {
      return refused(Errors.POLICY_VIOLATION, 'its cleanup.policy is compact alone');
    }
    const { startOffset } = log;
    const deleted = deleteBelow(log, offset);
    if (deleted.kind === 'refused') return deleted;
    if (log.startOffset > startOffset) this.watchers.changed(Change.logStart);
    return ok({ lowWatermark: this.lowWatermark, required: deleted.value });
  }

  /** The lowest start of all live replicas; on followers their own. */
  get lowWatermark(): Offset {
    return this.#leading?.lowWatermark ?? this.startOffset;
  }

  #flushed(): void {
    if (this.#leading !== undefined) this.#leading.advanceHighWatermark();
    else this.world.readyToFetch(this);
  }
}

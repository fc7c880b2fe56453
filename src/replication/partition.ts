/**
 * One replica of one partition on this node: its log, its role, its high watermark. All of it is
 * synchronous; who waits is told after the turn. Answers carry Kafka's error codes; a failing disk
 * is caught here and answered as KAFKA_STORAGE_ERROR.
 */
import type { BrokerEpoch, LeaderEpoch, NodeId, Offset, Uuid } from '../base/ids';
import type { MonotonicMs } from '../base/times';
import type { Partition as Registration } from '../metadata/topics';
import { NO_LEADER } from '../metadata/topics';
import type { Clock } from '../platform/platform';
import { Errors } from '../protocol/errors';
import type { ValidationSettings } from '../protocol/records/validate';
import { CorruptLogError, StorageError } from '../storage/errors';
import {
  EARLIEST_LOCAL_TIMESTAMP,
  EARLIEST_TIMESTAMP,
  type EpochAndEndOffset,
  type FileSlice,
  LATEST_TIMESTAMP,
  type Log,
  type OffsetAndTimestamp,
} from '../storage/log';
import { type FollowerFetch, Leader, type Peers } from './leader';
import type { PartitionSettings } from './partition-settings';
import { Change, type Waiting, type Watchers } from './waiting';

/** What every partition of a node shares. */
export interface PartitionWorld {
  readonly nodeId: NodeId;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly waiting: Waiting;
  readonly peers: Peers;
  /** `replica.lag.time.max.ms`. */
  readonly replicaLagTimeMaxMs: number;
}

/** What the caller believes; every answer checks it first. */
export interface Believed {
  /** The caller's leader epoch; -1 = none given. */
  readonly leaderEpoch: LeaderEpoch;
  /** Whether only the leader may answer. */
  readonly isLeaderRequired: boolean;
}

export interface ReadRequest extends Believed {
  readonly fetchOffset: bigint;
  /** Of the fetcher's last record; -1 = none given. */
  readonly lastFetchedEpoch: LeaderEpoch;
  readonly maxBytes: number;
  readonly isAtLeastOneBatch: boolean;
  readonly upTo: 'end' | 'high-watermark' | 'last-stable';
}

/** A read by the replica of another broker; it says what that one has. */
export interface ReplicaReadRequest extends ReadRequest {
  /** Its log's start; -1 = not given. */
  readonly startOffset: Offset;
  /** -1 = none given. */
  readonly brokerEpoch: BrokerEpoch;
}

/** Offsets are -1 and there are no bytes when `errorCode` is not 0. */
export interface PartitionRead {
  readonly errorCode: number;
  readonly highWatermark: Offset;
  readonly lastStableOffset: Offset;
  readonly startOffset: Offset;
  /** Whole batches; to be released. */
  readonly slice: FileSlice | undefined;
  readonly sizeInBytes: number;
  /** Where the fetcher's log departs from this one (KIP-595); then there are no bytes. */
  readonly divergingEpoch: EpochAndEndOffset | undefined;
}

export type AppendOutcome =
  | {
      readonly kind: 'appended';
      readonly baseOffset: Offset;
      /** Inclusive. */
      readonly lastOffset: Offset;
      /** -1 unless the log stamps records itself, or the batch is a duplicate (as Kafka). */
      readonly logAppendTimeMs: number;
    }
  | { readonly kind: 'refused'; readonly errorCode: number; readonly message: string };

/** Either a value or Kafka's error code. */
export type Result<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'refused'; readonly errorCode: number; readonly message: string };

export class Partition {
  /** Requests that wait for this partition to change. */
  readonly watchers: Watchers;
  #registration: Registration | undefined;
  #leader: Leader | undefined;
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
    this.#settings = settings;
    this.#log = log;
    log?.listen({
      flushed: () => this.#advanceHighWatermark(),
      failed: () => this.goOffline(),
    });
  }

  /** Undefined once its folder failed: every request is then answered KAFKA_STORAGE_ERROR. */
  get log(): Log | undefined {
    return this.#log;
  }

  get isOffline(): boolean {
    return this.#log === undefined;
  }

  get isLeader(): boolean {
    return this.#leader !== undefined;
  }

  /** What only the leader knows; undefined on followers. */
  get leader(): Leader | undefined {
    return this.#leader;
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

  get partitionEpoch(): number {
    return this.#registration?.partitionEpoch ?? -1;
  }

  get highWatermark(): Offset {
    return this.#log?.highWatermark ?? -1;
  }

  /** The high watermark, or where the first open transaction begins. */
  get lastStableOffset(): Offset {
    return this.highWatermark;
  }

  get startOffset(): Offset {
    return this.#log?.startOffset ?? -1;
  }

  get endOffset(): Offset {
    return this.#log?.endOffset ?? -1;
  }

  get isUnderMinIsr(): boolean {
    return this.#leader?.isUnderMinIsr(this.#settings.minInsyncReplicas) ?? false;
  }

  /** Takes the role that the picture gives this replica; older pictures are ignored. */
  become(registration: Registration, nowMs: MonotonicMs): void {
    const before = this.#registration;
    if (before !== undefined && registration.partitionEpoch < before.partitionEpoch) return;
    const isNewEpoch = registration.leaderEpoch > (before?.leaderEpoch ?? -1);
    this.#registration = registration;
    const log = this.#log;
    if (log === undefined) return;
    if (registration.leader === this.world.nodeId) {
      if (isNewEpoch || this.#leader === undefined) this.#beginTerm(log, registration, nowMs);
      this.#leader?.update(registration, nowMs);
      this.#advanceHighWatermark();
    } else {
      this.#leader = undefined;
    }
    this.watchers.changed(Change.role);
  }

  #beginTerm(log: Log, registration: Registration, nowMs: MonotonicMs): void {
    log.startEpoch(registration.leaderEpoch);
    this.#leader =
      this.#leader?.renewed(log.endOffset, registration.isr, nowMs) ??
      new Leader(this.world.nodeId, log.endOffset);
  }

  applySettings(settings: PartitionSettings): void {
    this.#settings = settings;
    this.#advanceHighWatermark();
  }

  /** Its folder failed, or the partition is no longer held here. Who waits is told. */
  goOffline(): void {
    this.#log = undefined;
    this.#leader = undefined;
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
    if (this.#leader === undefined) return Errors.NOT_LEADER_OR_FOLLOWER;
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
  appendAsCoordinator(batches: Buffer): AppendOutcome {
    return this.#append(batches, 'coordinator', true);
  }

  /** Appends one validated batch of a client. The bytes are patched in place. */
  appendAsLeader(batch: Buffer, isAllAcks: boolean): AppendOutcome {
    return this.#append(batch, 'client', isAllAcks);
  }

  #append(batches: Buffer, origin: 'client' | 'coordinator', isAllAcks: boolean): AppendOutcome {
    const errorCode = this.checkAppend(isAllAcks);
    const log = this.#log;
    if (errorCode !== Errors.NONE || log === undefined) return refused(errorCode, '');
    try {
      const appended = log.appendAsLeader(batches, this.leaderEpoch, origin);
      if (appended.outcome === 'refused') return refused(appended.errorCode, appended.message);
      const { baseOffset, lastOffset, outcome } = appended;
      if (outcome === 'appended') {
        this.watchers.changed(Change.end);
        this.#advanceHighWatermark();
      }
      const isStamped =
        outcome === 'duplicate' || this.#settings.validation.timestampType === 'LogAppendTime';
      const logAppendTimeMs = isStamped ? appended.maxTimestamp : -1;
      return { kind: 'appended', baseOffset, lastOffset, logAppendTimeMs };
    } catch (error) {
      return refused(storageCode(error), 'its log folder failed');
    }
  }

  /**
   * What an all-acks write up to `lastOffset` comes to: undefined while it is not yet on every
   * in-sync replica.
   */
  settled(lastOffset: Offset): number | undefined {
    if (this.#log === undefined) return Errors.KAFKA_STORAGE_ERROR;
    const leader = this.#leader;
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
    if (request.fetchOffset < 0n || request.fetchOffset > BigInt(log.endOffset)) {
      return failedRead(Errors.OFFSET_OUT_OF_RANGE);
    }
    try {
      return this.#readLog(log, request, Number(request.fetchOffset));
    } catch (error) {
      return failedRead(storageCode(error));
    }
  }

  #readLog(log: Log, request: ReadRequest, fetchOffset: Offset): PartitionRead {
    if (request.lastFetchedEpoch !== -1) {
      const end = log.endOffsetForEpoch(request.lastFetchedEpoch);
      if (end === undefined || fetchOffset < log.startOffset) {
        return failedRead(Errors.OFFSET_OUT_OF_RANGE);
      }
      if (end.epoch < request.lastFetchedEpoch || end.endOffset < fetchOffset) {
        return this.#shown(undefined, 0, end);
      }
    }
    const read = log.read(fetchOffset, {
      maxBytes: request.maxBytes,
      until: this.#bound(request.upTo),
      atLeastOneBatch: request.isAtLeastOneBatch,
    });
    if (read === undefined) return failedRead(Errors.OFFSET_OUT_OF_RANGE);
    return this.#shown(read.slice, read.sizeInBytes, undefined);
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

  #shown(
    slice: FileSlice | undefined,
    sizeInBytes: number,
    divergingEpoch: EpochAndEndOffset | undefined,
  ): PartitionRead {
    return {
      errorCode: Errors.NONE,
      highWatermark: this.highWatermark,
      lastStableOffset: this.lastStableOffset,
      startOffset: this.startOffset,
      slice,
      sizeInBytes,
      divergingEpoch,
    };
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

  /** For the replica of another broker: reads, and notes how far it is. */
  readAsReplica(id: NodeId, request: ReplicaReadRequest): PartitionRead {
    const errorCode = this.check(request);
    const leader = this.#leader;
    if (errorCode !== Errors.NONE || leader === undefined) return failedRead(errorCode);
    if (leader.follower(id) === undefined) {
      // With an epoch it may know of an assignment that is on its way here: it shall try again.
      return failedRead(
        request.leaderEpoch === -1 ? Errors.NOT_LEADER_OR_FOLLOWER : Errors.UNKNOWN_LEADER_EPOCH,
      );
    }
    if (this.world.peers.isStale(id, request.brokerEpoch)) {
      return failedRead(Errors.NOT_LEADER_OR_FOLLOWER);
    }
    const read = this.read(request);
    if (read.errorCode === Errors.NONE && read.divergingEpoch === undefined) {
      this.#noteFollower(leader, id, {
        endOffset: Number(request.fetchOffset),
        startOffset: request.startOffset,
        brokerEpoch: request.brokerEpoch,
      });
    }
    return read;
  }

  /** Notes what a follower has by its fetch; may raise the high watermark. */
  #noteFollower(leader: Leader, id: NodeId, fetch: FollowerFetch): void {
    const lowBefore = this.lowWatermark;
    const nowMs = this.world.clock.monotonicMs();
    const hasMoved = leader.fetched(id, fetch, this.endOffset, nowMs);
    if (hasMoved) this.#advanceHighWatermark();
    if (this.lowWatermark > lowBefore) this.watchers.changed(Change.logStart);
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
    const isHighWatermarkBehind =
      isolation !== undefined &&
      this.#leader !== undefined &&
      this.#leader.epochStartOffset > log.highWatermark;
    try {
      if (timestamp === LATEST_TIMESTAMP) {
        if (isHighWatermarkBehind) return offsetNotAvailable;
        return ok({ offset: bound, timestamp: -1, leaderEpoch: this.leaderEpoch });
      }
      const found = log.offsetForTimestamp(timestamp);
      const isBounded = timestamp !== EARLIEST_TIMESTAMP && timestamp !== EARLIEST_LOCAL_TIMESTAMP;
      if (!isBounded || (found !== undefined && found.offset < bound)) return ok(found);
      return isHighWatermarkBehind ? offsetNotAvailable : ok(undefined);
    } catch (error) {
      return refused(storageCode(error), '');
    }
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
    if (this.#leader === undefined) return refused(Errors.NOT_LEADER_OR_FOLLOWER, '');
    if (!this.#settings.log.isDeleting && this.#settings.log.isCompacting) {
      return refused(Errors.POLICY_VIOLATION, 'its cleanup.policy is compact alone');
    }
    const wanted = offset === -1n ? BigInt(log.highWatermark) : offset;
    if (wanted < 0n || wanted > BigInt(log.highWatermark)) {
      return refused(Errors.OFFSET_OUT_OF_RANGE, 'not up to the high watermark');
    }
    const required = Number(wanted);
    try {
      if (required > log.startOffset) {
        log.advanceStartOffset(required);
        this.watchers.changed(Change.logStart);
      }
      return ok({ lowWatermark: this.lowWatermark, required });
    } catch (error) {
      return refused(storageCode(error), '');
    }
  }

  /** The lowest start of all live replicas; on followers their own. */
  get lowWatermark(): Offset {
    const own = this.startOffset;
    return this.#leader?.lowWatermark(own, this.world.peers) ?? own;
  }

  /** Recomputes the leader's high watermark; it never falls. */
  #advanceHighWatermark(): void {
    const log = this.#log;
    const leader = this.#leader;
    if (log === undefined || leader === undefined) return;
    const { peers, replicaLagTimeMaxMs, clock } = this.world;
    const next = leader.highWatermark(
      log.claimableEndOffset,
      this.#settings.minInsyncReplicas,
      replicaLagTimeMaxMs,
      peers,
      clock.monotonicMs(),
    );
    if (next === undefined || next <= log.highWatermark) return;
    log.setHighWatermark(next);
    this.watchers.changed(Change.highWatermark | Change.lastStable);
  }
}

const offsetNotAvailable = refused(
  Errors.OFFSET_NOT_AVAILABLE,
  'the high watermark has not reached the start of this leader epoch',
);

function refused(
  errorCode: number,
  message: string,
): { readonly kind: 'refused'; readonly errorCode: number; readonly message: string } {
  return { kind: 'refused', errorCode, message };
}

const ok = <T>(value: T): Result<T> => ({ kind: 'ok', value });

/** A read that gives nothing; see `errorCode` of the copy. */
export const NO_READ: PartitionRead = {
  errorCode: Errors.NONE,
  highWatermark: -1,
  lastStableOffset: -1,
  startOffset: -1,
  slice: undefined,
  sizeInBytes: 0,
  divergingEpoch: undefined,
};

const failedRead = (errorCode: number): PartitionRead => ({ ...NO_READ, errorCode });

/** The code for a failing disk or a damaged batch; anything else is a bug and goes on. */
function storageCode(error: unknown): number {
  if (error instanceof StorageError) return Errors.KAFKA_STORAGE_ERROR;
  if (error instanceof CorruptLogError) return Errors.CORRUPT_MESSAGE;
  throw error;
}

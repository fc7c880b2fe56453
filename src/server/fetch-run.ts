/**
 * One fetch under way: reads its partitions within the limits, and waits where there is too little.
 */
import type { NodeId } from '../base/ids';
import { ZERO_UUID } from '../base/ids';
import type { RequestOf, ResponseDraft } from '../protocol/api';
import type { Fetch } from '../protocol/apis/fetch';
import { Errors } from '../protocol/errors';
import { NO_BYTES } from '../protocol/schema';
import type {
  News,
  Fetching as SessionFetching,
  SessionWatch,
  Wanted,
} from '../replication/fetch-sessions';
import { NO_READ, type Partition, type PartitionRead } from '../replication/partition';
import {
  ANY_CHANGE,
  Change,
  type Changes,
  type Waiter,
  type Watchers,
} from '../replication/waiting';
import type { FileSlice } from '../storage/log';
import type { Context } from './context';
import { currentLeader, NodeEndpoints } from './current-leader';
import { preferredReplica } from './preferred-replica';
import type { Services } from './services';

type Request = RequestOf<typeof Fetch>;
type Response = ResponseDraft<typeof Fetch>;
type PartitionResponse = NonNullable<Response['responses']>[number]['partitions'][number];

/** A partition's part of the response, and the bytes that it owns. */
export interface FetchAnswer {
  readonly wanted: Wanted;
  readonly response: PartitionResponse;
  readonly slice: FileSlice | undefined;
}

const READ_COMMITTED = 1;
const CONSUMER = -1;

type Fetching = Extract<SessionFetching, { kind: 'fetch' }>;

export class FetchRun {
  /** What was read last. */
  #wanted: readonly Wanted[] = [];
  /** Parallel to that. */
  #reads: PartitionRead[] = [];
  #hasWaited = false;
  /** Who is sent to another replica for that partition. */
  readonly #preferred = new Map<Wanted, NodeId>();
  readonly #nodeEndpoints: NodeEndpoints;
  readonly #replicaId: NodeId;
  readonly #maxBytes: number;
  readonly #minBytes: number;
  readonly #upTo: 'end' | 'high-watermark' | 'last-stable';
  readonly #isLeaderRequired: boolean;

  constructor(
    private readonly fetching: Fetching,
    private readonly request: Request,
    private readonly context: Context,
    private readonly services: Services,
  ) {
    this.#nodeEndpoints = new NodeEndpoints(services, context);
    this.#replicaId = FetchRun.replicaId(request);
    this.#maxBytes = Math.min(request.maxBytes, services.settings.fetchMaxBytes);
    this.#minBytes = Math.min(request.minBytes, this.#maxBytes);
    const isConsumer = this.#replicaId === CONSUMER;
    // KIP-392: clients from version 11 on may read from followers.
    this.#isLeaderRequired = this.isFromFollower || (isConsumer && context.apiVersion < 11);
    if (!isConsumer) this.#upTo = 'end';
    else if (request.isolationLevel === READ_COMMITTED) this.#upTo = 'last-stable';
    else this.#upTo = 'high-watermark';
  }

  /** -1 for consumers. From version 15 on it stands in another place. */
  static replicaId(request: Request): NodeId {
    return request.replicaId === CONSUMER ? request.replicaState.replicaId : request.replicaId;
  }

  get isFromFollower(): boolean {
    return this.#replicaId >= 0;
  }

  /** Reads in order what there is to read. */
  read(): void {
    let left = this.#maxBytes;
    let isFirst = true;
    this.#wanted = this.fetching.partitions();
    this.#reads = this.#wanted.map((wanted) => {
      const read = this.#readOne(wanted, Math.min(left, wanted.maxBytes), isFirst);
      // KIP-74: the first batch of the first partition with data comes whatever its size.
      if (read.sizeInBytes > 0) isFirst = false;
      left = Math.max(0, left - read.sizeInBytes);
      return read;
    });
  }

  #readOne(wanted: Wanted, maxBytes: number, isAtLeastOneBatch: boolean): PartitionRead {
    const partition = this.#partitionOf(wanted);
    if (typeof partition === 'number') return { ...NO_READ, errorCode: partition };
    const request = {
      fetchOffset: wanted.fetchOffset,
      leaderEpoch: wanted.currentLeaderEpoch,
      lastFetchedEpoch: wanted.lastFetchedEpoch,
      isLeaderRequired: this.#isLeaderRequired,
      maxBytes,
      isAtLeastOneBatch,
      upTo: this.#upTo,
    };
    if (!this.isFromFollower) return this.#redirect(partition, wanted) ?? partition.read(request);
    return partition.readAsReplica(this.#replicaId, {
      ...request,
      startOffset: wanted.logStartOffset,
      brokerEpoch: this.request.replicaState.replicaEpoch,
      isNoted: !this.#hasWaited,
    });
  }

  /** Nothing is read here for a consumer that has a nearer replica (KIP-392). */
  #redirect(partition: Partition, wanted: Wanted): PartitionRead | undefined {
    const { request, context, services } = this;
    if (context.apiVersion < 11) return undefined;
    const { fetchOffset, currentLeaderEpoch: leaderEpoch } = wanted;
    const nearer = preferredReplica(partition, fetchOffset, request.rackId, context, services);
    if (nearer === undefined) return undefined;
    const errorCode = partition.check({ leaderEpoch, isLeaderRequired: false });
    if (errorCode !== Errors.NONE) return { ...NO_READ, errorCode };
    this.#preferred.set(wanted, nearer);
    const { highWatermark, lastStableOffset, startOffset } = partition;
    return { ...NO_READ, highWatermark, lastStableOffset, startOffset };
  }

  /** The partition, or the error code that says why there is none. */
  #partitionOf(wanted: Wanted): Partition | number {
    const { topic, topicId, partition: index } = wanted;
    if (topic === '' && this.context.apiVersion >= 13) return Errors.UNKNOWN_TOPIC_ID;
    const partition = this.services.replicas.get(topic, index);
    if (partition === undefined) return this.services.replicas.absent(topic, index);
    if (topicId !== ZERO_UUID && partition.topicId !== topicId) return Errors.INCONSISTENT_TOPIC_ID;
    return partition;
  }

  /** Whether to answer at once: enough bytes, no wish to wait, or something to tell. */
  isEnough(): boolean {
    if (this.request.maxWaitMs <= 0 || this.#preferred.size > 0) return true;
    let bytes = 0;
    let isAnyReadable = this.fetching.quietCount() > 0;
    for (const read of this.#reads) {
      bytes += read.sizeInBytes;
      if (read.divergingEpoch !== undefined) return true;
      if (read.errorCode === Errors.NONE) isAnyReadable = true;
      // Partitions that do not exist hold back nobody, as in Kafka; other errors are told at once.
      else if (!isUnknown(read.errorCode)) return true;
    }
    return !isAnyReadable || bytes >= this.#minBytes;
  }

  /**
   * Waits until there is enough, something to tell, or the time is up; then reads once more and
   * gives what `respond` makes of it in the same turn.
   */
  wait<Response>(respond: () => Response): Promise<Response> {
    const { waiting } = this.services;
    this.#letGo();
    return new Promise((resolve) => {
      const waiter = waiting.waiter(this.#minBytes, this.request.maxWaitMs, () => {
        settled();
        this.#hasWaited = true;
        this.read();
        resolve(respond());
      });
      const settled = this.context.onClosed(() => waiter.cancel());
      if (this.fetching.watch === undefined) this.#watchEach(waiter);
      else this.#watchSession(waiter, this.fetching.watch);
      waiter.begin();
    });
  }

  #watchEach(waiter: Waiter): void {
    const changes = FetchRun.changes(this.#replicaId, this.#upTo);
    for (const wanted of this.#wanted) {
      const partition = this.#partitionOf(wanted);
      if (typeof partition === 'number') continue;
      waiter.watch(partition.watchers, changes, () => this.#measure(partition, wanted));
    }
  }

  /** One place stands for all partitions, and only those that change are measured again. */
  #watchSession(waiter: Waiter, watch: SessionWatch): void {
    const partitions = this.#wanted.map((wanted) => this.#partitionOf(wanted));
    watch.hear(partitions.map((one) => (typeof one === 'number' ? undefined : one.watchers)));
    const given = new Map<Wanted, number>();
    let sum = 0;
    const measure = (wanted: Wanted): void => {
      const partition = this.#partitionOf(wanted);
      if (typeof partition === 'number') return;
      const bytes = this.#measure(partition, wanted);
      if (!Number.isFinite(sum)) return;
      sum += bytes - (given.get(wanted) ?? 0);
      given.set(wanted, bytes);
    };
    for (const wanted of this.#wanted) measure(wanted);
    waiter.watch(watch.place, ANY_CHANGE, () => {
      for (const wanted of watch.takeChanged()) measure(wanted);
      return sum;
    });
  }

  #letGo(): void {
    for (const read of this.#reads) read.slice?.release();
    this.#reads = [];
  }

  /** What may give such a fetcher more, or be news to it. */
  static changes(replicaId: NodeId, upTo: 'end' | 'high-watermark' | 'last-stable'): Changes {
    const always = Change.role | Change.logStart;
    // A follower also waits to learn of a higher high watermark (KIP-1166).
    if (replicaId >= 0) return always | Change.end | Change.highWatermark;
    if (upTo === 'end') return always | Change.end;
    return always | (upTo === 'last-stable' ? Change.lastStable : Change.highWatermark);
  }

  /** How many bytes the partition gives now; Infinity when there is something to tell. */
  #measure(partition: Partition, wanted: Wanted): number {
    if (this.isFromFollower && BigInt(partition.highWatermark) > wanted.highWatermark) {
      return Number.POSITIVE_INFINITY;
    }
    const request = {
      fetchOffset: wanted.fetchOffset,
      leaderEpoch: wanted.currentLeaderEpoch,
      lastFetchedEpoch: wanted.lastFetchedEpoch,
      isLeaderRequired: this.#isLeaderRequired,
      maxBytes: Math.min(wanted.maxBytes, this.#minBytes),
      isAtLeastOneBatch: true,
      upTo: this.#upTo,
    };
    if (!this.isFromFollower) return partition.measure(request);
    return partition.measureAsReplica(this.#replicaId, request);
  }

  /** What the session needs to know of each answer. */
  news(): News[] {
    return this.#reads.map((read, index) => ({
      errorCode: read.errorCode,
      highWatermark: read.highWatermark,
      logStartOffset: read.startOffset,
      recordBytes: read.sizeInBytes,
      isRedirected: read.divergingEpoch !== undefined || this.#isSentAway(index),
      quietAt: this.#quietAt(index, read),
    }));
  }

  /** Where a partition tells when it has more; undefined where it is to be read again anyway. */
  #quietAt(index: number, read: PartitionRead): Watchers | undefined {
    const wanted = this.#wanted[index];
    if (!read.isAtEnd || wanted === undefined) return undefined;
    const partition = this.#partitionOf(wanted);
    if (typeof partition === 'number') return undefined;
    // Each fetch of a follower out of sync may let it in.
    if (this.isFromFollower && partition.leader?.isr.has(this.#replicaId) !== true)
      return undefined;
    return partition.watchers;
  }

  #isSentAway(index: number): boolean {
    const wanted = this.#preferred.size === 0 ? undefined : this.#wanted[index];
    return wanted !== undefined && this.#preferred.has(wanted);
  }

  /** In the order in which they were read. The slices are the caller's from now on. */
  answers(): FetchAnswer[] {
    return this.#wanted.map((wanted, index) => {
      const read = this.#reads[index] ?? NO_READ;
      return { wanted, response: this.#response(wanted, read), slice: read.slice };
    });
  }

  #response(wanted: Wanted, read: PartitionRead): PartitionResponse {
    return {
      partitionIndex: wanted.partition,
      errorCode: this.#shownCode(read.errorCode),
      highWatermark: read.highWatermark,
      lastStableOffset: read.lastStableOffset,
      logStartOffset: read.startOffset,
      abortedTransactions: this.#showsTransactions(read) ? read.abortedTransactions : null,
      records: read.slice ?? NO_BYTES,
      preferredReadReplica: this.#preferred.get(wanted) ?? -1,
      ...(read.divergingEpoch === undefined ? {} : { divergingEpoch: read.divergingEpoch }),
      ...this.#leaderHint(wanted, read.errorCode),
    };
  }

  /** Null says: not asked for. What does not exist shows an empty list, as in Kafka. */
  #showsTransactions({ errorCode }: PartitionRead): boolean {
    return isUnknown(errorCode) || (this.#upTo === 'last-stable' && errorCode === Errors.NONE);
  }

  /** Clients before version 6 do not know KAFKA_STORAGE_ERROR. */
  #shownCode(errorCode: number): number {
    const isTooNew = errorCode === Errors.KAFKA_STORAGE_ERROR && this.context.apiVersion <= 5;
    return isTooNew ? Errors.NOT_LEADER_OR_FOLLOWER : errorCode;
  }

  /** KIP-951: who leads, if the client asked the wrong broker. */
  #leaderHint(wanted: Wanted, errorCode: number): Pick<PartitionResponse, 'currentLeader'> {
    const isMisled =
      errorCode === Errors.NOT_LEADER_OR_FOLLOWER || errorCode === Errors.FENCED_LEADER_EPOCH;
    if (!isMisled || this.context.apiVersion < 16) return {};
    const leader = currentLeader(this.services, wanted.topic, wanted.partition);
    this.#nodeEndpoints.add(leader.leaderId);
    return { currentLeader: leader };
  }

  nodeEndpoints() {
    return this.#nodeEndpoints.list();
  }
}

const isUnknown = (errorCode: number): boolean =>
  errorCode === Errors.UNKNOWN_TOPIC_OR_PARTITION || errorCode === Errors.UNKNOWN_TOPIC_ID;

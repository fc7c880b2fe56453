/**
 * The quorum log on this machine: carries out what the core gives out (vote file, log, fsync,
 * checkpoints, sends), wakes it, and delivers what is committed to the owner of the log.
 */
import type { LeaderEpoch, NodeId, Offset } from '../base/ids';
import { invariant } from '../base/invariant';
import type { Timer } from '../platform/platform';
import { dataBatch, MAX_BATCH_BYTES } from './batches';
import { NEVER } from './connections';
import { controlBatch } from './control-records';
import { type LogOperation, type RaftSettings, type Ready, ROLE_CHANGED, type Send } from './core';
import { Delivery } from './delivery';
import type { QuorumDriverOptions } from './driver-options';
import { Incoming } from './incoming';
import type { OffsetAndEpoch } from './log-view';
import type { QuorumError, QuorumRequest } from './messages';
import { MetadataFolder } from './metadata-folder';
import {
  type Appended,
  BatchTooLargeError,
  type LeaderAndEpoch,
  NotLeaderError,
  type QuorumLog,
} from './quorum-log';
import { type QuorumStatus, Raft } from './raft';
import { type ServedResponse, Serving } from './serving';
import { SnapshotMaking } from './snapshot-making';
import { type Destination, staticVoterSet, type VoterSet } from './voters';

export * from './driver-options';

/** How long a Fetch of ours may wait at the leader (Kafka's own bound). */
const FETCH_MAX_WAIT_MS = 500;
/** How long a stop waits for others to take over at most. */
const HAND_OVER_MS = 700;

export class QuorumDriver<R> implements QuorumLog<R> {
  readonly #options: QuorumDriverOptions<R>;
  readonly #folder: MetadataFolder;
  readonly #raft: Raft;
  readonly #delivery: Delivery<R>;
  readonly #serving: Serving;
  readonly #incoming: Incoming;
  readonly #snapshots: SnapshotMaking<R>;
  #timer: { readonly atMs: number; readonly timer: Timer } | undefined;
  /** The vote, or a fetched checkpoint, is on its way to the disk: nothing overtakes it. */
  #isBusy = false;
  #flushIsDone = false;
  #deliveryIsDue = false;
  #leader: LeaderAndEpoch = { leaderId: undefined, epoch: -1, isSelf: false };
  #toldHighWatermark = 0;
  #failure: Error | undefined;
  #isClosed = false;
  readonly #idle: (() => void)[] = [];

  private constructor(options: QuorumDriverOptions<R>, folder: MetadataFolder) {
    const { platform, listener, serde } = options;
    this.#options = options;
    this.#folder = folder;
    this.#delivery = new Delivery(folder, serde, listener);
    this.#serving = new Serving(folder, platform.log);
    this.#incoming = new Incoming(folder, platform);
    const voters = staticVoterSet(options.listenerName, options.staticVoters);
    this.#raft = newRaft(options, folder, voters);
    this.#snapshots = new SnapshotMaking(options, folder, this.#delivery, this.#raft);
    folder.log.listen({ failed: (error) => this.#fail(error) });
  }

  /**
   * Opens the folder and takes up the role it says; a sole voter leads at once. Deliveries begin in
   * a turn of their own. Throws what keeps the folder from being used.
   */
  static async open<R>(options: QuorumDriverOptions<R>): Promise<QuorumDriver<R>> {
    const folder = await MetadataFolder.open(options.platform, options.folder, options.settings);
    const driver = new QuorumDriver(options, folder);
    driver.#drain();
    driver.#deliverSoon();
    return driver;
  }

  get leader(): LeaderAndEpoch {
    return this.#leader;
  }

  get highWatermark(): Offset {
    return this.#raft.highWatermark ?? 0;
  }

  get endOffset(): Offset {
    return this.#raft.log.endOffset;
  }

  get startOffset(): Offset {
    return this.#raft.log.startOffset;
  }

  get isVoter(): boolean {
    return this.#raft.isVoter;
  }

  /** The finalized kraft.version, committed or not. */
  get kraftVersion(): number {
    return this.#raft.history.lastKraftVersion;
  }

  /** The voters in force and where they are reached. */
  get voters(): VoterSet {
    return this.#raft.history.lastVoters;
  }

  /** Why this node takes no further part; undefined while it does. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  bootstrapRecords(): readonly R[] | undefined {
    return this.#folder.bootstrapRecords(this.#options.serde);
  }

  append(epoch: LeaderEpoch, records: readonly R[]): Appended {
    invariant(records.length > 0, 'an append has a record');
    this.#assertLeading(epoch);
    const { clock } = this.#options.platform;
    const baseOffset = this.#raft.log.endOffset;
    const timestampMs = clock.wallMs();
    const values = records.map((record) => this.#options.serde.encode(record));
    const batch = dataBatch(values, { baseOffset, epoch, timestampMs });
    if (batch.length > MAX_BATCH_BYTES) {
      throw new BatchTooLargeError(`a batch of ${batch.length} bytes is above ${MAX_BATCH_BYTES}`);
    }
    this.#folder.log.appendAsFollower(batch);
    const lastOffset = baseOffset + records.length - 1;
    this.#delivery.appended({
      baseOffset,
      lastOffset,
      epoch,
      appendTimestampMs: timestampMs,
      sizeBytes: batch.length,
      records,
    });
    this.#raft.appended(baseOffset, lastOffset, clock.monotonicMs());
    this.#drain();
    return { baseOffset, lastOffset };
  }

  resign(epoch: LeaderEpoch): void {
    this.#input((nowMs) => this.#raft.resign(epoch, nowMs));
  }

  /** Serves a request of another node or a tool. */
  request(request: QuorumRequest): Promise<ServedResponse> {
    if (this.#failure !== undefined || this.#isClosed) {
      const error = this.#isClosed ? 'BROKER_NOT_AVAILABLE' : 'KAFKA_STORAGE_ERROR';
      return Promise.resolve({ kind: 'refused', error });
    }
    const { ticket, answered } = this.#serving.open();
    this.#input((nowMs) => this.#raft.request(ticket, request, nowMs));
    return answered;
  }

  /** Undefined unless this node leads. */
  status(): QuorumStatus | undefined {
    return this.#raft.status(this.#options.platform.clock.monotonicMs());
  }

  /** UpdateFeatures of kraft.version (KIP-853): NONE, or why not. */
  upgradeKraftVersion(level: number, validateOnly: boolean): QuorumError {
    const { clock } = this.#options.platform;
    const error = this.#raft.upgradeKraftVersion(level, validateOnly, clock.monotonicMs());
    this.#drain();
    return error;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    if (this.#failure === undefined) await this.#handOver();
    this.#isClosed = true;
    this.#timer?.timer.cancel();
    this.#options.transport?.close();
    this.#serving.close('BROKER_NOT_AVAILABLE');
    await this.#snapshots.stop();
    await this.#whenIdle();
    this.#incoming.dropAll();
    await this.#folder.close();
  }

  #assertLeading(epoch: LeaderEpoch): void {
    if (this.#failure !== undefined) throw this.#failure;
    const isLeading = this.#leader.isSelf && this.#raft.role.kind === 'leader';
    if (!isLeading || this.#raft.epoch !== epoch || this.#isClosed) {
      throw new NotLeaderError(`node ${this.#options.nodeId} does not lead epoch ${epoch}`);
    }
    invariant(!this.#isBusy, 'a leader that was announced has written down that it is one');
  }

  #input(
    give: (nowMs: ReturnType<QuorumDriverOptions<R>['platform']['clock']['monotonicMs']>) => void,
  ): void {
    if (this.#failure !== undefined || this.#isClosed) return;
    give(this.#options.platform.clock.monotonicMs());
    this.#drain();
  }

  /** Carries out everything the core has given out, in order, as far as nothing is awaited. */
  #drain(): void {
    while (!this.#isBusy && this.#failure === undefined) {
      const ready = this.#raft.takeReady();
      if (ready === undefined) {
        if (!this.#flushIsDone) break;
        this.#flushIsDone = false;
        const nowMs = this.#options.platform.clock.monotonicMs();
        this.#raft.flushed(this.#folder.log.flushedEndOffset, nowMs);
        continue;
      }
      this.#log(ready);
      if (ready.electionState === undefined) this.#carryOut(ready);
      else {
        const written = this.#folder.writeVote(ready.electionState);
        this.#await(written, () => this.#carryOut(ready));
      }
    }
    this.#setTimer();
    if (this.#hasNews()) this.#deliverSoon();
  }

  /** Of roles that are left at once, as at the start of a sole voter, only the last is news. */
  #log({ lines }: Ready): void {
    const { log } = this.#options.platform;
    for (const [index, { level, event, fields }] of lines.entries()) {
      const isLeftAtOnce = event === ROLE_CHANGED && lines[index + 1]?.event === ROLE_CHANGED;
      log.log(isLeftAtOnce ? 'debug' : level, event, fields);
    }
  }

  /** Lets nothing pass until `work` is done. */
  #await(work: Promise<void>, then: () => void): void {
    this.#isBusy = true;
    work.then(
      () => {
        this.#isBusy = false;
        for (const wake of this.#idle.splice(0)) wake();
        if (this.#failure !== undefined) return;
        then();
        this.#drain();
      },
      (error: unknown) => {
        this.#isBusy = false;
        for (const wake of this.#idle.splice(0)) wake();
        this.#fail(error);
      },
    );
  }

  #carryOut(ready: Ready): void {
    try {
      for (const operation of ready.log) this.#operate(operation);
      for (const send of ready.sends) this.#send(send);
      for (const { ticket, response } of ready.replies) this.#serving.answer(ticket, response);
    } catch (error) {
      this.#fail(error);
    }
  }

  #operate(operation: LogOperation): void {
    const { log } = this.#folder;
    switch (operation.kind) {
      case 'append-control': {
        const { records, baseOffset, epoch } = operation;
        const timestampMs = this.#options.platform.clock.wallMs();
        log.appendAsFollower(controlBatch(records, { baseOffset, epoch, timestampMs }));
        return;
      }
      case 'append-fetched':
        log.appendAsFollower(Buffer.concat(operation.batches.map(({ bytes }) => bytes)));
        return;
      case 'truncate':
        log.truncateTo(operation.offset);
        return;
      case 'flush':
        log.flush().then(
          () => {
            this.#flushIsDone = true;
            this.#drain();
          },
          (error: unknown) => this.#fail(error),
        );
        return;
      case 'begin-snapshot':
        this.#incoming.begin(operation.id);
        return;
      case 'append-snapshot':
        this.#incoming.append(operation.id, operation.bytes);
        return;
      case 'drop-snapshot':
        this.#incoming.drop(operation.id);
        return;
      case 'install-snapshot':
        this.#install(operation.id);
        return;
    }
  }

  #install(id: OffsetAndEpoch): void {
    this.#await(this.#incoming.complete(id), () => {
      const reader = this.#folder.openSnapshot(id);
      const { quorum } = reader.head;
      reader.close();
      this.#folder.startAt(id);
      this.#raft.installed(id, quorum, this.#options.platform.clock.monotonicMs());
    });
  }

  #send({ to, requestId, request }: Send): void {
    const { transport } = this.#options;
    invariant(transport !== undefined, 'a node that is not alone can send');
    transport.send(to, request).then(
      (answer) => this.#input((nowMs) => this.#raft.answer(to.id, requestId, answer, nowMs)),
      () => {
        const refused = { kind: 'refused', error: 'BROKER_NOT_AVAILABLE' } as const;
        this.#input((nowMs) => this.#raft.answer(to.id, requestId, refused, nowMs));
      },
    );
  }

  #setTimer(): void {
    const atMs = this.#raft.wakeAtMs;
    if (this.#isClosed || this.#failure !== undefined) return;
    if (this.#timer !== undefined) {
      // One that comes too early does no harm, one that is cancelled costs.
      if (this.#timer.atMs <= atMs && atMs !== NEVER) return;
      this.#timer.timer.cancel();
      this.#timer = undefined;
    }
    if (atMs === NEVER) return;
    const { clock } = this.#options.platform;
    const timer = clock.setTimer(Math.max(0, atMs - clock.monotonicMs()), () => {
      this.#timer = undefined;
      this.#input((nowMs) => this.#raft.tick(nowMs));
    });
    this.#timer = { atMs, timer };
  }

  #hasNews(): boolean {
    return (
      this.#delivery.nextOffset < this.highWatermark ||
      this.#toldHighWatermark < this.highWatermark ||
      !sameLeader(this.#leader, this.#currentLeader())
    );
  }

  /** In a step of its own, so that no listener runs within a call to this class. */
  #deliverSoon(): void {
    if (this.#deliveryIsDue || this.#isClosed) return;
    this.#deliveryIsDue = true;
    this.#options.platform.clock.afterTurn(() => {
      this.#deliveryIsDue = false;
      this.#deliver();
    });
  }

  #deliver(): void {
    if (this.#isClosed || this.#failure !== undefined) return;
    try {
      this.#tellLeader();
      const hasMore = !this.#isBusy && this.#deliverSlice();
      this.#tellLeader();
      this.#snapshots.maybeStart();
      if (hasMore) this.#options.platform.clock.nextTurn(() => this.#deliver());
    } catch (error) {
      this.#fail(error);
    }
  }

  /** True if there is more to deliver. */
  #deliverSlice(): boolean {
    const { log } = this.#raft;
    const latest = log.latestSnapshot;
    const { nextOffset } = this.#delivery;
    const isNew = nextOffset === 0 && latest !== undefined && latest.offset > 0;
    if (latest !== undefined && (isNew || nextOffset < log.startOffset)) {
      this.#delivery.loadSnapshot(latest);
    }
    const { highWatermark } = this;
    this.#folder.log.setHighWatermark(highWatermark);
    const hasMore = this.#delivery.deliver(highWatermark);
    const told = Math.min(highWatermark, this.#delivery.nextOffset);
    if (told > this.#toldHighWatermark) {
      this.#toldHighWatermark = told;
      this.#options.listener.highWatermarkRaised(told);
    }
    return hasMore;
  }

  #tellLeader(): void {
    const leader = this.#currentLeader();
    if (sameLeader(leader, this.#leader)) return;
    if (this.#leader.isSelf) this.#delivery.forgetOwn();
    this.#leader = leader;
    this.#options.listener.leaderChanged(leader);
  }

  #currentLeader(): LeaderAndEpoch {
    const { role, epoch } = this.#raft;
    if (role.kind === 'leader') {
      const isSelf = this.#delivery.nextOffset > role.epochStartOffset;
      return { leaderId: isSelf ? this.#options.nodeId : undefined, epoch, isSelf };
    }
    const leaderId: NodeId | undefined = role.kind === 'resigned' ? undefined : this.#raft.leaderId;
    return { leaderId, epoch, isSelf: false };
  }

  /** The folder failed, or holds what this build cannot read: this node ends its part. */
  #fail(cause: unknown): void {
    if (this.#failure !== undefined || this.#isClosed) return;
    const error = cause instanceof Error ? cause : new Error(String(cause));
    this.#failure = error;
    this.#timer?.timer.cancel();
    this.#options.platform.log.error('metadata log failed', { error });
    this.#serving.close('KAFKA_STORAGE_ERROR');
    this.#options.platform.clock.nextTurn(() => {
      if (this.#leader.leaderId !== undefined) {
        this.#leader = { leaderId: undefined, epoch: this.#leader.epoch, isSelf: false };
        this.#options.listener.leaderChanged(this.#leader);
      }
      this.#options.listener.failed(error);
    });
  }

  /** Lets another voter lead before this one goes. */
  async #handOver(): Promise<void> {
    const { clock } = this.#options.platform;
    this.#input((nowMs) => this.#raft.shutDown(nowMs));
    const untilMs = clock.monotonicMs() + HAND_OVER_MS;
    while (!this.#raft.isDone && this.#failure === undefined && clock.monotonicMs() < untilMs) {
      await clock.sleep(10);
    }
  }

  async #whenIdle(): Promise<void> {
    if (this.#isBusy) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }
}

function newRaft<R>(
  options: QuorumDriverOptions<R>,
  folder: MetadataFolder,
  staticVoters: VoterSet,
): Raft {
  const { platform, settings } = options;
  const raftSettings: RaftSettings = { ...settings, fetchMaxWaitMs: FETCH_MAX_WAIT_MS };
  return new Raft(
    {
      clusterId: options.clusterId,
      self: { id: options.nodeId, directoryId: options.folder.directoryId },
      canBecomeVoter: options.isController,
      endpoints: options.endpoints,
      listenerName: options.listenerName,
      bootstrapServers: bootstrapServers(options),
      settings: raftSettings,
      below: (bound) => platform.random.below(bound),
      log: folder.view(),
      history: folder.history(staticVoters),
      electionState: folder.readVote(),
    },
    platform.clock.monotonicMs(),
  );
}

/** Servers whose ids are unknown get ids of their own, from -2 down, as in Kafka. */
function bootstrapServers<R>(options: QuorumDriverOptions<R>): readonly Destination[] {
  if (options.bootstrapServers.length === 0) {
    return options.staticVoters.filter(({ id }) => id !== options.nodeId);
  }
  return options.bootstrapServers.map(({ host, port }, index) => ({ id: -2 - index, host, port }));
}

const sameLeader = (one: LeaderAndEpoch, other: LeaderAndEpoch): boolean =>
  one.leaderId === other.leaderId && one.epoch === other.epoch && one.isSelf === other.isSelf;

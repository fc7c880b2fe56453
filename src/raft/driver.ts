/**
 * The quorum log on this machine: carries out what the core gives out (vote file, log, fsync,
 * checkpoints, sends), wakes it, and delivers what is committed to the owner of the log.
 */
import type { LeaderEpoch, Offset } from '../base/ids';
import { InvariantError, invariant } from '../base/invariant';
import type { MonotonicMs } from '../base/times';
import { ChannelError } from '../client/channel';
import type { Timer } from '../platform/platform';
import { dataBatch, MAX_BATCH_BYTES } from './batches';
import { NEVER } from './connections';
import { controlBatch } from './control-records';
import { type LogOperation, newsOf, type Ready, type Send } from './core';
import { coreOf } from './core-of-folder';
import { Delivery } from './delivery';
import type { QuorumDriverOptions } from './driver-options';
import { Incoming } from './incoming';
import type { HeardLeader } from './leader-role';
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
import type { QuorumStatus, Raft } from './raft';
import { type ServedResponse, Serving } from './serving';
import { SnapshotMaking } from './snapshot-making';
import { Telling } from './telling';
import type { Destination, VoterSet } from './voters';

/** How long a stop waits for others to take over at most. */
const HAND_OVER_MS = 700;

export class QuorumDriver<R> implements QuorumLog<R> {
  readonly #options: QuorumDriverOptions<R>;
  readonly #folder: MetadataFolder;
  readonly #raft: Raft;
  readonly #delivery: Delivery<R>;
  readonly #telling: Telling<R>;
  readonly #serving: Serving;
  readonly #incoming: Incoming;
  readonly #snapshots: SnapshotMaking<R>;
  #timer: { readonly atMs: number; readonly timer: Timer } | undefined;
  /** The vote, or a fetched checkpoint, is on its way to the disk: nothing overtakes it. */
  #isBusy = false;
  #flushIsDone = false;
  #deliveryIsDue = false;
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
    this.#raft = coreOf(options, folder);
    this.#telling = new Telling(options, folder, this.#raft, this.#delivery);
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
    return this.#telling.leader;
  }

  /** Where the leader is reached; undefined while none is known, and on the leader itself. */
  get leaderDestination(): Destination | undefined {
    return this.#raft.leaderDestination;
  }

  /** Who led before this node does, and when it was heard last; undefined where nobody was. */
  get formerLeader(): HeardLeader | undefined {
    return this.#raft.formerLeader;
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
    this.#write(batch);
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

  /**
   * The owner acts on everything delivered before `endOffset` now: the leader is told, as this
   * node's high watermark. Needs `isToldWhatIsApplied`.
   */
  applied(endOffset: Offset): void {
    this.#input((nowMs) => this.#raft.applied(endOffset, nowMs));
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
    await this.#folder.close(this.#failure !== undefined);
  }

  #assertLeading(epoch: LeaderEpoch): void {
    if (this.#failure !== undefined) throw this.#failure;
    const isLeading = this.#telling.leader.isSelf && this.#raft.role.kind === 'leader';
    if (!isLeading || this.#raft.epoch !== epoch || this.#isClosed) {
      throw new NotLeaderError(`node ${this.#options.nodeId} does not lead epoch ${epoch}`);
    }
    invariant(!this.#isBusy, 'a leader that was announced has written down that it is one');
  }

  #input(give: (nowMs: MonotonicMs) => void): void {
    if (this.#failure !== undefined || this.#isClosed) return;
    this.#orFail(() => give(this.#options.platform.clock.monotonicMs()));
    this.#drain();
  }

  /** Of what throws here nobody else would hear. */
  #orFail(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Carries out everything the core has given out, in order, as far as nothing is awaited. */
  #drain(): void {
    this.#orFail(() => this.#carryOutAll());
  }

  #carryOutAll(): void {
    while (!this.#isBusy && this.#failure === undefined) {
      const ready = this.#raft.takeReady();
      if (ready === undefined) {
        if (!this.#flushIsDone) break;
        this.#flushIsDone = false;
        const nowMs = this.#options.platform.clock.monotonicMs();
        this.#raft.flushed(this.#folder.log.flushedEndOffset, nowMs);
        continue;
      }
      const { log } = this.#options.platform;
      for (const { level, event, fields } of newsOf(ready)) log.log(level, event, fields);
      if (ready.electionState === undefined) this.#carryOut(ready);
      else {
        const written = this.#folder.writeVote(ready.electionState);
        this.#await(written, () => this.#carryOut(ready));
      }
    }
    this.#setTimer();
    if (this.#telling.hasNews) this.#deliverSoon();
  }

  /** Lets nothing pass until `work` is done. */
  #await(work: Promise<void>, then: () => void): void {
    this.#isBusy = true;
    work.then(
      () => {
        this.#isBusy = false;
        for (const wake of this.#idle.splice(0)) wake();
        if (this.#failure !== undefined) return;
        this.#orFail(then);
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
    for (const operation of ready.log) this.#operate(operation);
    for (const send of ready.sends) this.#send(send);
    for (const { ticket, response } of ready.replies) this.#serving.answer(ticket, response);
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
      (failure: unknown) => {
        if (failure instanceof InvariantError) this.#fail(failure);
        const isGone = failure instanceof ChannelError && failure.isRefused;
        const refused = { kind: 'refused', error: 'BROKER_NOT_AVAILABLE', isGone } as const;
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
    this.#orFail(() => {
      const rest = this.#telling.tell(!this.#isBusy);
      this.#snapshots.maybeStart();
      if (rest === 'more') this.#options.platform.clock.nextTurn(() => this.#deliver());
    });
  }

  /** The folder failed, or holds what this build cannot read: this node ends its part. */
  #fail(cause: unknown): void {
    if (this.#failure !== undefined || this.#isClosed) return;
    const { folder, platform } = this.#options;
    const reason = folder.failureOf(`using ${this.#folder.path}`, cause);
    // A folder that fails tells all its logs, this one too, within the call.
    if (this.#failure !== undefined) return;
    const error = reason instanceof Error ? reason : new Error(String(reason));
    this.#failure = error;
    this.#timer?.timer.cancel();
    platform.log.error('metadata log failed', { error });
    this.#serving.close('KAFKA_STORAGE_ERROR');
    platform.clock.nextTurn(() => this.#telling.tellFailure(error));
  }

  /** What fails here leaves the log in doubt: this node ends its part, and whoever asked hears. */
  #write(batch: Buffer): void {
    try {
      this.#folder.log.appendAsFollower(batch);
    } catch (error) {
      this.#fail(error);
      throw error;
    }
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

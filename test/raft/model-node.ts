/**
 * One node of a modelled quorum: the real core over a disk and a log that are plain data, carrying
 * out what the core gives out in the order it demands. Whoever drives it decides when a write
 * becomes durable and when the node crashes.
 */
import { invariant } from '../../src/base/invariant';
import { type MonotonicMs, monotonicMs } from '../../src/base/times';
import type { LogOperation, RaftSettings, Ready, Send } from '../../src/raft/core';
import { QuorumHistory, type QuorumRecords } from '../../src/raft/history';
import { LogView, type OffsetAndEpoch } from '../../src/raft/log-view';
import type {
  ControlRecord,
  FetchedBatch,
  IncomingResponse,
  QuorumRequest,
  QuorumResponse,
} from '../../src/raft/messages';
import { Raft } from '../../src/raft/raft';
import type { ElectionState } from '../../src/raft/vote-file';
import type { Destination, ReplicaKey, VoterSet } from '../../src/raft/voters';

export interface Batch {
  readonly baseOffset: number;
  readonly lastOffset: number;
  readonly epoch: number;
  readonly values: readonly string[];
  readonly records: QuorumRecords;
}

/** What a snapshot stands for: every value before its end, and the quorum as of then. */
interface Snapshot {
  readonly id: OffsetAndEpoch;
  readonly values: readonly string[];
  readonly records: QuorumRecords;
}

/** What survives the process; what is behind `flushedEnd` does not survive a power loss. */
export interface Disk {
  electionState: ElectionState | undefined;
  /** Values of the log before its start come from the newest snapshot. */
  startOffset: number;
  batches: Batch[];
  flushedEnd: number;
  snapshots: Snapshot[];
}

export interface ModelOptions {
  readonly self: ReplicaKey;
  readonly staticVoters: VoterSet;
  readonly bootstrapServers: readonly Destination[];
  readonly settings: RaftSettings;
  readonly below: (bound: number) => number;
  readonly canBecomeVoter?: boolean;
}

/** How many batches one Fetch gives at most. */
const BATCHES_PER_FETCH = 3;
/** How many values of a snapshot one FetchSnapshot gives at most. */
const VALUES_PER_CHUNK = 4;

export const newDisk = (): Disk => ({
  electionState: undefined,
  startOffset: 0,
  batches: [],
  flushedEnd: 0,
  snapshots: [],
});

export const endOf = (disk: Disk): number =>
  (disk.batches.at(-1)?.lastOffset ?? disk.startOffset - 1) + 1;

const latestOf = ({ snapshots }: Disk): Snapshot | undefined =>
  [...snapshots].sort((one, other) => one.id.offset - other.id.offset).at(-1);

export class ModelNode {
  readonly raft: Raft;
  /** Given out by the core and waiting for the vote to become durable. */
  pending: Ready | undefined;
  /** The end that an fsync under way will make durable. */
  flushing: number | undefined;
  /** A snapshot whose last byte is there, waiting to become durable. */
  installing: OffsetAndEpoch | undefined;
  readonly #options: ModelOptions;
  readonly #incoming = new Map<string, string[]>();
  readonly #tickets = new Map<number, (response: QuorumResponse) => void>();
  #lastTicket = 0;
  #wantsFlush = false;

  constructor(
    readonly disk: Disk,
    options: ModelOptions,
    readonly send: (send: Send) => void,
    nowMs: MonotonicMs,
    readonly onLine: (line: Ready['lines'][number]) => void = () => {},
  ) {
    this.#options = options;
    this.#settleSnapshots();
    this.raft = new Raft(
      {
        clusterId: 'cluster',
        self: options.self,
        canBecomeVoter: options.canBecomeVoter ?? true,
        endpoints: [{ name: 'CONTROLLER', host: `host-${options.self.id}`, port: 9093 }],
        listenerName: 'CONTROLLER',
        bootstrapServers: options.bootstrapServers,
        settings: options.settings,
        below: options.below,
        log: this.#loadLog(),
        history: this.#loadHistory(),
        electionState: disk.electionState,
      },
      nowMs,
    );
    disk.flushedEnd = endOf(disk);
    this.drain(nowMs);
  }

  tick(nowMs: MonotonicMs): void {
    this.raft.tick(nowMs);
    this.drain(nowMs);
  }

  request(
    request: QuorumRequest,
    done: (response: QuorumResponse) => void,
    nowMs: MonotonicMs,
  ): void {
    this.#lastTicket++;
    this.#tickets.set(this.#lastTicket, done);
    this.raft.request(this.#lastTicket, request, nowMs);
    this.drain(nowMs);
  }

  answer(fromId: number, requestId: number, answer: IncomingResponse, nowMs: MonotonicMs): void {
    this.raft.answer(fromId, requestId, answer, nowMs);
    this.drain(nowMs);
  }

  /** As the leader; false if it does not lead, or is not settled as one yet. */
  propose(values: readonly string[], nowMs: MonotonicMs): boolean {
    if (this.raft.role.kind !== 'leader' || this.pending !== undefined) return false;
    const baseOffset = this.raft.log.endOffset;
    const lastOffset = baseOffset + values.length - 1;
    this.#write({ baseOffset, lastOffset, epoch: this.raft.epoch, values, records: {} });
    this.raft.appended(baseOffset, lastOffset, nowMs);
    this.drain(nowMs);
    return true;
  }

  /** The vote under way is durable now. */
  persisted(nowMs: MonotonicMs): void {
    const ready = this.pending;
    if (ready === undefined) return;
    this.pending = undefined;
    this.disk.electionState = ready.electionState;
    this.#carryOut(ready);
    this.drain(nowMs);
  }

  flushed(nowMs: MonotonicMs): void {
    if (this.flushing === undefined) return;
    this.disk.flushedEnd = Math.max(
      this.disk.flushedEnd,
      Math.min(this.flushing, endOf(this.disk)),
    );
    this.flushing = undefined;
    this.#settleFlush(nowMs);
  }

  installed(nowMs: MonotonicMs): void {
    const id = this.installing;
    if (id === undefined || this.pending !== undefined) return;
    this.installing = undefined;
    const records = this.#install(id);
    this.raft.installed(id, records, nowMs);
    this.drain(nowMs);
  }

  /** Makes a snapshot at a committed offset; false if there is nothing new to put into one. */
  makeSnapshot(): boolean {
    const highWatermark = this.raft.highWatermark ?? 0;
    const batch = this.disk.batches.filter(({ lastOffset }) => lastOffset < highWatermark).at(-1);
    if (batch === undefined || this.pending !== undefined || this.installing !== undefined)
      return false;
    const id = { offset: batch.lastOffset + 1, epoch: batch.epoch };
    if (this.raft.log.hasSnapshot(id)) return false;
    this.disk.snapshots.push({
      id,
      values: this.values(id.offset),
      records: this.#quorumAt(id.offset),
    });
    this.raft.snapshotMade(id);
    this.#deleteBefore(id);
    return true;
  }

  /** Every value from offset 0 up to `end`. */
  values(end: number): string[] {
    const snapshot = this.disk.snapshots.find(({ id }) => id.offset === this.disk.startOffset);
    const values = this.disk.startOffset === 0 ? [] : [...(snapshot?.values ?? [])];
    for (const batch of this.disk.batches) values.push(...batch.values);
    return values.slice(0, end);
  }

  drain(nowMs: MonotonicMs): void {
    while (this.pending === undefined) {
      const ready = this.raft.takeReady();
      if (ready === undefined) break;
      for (const line of ready.lines) this.onLine(line);
      if (ready.electionState !== undefined) this.pending = ready;
      else this.#carryOut(ready);
    }
    this.#settleFlush(nowMs);
  }

  #settleFlush(nowMs: MonotonicMs): void {
    if (!this.#wantsFlush || this.pending !== undefined) return;
    if (this.disk.flushedEnd >= endOf(this.disk)) {
      this.#wantsFlush = false;
      this.raft.flushed(this.disk.flushedEnd, nowMs);
      this.drain(nowMs);
    } else if (this.flushing === undefined) this.flushing = endOf(this.disk);
  }

  #carryOut(ready: Ready): void {
    for (const operation of ready.log) this.#operate(operation);
    for (const send of ready.sends) this.send(send);
    for (const { ticket, response } of ready.replies) {
      const done = this.#tickets.get(ticket);
      invariant(done !== undefined, 'a ticket is answered once');
      this.#tickets.delete(ticket);
      done(response);
    }
  }

  #operate(operation: LogOperation): void {
    switch (operation.kind) {
      case 'append-control': {
        const { baseOffset, epoch, records } = operation;
        const lastOffset = baseOffset + records.length - 1;
        const values = records.map(nameOf);
        this.#write({
          baseOffset,
          lastOffset,
          epoch,
          values,
          records: recordsOf(baseOffset, records),
        });
        return;
      }
      case 'append-fetched':
        for (const { baseOffset, lastOffset, epoch, bytes, records } of operation.batches) {
          const values = JSON.parse(Buffer.from(bytes).toString()) as string[];
          this.#write({ baseOffset, lastOffset, epoch, values, records });
        }
        return;
      case 'truncate':
        this.disk.batches = this.disk.batches.filter(
          ({ lastOffset }) => lastOffset < operation.offset,
        );
        this.disk.flushedEnd = Math.min(this.disk.flushedEnd, operation.offset);
        this.flushing = undefined;
        invariant(endOf(this.disk) === operation.offset, 'a log is truncated between batches');
        return;
      case 'flush':
        this.#wantsFlush = true;
        return;
      case 'begin-snapshot':
        this.#incoming.set(key(operation.id), []);
        return;
      case 'append-snapshot':
        this.#incoming.get(key(operation.id))?.push(Buffer.from(operation.bytes).toString());
        return;
      case 'drop-snapshot':
        this.#incoming.delete(key(operation.id));
        return;
      case 'install-snapshot':
        this.installing = operation.id;
        return;
    }
  }

  #write(batch: Batch): void {
    invariant(batch.baseOffset === endOf(this.disk), 'a batch goes to the end of the log');
    this.disk.batches.push(batch);
    this.onWrite(batch);
  }

  onWrite: (batch: Batch) => void = () => {};

  #install(id: OffsetAndEpoch): QuorumRecords {
    const text = (this.#incoming.get(key(id)) ?? []).join('');
    this.#incoming.delete(key(id));
    const snapshot = JSON.parse(text, revive) as Snapshot;
    this.disk.snapshots = [snapshot];
    this.disk.startOffset = id.offset;
    this.disk.batches = [];
    this.disk.flushedEnd = id.offset;
    this.flushing = undefined;
    return snapshot.records;
  }

  /** Keeps the log from the newest snapshot but one on, as a retention would. */
  #deleteBefore(id: OffsetAndEpoch): void {
    if (this.#options.below(2) === 0) return;
    this.disk.snapshots = this.disk.snapshots.filter((snapshot) => snapshot.id.offset >= id.offset);
    this.disk.batches = this.disk.batches.filter(({ lastOffset }) => lastOffset >= id.offset);
    this.disk.startOffset = id.offset;
    this.raft.deletedBefore(id);
  }

  #quorumAt(end: number): QuorumRecords {
    const voters = this.raft.history.votersAt(end - 1);
    const level = this.raft.history.kraftVersionAt(end - 1);
    return level === 0 || voters === undefined
      ? {}
      : { kraftVersion: { offset: end - 1, level }, voters: { offset: end - 1, set: voters } };
  }

  /** A checkpoint that the log does not reach takes its place, as on a real disk. */
  #settleSnapshots(): void {
    const latest = latestOf(this.disk);
    if (latest === undefined || latest.id.offset <= endOf(this.disk)) return;
    this.disk.snapshots = [latest];
    this.disk.startOffset = latest.id.offset;
    this.disk.batches = [];
  }

  #loadLog(): LogView {
    const { startOffset, batches, snapshots } = this.disk;
    const epochs: { epoch: number; startOffset: number }[] = [];
    for (const { baseOffset, epoch } of batches) {
      if (epoch > (epochs.at(-1)?.epoch ?? -1)) epochs.push({ epoch, startOffset: baseOffset });
    }
    return new LogView({
      startOffset,
      endOffset: endOf(this.disk),
      epochs,
      snapshots: snapshots.map(({ id }) => id),
    });
  }

  #loadHistory(): QuorumHistory {
    const history = new QuorumHistory(this.#options.staticVoters);
    const latest = latestOf(this.disk);
    if (latest !== undefined) history.reset(latest.records);
    for (const { baseOffset, records } of this.disk.batches) {
      if (baseOffset >= (latest?.id.offset ?? 0)) history.add(records);
    }
    return history;
  }

  /** The answer as it looks to the one who asked. */
  toWire(response: QuorumResponse): IncomingResponse {
    if (response.kind === 'fetch') {
      const { error, leader, highWatermark, outcome } = response;
      const head = { kind: 'fetch', error, leader, highWatermark } as const;
      if (outcome.kind === 'read') {
        return { ...head, outcome: { kind: 'batches', batches: this.#read(outcome.from) } };
      }
      return {
        ...head,
        outcome: outcome.kind === 'nothing' ? { kind: 'batches', batches: [] } : outcome,
      };
    }
    if (response.kind === 'fetch-snapshot') {
      const { error, leader, snapshot, position } = response;
      const stored = this.disk.snapshots.find(({ id }) => key(id) === key(snapshot));
      const bytes = Buffer.from(JSON.stringify(stored ?? null, replace));
      const chunk = bytes.subarray(position, position + VALUES_PER_CHUNK * 16);
      return {
        kind: 'fetch-snapshot',
        error,
        leader,
        snapshot,
        position,
        size: bytes.length,
        bytes: chunk,
      };
    }
    return response;
  }

  #read(from: number): FetchedBatch[] {
    return this.disk.batches
      .filter(({ baseOffset }) => baseOffset >= from)
      .slice(0, BATCHES_PER_FETCH)
      .map(({ values, ...batch }) => ({ ...batch, bytes: Buffer.from(JSON.stringify(values)) }));
  }
}

const key = ({ offset, epoch }: OffsetAndEpoch): string => `${offset}-${epoch}`;

const nameOf = (record: ControlRecord): string =>
  record.kind === 'leader-change'
    ? `leader ${record.leaderId}`
    : record.kind === 'voters'
      ? `voters ${[...record.voters.keys()].join(',')}`
      : `kraft.version ${record.level}`;

function recordsOf(baseOffset: number, records: readonly ControlRecord[]): QuorumRecords {
  let result: QuorumRecords = {};
  for (const [delta, record] of records.entries()) {
    const offset = baseOffset + delta;
    if (record.kind === 'kraft-version') {
      result = { ...result, kraftVersion: { offset, level: record.level } };
    } else if (record.kind === 'voters')
      result = { ...result, voters: { offset, set: record.voters } };
  }
  return result;
}

const replace = (_: string, value: unknown): unknown =>
  value instanceof Map ? { $entries: [...value] } : value;

const revive = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && '$entries' in value
    ? new Map((value as { $entries: [unknown, unknown][] }).$entries)
    : value;

export const at = (ms: number): MonotonicMs => monotonicMs(ms);

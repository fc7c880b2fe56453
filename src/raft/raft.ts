/**
 * The core of the quorum: KRaft (KIP-595, 630, 853, 996) without I/O. Inputs are `tick`, `request`,
 * `answer`, `appended`, `flushed`, `installed`; after each of them `takeReady` says what is to be
 * made durable, sent and answered, in that order. What the core knows of the log is the log as it
 * is once everything it gave out has been carried out.
 */
import type { LeaderEpoch, NodeId, Offset } from '../base/ids';
import { invariant, unreachable } from '../base/invariant';
import { type MonotonicMs, monotonicMs } from '../base/times';
import { handleAnswer } from './answers';
import { pollElection, serveVote } from './candidate';
import { Connections, NEVER, type RequestId } from './connections';
import {
  type Core,
  currentLeader,
  emptyOutbox,
  knownLeader,
  type RaftSettings,
  type Ready,
  reply,
  selfIsOnlyVoter,
  selfIsVoter,
  type Ticket,
} from './core';
import { serveBeginQuorumEpoch, serveEndQuorumEpoch } from './epochs';
import { pollFollower, pollUnattached } from './follower';
import type { QuorumHistory, QuorumRecords } from './history';
import { pollLeader } from './leader';
import { serveFetch, serveFetchSnapshot } from './leader-fetch';
import { activeObservers, type HeardLeader, type Progress } from './leader-role';
import type { LogView, OffsetAndEpoch } from './log-view';
import type { IncomingResponse, QuorumError, QuorumRequest, QuorumResponse } from './messages';
import type { Role } from './quorum';
import { pollResigned } from './resigned';
import { startingRole } from './starting';
import { becomeProspective } from './transitions';
import type { ElectionState } from './vote-file';
import {
  serveAddVoter,
  serveRemoveVoter,
  serveUpdateVoter,
  upgradeKraftVersion,
} from './voter-changes';
import { type Destination, destinationOf, type Endpoint, type ReplicaKey } from './voters';

export interface RaftOptions {
  readonly clusterId: string;
  readonly self: ReplicaKey;
  readonly canBecomeVoter: boolean;
  readonly endpoints: readonly Endpoint[];
  readonly listenerName: string;
  readonly bootstrapServers: readonly Destination[];
  readonly settings: RaftSettings;
  /** A whole number from 0 to bound - 1. */
  readonly below: (bound: number) => number;
  /** What is on disk, all of it durable. */
  readonly log: LogView;
  readonly history: QuorumHistory;
  /** Undefined on the first start. */
  readonly electionState: ElectionState | undefined;
  /** Somebody says by `applied` how far this node acts on what is committed; false if absent. */
  readonly isToldWhatIsApplied?: boolean;
}

/** The leader's view of the quorum, as DescribeQuorum shows it. */
export interface QuorumStatus {
  readonly leaderId: NodeId;
  readonly epoch: LeaderEpoch;
  /** -1: unknown. */
  readonly highWatermark: Offset;
  readonly voters: readonly Progress[];
  readonly observers: readonly Progress[];
}

export class Raft {
  readonly #core: Core;
  #wakeAtMs = NEVER;

  constructor(options: RaftOptions, nowMs: MonotonicMs) {
    const { settings, bootstrapServers, below, log, electionState, ...others } = options;
    const { isToldWhatIsApplied, ...rest } = others;
    const { requestTimeoutMs, retryBackoffMs } = settings;
    this.#core = {
      ...rest,
      settings,
      below,
      log,
      connections: new Connections({ requestTimeoutMs, retryBackoffMs, bootstrapServers, below }),
      heardLeader: undefined,
      votesLost: 0,
      role: {
        kind: 'unattached',
        epoch: 0,
        leaderId: undefined,
        voted: undefined,
        electionAtMs: NEVER,
      },
      // What is in a checkpoint is committed.
      highWatermark: log.latestSnapshot?.offset || undefined,
      isCaughtUp: false,
      appliedEnd: isToldWhatIsApplied === true ? 0 : undefined,
      lastFetch: undefined,
      flushedEnd: log.endOffset,
      isFlushing: false,
      isInstalling: false,
      isShuttingDown: false,
      out: emptyOutbox(),
    };
    startingRole(this.#core, electionState, nowMs);
    const { kind } = this.#core.role;
    if (selfIsOnlyVoter(this.#core) && kind !== 'leader' && kind !== 'candidate') {
      becomeProspective(this.#core, nowMs);
    }
    this.#settle(nowMs);
  }

  get role(): Role {
    return this.#core.role;
  }

  get epoch(): LeaderEpoch {
    return this.#core.role.epoch;
  }

  get leaderId(): NodeId | undefined {
    return currentLeader(this.#core);
  }

  /** Where the leader is reached; undefined while none is known, and on the leader itself. */
  get leaderDestination(): Destination | undefined {
    const { leaderId, endpoints } = knownLeader(this.#core);
    if (leaderId === undefined || leaderId === this.#core.self.id) return undefined;
    return destinationOf(leaderId, endpoints, this.#core.listenerName);
  }

  /** Who led before this node does, as far as it heard it. */
  get formerLeader(): HeardLeader | undefined {
    const { role } = this.#core;
    return role.kind === 'leader' ? role.former : undefined;
  }

  /** Undefined until this node heard of one. Never falls. */
  get highWatermark(): Offset | undefined {
    return this.#core.highWatermark;
  }

  /** Whether the log has held, in this life, all that the leader then knew to be committed. */
  get isCaughtUp(): boolean {
    return this.#core.isCaughtUp;
  }

  get log(): LogView {
    return this.#core.log;
  }

  get history(): QuorumHistory {
    return this.#core.history;
  }

  get isVoter(): boolean {
    return selfIsVoter(this.#core);
  }

  /** When to call `tick` at the latest. */
  get wakeAtMs(): MonotonicMs {
    return this.#wakeAtMs;
  }

  /** Everything to be done since the last call; undefined if nothing. */
  takeReady(): Ready | undefined {
    const { out } = this.#core;
    const isEmpty =
      out.electionState === undefined &&
      out.log.length + out.sends.length + out.replies.length + out.lines.length === 0;
    if (isEmpty) return undefined;
    this.#core.out = emptyOutbox();
    return out;
  }

  tick(nowMs: MonotonicMs): void {
    this.#settle(nowMs);
  }

  /** A request of another node, or of a tool; answered in this `Ready` or a later one. */
  request(ticket: Ticket, request: QuorumRequest, nowMs: MonotonicMs): void {
    const response = serve(this.#core, ticket, request, nowMs);
    if (response !== undefined) reply(this.#core, ticket, response);
    this.#settle(nowMs);
  }

  /** An answer, or `refused` with BROKER_NOT_AVAILABLE if none can come. */
  answer(fromId: NodeId, requestId: RequestId, answer: IncomingResponse, nowMs: MonotonicMs): void {
    const { connections } = this.#core;
    if (!connections.isExpected(fromId, requestId, nowMs)) return;
    const wasOfUse = handleAnswer(this.#core, fromId, answer, nowMs);
    connections.answered(fromId, requestId, wasOfUse, nowMs);
    this.#settle(nowMs);
  }

  /** The leader's own batch is in the log (not yet durable). */
  appended(baseOffset: Offset, lastOffset: Offset, nowMs: MonotonicMs): void {
    invariant(this.#core.role.kind === 'leader', 'only a leader appends');
    this.#core.log.append(baseOffset, lastOffset, this.epoch);
    this.#settle(nowMs);
  }

  /** Everything below is durable. Only called when nothing given out is left to be done. */
  flushed(endOffset: Offset, nowMs: MonotonicMs): void {
    const core = this.#core;
    core.isFlushing = false;
    core.flushedEnd = Math.max(core.flushedEnd, Math.min(endOffset, core.log.endOffset));
    this.#settle(nowMs);
  }

  /** This node acts on everything committed before `endOffset` now. */
  applied(endOffset: Offset, nowMs: MonotonicMs): void {
    this.#core.appliedEnd = Math.max(this.#core.appliedEnd ?? 0, endOffset);
    this.#settle(nowMs);
  }

  /** The fetched snapshot has taken the place of the log; `records` are its control records. */
  installed(id: OffsetAndEpoch, records: QuorumRecords, nowMs: MonotonicMs): void {
    const core = this.#core;
    invariant(core.isInstalling, 'a snapshot is installed only when it was asked for');
    core.isInstalling = false;
    core.log.startAtSnapshot(id);
    core.history.reset(records);
    core.flushedEnd = id.offset;
    core.highWatermark = Math.max(core.highWatermark ?? 0, id.offset);
    if (core.role.kind === 'follower') core.role.fetchingSnapshot = undefined;
    this.#settle(nowMs);
  }

  /** A snapshot of this node's own was completed. */
  snapshotMade(id: OffsetAndEpoch): void {
    this.#core.log.addSnapshot(id);
    this.#core.history.truncateBefore(id.offset);
  }

  /** Segments and snapshots before that snapshot are gone. */
  deletedBefore(id: OffsetAndEpoch): void {
    this.#core.log.deleteBefore(id);
  }

  /** Gives up leadership of that epoch, if it is the current one. */
  resign(epoch: LeaderEpoch, nowMs: MonotonicMs): void {
    const { role } = this.#core;
    if (role.kind !== 'leader' || role.epoch !== epoch) return;
    role.isResignRequested = true;
    this.#settle(nowMs);
  }

  /** Leads and stands for election no more; `isDone` says when it may be stopped. */
  shutDown(nowMs: MonotonicMs): void {
    this.#core.isShuttingDown = true;
    this.#settle(nowMs);
  }

  get isDone(): boolean {
    const core = this.#core;
    const leaderId = currentLeader(core);
    return (
      !selfIsVoter(core) ||
      selfIsOnlyVoter(core) ||
      // Until then its vote may be needed.
      (leaderId !== undefined && leaderId !== core.self.id)
    );
  }

  /** UpdateFeatures of kraft.version; why not, or NONE. */
  upgradeKraftVersion(level: number, validateOnly: boolean, nowMs: MonotonicMs): QuorumError {
    const { role } = this.#core;
    if (role.kind !== 'leader') return 'NOT_LEADER_OR_FOLLOWER';
    const error = upgradeKraftVersion(this.#core, role, level, validateOnly);
    this.#settle(nowMs);
    return error;
  }

  /** Undefined unless this node leads. */
  status(nowMs: MonotonicMs): QuorumStatus | undefined {
    const { role } = this.#core;
    if (role.kind !== 'leader') return undefined;
    return {
      leaderId: role.self.id,
      epoch: role.epoch,
      highWatermark: role.highWatermark ?? -1,
      voters: [...role.voters.values()],
      observers: activeObservers(role, nowMs),
    };
  }

  /** Looks around until the role stays. */
  #settle(nowMs: MonotonicMs): void {
    for (let round = 0; ; round++) {
      invariant(round < 100, 'the roles of the quorum settle');
      const before = this.#core.role;
      const atMs = poll(this.#core, nowMs);
      if (this.#core.role === before) {
        this.#wakeAtMs = monotonicMs(Math.max(atMs, nowMs));
        return;
      }
    }
  }
}

function poll(core: Core, nowMs: MonotonicMs): MonotonicMs {
  const { role } = core;
  switch (role.kind) {
    case 'unattached':
      return pollUnattached(core, role, nowMs);
    case 'prospective':
    case 'candidate':
      return pollElection(core, role, nowMs);
    case 'follower':
      return pollFollower(core, role, nowMs);
    case 'leader':
      return pollLeader(core, role, nowMs);
    case 'resigned':
      return pollResigned(core, role, nowMs);
  }
}

/** The answer, or undefined if it comes later. */
function serve(
  core: Core,
  ticket: Ticket,
  request: QuorumRequest,
  nowMs: MonotonicMs,
): QuorumResponse | undefined {
  switch (request.kind) {
    case 'vote':
      return serveVote(core, request, nowMs);
    case 'begin-quorum-epoch':
      return serveBeginQuorumEpoch(core, request, nowMs);
    case 'end-quorum-epoch':
      return serveEndQuorumEpoch(core, request, nowMs);
    case 'fetch':
      return serveFetch(core, ticket, request, nowMs);
    case 'fetch-snapshot':
      return serveFetchSnapshot(core, request, nowMs);
    case 'add-voter':
      return serveAddVoter(core, ticket, request, nowMs);
    case 'remove-voter':
      return serveRemoveVoter(core, ticket, request, nowMs);
    case 'update-voter':
      return serveUpdateVoter(core, request, nowMs);
    default:
      return unreachable(request, 'a request of no known kind');
  }
}

/** The state of the core that its parts share, what it gives out, and how it sends and answers. */
import type { LeaderEpoch, NodeId, Offset } from '../base/ids';
import type { MonotonicMs } from '../base/times';
import type { Connections, RequestId } from './connections';
import type { QuorumHistory } from './history';
import type { HeardLeader } from './leader-role';
import type { LogView, OffsetAndEpoch } from './log-view';
import type {
  ControlRecord,
  FetchedBatch,
  KnownLeader,
  OutgoingRequest,
  QuorumResponse,
} from './messages';
import { electionStateOf, leaderOf, type Role } from './quorum';
import type { ElectionState } from './vote-file';
import {
  type Destination,
  destinationOf,
  type Endpoint,
  isOnlyVoter,
  isVoter,
  type ReplicaKey,
  type Voter,
} from './voters';

/** The event of the line that tells of another role. */
const ROLE_CHANGED = 'quorum role changed';

/** The kraft.version levels this build supports. */
export const MIN_KRAFT_VERSION = 0;
export const MAX_KRAFT_VERSION = 1;

export interface RaftSettings {
  readonly electionTimeoutMs: number;
  readonly electionBackoffMaxMs: number;
  readonly fetchTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly retryBackoffMs: number;
  /** How long a Fetch of ours may wait at the leader. */
  readonly fetchMaxWaitMs: number;
  readonly fetchMaxBytes: number;
  readonly fetchSnapshotMaxBytes: number;
  readonly autoJoinIsEnabled: boolean;
}

/** Names one request that waits for its answer; given by the caller, unique. */
export type Ticket = number;

/** What must happen to the folder, in this order. */
export type LogOperation =
  /** One batch; the log then ends after its last record. */
  | {
      readonly kind: 'append-control';
      readonly baseOffset: Offset;
      readonly epoch: LeaderEpoch;
      readonly records: readonly ControlRecord[];
    }
  | { readonly kind: 'append-fetched'; readonly batches: readonly FetchedBatch[] }
  | { readonly kind: 'truncate'; readonly offset: Offset }
  /** Start an fsync, and say `flushed` once it is done. */
  | { readonly kind: 'flush' }
  | { readonly kind: 'begin-snapshot'; readonly id: OffsetAndEpoch }
  | {
      readonly kind: 'append-snapshot';
      readonly id: OffsetAndEpoch;
      readonly position: number;
      readonly bytes: Uint8Array;
    }
  | { readonly kind: 'drop-snapshot'; readonly id: OffsetAndEpoch }
  /** All bytes are there: make it a checkpoint, start the log at it, then say `installed`. */
  | { readonly kind: 'install-snapshot'; readonly id: OffsetAndEpoch };

export interface Send {
  readonly to: Destination;
  readonly requestId: RequestId;
  readonly request: OutgoingRequest;
}

interface Reply {
  readonly ticket: Ticket;
  readonly response: QuorumResponse;
}

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** What is to be done, strictly in the order of the fields. */
export interface Ready {
  /** To be made durable before anything else. */
  readonly electionState: ElectionState | undefined;
  readonly log: readonly LogOperation[];
  readonly sends: readonly Send[];
  readonly replies: readonly Reply[];
  readonly lines: readonly LogLine[];
}

/** What to log: of roles that are left at once, as when a sole voter starts, the last is news. */
export const newsOf = ({ lines }: Ready): readonly LogLine[] =>
  lines.map((line, index) => {
    const isLeftAtOnce = line.event === ROLE_CHANGED && lines[index + 1]?.event === ROLE_CHANGED;
    return isLeftAtOnce ? { ...line, level: 'debug' } : line;
  });

export interface Outbox {
  electionState: ElectionState | undefined;
  log: LogOperation[];
  sends: Send[];
  replies: Reply[];
  lines: LogLine[];
}

export const emptyOutbox = (): Outbox => ({
  electionState: undefined,
  log: [],
  sends: [],
  replies: [],
  lines: [],
});

export interface Core {
  readonly clusterId: string;
  readonly self: ReplicaKey;
  readonly canBecomeVoter: boolean;
  /** This node's own listeners of controllers. */
  readonly endpoints: readonly Endpoint[];
  /** The listener on which the quorum talks. */
  readonly listenerName: string;
  readonly settings: RaftSettings;
  readonly below: (bound: number) => number;
  readonly connections: Connections;
  /** The leader that answered this node's Fetches last, and when. */
  heardLeader: HeardLeader | undefined;
  /** Votes in a row in which this node stood and somebody said no. */
  votesLost: number;
  readonly log: LogView;
  readonly history: QuorumHistory;
  role: Role;
  /** The greatest high watermark this node ever heard of in this life; undefined before. */
  highWatermark: Offset | undefined;
  /** Whether the log has ever held, in this life, all that its leader then knew to be committed. */
  isCaughtUp: boolean;
  /**
   * Up to where (exclusive) this node acts on what is committed, which is what it tells the leader
   * as its high watermark; undefined where nobody says so.
   */
  appliedEnd: Offset | undefined;
  /** The last Fetch that was sent: where it began, and when. */
  lastFetch: { readonly offset: Offset; readonly atMs: MonotonicMs } | undefined;
  flushedEnd: Offset;
  isFlushing: boolean;
  /** A complete snapshot is being put in place of the log; nothing else may happen to it. */
  isInstalling: boolean;
  isShuttingDown: boolean;
  out: Outbox;
}

export const selfIsVoter = (core: Core): boolean => isVoter(core.history.lastVoters, core.self);
export const selfIsOnlyVoter = (core: Core): boolean =>
  isOnlyVoter(core.history.lastVoters, core.self);

export const selfAsVoter = (core: Core): Voter => ({
  key: core.self,
  endpoints: core.endpoints,
  minKraftVersion: MIN_KRAFT_VERSION,
  maxKraftVersion: MAX_KRAFT_VERSION,
});

export const currentLeader = (core: Core): NodeId | undefined => leaderOf(core.role, core.self.id);

/** What this node says of the leader in its answers. */
export function knownLeader(core: Core): KnownLeader {
  const { role } = core;
  const endpoints =
    role.kind === 'follower' || role.kind === 'prospective'
      ? role.leaderEndpoints
      : role.kind === 'leader' || role.kind === 'resigned'
        ? core.endpoints
        : [];
  return { leaderId: currentLeader(core), epoch: role.epoch, endpoints };
}

/** Enters a role that others may come to rely on: it is written down before anything is sent. */
export function enterDurably(core: Core, role: Role): void {
  enter(core, role);
  const { lastVoters, lastKraftVersion } = core.history;
  core.out.electionState = electionStateOf(role, core.self, lastVoters, lastKraftVersion);
}

export function enter(core: Core, role: Role): void {
  say(core, 'info', ROLE_CHANGED, {
    role: role.kind,
    epoch: role.epoch,
    leaderId: leaderOf(role, core.self.id),
    from: core.role.kind,
  });
  core.role = role;
}

export function reply(core: Core, ticket: Ticket, response: QuorumResponse): void {
  core.out.replies.push({ ticket, response });
}

export function say(
  core: Core,
  level: LogLine['level'],
  event: string,
  fields: LogLine['fields'],
): void {
  core.out.lines.push({ level, event, fields });
}

/**
 * Sends a request unless the node is still busy with the last one, or is left alone for a while.
 * Returns when to look again.
 */
export function trySend(
  core: Core,
  to: Destination,
  nowMs: MonotonicMs,
  request: () => OutgoingRequest,
): MonotonicMs {
  if (core.connections.isReady(to.id, nowMs)) {
    const requestId = core.connections.sent(to.id, nowMs);
    core.out.sends.push({ to, requestId, request: request() });
  }
  return core.connections.readyAtMs(to.id, nowMs);
}

/** Where a voter is reached; undefined (with a log line) if its endpoints do not say so. */
export function destinationOfVoter(core: Core, id: NodeId): Destination | undefined {
  const endpoints = core.history.lastVoters.get(id)?.endpoints ?? [];
  const destination = destinationOf(id, endpoints, core.listenerName);
  if (destination === undefined) {
    say(core, 'error', 'voter-without-endpoint', { id, listener: core.listenerName });
  }
  return destination;
}

/** Everything in the log is to be made durable; said once until it is. */
export function wantFlush(core: Core): void {
  if (core.isFlushing || core.flushedEnd >= core.log.endOffset) return;
  core.isFlushing = true;
  core.out.log.push({ kind: 'flush' });
}

/** A leader's own records go into the log as one batch, and are in force at once. */
export function appendControl(
  core: Core,
  epoch: LeaderEpoch,
  records: readonly ControlRecord[],
): Offset {
  const baseOffset = core.log.endOffset;
  core.out.log.push({ kind: 'append-control', baseOffset, epoch, records });
  core.log.append(baseOffset, baseOffset + records.length - 1, epoch);
  for (const [delta, record] of records.entries()) {
    const offset = baseOffset + delta;
    if (record.kind === 'kraft-version') {
      core.history.add({ kraftVersion: { offset, level: record.level } });
    } else if (record.kind === 'voters') {
      core.history.add({ voters: { offset, set: record.voters } });
    }
  }
  return baseOffset + records.length - 1;
}

/** Between one and two election timeouts, so that voters seldom stand against each other. */
export const randomElectionTimeoutMs = (core: Core): number => {
  const { electionTimeoutMs } = core.settings;
  return electionTimeoutMs + (electionTimeoutMs > 0 ? core.below(electionTimeoutMs) : 0);
};

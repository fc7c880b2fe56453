/**
 * All groups of one partition of `__consumer_offsets`: finds the group that a request, a timer or
 * an event is about and lets its kind decide.
 */
import type { Uuid } from '../base/ids';
import { invariant, unreachable } from '../base/invariant';
import {
  answer,
  type Decider,
  type Decision,
  type Effect,
  type Machine,
  type Now,
  nothing,
  type SendResult,
  type Ticket,
  type WakeName,
} from '../machine/machine';
import { type ErrorCode, Errors } from '../protocol/errors';
import {
  type Caller,
  type HeartbeatRequest,
  isFailure,
  type JoinRequest,
  joinError,
  type LeaveRequest,
  type LeaveResponse,
  type SyncRequest,
  syncError,
} from './answers';
import { commitError, heartbeat, keepAlive, leave, sessionTimedOut, sync } from './classic';
import { type ClassicGroup, newClassicGroup } from './classic-group';
import { checkJoin, join } from './classic-join';
import { joinTimedOut, prepareRebalance, syncTimedOut } from './classic-rebalance';
import { ClassicTurn } from './classic-turn';
import { describeGroup, describeMissing, isListed, listGroup } from './describe';
import { type GroupRecord, newGroupRecord } from './group-record';
import { forgetTopics, merged, nextSweep, removed, sweepExpired } from './housekeeping';
import * as offsets from './offsets';
import type { GroupSettings } from './settings';
import { type GroupChange, GroupState, LiveGroups } from './state';
import { parseWake } from './wake-names';

type GroupDecision = Decision<GroupRecord, GroupChange>;

export class Groups implements Decider<GroupRecord, GroupChange> {
  readonly #state: GroupState;
  readonly #live: LiveGroups;
  readonly #settings: () => GroupSettings;

  constructor(state: GroupState, live: LiveGroups, settings: () => GroupSettings) {
    this.#state = state;
    this.#live = live;
    this.#settings = settings;
  }

  /** JoinGroup. `uniqueSuffix` tells a new member's id from all others, such as a random UUID. */
  join(
    request: JoinRequest,
    caller: Caller,
    uniqueSuffix: string,
    ticket: Ticket,
    now: Now,
  ): GroupDecision {
    const failure = checkJoin(request, this.#settings());
    if (isFailure(failure)) return answer(ticket, joinError(request.memberId, failure));
    const known = this.find(request.groupId);
    if (known === undefined && request.memberId !== '') {
      return answer(ticket, joinError(request.memberId, Errors.UNKNOWN_MEMBER_ID));
    }
    const turn = this.#turn(known, request.groupId, now);
    join(turn, { request, caller, ticket, uniqueSuffix });
    const isKept = turn.group.members.size + turn.group.pendingMembers.size > 0;
    // A group that nobody joined never was.
    if (turn.isNewGroup && !isKept) return { ...this.#decided(turn), soft: [] };
    if (turn.isNewGroup && !turn.hasRecords) turn.write(newGroupRecord(turn.group));
    return this.#decided(turn);
  }

  /** SyncGroup. */
  sync(request: SyncRequest, ticket: Ticket, now: Now): GroupDecision {
    const group = this.find(request.groupId);
    if (request.groupId === '') return answer(ticket, syncError(Errors.INVALID_GROUP_ID));
    if (group === undefined) return answer(ticket, syncError(Errors.UNKNOWN_MEMBER_ID));
    const turn = this.#turn(group, request.groupId, now);
    sync(turn, request, ticket);
    return this.#decided(turn);
  }

  /** Heartbeat; its answer never waits for a record. */
  heartbeat(request: HeartbeatRequest, ticket: Ticket, now: Now): GroupDecision {
    const group = this.find(request.groupId);
    if (request.groupId === '') return answer(ticket, { errorCode: Errors.INVALID_GROUP_ID });
    if (group === undefined) return answer(ticket, { errorCode: Errors.UNKNOWN_MEMBER_ID });
    const turn = this.#turn(group, request.groupId, now);
    turn.answer(ticket, { errorCode: heartbeat(turn, request) });
    return turn.decision(-1);
  }

  /** LeaveGroup. Members of versions 0 to 2 are one of `members` here, too. */
  leave(
    groupId: string,
    members: LeaveRequest['members'],
    ticket: Ticket,
    now: Now,
  ): GroupDecision {
    const group = this.find(groupId);
    if (groupId === '') return answer(ticket, { errorCode: Errors.INVALID_GROUP_ID });
    if (group === undefined) return answer(ticket, everyoneUnknown(members));
    const turn = this.#turn(group, groupId, now);
    turn.answer(ticket, leave(turn, members));
    return this.#decided(turn);
  }

  /** OffsetCommit of topics and partitions that exist. */
  commit(request: offsets.CommitRequest, caller: Caller, ticket: Ticket, now: Now): GroupDecision {
    const { groupId, memberId, generationIdOrMemberEpoch } = request;
    const group = this.find(groupId);
    const failure = this.#commitFailure(group, request, caller);
    if (isFailure(failure)) return answer(ticket, offsets.commitRefusal(request, failure));
    const { records, response } = offsets.commit(request, this.#settings(), now);
    const turn = this.#turn(group, groupId, now);
    for (const record of records) turn.write(record);
    turn.answer(ticket, response);
    const { state } = turn.group;
    if (generationIdOrMemberEpoch >= 0 && (state === 'Stable' || state === 'PreparingRebalance')) {
      keepAlive(turn, memberId);
    }
    return { ...turn.decision(-1), soft: [] };
  }

  /**
   * TxnOffsetCommit of topics and partitions that exist, by a producer whose transaction this
   * partition is part of. The offsets wait for its end.
   */
  commitInTransaction(
    transactional: offsets.TransactionalCommitRequest,
    caller: Caller,
    ticket: Ticket,
    now: Now,
  ): GroupDecision {
    const { producerId, producerEpoch, proof, ...commit } = transactional;
    const request = { ...commit, retentionTimeMs: -1n };
    const group = this.find(request.groupId);
    const failure = this.#transactionalFailure(group, request, caller);
    if (isFailure(failure)) return answer(ticket, offsets.commitRefusal(request, failure));
    const { records, response } = offsets.commit(request, this.#settings(), now);
    const effects: readonly Effect[] = [{ kind: 'answer', ticket, response }];
    return { records, soft: [], effects, as: { producerId, producerEpoch, proof } };
  }

  /** One group's part of an OffsetFetch; topics are named. */
  fetch(request: offsets.FetchRequest, requireStable: boolean, ticket: Ticket): GroupDecision {
    const response = offsets.fetch(this.#state.offsets, request, requireStable);
    return answer(ticket, response, this.#state.lastOffsetOf(request.groupId));
  }

  /** OffsetDelete of topics and partitions that exist. */
  deleteOffsets(request: offsets.DeleteRequest, ticket: Ticket): GroupDecision {
    const { groupId } = request;
    if (groupId === '') {
      return answer(ticket, { errorCode: Errors.INVALID_GROUP_ID, topics: [] });
    }
    const group = this.find(groupId);
    const errorCode = offsets.deleteError(group);
    if (group === undefined || isFailure(errorCode)) {
      return answer(ticket, { errorCode, topics: [] }, this.#state.lastMembershipOf(groupId));
    }
    const { records, response } = offsets.deleteOffsets(this.#state.offsets, group, request);
    const readsAt = this.#state.lastOffsetOf(groupId);
    return { records, soft: [], effects: [{ kind: 'answer', ticket, response }], readsAt };
  }

  /** One group of a DescribeGroups. */
  describe(groupId: string, caller: Caller, ticket: Ticket): GroupDecision {
    const group = this.find(groupId);
    const response =
      group === undefined ? describeMissing(groupId, caller.apiVersion) : describeGroup(group);
    return answer(ticket, response, this.#state.lastMembershipOf(groupId));
  }

  /** This partition's part of a ListGroups. */
  list(states: readonly string[], types: readonly string[], ticket: Ticket): GroupDecision {
    const groups = [...this.#all()].filter((group) => isListed(group, states, types));
    return answer(ticket, groups.map(listGroup), this.#state.lastOffset);
  }

  /** One group of a DeleteGroups; the response is an error code. */
  delete(groupId: string, ticket: Ticket): GroupDecision {
    const group = this.find(groupId);
    if (group === undefined) {
      return answer(ticket, Errors.GROUP_ID_NOT_FOUND, this.#state.lastMembershipOf(groupId));
    }
    if (group.state !== 'Empty') {
      return answer(ticket, Errors.NON_EMPTY_GROUP, this.#state.lastMembershipOf(groupId));
    }
    const tombstones = offsets.allTombstones(this.#state.offsets, groupId);
    const removal = removed(group, 'group is deleted', { offsets: tombstones.length });
    const response: ErrorCode = Errors.NONE;
    return {
      records: [...tombstones, ...removal.records],
      soft: removal.soft,
      effects: [...removal.effects, { kind: 'answer', ticket, response }],
    };
  }

  /**
   * Topics are gone, and so are the offsets in them. The response says whether some are left to
   * forget: then ask again.
   */
  topicsDeleted(
    topics: readonly { readonly name: string; readonly id: Uuid }[],
    ticket: Ticket,
    now: Now,
  ): GroupDecision {
    return forgetTopics(this.#state, topics, ticket, now);
  }

  /** Sessions start anew: nobody is late because a coordinator was. */
  resume(now: Now): GroupDecision {
    const decisions: GroupDecision[] = [nextSweep(this.#settings(), now)];
    if (this.#state.unserved.size > 0) decisions.push(warnOfUnserved(this.#state.unserved));
    for (const groupId of this.#state.groupIds()) {
      const group = this.#state.group(groupId);
      if (group === undefined || group.members.size === 0) continue;
      const turn = new ClassicTurn(undefined, group, now, this.#settings());
      for (const memberId of group.members.keys()) keepAlive(turn, memberId);
      if (group.members.size > this.#settings().maxSize) {
        prepareRebalance(turn, 'the group is larger than groups may be by now');
      }
      decisions.push(turn.decision(-1));
    }
    return merged(decisions);
  }

  wake(name: WakeName, now: Now): GroupDecision {
    const wake = parseWake(name);
    if (wake.kind === 'expire') {
      const { sweep } = this.#live;
      const find = (groupId: string) => this.find(groupId);
      return sweepExpired({ state: this.#state, settings: this.#settings(), sweep, find }, now);
    }
    const group = this.find(wake.groupId);
    if (group === undefined) return nothing;
    const turn = this.#turn(group, wake.groupId, now);
    switch (wake.kind) {
      case 'session':
        sessionTimedOut(turn, wake.memberId);
        break;
      case 'join':
        joinTimedOut(turn);
        break;
      case 'sync':
        syncTimedOut(turn);
        break;
      default:
        unreachable(wake, 'no such timer of a group');
    }
    return this.#decided(turn);
  }

  replied(reply: string, _result: SendResult, _now: Now): GroupDecision {
    invariant(false, `groups sent nothing that ${reply} could answer`);
  }

  /** The group as it is right now. */
  find(groupId: string): ClassicGroup | undefined {
    return this.#live.get(groupId) ?? this.#state.group(groupId);
  }

  *#all(): Generator<ClassicGroup> {
    for (const groupId of this.#state.groupIds()) {
      const group = this.find(groupId);
      if (group !== undefined) yield group;
    }
  }

  /** A turn about that group, or about a new one. */
  #turn(group: ClassicGroup | undefined, groupId: string, now: Now): ClassicTurn {
    const made = group ?? newClassicGroup(groupId, now.wallMs);
    return new ClassicTurn(group, made, now, this.#settings());
  }

  #decided(turn: ClassicTurn): GroupDecision {
    return turn.decision(this.#state.lastMembershipOf(turn.group.groupId));
  }

  #commitFailure(
    group: ClassicGroup | undefined,
    request: offsets.CommitRequest,
    caller: Caller,
  ): ErrorCode {
    if (group !== undefined) return commitError(group, request, false);
    // Who manages its own generation needs no group: its first commit makes one.
    if (request.generationIdOrMemberEpoch < 0) return Errors.NONE;
    return caller.apiVersion >= 9 ? Errors.GROUP_ID_NOT_FOUND : Errors.ILLEGAL_GENERATION;
  }

  #transactionalFailure(
    group: ClassicGroup | undefined,
    request: offsets.CommitRequest,
    caller: Caller,
  ): ErrorCode {
    if (group !== undefined) return commitError(group, request, true);
    if (request.generationIdOrMemberEpoch < 0) return Errors.NONE;
    return caller.apiVersion >= 6 ? Errors.GROUP_ID_NOT_FOUND : Errors.ILLEGAL_GENERATION;
  }
}

/** Everything that coordinates the groups of one partition of `__consumer_offsets`. */
export interface GroupMachine extends Machine<GroupRecord, GroupChange> {
  readonly state: GroupState;
  readonly soft: LiveGroups;
  readonly decider: Groups;
}

/** `settings` is read at each decision. */
export function groupMachine(settings: () => GroupSettings): GroupMachine {
  const state = new GroupState();
  const soft = new LiveGroups();
  return { state, soft, decider: new Groups(state, soft, settings) };
}

/** Such groups are made by other releases; their records stay, and nobody coordinates them. */
const warnOfUnserved = (types: ReadonlySet<string>): GroupDecision => ({
  ...nothing,
  effects: [
    {
      kind: 'log',
      level: 'warn',
      event: 'there are groups of kinds that are not served here',
      fields: { records: [...types] },
    },
  ],
});

function everyoneUnknown(members: LeaveRequest['members']): LeaveResponse {
  return {
    errorCode: Errors.NONE,
    members: members.map(({ memberId, groupInstanceId }) => ({
      memberId,
      groupInstanceId,
      errorCode: Errors.UNKNOWN_MEMBER_ID,
    })),
  };
}

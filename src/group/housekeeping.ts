/**
 * What goes by itself: offsets that expired, offsets of deleted topics, groups with nothing left.
 * Done a part at a time, so that neither a turn nor a batch grows too large.
 */
import type { Uuid } from '../base/ids';
import { after, type MonotonicMs } from '../base/times';
import {
  type Decision,
  type Effect,
  type Now,
  nothing,
  PART_BYTES,
  type Ticket,
} from '../machine/machine';
import type { ClassicGroup } from './classic-group';
import { type GroupRecord, groupTombstone } from './group-record';
import { expired, TOMBSTONE_OVERHEAD_BYTES, tombstonesForTopics } from './offsets';
import type { GroupSettings } from './settings';
import type { GroupChange, GroupState, Sweep } from './state';
import { EXPIRE_WAKE, joinWake, sessionWake, syncWake } from './wake-names';

type GroupDecision = Decision<GroupRecord, GroupChange>;

/** Offsets that one part looks at; a group alone counts as some. */
const PART_EFFORT = 2_000;
const EFFORT_PER_GROUP = 10;
/** How soon the next part follows. */
const SOON_MS = 10;

/** What a search for expired offsets needs. */
export interface SweepWorld {
  readonly state: GroupState;
  readonly settings: GroupSettings;
  /** Where the search goes on; undefined = it begins. */
  readonly sweep: Sweep | undefined;
  readonly find: (groupId: string) => ClassicGroup | undefined;
}

/** Looks through some of the groups, and goes on soon where it stopped. */
export function sweepExpired(
  { state, settings, sweep, find }: SweepWorld,
  now: Now,
): GroupDecision {
  const { groupIds, at } = sweep ?? { groupIds: [...state.groupIds()], at: 0 };
  const { partBytes = PART_BYTES } = now;
  const decisions: GroupDecision[] = [];
  let next = at;
  let effort = 0;
  let bytes = 0;
  for (; next < groupIds.length && effort < PART_EFFORT && bytes < partBytes; next++) {
    const group = find(groupIds[next] ?? '');
    if (group === undefined) continue;
    const gone = expired(state.offsets, group, settings, now, partBytes - bytes);
    effort += EFFORT_PER_GROUP + state.offsets.countOf(group.groupId);
    bytes += gone.bytes;
    if (gone.records.length > 0) decisions.push({ ...nothing, records: gone.records });
    if (gone.isCut) break;
    const isOver = gone.isLast && group.state === 'Empty' && group.pendingMembers.size === 0;
    if (!isOver) continue;
    decisions.push(removed(group, 'group has nothing left and is removed', {}));
    bytes += group.groupId.length + TOMBSTONE_OVERHEAD_BYTES;
  }
  const isDone = next >= groupIds.length;
  const rest: GroupChange = { kind: 'sweep', sweep: isDone ? undefined : { groupIds, at: next } };
  decisions.push({ ...nothing, soft: [rest] });
  decisions.push(isDone ? nextSweep(settings, now) : sweepAt(after(now.nowMs, SOON_MS)));
  return { ...merged(decisions), isPart: true };
}

/** The search for expired offsets comes again. */
export const nextSweep = (settings: GroupSettings, now: Now): GroupDecision =>
  sweepAt(after(now.nowMs, settings.offsetsRetentionCheckIntervalMs));

/** Forgets offsets of topics that are gone. The response says whether some are left to forget. */
export function forgetTopics(
  state: GroupState,
  topics: readonly { readonly name: string; readonly id: Uuid }[],
  ticket: Ticket,
  now: Now,
): GroupDecision {
  const { partBytes = PART_BYTES } = now;
  const idsByName = new Map(topics.map(({ name, id }) => [name, id]));
  const records: GroupRecord[] = [];
  let isMore = false;
  let bytes = 0;
  for (const groupId of state.offsets.groupsReading((topic) => idsByName.has(topic))) {
    isMore ||= bytes >= partBytes;
    if (isMore) break;
    const gone = tombstonesForTopics(state.offsets, groupId, idsByName, partBytes - bytes);
    records.push(...gone.records);
    bytes += gone.bytes;
    isMore = gone.isCut;
  }
  const effects: readonly Effect[] = [{ kind: 'answer', ticket, response: isMore }];
  return { records, soft: [], effects, isPart: true };
}

/** A group without members goes, and with it whatever was still to happen to it. */
export function removed(
  group: ClassicGroup,
  event: string,
  fields: Readonly<Record<string, unknown>>,
): GroupDecision {
  const { groupId } = group;
  const timers = [joinWake(groupId), syncWake(groupId)];
  for (const memberId of group.pendingMembers) timers.push(sessionWake(groupId, memberId));
  const effects: Effect[] = timers.map((name) => ({ kind: 'unwake', name }));
  effects.push({ kind: 'log', level: 'info', event, fields: { group: groupId, ...fields } });
  return {
    records: [groupTombstone(groupId)],
    soft: [{ kind: 'group', groupId, group: undefined }],
    effects,
  };
}

/** One decision that does what several do, in their order. */
export function merged(decisions: readonly GroupDecision[]): GroupDecision {
  return {
    records: decisions.flatMap((decision) => decision.records),
    soft: decisions.flatMap((decision) => decision.soft),
    effects: decisions.flatMap((decision) => decision.effects),
  };
}

const sweepAt = (atMs: MonotonicMs): GroupDecision => ({
  ...nothing,
  effects: [{ kind: 'wake', name: EXPIRE_WAKE, atMs }],
});

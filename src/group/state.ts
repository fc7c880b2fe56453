/**
 * What groups are. Hard state (`GroupState`) is the sum of the records and changes by replay
 * alone; soft state (`LiveGroups`) is the members as they are right now, which a crash may lose.
 */
import type { Offset, ProducerEpoch, ProducerId } from '../base/ids';
import { wallMs } from '../base/times';
import type { Outcome, ReplayedAt, SoftState, State } from '../machine/machine';
import { type ClassicGroup, type ClassicMember, newClassicGroup } from './classic-group';
import { CommittedOffsets } from './committed-offsets';
import {
  type GroupMetadataValue,
  type GroupRecord,
  modernOffset,
  type OffsetCommitRecord,
  offsetOf,
} from './group-record';
import { consumerTopics } from './subscriptions';

export type { GroupRecord };

/** A soft change. */
export type GroupChange =
  /** The group as it is from now on; undefined = there is none any more. */
  | { readonly kind: 'group'; readonly groupId: string; readonly group: ClassicGroup | undefined }
  /** How far the search for expired offsets has come; undefined = it is over. */
  | { readonly kind: 'sweep'; readonly sweep: Sweep | undefined };

/** A search through all groups, a part at a time. */
export interface Sweep {
  readonly groupIds: readonly string[];
  /** The first group that has not been looked at. */
  readonly at: number;
}

/** The group as its records tell it. */
interface StoredGroup {
  /** Null: known by its offsets alone (a simple consumer). */
  readonly value: GroupMetadataValue | null;
  /** Where the value stands; -1 for null. */
  readonly offset: Offset;
}

export class GroupState implements State<GroupRecord> {
  readonly offsets = new CommittedOffsets();
  readonly #groups = new Map<string, StoredGroup>();
  readonly #lastOffsets = new Map<string, Offset>();
  #lastRemoval: Offset = -1;
  #lastOffset: Offset = -1;
  /** Names of record types of groups that this build does not serve. */
  readonly unserved = new Set<string>();

  replay(record: GroupRecord, at: ReplayedAt): void {
    this.#lastOffset = at.offset;
    switch (record.type) {
      case 'GroupMetadata':
        this.#replayGroup(record.key.group, record.value, at.offset);
        break;
      case 'OffsetCommit':
        this.#replayOffset(record, at);
        break;
      case 'LegacyOffsetCommit':
        this.#replayOffset(modernOffset(record), at);
        break;
      default:
        this.unserved.add(record.type);
    }
  }

  replayMarker(
    producerId: ProducerId,
    _producerEpoch: ProducerEpoch,
    outcome: Outcome,
    offset: Offset,
  ): void {
    this.#lastOffset = offset;
    for (const groupId of this.offsets.endTransaction(producerId, outcome)) {
      if (this.#groups.has(groupId)) this.#lastOffsets.set(groupId, offset);
    }
  }

  groupIds(): Iterable<string> {
    return this.#groups.keys();
  }

  has(groupId: string): boolean {
    return this.#groups.has(groupId);
  }

  /** The group as a coordinator that has just loaded it finds it. */
  group(groupId: string): ClassicGroup | undefined {
    const stored = this.#groups.get(groupId);
    return stored === undefined ? undefined : revived(groupId, stored.value);
  }

  /** Where the group's members were last written; the newest removal, if there is no group. */
  lastMembershipOf(groupId: string): Offset {
    return this.#groups.get(groupId)?.offset ?? this.#lastRemoval;
  }

  /** The newest record of the group, offsets included; the newest removal, if there is none. */
  lastOffsetOf(groupId: string): Offset {
    return this.#lastOffsets.get(groupId) ?? this.#lastRemoval;
  }

  /** The newest record of all. */
  get lastOffset(): Offset {
    return this.#lastOffset;
  }

  #replayGroup(groupId: string, value: GroupMetadataValue | null, offset: Offset): void {
    if (value === null) {
      this.#groups.delete(groupId);
      this.#lastOffsets.delete(groupId);
      this.#lastRemoval = offset;
      return;
    }
    this.#groups.set(groupId, { value, offset });
    this.#lastOffsets.set(groupId, offset);
  }

  #replayOffset({ key, value }: OffsetCommitRecord, at: ReplayedAt): void {
    const { group, topic, partition } = key;
    if (value === null) {
      this.offsets.remove(group, topic, partition);
      if (this.#groups.has(group)) this.#lastOffsets.set(group, at.offset);
      else this.#lastRemoval = at.offset;
      return;
    }
    if (!this.#groups.has(group)) this.#groups.set(group, { value: null, offset: -1 });
    this.#lastOffsets.set(group, at.offset);
    const offset = offsetOf(value, at.offset);
    if (at.producerId === undefined) this.offsets.put(group, topic, partition, offset);
    else this.offsets.putPending(at.producerId, group, topic, partition, offset);
  }
}

/** The live groups of this term of leadership. A group that is not here is as its records say. */
export class LiveGroups implements SoftState<GroupChange> {
  readonly #groups = new Map<string, ClassicGroup>();

  #sweep: Sweep | undefined;

  apply(change: GroupChange): void {
    if (change.kind === 'sweep') this.#sweep = change.sweep;
    else if (change.group === undefined) this.#groups.delete(change.groupId);
    else this.#groups.set(change.groupId, change.group);
  }

  get sweep(): Sweep | undefined {
    return this.#sweep;
  }

  get(groupId: string): ClassicGroup | undefined {
    return this.#groups.get(groupId);
  }
}

function revived(groupId: string, value: GroupMetadataValue | null): ClassicGroup {
  if (value === null) return newClassicGroup(groupId, -1);
  const members = new Map<string, ClassicMember>();
  for (const member of value.members) {
    const { memberId, groupInstanceId, clientId, clientHost, assignment } = member;
    members.set(memberId, {
      memberId,
      groupInstanceId,
      clientId,
      clientHost,
      // Records of old releases have no rebalance timeout.
      rebalanceTimeoutMs:
        member.rebalanceTimeout === -1 ? member.sessionTimeout : member.rebalanceTimeout,
      sessionTimeoutMs: member.sessionTimeout,
      protocols: [{ name: value.protocol ?? '', metadata: member.subscription }],
      assignment,
      isNew: false,
      joining: undefined,
      syncing: undefined,
      owesSync: false,
    });
  }
  const group: ClassicGroup = {
    ...newClassicGroup(
      groupId,
      value.currentStateTimestamp === -1 ? -1 : wallMs(value.currentStateTimestamp),
    ),
    state: members.size === 0 ? 'Empty' : 'Stable',
    protocolType: value.protocolType === '' ? null : value.protocolType,
    protocolName: value.protocol,
    generationId: value.generation,
    leaderId: value.leader,
    members,
  };
  return { ...group, subscribedTopics: consumerTopics(group) };
}

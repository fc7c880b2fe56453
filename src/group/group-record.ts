/** The records of `__consumer_offsets` as values, and those that groups write. */
import { type Offset, ZERO_UUID } from '../base/ids';
import type { RecordOf } from '../machine/record-codec';
import type { MessageOf } from '../protocol/api';
import { type ClassicGroup, metadataOf } from './classic-group';
import type { CommittedOffset } from './committed-offsets';
import type { GROUP_RECORDS } from './records';

type Table = typeof GROUP_RECORDS;

/** A record; a value of null is a tombstone. */
export type GroupRecord = RecordOf<Table>;
export type OffsetCommitRecord = Extract<GroupRecord, { readonly type: 'OffsetCommit' }>;
export type GroupMetadataValue = MessageOf<Table['GroupMetadata']['value']>;
export type OffsetCommitValue = MessageOf<Table['OffsetCommit']['value']>;

/** The group with the members and assignments of its generation. */
export function groupRecord(group: ClassicGroup): GroupRecord {
  const { protocolName } = group;
  const members = [...group.members.values()].map((member) => ({
    memberId: member.memberId,
    groupInstanceId: member.groupInstanceId,
    clientId: member.clientId,
    clientHost: member.clientHost,
    rebalanceTimeout: member.rebalanceTimeoutMs,
    sessionTimeout: member.sessionTimeoutMs,
    subscription: metadataOf(member, protocolName),
    assignment: member.assignment,
  }));
  return {
    type: 'GroupMetadata',
    key: { group: group.groupId },
    value: {
      protocolType: group.protocolType ?? '',
      generation: group.generationId,
      protocol: protocolName,
      leader: group.leaderId,
      currentStateTimestamp: group.stateSinceMs,
      members,
    },
  };
}

/** Makes a group known that has had no generation yet. */
export function newGroupRecord(group: ClassicGroup): GroupRecord {
  return {
    type: 'GroupMetadata',
    key: { group: group.groupId },
    value: {
      protocolType: '',
      generation: 0,
      protocol: null,
      leader: null,
      currentStateTimestamp: group.stateSinceMs,
      members: [],
    },
  };
}

export const groupTombstone = (group: string): GroupRecord => ({
  type: 'GroupMetadata',
  key: { group },
  value: null,
});

/** An offset with an expiry of its own needs version 1, which has room for it. */
export function offsetRecord(
  group: string,
  topic: string,
  partition: number,
  offset: Omit<CommittedOffset, 'recordOffset'>,
): GroupRecord {
  const expires = offset.expireTimestampMs !== -1n;
  return {
    type: 'OffsetCommit',
    key: { group, topic, partition },
    value: {
      offset: offset.offset,
      leaderEpoch: offset.leaderEpoch,
      metadata: offset.metadata,
      commitTimestamp: offset.commitTimestampMs,
      expireTimestamp: offset.expireTimestampMs,
      topicId: offset.topicId,
    },
    ...(expires ? { version: 1 } : {}),
  };
}

export const offsetTombstone = (group: string, topic: string, partition: number): GroupRecord => ({
  type: 'OffsetCommit',
  key: { group, topic, partition },
  value: null,
});

/** A record of the earliest releases in today's form. */
export function modernOffset(
  record: Extract<GroupRecord, { readonly type: 'LegacyOffsetCommit' }>,
): OffsetCommitRecord {
  const { key, value } = record;
  if (value === null) return { type: 'OffsetCommit', key, value };
  return {
    type: 'OffsetCommit',
    key,
    value: {
      offset: value.offset,
      leaderEpoch: -1,
      metadata: value.metadata,
      commitTimestamp: value.commitTimestamp,
      expireTimestamp: -1n,
      topicId: ZERO_UUID,
    },
  };
}

/** What a record says was committed. */
export function offsetOf(value: OffsetCommitValue, recordOffset: Offset): CommittedOffset {
  return {
    offset: value.offset,
    leaderEpoch: value.leaderEpoch,
    metadata: value.metadata,
    commitTimestampMs: value.commitTimestamp,
    expireTimestampMs: value.expireTimestamp,
    topicId: value.topicId,
    recordOffset,
  };
}

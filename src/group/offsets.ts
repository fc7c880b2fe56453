/** OffsetCommit, OffsetFetch, OffsetDelete, and offsets that expire or lose their topic. */
import { type ProducerEpoch, type ProducerId, type Uuid, ZERO_UUID } from '../base/ids';
import type { Now } from '../machine/machine';
import type { RequestOf, ResponseDraft } from '../protocol/api';
import type { OffsetCommit } from '../protocol/apis/offset-commit';
import type { OffsetDelete } from '../protocol/apis/offset-delete';
import type { OffsetFetch } from '../protocol/apis/offset-fetch';
import { CONSUMER_PROTOCOL_TYPE } from '../protocol/consumer-protocol';
import { type ErrorCode, Errors } from '../protocol/errors';
import type { Element } from '../protocol/schema';
import { type ClassicGroup, isSubscribedTo } from './classic-group';
import type { CommittedOffset, CommittedOffsets, OffsetsByPartition } from './committed-offsets';
import { type GroupRecord, offsetRecord, offsetTombstone } from './group-record';
import type { GroupSettings } from './settings';

/** With names and ids of topics both filled in; an unknown id is all zeros. */
export interface CommitRequest
  extends Pick<
    RequestOf<typeof OffsetCommit>,
    'groupId' | 'memberId' | 'groupInstanceId' | 'generationIdOrMemberEpoch' | 'retentionTimeMs'
  > {
  readonly topics: readonly CommitTopic[];
}
interface CommitTopic {
  readonly name: string;
  readonly topicId: Uuid;
  readonly partitions: readonly CommitPartition[];
}
type CommitPartition = Pick<
  Element<Element<RequestOf<typeof OffsetCommit>['topics']>['partitions']>,
  'partitionIndex' | 'committedOffset' | 'committedLeaderEpoch' | 'committedMetadata'
>;
/** A commit within a producer's transaction; it never has a retention of its own. */
export interface TransactionalCommitRequest extends Omit<CommitRequest, 'retentionTimeMs'> {
  readonly producerId: ProducerId;
  readonly producerEpoch: ProducerEpoch;
  /** As in `Producer`. */
  readonly proof: unknown;
}
export type CommitResponse = ResponseDraft<typeof OffsetCommit>;
/** One group's part of an OffsetFetch; topics null = all, with names filled in. */
export type FetchRequest = Element<RequestOf<typeof OffsetFetch>['groups']>;
export type FetchResponse = Element<ResponseDraft<typeof OffsetFetch>['groups']>;
type FetchedPartition = Element<Element<FetchResponse['topics']>['partitions']>;
export type DeleteRequest = RequestOf<typeof OffsetDelete>;
export type DeleteResponse = ResponseDraft<typeof OffsetDelete>;

const NO_OFFSET = -1n;
const NO_RETENTION = -1n;
const NO_EXPIRY = -1n;
const GREATEST_TIMESTAMP = 2n ** 63n - 1n;

/** The records of a commit that was found in order, and its response. */
export function commit(
  request: CommitRequest,
  settings: GroupSettings,
  now: Now,
): { readonly records: readonly GroupRecord[]; readonly response: CommitResponse } {
  const records: GroupRecord[] = [];
  const expireTimestampMs = expiryOf(request.retentionTimeMs, now);
  const commitOne = (topic: CommitTopic, partition: CommitPartition): ErrorCode => {
    const metadata = partition.committedMetadata ?? '';
    if (metadata.length > settings.offsetMetadataMaxBytes) return Errors.OFFSET_METADATA_TOO_LARGE;
    const offset = {
      offset: partition.committedOffset,
      leaderEpoch: partition.committedLeaderEpoch,
      metadata,
      commitTimestampMs: now.wallMs,
      expireTimestampMs,
      topicId: topic.topicId,
    };
    records.push(offsetRecord(request.groupId, topic.name, partition.partitionIndex, offset));
    return Errors.NONE;
  };
  return { records, response: commitResponse(request, commitOne) };
}

/** Who asks for longer than time can be told means for ever. (Kafka's sum wraps to the past.) */
function expiryOf(retentionTimeMs: bigint, now: Now): bigint {
  if (retentionTimeMs === NO_RETENTION) return NO_EXPIRY;
  const atMs = BigInt(now.wallMs) + retentionTimeMs;
  return atMs < GREATEST_TIMESTAMP ? atMs : GREATEST_TIMESTAMP;
}

/** The response in which every partition has that error. */
export const commitRefusal = (request: CommitRequest, errorCode: ErrorCode): CommitResponse =>
  commitResponse(request, () => errorCode);

function commitResponse(
  request: CommitRequest,
  errorOf: (topic: CommitTopic, partition: CommitPartition) => ErrorCode,
): CommitResponse {
  const topics = request.topics.map((topic) => ({
    name: topic.name,
    topicId: topic.topicId,
    partitions: topic.partitions.map((partition) => ({
      partitionIndex: partition.partitionIndex,
      errorCode: errorOf(topic, partition),
    })),
  }));
  return { topics };
}

/** What a group has committed. A group that does not exist has committed nothing. */
export function fetch(
  offsets: CommittedOffsets,
  request: FetchRequest,
  requireStable: boolean,
): FetchResponse {
  const { groupId } = request;
  const byTopic = offsets.ofGroup(groupId);
  const fetchOne = (topic: string, topicId: Uuid, index: number): FetchedPartition => {
    if (requireStable && offsets.isPending(groupId, topic, index)) {
      return { ...nothingCommitted(index), errorCode: Errors.UNSTABLE_OFFSET_COMMIT };
    }
    const offset = byTopic.get(topic)?.get(index);
    return offset === undefined || isOfAnother(topicId, offset)
      ? nothingCommitted(index)
      : fetched(index, offset);
  };
  const asked = request.topics ?? allOf(byTopic);
  const topics = asked.map(({ name, topicId, partitionIndexes }) => ({
    name,
    topicId,
    partitions: partitionIndexes.map((index) => fetchOne(name, topicId, index)),
  }));
  return { groupId, topics };
}

/** Forgets offsets of topics that the group does not read; the rest get an error each. */
export function deleteOffsets(
  offsets: CommittedOffsets,
  group: ClassicGroup,
  request: DeleteRequest,
): { readonly records: readonly GroupRecord[]; readonly response: DeleteResponse } {
  const { groupId } = group;
  const records: GroupRecord[] = [];
  const topics = request.topics.map(({ name, partitions }) => {
    const isRead = isSubscribedTo(group, name);
    return {
      name,
      partitions: partitions.map(({ partitionIndex }) => {
        if (isRead) return { partitionIndex, errorCode: Errors.GROUP_SUBSCRIBED_TO_TOPIC };
        if (isStored(offsets, groupId, name, partitionIndex)) {
          records.push(offsetTombstone(groupId, name, partitionIndex));
        }
        return { partitionIndex, errorCode: Errors.NONE };
      }),
    };
  });
  return { records, response: { errorCode: Errors.NONE, topics } };
}

/** Only consumers can forget offsets while they have members. */
export function deleteError(group: ClassicGroup | undefined): ErrorCode {
  if (group === undefined) return Errors.GROUP_ID_NOT_FOUND;
  return group.state !== 'Empty' && group.protocolType !== CONSUMER_PROTOCOL_TYPE
    ? Errors.NON_EMPTY_GROUP
    : Errors.NONE;
}

/** Offsets that go; `isCut`: there are more than were asked for. */
export interface Tombstones {
  readonly records: readonly GroupRecord[];
  /** What they take in a batch, roughly. */
  readonly bytes: number;
  readonly isCut: boolean;
}

/** Tombstones for everything a group has committed, or has pending. */
export const allTombstones = (offsets: CommittedOffsets, groupId: string): readonly GroupRecord[] =>
  tombstones(offsets, groupId, () => true, Number.POSITIVE_INFINITY).records;

/**
 * Tombstones for a group's offsets of deleted topics, about `limitBytes` of them; not for offsets
 * of other topics that bear their names.
 */
export function tombstonesForTopics(
  offsets: CommittedOffsets,
  groupId: string,
  idsByName: ReadonlyMap<string, Uuid>,
  limitBytes: number,
): Tombstones {
  const isMeant = (topic: string, _index: number, offset: CommittedOffset): boolean => {
    const id = idsByName.get(topic);
    return id !== undefined && !isOfAnother(id, offset);
  };
  return tombstones(offsets, groupId, isMeant, limitBytes);
}

/**
 * Tombstones for what has expired of a group's offsets, about `limitBytes` of them; `isLast`:
 * nothing is left afterwards.
 */
export function expired(
  offsets: CommittedOffsets,
  group: ClassicGroup,
  settings: GroupSettings,
  now: Now,
  limitBytes: number,
): Tombstones & { readonly isLast: boolean } {
  const { groupId } = group;
  const basis = retentionBasis(group);
  let isLast = !offsets.hasPending(groupId);
  const isExpired = (topic: string, index: number, offset: CommittedOffset): boolean => {
    const is =
      basis !== undefined &&
      !isSubscribedTo(group, topic) &&
      !offsets.isPending(groupId, topic, index) &&
      isOver(offset, basis(offset), settings.offsetsRetentionMs, now);
    isLast &&= is;
    return is;
  };
  const gone = tombstones(offsets, groupId, isExpired, limitBytes);
  return { ...gone, isLast: isLast && !gone.isCut };
}

/** One tombstone for each partition, though several offsets of it may be pending. */
function tombstones(
  offsets: CommittedOffsets,
  groupId: string,
  isMeant: (topic: string, index: number, offset: CommittedOffset) => boolean,
  limitBytes: number,
): Tombstones {
  const records = new Map<string, GroupRecord>();
  let bytes = 0;
  for (const [topic, index, offset] of offsets.everythingOf(groupId)) {
    if (!isMeant(topic, index, offset)) continue;
    records.set(`${topic}-${index}`, offsetTombstone(groupId, topic, index));
    bytes += groupId.length + topic.length + TOMBSTONE_OVERHEAD_BYTES;
    if (bytes > limitBytes) return { records: [...records.values()], bytes, isCut: true };
  }
  return { records: [...records.values()], bytes, isCut: false };
}

/** What a tombstone takes beside the names of group and topic, roughly. */
export const TOMBSTONE_OVERHEAD_BYTES = 40;

/** From when on an offset's retention runs; undefined = nothing expires while it is like that. */
function retentionBasis(group: ClassicGroup): ((offset: CommittedOffset) => number) | undefined {
  const { protocolType, state, stateSinceMs, subscribedTopics } = group;
  const sinceCommit = (offset: CommittedOffset) => offset.commitTimestampMs;
  if (protocolType === null) return sinceCommit;
  if (state === 'Empty') return stateSinceMs === -1 ? sinceCommit : () => stateSinceMs;
  const isKnown = protocolType === CONSUMER_PROTOCOL_TYPE && subscribedTopics !== undefined;
  return isKnown && state === 'Stable' ? sinceCommit : undefined;
}

function isOver(offset: CommittedOffset, sinceMs: number, retentionMs: number, now: Now): boolean {
  if (offset.expireTimestampMs !== NO_EXPIRY) return BigInt(now.wallMs) >= offset.expireTimestampMs;
  return now.wallMs - sinceMs >= retentionMs;
}

function allOf(
  byTopic: ReadonlyMap<string, OffsetsByPartition>,
): readonly { name: string; topicId: Uuid; partitionIndexes: readonly number[] }[] {
  return [...byTopic].map(([name, partitions]) => ({
    name,
    topicId: ZERO_UUID,
    partitionIndexes: [...partitions.keys()],
  }));
}

const isStored = (o: CommittedOffsets, groupId: string, topic: string, index: number): boolean =>
  o.get(groupId, topic, index) !== undefined || o.isPending(groupId, topic, index);

/** An offset of a topic that was deleted and made anew says nothing about the new one. */
const isOfAnother = (topicId: Uuid, offset: CommittedOffset): boolean =>
  topicId !== ZERO_UUID && offset.topicId !== ZERO_UUID && offset.topicId !== topicId;

const nothingCommitted = (partitionIndex: number): FetchedPartition => ({
  partitionIndex,
  committedOffset: NO_OFFSET,
  committedLeaderEpoch: -1,
  metadata: '',
  errorCode: Errors.NONE,
});

const fetched = (partitionIndex: number, offset: CommittedOffset): FetchedPartition => ({
  partitionIndex,
  committedOffset: offset.offset,
  committedLeaderEpoch: offset.leaderEpoch,
  metadata: offset.metadata,
  errorCode: Errors.NONE,
});

/**
 * The quorum's answers as Kafka's messages. `listenerName` is that of the listener asked: leaders
 * are named as they are reached there.
 */
import { METADATA_TOPIC_ID } from '../base/ids';
import { invariant } from '../base/invariant';
import type { ResponseDraft } from '../protocol/api';
import type { AddRaftVoter } from '../protocol/apis/add-raft-voter';
import type { BeginQuorumEpoch } from '../protocol/apis/begin-quorum-epoch';
import type { Fetch } from '../protocol/apis/fetch';
import type { FetchSnapshot } from '../protocol/apis/fetch-snapshot';
import type { UpdateRaftVoter } from '../protocol/apis/update-raft-voter';
import type { Vote } from '../protocol/apis/vote';
import { Errors } from '../protocol/errors';
import { METADATA_TOPIC } from './metadata-folder';
import type { ServedResponse } from './serving';
import { errorCode, leaderIdOnWire, nodeEndpoints } from './wire';

export function voteResponse(
  response: ServedResponse,
  listenerName: string,
): ResponseDraft<typeof Vote> {
  if (response.kind === 'refused') return { errorCode: errorCode(response.error), topics: [] };
  invariant(response.kind === 'vote', 'a Vote is answered as such');
  const { error, leader, isGranted } = response;
  const partition = {
    partitionIndex: 0,
    errorCode: errorCode(error),
    leaderId: leaderIdOnWire(leader),
    leaderEpoch: leader.epoch,
    voteGranted: isGranted,
  };
  return {
    errorCode: Errors.NONE,
    topics: [{ topicName: METADATA_TOPIC, partitions: [partition] }],
    nodeEndpoints: nodeEndpoints(leader, listenerName),
  };
}

/** Of BeginQuorumEpoch and EndQuorumEpoch, which look alike. */
export function epochResponse(
  response: ServedResponse,
  listenerName: string,
): ResponseDraft<typeof BeginQuorumEpoch> {
  if (response.kind === 'refused') return { errorCode: errorCode(response.error), topics: [] };
  invariant(
    response.kind === 'begin-quorum-epoch' || response.kind === 'end-quorum-epoch',
    'news of an epoch are answered as such',
  );
  const { error, leader } = response;
  const partition = {
    partitionIndex: 0,
    errorCode: errorCode(error),
    leaderId: leaderIdOnWire(leader),
    leaderEpoch: leader.epoch,
  };
  return {
    errorCode: Errors.NONE,
    topics: [{ topicName: METADATA_TOPIC, partitions: [partition] }],
    nodeEndpoints: nodeEndpoints(leader, listenerName),
  };
}

export function fetchResponse(
  response: ServedResponse,
  listenerName: string,
): ResponseDraft<typeof Fetch> {
  if (response.kind === 'refused') {
    return { errorCode: errorCode(response.error), sessionId: 0, responses: [] };
  }
  invariant(response.kind === 'fetch', 'a Fetch is answered as such');
  const { error, leader, highWatermark, startOffset, outcome, bytes } = response;
  const { offset, epoch } =
    outcome.kind === 'diverging'
      ? outcome.at
      : outcome.kind === 'snapshot'
        ? outcome.id
        : { offset: -1, epoch: -1 };
  const end = { endOffset: offset, epoch };
  const partition = {
    partitionIndex: 0,
    errorCode: errorCode(error),
    highWatermark,
    logStartOffset: startOffset,
    currentLeader: { leaderId: leaderIdOnWire(leader), leaderEpoch: leader.epoch },
    ...(outcome.kind === 'diverging' ? { divergingEpoch: end } : {}),
    ...(outcome.kind === 'snapshot' ? { snapshotId: end } : {}),
    records: bytes,
  };
  const topic = { topic: METADATA_TOPIC, topicId: METADATA_TOPIC_ID, partitions: [partition] };
  return {
    errorCode: Errors.NONE,
    sessionId: 0,
    responses: [topic],
    nodeEndpoints: nodeEndpoints(leader, listenerName).map((node) => ({ ...node, rack: null })),
  };
}

export function fetchSnapshotResponse(
  response: ServedResponse,
  listenerName: string,
): ResponseDraft<typeof FetchSnapshot> {
  if (response.kind === 'refused') return { errorCode: errorCode(response.error), topics: [] };
  invariant(response.kind === 'fetch-snapshot', 'a FetchSnapshot is answered as such');
  const { error, leader, snapshot, size, position, bytes } = response;
  const partition = {
    index: 0,
    errorCode: errorCode(error),
    snapshotId: { endOffset: snapshot.offset, epoch: snapshot.epoch },
    currentLeader: { leaderId: leaderIdOnWire(leader), leaderEpoch: leader.epoch },
    size,
    position,
    unalignedRecords: bytes,
  };
  return {
    errorCode: Errors.NONE,
    topics: [{ name: METADATA_TOPIC, partitions: [partition] }],
    nodeEndpoints: nodeEndpoints(leader, listenerName),
  };
}

/** Of AddRaftVoter and RemoveRaftVoter, which look alike. */
export function voterChangeResponse(response: ServedResponse): ResponseDraft<typeof AddRaftVoter> {
  invariant(
    response.kind === 'refused' ||
      response.kind === 'add-voter' ||
      response.kind === 'remove-voter',
    'a change of voters is answered as such',
  );
  return { errorCode: errorCode(response.error), errorMessage: response.message ?? null };
}

export function updateVoterResponse(
  response: ServedResponse,
  listenerName: string,
): ResponseDraft<typeof UpdateRaftVoter> {
  if (response.kind === 'refused') return { errorCode: errorCode(response.error) };
  invariant(response.kind === 'update-voter', 'an update of a voter is answered as such');
  const { error, leader } = response;
  const [endpoint] = nodeEndpoints(leader, listenerName);
  return {
    errorCode: errorCode(error),
    currentLeader: {
      leaderId: leaderIdOnWire(leader),
      leaderEpoch: leader.epoch,
      host: endpoint?.host ?? '',
      port: endpoint?.port ?? 0,
    },
  };
}

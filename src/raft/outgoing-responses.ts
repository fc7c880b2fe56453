/** The quorum's answers as Kafka's messages. */
import { METADATA_TOPIC, METADATA_TOPIC_ID } from '../base/ids';
import { invariant } from '../base/invariant';
import type { ResponseDraft } from '../protocol/api';
import type { AddRaftVoter } from '../protocol/apis/add-raft-voter';
import type { BeginQuorumEpoch } from '../protocol/apis/begin-quorum-epoch';
import type { Fetch } from '../protocol/apis/fetch';
import type { FetchSnapshot } from '../protocol/apis/fetch-snapshot';
import type { UpdateRaftVoter } from '../protocol/apis/update-raft-voter';
import type { Vote } from '../protocol/apis/vote';
import { Errors } from '../protocol/errors';
import type { KnownLeader } from './messages';
import type { ServedResponse } from './serving';
import { errorCode, leaderIdOnWire, nodeEndpoints } from './wire';

/** How the request came in. */
export interface Asked {
  readonly apiVersion: number;
  /** Leaders are named as they are reached on that listener. */
  readonly connection: { readonly listener: string };
}

export function voteResponse(response: ServedResponse, asked: Asked): ResponseDraft<typeof Vote> {
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
    ...endpointsFromVersion1(leader, asked),
  };
}

/** Of BeginQuorumEpoch and EndQuorumEpoch, which look alike. */
export function epochResponse(
  response: ServedResponse,
  asked: Asked,
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
    ...endpointsFromVersion1(leader, asked),
  };
}

export function fetchResponse(response: ServedResponse, asked: Asked): ResponseDraft<typeof Fetch> {
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
  const endpoints = nodeEndpoints(leader, asked.connection.listener);
  const topic = { topic: METADATA_TOPIC, topicId: METADATA_TOPIC_ID, partitions: [partition] };
  return {
    errorCode: Errors.NONE,
    sessionId: 0,
    responses: [topic],
    ...(asked.apiVersion < 16
      ? {}
      : {
          nodeEndpoints: endpoints.map((endpoint) => ({ ...endpoint, rack: null })),
        }),
  };
}

export function fetchSnapshotResponse(
  response: ServedResponse,
  asked: Asked,
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
    ...endpointsFromVersion1(leader, asked),
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
  asked: Asked,
): ResponseDraft<typeof UpdateRaftVoter> {
  if (response.kind === 'refused') return { errorCode: errorCode(response.error) };
  invariant(response.kind === 'update-voter', 'an update of a voter is answered as such');
  const { error, leader } = response;
  const [endpoint] = nodeEndpoints(leader, asked.connection.listener);
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

/** Version 0 comes from before KIP-853, and has no place for them. */
const endpointsFromVersion1 = (leader: KnownLeader, { apiVersion, connection }: Asked) =>
  apiVersion < 1 ? {} : { nodeEndpoints: nodeEndpoints(leader, connection.listener) };

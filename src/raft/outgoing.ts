/** Requests to other nodes of the quorum as Kafka's messages, and what their answers say. */
import { METADATA_TOPIC, METADATA_TOPIC_ID } from '../base/ids';
import type { Channel } from '../client/channel';
import type { AnyApi, RequestDraft, ResponseOf } from '../protocol/api';
import { AddRaftVoter } from '../protocol/apis/add-raft-voter';
import { ApiVersions } from '../protocol/apis/api-versions';
import { BeginQuorumEpoch } from '../protocol/apis/begin-quorum-epoch';
import { EndQuorumEpoch } from '../protocol/apis/end-quorum-epoch';
import { Fetch } from '../protocol/apis/fetch';
import { FetchSnapshot } from '../protocol/apis/fetch-snapshot';
import { RemoveRaftVoter } from '../protocol/apis/remove-raft-voter';
import { UpdateRaftVoter } from '../protocol/apis/update-raft-voter';
import { Vote } from '../protocol/apis/vote';
import { fetchedBatches } from './batches';
import type {
  AddVoterRequest,
  BeginQuorumEpochRequest,
  EndQuorumEpochRequest,
  FetchRequest,
  FetchSnapshotRequest,
  IncomingResponse,
  OutgoingRequest,
  RemoveVoterRequest,
  UpdateVoterRequest,
  VoteRequest,
} from './messages';
import {
  directoryOnWire,
  endpointsOnWire,
  errorCode,
  errorOf,
  leaderFrom,
  onlyPartition,
} from './wire';

const KRAFT_VERSION = 'kraft.version';
/** From here on a Fetch names its replica as this build does (KIP-903). */
const LEAST_FETCH_VERSION = 15;
const UNSUPPORTED: IncomingResponse = { kind: 'refused', error: 'UNSUPPORTED_VERSION' };
const SOFTWARE = { clientSoftwareName: 'ottla', clientSoftwareVersion: '0' };

/**
 * Asks over a negotiated channel. Rejects with a ChannelError if no answer comes. `listenerName` is
 * that of the listener at the other end.
 */
export function ask(
  channel: Channel,
  request: OutgoingRequest,
  listenerName: string,
): Promise<IncomingResponse> {
  switch (request.kind) {
    case 'vote':
      return askVote(channel, request, listenerName);
    case 'begin-quorum-epoch':
      return askBegin(channel, request, listenerName);
    case 'end-quorum-epoch':
      return askEnd(channel, request, listenerName);
    case 'fetch':
      return askFetch(channel, request, listenerName);
    case 'fetch-snapshot':
      return askSnapshot(channel, request, listenerName);
    case 'add-voter':
      return askAdd(channel, request);
    case 'remove-voter':
      return askRemove(channel, request);
    case 'update-voter':
      return askUpdate(channel, request, listenerName);
    case 'api-versions':
      return askVersions(channel);
  }
}

/** Undefined if the other side speaks no version from `least` on. */
async function exchange<A extends AnyApi>(
  channel: Channel,
  api: A,
  body: RequestDraft<A>,
  least = 0,
): Promise<ResponseOf<A> | undefined> {
  const version = channel.newestVersion(api);
  if (version === undefined || version < least) return undefined;
  return channel.request(api, version, body);
}

async function askVote(
  channel: Channel,
  request: VoteRequest,
  listenerName: string,
): Promise<IncomingResponse> {
  const { clusterId, candidate, voter, end, epoch, isPreVote } = request;
  const partition = {
    partitionIndex: 0,
    replicaEpoch: epoch,
    replicaId: candidate.id,
    replicaDirectoryId: directoryOnWire(candidate.directoryId),
    voterDirectoryId: directoryOnWire(voter?.directoryId),
    lastOffsetEpoch: end.epoch,
    lastOffset: end.offset,
    preVote: isPreVote,
  };
  const topics = [{ topicName: METADATA_TOPIC, partitions: [partition] }];
  const body = { clusterId, voterId: voter?.id ?? -1, topics };
  const answer = await exchange(channel, Vote, body, isPreVote ? 2 : 0);
  if (answer === undefined) return UNSUPPORTED;
  const found = onlyPartition(answer.topics, ({ partitionIndex }) => partitionIndex);
  if (answer.errorCode !== 0 || found === undefined) return refused(answer.errorCode);
  const leader = leaderFrom(found, answer.nodeEndpoints, listenerName);
  return { kind: 'vote', error: errorOf(found.errorCode), leader, isGranted: found.voteGranted };
}

async function askBegin(
  channel: Channel,
  request: BeginQuorumEpochRequest,
  listenerName: string,
): Promise<IncomingResponse> {
  const { clusterId, leaderId, epoch: leaderEpoch, voter, leaderEndpoints } = request;
  const voterDirectoryId = directoryOnWire(voter?.directoryId);
  const partition = { partitionIndex: 0, voterDirectoryId, leaderId, leaderEpoch };
  const answer = await exchange(channel, BeginQuorumEpoch, {
    clusterId,
    voterId: voter?.id ?? -1,
    topics: [{ topicName: METADATA_TOPIC, partitions: [partition] }],
    leaderEndpoints: endpointsOnWire(leaderEndpoints),
  });
  return epochAnswer('begin-quorum-epoch', answer, listenerName);
}

async function askEnd(
  channel: Channel,
  request: EndQuorumEpochRequest,
  listenerName: string,
): Promise<IncomingResponse> {
  const { clusterId, leaderId, epoch: leaderEpoch, successors, leaderEndpoints } = request;
  const partition = {
    partitionIndex: 0,
    leaderId,
    leaderEpoch,
    preferredSuccessors: successors.map(({ id }) => id),
    preferredCandidates: successors.map(({ id, directoryId }) => ({
      candidateId: id,
      candidateDirectoryId: directoryOnWire(directoryId),
    })),
  };
  const answer = await exchange(channel, EndQuorumEpoch, {
    clusterId,
    topics: [{ topicName: METADATA_TOPIC, partitions: [partition] }],
    leaderEndpoints: endpointsOnWire(leaderEndpoints),
  });
  return epochAnswer('end-quorum-epoch', answer, listenerName);
}

function epochAnswer(
  kind: 'begin-quorum-epoch' | 'end-quorum-epoch',
  answer: ResponseOf<typeof BeginQuorumEpoch> | undefined,
  listenerName: string,
): IncomingResponse {
  if (answer === undefined) return UNSUPPORTED;
  const found = onlyPartition(answer.topics, ({ partitionIndex }) => partitionIndex);
  if (answer.errorCode !== 0 || found === undefined) return refused(answer.errorCode);
  const leader = leaderFrom(found, answer.nodeEndpoints, listenerName);
  return { kind, error: errorOf(found.errorCode), leader };
}

async function askFetch(
  channel: Channel,
  request: FetchRequest,
  listenerName: string,
): Promise<IncomingResponse> {
  const { clusterId, replica, epoch, fetchOffset, lastFetchedEpoch, maxWaitMs } = request;
  const partition = {
    partition: 0,
    currentLeaderEpoch: epoch,
    fetchOffset: BigInt(fetchOffset),
    lastFetchedEpoch,
    partitionMaxBytes: 0,
    replicaDirectoryId: directoryOnWire(replica.directoryId),
    highWatermark: BigInt(request.highWatermark),
  };
  const topic = { topic: METADATA_TOPIC, topicId: METADATA_TOPIC_ID, partitions: [partition] };
  const body: RequestDraft<typeof Fetch> = {
    clusterId,
    replicaState: { replicaId: replica.id, replicaEpoch: -1 },
    maxWaitMs,
    minBytes: 0,
    maxBytes: request.maxBytes,
    topics: [topic],
    forgottenTopicsData: [],
  };
  const answer = await exchange(channel, Fetch, body, LEAST_FETCH_VERSION);
  if (answer === undefined) return UNSUPPORTED;
  const found = onlyPartition(answer.responses, ({ partitionIndex }) => partitionIndex);
  if (answer.errorCode !== 0 || found === undefined) return refused(answer.errorCode);
  const leader = leaderFrom(found.currentLeader, answer.nodeEndpoints, listenerName);
  const error = errorOf(found.errorCode);
  const head = { kind: 'fetch', error, leader, highWatermark: found.highWatermark } as const;
  return { ...head, outcome: fetchOutcome(found) };
}

type FetchedPartition = ResponseOf<typeof Fetch>['responses'][number]['partitions'][number];
type FetchOutcome = Extract<IncomingResponse, { kind: 'fetch' }>['outcome'];

function fetchOutcome({ divergingEpoch, snapshotId, records }: FetchedPartition): FetchOutcome {
  if (divergingEpoch.epoch >= 0) {
    const { epoch, endOffset: offset } = divergingEpoch;
    return { kind: 'diverging', at: { offset, epoch } };
  }
  if (snapshotId.epoch >= 0 || snapshotId.endOffset >= 0) {
    const { epoch, endOffset: offset } = snapshotId;
    return { kind: 'snapshot', id: { offset, epoch } };
  }
  return { kind: 'batches', batches: records === null ? [] : fetchedBatches(records).batches };
}

async function askSnapshot(
  channel: Channel,
  request: FetchSnapshotRequest,
  listenerName: string,
): Promise<IncomingResponse> {
  const { clusterId, replica, epoch, snapshot, position, maxBytes } = request;
  const partition = {
    partition: 0,
    currentLeaderEpoch: epoch,
    snapshotId: { endOffset: snapshot.offset, epoch: snapshot.epoch },
    position,
    replicaDirectoryId: directoryOnWire(replica.directoryId),
  };
  const answer = await exchange(channel, FetchSnapshot, {
    clusterId,
    replicaId: replica.id,
    maxBytes,
    topics: [{ name: METADATA_TOPIC, partitions: [partition] }],
  });
  if (answer === undefined) return UNSUPPORTED;
  const found = onlyPartition(answer.topics, ({ index }) => index);
  if (answer.errorCode !== 0 || found === undefined) return refused(answer.errorCode);
  return {
    kind: 'fetch-snapshot',
    error: errorOf(found.errorCode),
    leader: leaderFrom(found.currentLeader, answer.nodeEndpoints, listenerName),
    snapshot: { offset: found.snapshotId.endOffset, epoch: found.snapshotId.epoch },
    position: found.position,
    size: found.size,
    bytes: found.unalignedRecords ?? Buffer.alloc(0),
  };
}

async function askAdd(channel: Channel, request: AddVoterRequest): Promise<IncomingResponse> {
  const { clusterId, timeoutMs, voter, endpoints, isAnsweredWhenCommitted } = request;
  const body = {
    clusterId,
    timeoutMs,
    voterId: voter.id,
    voterDirectoryId: directoryOnWire(voter.directoryId),
    listeners: endpointsOnWire(endpoints),
    ackWhenCommitted: isAnsweredWhenCommitted,
  };
  const answer = await exchange(channel, AddRaftVoter, body, isAnsweredWhenCommitted ? 0 : 1);
  if (answer === undefined) return UNSUPPORTED;
  return { kind: 'add-voter', error: errorOf(answer.errorCode) };
}

async function askRemove(channel: Channel, request: RemoveVoterRequest): Promise<IncomingResponse> {
  const { clusterId, voter } = request;
  const voterDirectoryId = directoryOnWire(voter.directoryId);
  const body = { clusterId, voterId: voter.id, voterDirectoryId };
  const answer = await exchange(channel, RemoveRaftVoter, body);
  if (answer === undefined) return UNSUPPORTED;
  return { kind: 'remove-voter', error: errorOf(answer.errorCode) };
}

async function askUpdate(
  channel: Channel,
  request: UpdateVoterRequest,
  listenerName: string,
): Promise<IncomingResponse> {
  const { clusterId, epoch, voter, endpoints, minKraftVersion, maxKraftVersion } = request;
  const answer = await exchange(channel, UpdateRaftVoter, {
    clusterId,
    currentLeaderEpoch: epoch,
    voterId: voter.id,
    voterDirectoryId: directoryOnWire(voter.directoryId),
    listeners: endpointsOnWire(endpoints),
    kRaftVersionFeature: {
      minSupportedVersion: minKraftVersion,
      maxSupportedVersion: maxKraftVersion,
    },
  });
  if (answer === undefined) return UNSUPPORTED;
  const { host, port, leaderId } = answer.currentLeader;
  const endpoint = { nodeId: leaderId, host, port };
  const leader = leaderFrom(answer.currentLeader, [endpoint], listenerName);
  return { kind: 'update-voter', error: errorOf(answer.errorCode), leader };
}

async function askVersions(channel: Channel): Promise<IncomingResponse> {
  const answer = await exchange(channel, ApiVersions, SOFTWARE);
  if (answer === undefined) return UNSUPPORTED;
  const found = answer.supportedFeatures.find(({ name }) => name === KRAFT_VERSION);
  const kraftVersions = found && { min: found.minVersion, max: found.maxVersion };
  return { kind: 'api-versions', error: errorOf(answer.errorCode), kraftVersions };
}

/** An answer without a word on the partition, or an error for the request as a whole. */
const refused = (code: number): IncomingResponse => ({
  kind: 'refused',
  error: code === errorCode('NONE') ? 'UNKNOWN_SERVER_ERROR' : errorOf(code),
});

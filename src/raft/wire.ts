/** What the quorum's messages have in common: error codes, leaders, the one partition. */
import { METADATA_TOPIC, METADATA_TOPIC_ID, type NodeId, type Uuid, ZERO_UUID } from '../base/ids';
import { type ErrorCode, Errors, errorName } from '../protocol/errors';
import type { KnownLeader, QuorumError } from './messages';
import type { Endpoint, ReplicaKey } from './voters';

export const errorCode = (error: QuorumError): ErrorCode => Errors[error];

/** Codes that the quorum has no special use for count as UNKNOWN_SERVER_ERROR. */
export function errorOf(code: number): QuorumError {
  const name = errorName(code);
  return KNOWN.has(name) ? (name as QuorumError) : 'UNKNOWN_SERVER_ERROR';
}

const KNOWN: ReadonlySet<string> = new Set<QuorumError>([
  'NONE',
  'UNKNOWN_SERVER_ERROR',
  'UNKNOWN_TOPIC_OR_PARTITION',
  'NOT_LEADER_OR_FOLLOWER',
  'REQUEST_TIMED_OUT',
  'BROKER_NOT_AVAILABLE',
  'CLUSTER_AUTHORIZATION_FAILED',
  'UNSUPPORTED_VERSION',
  'INVALID_REQUEST',
  'KAFKA_STORAGE_ERROR',
  'FENCED_LEADER_EPOCH',
  'UNKNOWN_LEADER_EPOCH',
  'SNAPSHOT_NOT_FOUND',
  'POSITION_OUT_OF_RANGE',
  'INCONSISTENT_CLUSTER_ID',
  'INVALID_UPDATE_VERSION',
  'INVALID_VOTER_KEY',
  'DUPLICATE_VOTER',
  'VOTER_NOT_FOUND',
]);

/** The zero uuid stands for "unknown". */
export const directoryOnWire = (directoryId: Uuid | undefined): Uuid => directoryId ?? ZERO_UUID;

export const replicaOf = (id: NodeId, directoryId: Uuid): ReplicaKey => ({
  id,
  directoryId: directoryId === ZERO_UUID ? undefined : directoryId,
});

interface NodeEndpoint {
  readonly nodeId: NodeId;
  readonly host: string;
  readonly port: number;
}

/** Where the leader is reached on the listener that the request came in on; nothing if unknown. */
export function nodeEndpoints(leader: KnownLeader, listenerName: string): NodeEndpoint[] {
  const endpoint = leader.endpoints.find(({ name }) => name === listenerName);
  if (leader.leaderId === undefined || endpoint === undefined) return [];
  return [{ nodeId: leader.leaderId, host: endpoint.host, port: endpoint.port }];
}

/** The leader as an answer names it; the endpoint is that of the listener the answer came from. */
export function leaderFrom(
  { leaderId, leaderEpoch }: { readonly leaderId: number; readonly leaderEpoch: number },
  endpoints: readonly NodeEndpoint[],
  listenerName: string,
): KnownLeader {
  const found = endpoints.filter(({ nodeId, host }) => nodeId === leaderId && host !== '');
  return {
    leaderId: leaderId < 0 ? undefined : leaderId,
    epoch: leaderEpoch,
    endpoints: found.map(({ host, port }) => ({ name: listenerName, host, port })),
  };
}

export const leaderIdOnWire = (leader: KnownLeader): NodeId => leader.leaderId ?? -1;

export const endpointsOnWire = (endpoints: readonly Endpoint[]): Endpoint[] =>
  endpoints.map(({ name, host, port }) => ({ name, host, port }));

/** The metadata partition, if the topics are that and nothing else. */
export function onlyPartition<Partition>(
  topics: readonly {
    readonly topicName?: string;
    readonly name?: string;
    readonly topic?: string;
    readonly topicId?: Uuid;
    readonly partitions: readonly Partition[];
  }[],
  indexOf: (partition: Partition) => number,
): Partition | undefined {
  const [topic] = topics;
  const [partition] = topic?.partitions ?? [];
  if (topics.length !== 1 || topic?.partitions.length !== 1 || partition === undefined) {
    return undefined;
  }
  const name = topic.topicName ?? topic.name ?? topic.topic;
  const isMetadata = name === METADATA_TOPIC || topic.topicId === METADATA_TOPIC_ID;
  return isMetadata && indexOf(partition) === 0 ? partition : undefined;
}

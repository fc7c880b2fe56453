/** The voters of a quorum: who they are, where they are reached, what they support (KIP-853). */
import type { NodeId, Uuid } from '../base/ids';

/** One replica of the metadata log: a node and, if known, the folder it keeps the log in. */
export interface ReplicaKey {
  readonly id: NodeId;
  /** Undefined in static quorums, where only node ids are known. */
  readonly directoryId: Uuid | undefined;
}

/** One listener as advertised to others. */
export interface Endpoint {
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

export interface Voter {
  readonly key: ReplicaKey;
  /** In the order advertised; one for each listener of controllers. */
  readonly endpoints: readonly Endpoint[];
  /** The levels of the feature kraft.version that it supports, both inclusive. */
  readonly minKraftVersion: number;
  readonly maxKraftVersion: number;
}

/** By node id; never changed, only replaced. */
export type VoterSet = ReadonlyMap<NodeId, Voter>;

/** Where a request goes. Bootstrap servers, whose ids are unknown, have ids below -1. */
export interface Destination {
  readonly id: NodeId;
  readonly host: string;
  readonly port: number;
}

export function voterSet(voters: Iterable<Voter>): VoterSet {
  return new Map([...voters].map((voter) => [voter.key.id, voter]));
}

/** The voters of `controller.quorum.voters`: directories unknown, reached on one listener. */
export function staticVoterSet(listenerName: string, servers: readonly Destination[]): VoterSet {
  return voterSet(
    servers.map(({ id, host, port }) => ({
      key: { id, directoryId: undefined },
      endpoints: [{ name: listenerName, host, port }],
      minKraftVersion: 0,
      maxKraftVersion: 0,
    })),
  );
}

const sameReplica = (one: ReplicaKey, other: ReplicaKey): boolean =>
  one.id === other.id && one.directoryId === other.directoryId;

/** Whether a voter known as `known` is `replica`; an unknown directory matches every one. */
export const matchesReplica = (known: ReplicaKey, replica: ReplicaKey): boolean =>
  known.id === replica.id &&
  (known.directoryId === undefined || known.directoryId === replica.directoryId);

export function isVoter(voters: VoterSet, replica: ReplicaKey): boolean {
  const voter = voters.get(replica.id);
  return voter !== undefined && matchesReplica(voter.key, replica);
}

export const isOnlyVoter = (voters: VoterSet, replica: ReplicaKey): boolean =>
  voters.size === 1 && isVoter(voters, replica);

/** How many voters decide. */
export const majority = (voters: { readonly size: number }): number =>
  Math.floor(voters.size / 2) + 1;

/** Undefined if the id is a voter's already. */
export function withVoter(voters: VoterSet, voter: Voter): VoterSet | undefined {
  if (voters.has(voter.key.id)) return undefined;
  return new Map(voters).set(voter.key.id, voter);
}

/** Undefined if it is no voter (id and directory), or the last one. */
export function withoutVoter(voters: VoterSet, replica: ReplicaKey): VoterSet | undefined {
  const voter = voters.get(replica.id);
  if (voter === undefined || !sameReplica(voter.key, replica) || voters.size === 1)
    return undefined;
  const rest = new Map(voters);
  rest.delete(replica.id);
  return rest;
}

/** Undefined if it is no voter. `ignoringDirectory`: the id alone decides (kraft.version 0). */
export function withUpdatedVoter(
  voters: VoterSet,
  voter: Voter,
  ignoringDirectory = false,
): VoterSet | undefined {
  const known = voters.get(voter.key.id);
  if (known === undefined) return undefined;
  if (!ignoringDirectory && !matchesReplica(known.key, voter.key)) return undefined;
  return new Map(voters).set(voter.key.id, voter);
}

/** Whether the set has this voter, but with other endpoints, levels or directory. */
export function voterNeedsUpdate(voters: VoterSet, voter: Voter): boolean {
  const known = voters.get(voter.key.id);
  return known !== undefined && matchesReplica(known.key, voter.key) && !sameVoter(known, voter);
}

function sameVoter(one: Voter, other: Voter): boolean {
  return (
    sameReplica(one.key, other.key) &&
    one.minKraftVersion === other.minKraftVersion &&
    one.maxKraftVersion === other.maxKraftVersion &&
    sameEndpoints(one.endpoints, other.endpoints)
  );
}

export function sameVoters(one: VoterSet, other: VoterSet): boolean {
  if (one.size !== other.size) return false;
  for (const voter of one.values()) {
    const counterpart = other.get(voter.key.id);
    if (counterpart === undefined || !sameVoter(voter, counterpart)) return false;
  }
  return true;
}

export const endpointsOf = (voters: VoterSet, id: NodeId): readonly Endpoint[] =>
  voters.get(id)?.endpoints ?? [];

/** Where node `id` is reached on that listener; undefined if it names no such endpoint. */
export function destinationOf(
  id: NodeId,
  endpoints: readonly Endpoint[],
  listenerName: string,
): Destination | undefined {
  const endpoint = endpoints.find(({ name }) => name === listenerName);
  return endpoint && { id, host: endpoint.host, port: endpoint.port };
}

/** The order in which Kafka sorts replicas: by id, then by directory. */
export function compareReplicas(one: ReplicaKey, other: ReplicaKey): number {
  if (one.id !== other.id) return one.id - other.id;
  const oneDirectory = one.directoryId ?? '';
  const otherDirectory = other.directoryId ?? '';
  return oneDirectory < otherDirectory ? -1 : oneDirectory > otherDirectory ? 1 : 0;
}

/** As log lines and tests show it. */
export const describeReplica = ({ id, directoryId }: ReplicaKey): string =>
  directoryId === undefined ? `${id}` : `${id}/${directoryId}`;

function sameEndpoints(one: readonly Endpoint[], other: readonly Endpoint[]): boolean {
  if (one.length !== other.length) return false;
  const inOrder = (endpoints: readonly Endpoint[]) =>
    endpoints.map(({ name, host, port }) => `${name}://${host}:${port}`).sort();
  const others = inOrder(other);
  return inOrder(one).every((endpoint, index) => endpoint === others[index]);
}

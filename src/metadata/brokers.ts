/** Brokers and controllers as they registered themselves. */
import type { BrokerEpoch, NodeId, Uuid } from '../base/ids';
import type { UnknownTag } from '../protocol/schema';
import { DIRECTORY_LOST, DIRECTORY_MIGRATING, DIRECTORY_UNASSIGNED } from './topics';

/** `SecurityProtocol` of Kafka's records is the index in this list. */
export const SECURITY_PROTOCOLS = ['PLAINTEXT', 'SSL', 'SASL_PLAINTEXT', 'SASL_SSL'] as const;
type SecurityProtocol = (typeof SECURITY_PROTOCOLS)[number];

export interface Endpoint {
  /** The listener's name. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly securityProtocol: SecurityProtocol;
}

/** Levels of a feature that a node supports, both ends included. */
export interface FeatureRange {
  readonly min: number;
  readonly max: number;
}

export interface Broker {
  readonly id: NodeId;
  readonly epoch: BrokerEpoch;
  /** New at every start of the process. */
  readonly incarnationId: Uuid;
  readonly endpoints: readonly Endpoint[];
  readonly features: ReadonlyMap<string, FeatureRange>;
  readonly rack: string | null;
  /** Not to be led by, fetched from or shown to clients. */
  readonly isFenced: boolean;
  readonly isInControlledShutdown: boolean;
  readonly isMigratingFromZooKeeper: boolean;
  /** Log folders that are online; empty when the broker never said. */
  readonly directories: readonly Uuid[];
  /** Log folders that take no new replicas (KIP-1066); null when the broker never said. */
  readonly cordonedDirectories: readonly Uuid[] | null;
  /** Fields of a newer release, written back as they came. */
  readonly unknownTags?: readonly UnknownTag[];
}

export interface Controller {
  readonly id: NodeId;
  readonly incarnationId: Uuid;
  readonly isZooKeeperMigrationReady: boolean;
  readonly endpoints: readonly Endpoint[];
  readonly features: ReadonlyMap<string, FeatureRange>;
  /** Fields of a newer release, written back as they came. */
  readonly unknownTags?: readonly UnknownTag[];
}

/** May lead partitions and join ISRs. */
export function isActive(broker: Broker): boolean {
  return !broker.isFenced && !broker.isInControlledShutdown;
}

/** The endpoint of that listener, if the node has one. */
export function endpointOf(node: Broker | Controller, listener: string): Endpoint | undefined {
  return node.endpoints.find((endpoint) => endpoint.name === listener);
}

/**
 * Whether replicas in that folder can be used. UNASSIGNED and MIGRATING count as online, LOST does
 * not; a broker that never named its folders (before KIP-858) is trusted.
 */
export function hasOnlineDirectory(broker: Broker, directory: Uuid): boolean {
  if (directory === DIRECTORY_UNASSIGNED || directory === DIRECTORY_MIGRATING) return true;
  if (directory === DIRECTORY_LOST) return false;
  return broker.directories.length === 0 || broker.directories.includes(directory);
}

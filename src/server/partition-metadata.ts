/** A partition as clients are told of it on one listener. */
import type { NodeId } from '../base/ids';
import { type Broker, endpointOf, hasOnlineDirectory } from '../metadata/brokers';
import type { Image } from '../metadata/image';
import { directoryOf, NO_LEADER, type Partition } from '../metadata/topics';

export interface PartitionMetadata {
  /** -1 = nobody that can be reached on this listener. */
  readonly leaderId: NodeId;
  readonly leaderEpoch: number;
  readonly replicaNodes: readonly NodeId[];
  readonly isrNodes: readonly NodeId[];
  readonly offlineReplicas: readonly NodeId[];
}

export function partitionMetadata(
  image: Image,
  partition: Partition,
  listener: string,
): PartitionMetadata {
  const leader = image.broker(partition.leader);
  const isReachable = leader !== undefined && endpointOf(leader, listener) !== undefined;
  return {
    leaderId: isReachable ? partition.leader : NO_LEADER,
    leaderEpoch: partition.leaderEpoch,
    replicaNodes: partition.replicas,
    isrNodes: partition.isr,
    offlineReplicas: partition.replicas.filter((id) => {
      const broker = image.broker(id);
      return broker === undefined || isOffline(partition, broker, listener);
    }),
  };
}

/** A broker that clients may be sent to. */
export const isAlive = (broker: Broker | undefined, listener: string): boolean =>
  broker !== undefined && !broker.isFenced && endpointOf(broker, listener) !== undefined;

/**
 * Who Metadata and DescribeCluster call the controller: any live broker, since each takes what is
 * meant for the controller there. This node first, which saves the client a connection.
 */
export function controllerFor(image: Image, nodeId: NodeId): NodeId {
  const own = image.broker(nodeId);
  if (own !== undefined && !own.isFenced) return nodeId;
  for (const broker of image.brokers.values()) if (!broker.isFenced) return broker.id;
  return -1;
}

function isOffline(partition: Partition, broker: Broker, listener: string): boolean {
  if (!isAlive(broker, listener)) return true;
  const directory = directoryOf(partition, broker.id);
  return directory !== undefined && !hasOnlineDirectory(broker, directory);
}

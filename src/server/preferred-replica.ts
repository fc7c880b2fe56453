/** Tells consumers of a nearer replica than the leader, where the broker is set to (KIP-392). */
import type { NodeId } from '../base/ids';
import { endpointOf } from '../metadata/brokers';
import type { Partition } from '../replication/partition';
import { type ReadableReplica, selectInRack } from '../replication/replica-selector';
import type { Context } from './context';
import type { Services } from './services';

/** Undefined: read here. `rack` is the consumer's own, '' where it has none. */
export function preferredReplica(
  partition: Partition,
  fetchOffset: bigint,
  rack: string,
  context: Context,
  services: Services,
): NodeId | undefined {
  if (rack === '' || services.settings.replicaSelector === undefined) return undefined;
  if (!partition.isLeader) return undefined;
  const image = services.picture();
  const readable = function* (): IterableIterator<ReadableReplica> {
    for (const [id, { endOffset, caughtUpAtMs }] of partition.readableAt(fetchOffset)) {
      const broker = image.broker(id);
      if (broker === undefined || broker.isFenced) continue;
      if (endpointOf(broker, context.connection.listener) === undefined) continue;
      yield { id, rack: broker.rack, endOffset, caughtUpAtMs };
    }
  };
  return selectInRack(rack, image.broker(services.nodeId)?.rack ?? null, readable());
}

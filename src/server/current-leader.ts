/** KIP-951: a refused client is told who leads now and how to reach it. */
import type { LeaderEpoch, NodeId } from '../base/ids';
import { endpointOf } from '../metadata/brokers';
import type { Context } from './context';
import type { Services } from './services';

export interface CurrentLeader {
  /** -1 = none is known. */
  readonly leaderId: NodeId;
  readonly leaderEpoch: LeaderEpoch;
}

export interface NodeEndpoint {
  readonly nodeId: NodeId;
  readonly host: string;
  readonly port: number;
  readonly rack: string | null;
}

/** What this node knows itself comes first, then what the picture says. */
export function currentLeader(services: Services, topic: string, index: number): CurrentLeader {
  const { replicas } = services;
  const known = replicas.get(topic, index) ?? partitionIn(services, topic, index);
  if (known === undefined) return { leaderId: -1, leaderEpoch: -1 };
  const leaderId = 'leaderId' in known ? known.leaderId : known.leader;
  return { leaderId, leaderEpoch: known.leaderEpoch };
}

const partitionIn = (services: Services, topic: string, index: number) =>
  services.picture().topicByName(topic)?.partitions.get(index);

/** The nodes that one answer names, each once, if they can be reached on the client's listener. */
export class NodeEndpoints {
  readonly #byId = new Map<NodeId, NodeEndpoint>();

  constructor(
    private readonly services: Services,
    private readonly context: Context,
  ) {}

  add(nodeId: NodeId): void {
    const broker = this.services.picture().broker(nodeId);
    if (broker === undefined || broker.isFenced) return;
    const endpoint = endpointOf(broker, this.context.connection.listener);
    if (endpoint === undefined) return;
    const { host, port } = endpoint;
    this.#byId.set(nodeId, { nodeId, host, port, rack: broker.rack });
  }

  list(): readonly NodeEndpoint[] {
    return [...this.#byId.values()];
  }
}

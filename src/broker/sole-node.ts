/**
 * What a node runs with that is started without a properties file: a cluster of one, for anyone.
 */
import type { NodeId } from '../base/ids';
import { bracketed } from './listeners';
import type { Properties } from './settings';

export interface SoleNode {
  readonly nodeId: NodeId;
  /** A name or address; every interface if 0.0.0.0 or ::. */
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly controllerPort: number;
  /** Where clients are told to connect, if not to `host`. */
  readonly advertisedHost: string | undefined;
  /** Absolute. */
  readonly dataFolder: string;
}

/** The properties of a sole node: Kafka's defaults, but for what needs more than one node. */
export function soleNodeProperties(node: SoleNode): Properties {
  const host = bracketed(node.host);
  const advertised = node.advertisedHost;
  return new Map([
    ['process.roles', 'broker,controller'],
    ['node.id', String(node.nodeId)],
    ['listeners', `PLAINTEXT://${host}:${node.port},CONTROLLER://localhost:${node.controllerPort}`],
    ...(advertised === undefined
      ? []
      : ([['advertised.listeners', `PLAINTEXT://${bracketed(advertised)}:${node.port}`]] as const)),
    ['controller.listener.names', 'CONTROLLER'],
    ['log.dirs', node.dataFolder],
    ['offsets.topic.replication.factor', '1'],
    ['transaction.state.log.replication.factor', '1'],
    ['transaction.state.log.min.isr', '1'],
    ['group.initial.rebalance.delay.ms', '0'],
  ]);
}

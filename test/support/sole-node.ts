/** A whole node that is a cluster of its own, on a machine of a test's world. */
import type { Broker } from '../../src/broker/broker';
import { soleNodeProperties } from '../../src/broker/sole-node';
import { startNode } from '../../src/broker/start-node';
import type { TestMachine, TestWorld } from './world';

/** Serves clients at port 9092 of host `one` and controllers at 9093, from the folder /data. */
export function startSoleNode(
  world: TestWorld,
  machine: TestMachine,
  settings: Readonly<Record<string, string>> = {},
): Promise<Broker> {
  const sole = soleNodeProperties({
    nodeId: 1,
    host: 'one',
    port: 9092,
    controllerPort: 9093,
    advertisedHost: undefined,
    dataFolder: '/data',
  });
  const properties = new Map([...sole, ...Object.entries(settings)]);
  return world.outcome(startNode({ platform: machine, properties, localHost: () => 'one' }));
}

/** The real broker as a node of a simulated world. */
import { soleNodeProperties } from '../../src/broker/sole-node';
import { startNode } from '../../src/broker/start-node';
import type { StartNode } from './world/node';
import { CLIENT_PORT, nodeName } from './world/world';

const CONTROLLER_PORT = 9093;
const DATA_FOLDER = '/data';

/** As `ottla start` alone would run it, but for what the scenario says about flushing. */
export const startBrokerNode: StartNode = async (platform, nodeId, scenario) => {
  const host = nodeName(nodeId);
  const properties = new Map([
    ...soleNodeProperties({
      nodeId,
      host,
      port: CLIENT_PORT,
      controllerPort: CONTROLLER_PORT,
      advertisedHost: undefined,
      dataFolder: DATA_FOLDER,
    }),
    ...(scenario.crash === 'power-loss' ? [['log.flush.interval.messages', '1'] as const] : []),
  ]);
  const broker = await startNode({
    platform,
    properties,
    localHost: () => host,
    overwritesLentBytes: true,
  });
  return { stop: () => broker.stop(), failed: broker.failed };
};

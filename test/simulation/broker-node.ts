/** The real broker as a node of a simulated world. */
import { formatFolders } from '../../src/broker/format';
import { soleNodeProperties } from '../../src/broker/sole-node';
import { startNode } from '../../src/broker/start-node';
import type { Platform } from '../../src/platform/platform';
import { CLIENT_PORT, nodeName, type StartNode } from './world/node';
import type { Scenario } from './world/scenario';

const CONTROLLER_PORT = 9093;
const DATA_FOLDER = '/data';
const CLUSTER_ID = 'c2ltdWxhdGVkLXdvcmxkLQ';

/** Transactions that take too long are looked for more often than every ten seconds. */
const OFTEN = [['transaction.abort.timed.out.transaction.cleanup.interval.ms', '1000']] as const;

/**
 * Alone as `ottla start` would run it, among others as broker and voting controller in one; and
 * with what the scenario says about flushing.
 */
export const startBrokerNode: StartNode = async (platform, nodeId, scenario) => {
  const host = nodeName(nodeId);
  const isAlone = scenario.nodes === 1;
  if (!isAlone) await format(platform, nodeId);
  const broker = await startNode({
    platform,
    properties: new Map([
      ...(isAlone ? soleProperties(nodeId) : clusterProperties(nodeId, scenario)),
      ...(scenario.transactions === undefined ? [] : OFTEN),
      ...(scenario.crash === 'power-loss' ? [['log.flush.interval.messages', '1'] as const] : []),
    ]),
    localHost: () => host,
    overwritesLentBytes: true,
  });
  return { stop: () => broker.stop(), failed: broker.failed };
};

const soleProperties = (nodeId: number): Iterable<readonly [string, string]> =>
  soleNodeProperties({
    nodeId,
    host: nodeName(nodeId),
    port: CLIENT_PORT,
    controllerPort: CONTROLLER_PORT,
    advertisedHost: undefined,
    dataFolder: DATA_FOLDER,
  });

function clusterProperties(
  nodeId: number,
  { nodes }: Scenario,
): Iterable<readonly [string, string]> {
  const voters = Array.from({ length: nodes }, (_, index) => {
    const id = index + 1;
    return `${id}@${nodeName(id)}:${CONTROLLER_PORT}`;
  });
  const host = nodeName(nodeId);
  return [
    ['process.roles', 'broker,controller'],
    ['node.id', String(nodeId)],
    ['listeners', `PLAINTEXT://${host}:${CLIENT_PORT},CONTROLLER://${host}:${CONTROLLER_PORT}`],
    ['controller.listener.names', 'CONTROLLER'],
    ['controller.quorum.voters', voters.join(',')],
    ['log.dirs', DATA_FOLDER],
    ['default.replication.factor', String(Math.min(nodes, 3))],
    // Fewer than Kafka's fifty, each of which costs every start its fsyncs.
    ['offsets.topic.num.partitions', '3'],
    ['offsets.topic.replication.factor', String(Math.min(nodes, 3))],
    ['transaction.state.log.num.partitions', '3'],
    ['transaction.state.log.replication.factor', String(Math.min(nodes, 3))],
    ['transaction.state.log.min.isr', String(Math.min(nodes, 2))],
    ['group.initial.rebalance.delay.ms', '0'],
  ];
}

/** As an operator would, once, before the first start. */
async function format(platform: Platform, nodeId: number): Promise<void> {
  if (platform.disk.exists(`${DATA_FOLDER}/meta.properties`)) return;
  await formatFolders(platform, {
    folders: [DATA_FOLDER],
    metadataFolder: DATA_FOLDER,
    nodeId,
    clusterId: CLUSTER_ID,
    isController: true,
    hasStaticVoters: true,
    controllerListenerName: 'CONTROLLER',
    initial: undefined,
    ignoreFormatted: false,
    releaseVersion: undefined,
    features: new Map(),
  });
}

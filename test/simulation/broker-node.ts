/** The real broker as a node of a simulated world. */
import { METADATA_TOPIC } from '../../src/base/ids';
import { type FormatOptions, formatFolders } from '../../src/broker/format';
import { NodeQuorum } from '../../src/broker/quorum';
import { soleNodeProperties } from '../../src/broker/sole-node';
import { startNode } from '../../src/broker/start-node';
import { ELIGIBLE_LEADER_REPLICAS_VERSION } from '../../src/metadata/features';
import type { Disk, Platform } from '../../src/platform/platform';
import { uuidOf } from '../../src/protocol/ids';
import { patch } from './planted/plant';
import type { MetadataLog } from './world/metadata-replay';
import { CLIENT_PORT, nodeName, type StartNode } from './world/node';
import { type Scenario, shapeOf } from './world/scenario';
import type { Shape } from './world/shape';

const CONTROLLER_PORT = 9093;
const DATA_FOLDER = '/data';
const CLUSTER_ID = 'c2ltdWxhdGVkLXdvcmxkLQ';

/** Transactions that take too long are looked for more often than every ten seconds. */
const OFTEN = [['transaction.abort.timed.out.transaction.cleanup.interval.ms', '1000']] as const;

/** Who is told of a node's metadata log, by the disk of its life. */
const watchers = new WeakMap<Disk, (metadataLog: MetadataLog) => void>();

// The broker itself is to be had only once it has started: long after it takes part in the quorum.
patch(NodeQuorum, 'open', (open) => (options) => {
  const { disk } = options.platform;
  const opening = open.call(NodeQuorum, options);
  const opened = ({ driver, publisher }: NodeQuorum): void =>
    watchers.get(disk)?.({
      disk,
      folder: `${DATA_FOLDER}/${METADATA_TOPIC}-0`,
      startOffset: () => driver.startOffset,
      highWatermark: () => driver.highWatermark,
      image: () => publisher.image,
    });
  // Whoever opens it hears of what fails.
  opening.then(opened, () => undefined);
  return opening;
});

/**
 * Alone as `ottla start` would run it, among others as broker and voting controller in one; and
 * with what the scenario says about flushing.
 */
export const startBrokerNode: StartNode = async (platform, nodeId, scenario, opened) => {
  if (opened !== undefined) watchers.set(platform.disk, opened);
  const host = nodeName(nodeId);
  const isAlone = scenario.nodes === 1;
  if (!isAlone) await format(platform, nodeId, scenario);
  const broker = await startNode({
    platform,
    properties: new Map([
      ...(isAlone ? soleProperties(nodeId) : clusterProperties(nodeId, scenario)),
      ...(scenario.transactions === undefined ? [] : OFTEN),
      ...(flushes(scenario) ? [['log.flush.interval.messages', '1'] as const] : []),
    ]),
    localHost: () => host,
    overwritesLentBytes: true,
  });
  const inside = {
    partitions: () => broker.replicas.all(),
    image: () => broker.quorum.publisher.image,
  };
  return { stop: () => broker.stop(), failed: broker.failed, inside };
};

const flushes = ({ crash, protection }: Scenario): boolean =>
  crash === 'power-loss' && protection === undefined;

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
  scenario: Scenario,
): Iterable<readonly [string, string]> {
  const shape = shapeOf(scenario);
  const roles = shape.roles[nodeId - 1] ?? 'broker';
  const host = nodeName(nodeId);
  const listeners = [
    ...(roles === 'controller' ? [] : [`PLAINTEXT://${host}:${CLIENT_PORT}`]),
    ...(roles === 'broker' ? [] : [`CONTROLLER://${host}:${CONTROLLER_PORT}`]),
  ];
  const controllers = controllersOf(shape);
  const replicationFactor = String(shape.replicationFactor);
  return [
    ['process.roles', roles],
    ['node.id', String(nodeId)],
    ['listeners', listeners.join(',')],
    ['controller.listener.names', 'CONTROLLER'],
    shape.voters === 'static'
      ? ['controller.quorum.voters', controllers.map((id) => `${id}@${address(id)}`).join(',')]
      : ['controller.quorum.bootstrap.servers', controllers.map(address).join(',')],
    [
      'controller.quorum.auto.join.enable',
      String(shape.voters === 'joining' && roles !== 'broker'),
    ],
    ['log.dirs', DATA_FOLDER],
    ['default.replication.factor', replicationFactor],
    ['min.insync.replicas', String(shape.minInsyncReplicas)],
    // Fewer than Kafka's fifty, each of which costs every start its fsyncs.
    ['offsets.topic.num.partitions', '3'],
    ['offsets.topic.replication.factor', replicationFactor],
    ['transaction.state.log.num.partitions', '3'],
    ['transaction.state.log.replication.factor', replicationFactor],
    ['transaction.state.log.min.isr', String(Math.min(shape.replicationFactor, 2))],
    ['group.initial.rebalance.delay.ms', '0'],
    ['metadata.log.max.record.bytes.between.snapshots', String(shape.snapshotBytes)],
    ['metadata.max.retention.bytes', String(shape.metadataRetentionBytes)],
    ['internal.metadata.log.segment.bytes', String(Math.max(shape.snapshotBytes, 4096))],
  ];
}

/** As an operator would, once, before the first start. */
async function format(platform: Platform, nodeId: number, scenario: Scenario): Promise<void> {
  if (platform.disk.exists(`${DATA_FOLDER}/meta.properties`)) return;
  const shape = shapeOf(scenario);
  const isController = shape.roles[nodeId - 1] !== 'broker';
  await formatFolders(platform, {
    folders: [DATA_FOLDER],
    metadataFolder: DATA_FOLDER,
    nodeId,
    clusterId: CLUSTER_ID,
    isController,
    hasStaticVoters: shape.voters === 'static',
    controllerListenerName: 'CONTROLLER',
    initial: isController ? initialVoters(nodeId, shape) : undefined,
    ignoreFormatted: false,
    releaseVersion: undefined,
    features:
      scenario.protection === undefined
        ? new Map()
        : new Map([[ELIGIBLE_LEADER_REPLICAS_VERSION, 1]]),
  });
}

function initialVoters(nodeId: number, shape: Shape): FormatOptions['initial'] {
  const controllers = controllersOf(shape);
  switch (shape.voters) {
    case 'static':
      return undefined;
    case 'initial':
      return {
        kind: 'initial',
        controllers: controllers.map((id) => ({
          id,
          host: nodeName(id),
          port: CONTROLLER_PORT,
          directoryId: uuidOf(Buffer.alloc(16, id)),
        })),
      };
    case 'joining':
      if (nodeId !== controllers[0]) return { kind: 'none' };
      return { kind: 'standalone', host: nodeName(nodeId), port: CONTROLLER_PORT };
  }
}

const controllersOf = ({ roles }: Shape): readonly number[] =>
  roles.flatMap((role, index) => (role === 'broker' ? [] : [index + 1]));

const address = (id: number): string => `${nodeName(id)}:${CONTROLLER_PORT}`;

/** The server of a node, and what its handlers may call. */
import { invariant } from '../base/invariant';
import { SUPPORTED_FEATURES } from '../metadata/features';
import type { Platform } from '../platform/platform';
import { FetchSessions, type SessionLimits } from '../replication/fetch-sessions';
import { handlers } from '../server/handlers';
import { Registry } from '../server/registry';
import { Server } from '../server/server';
import type { Services } from '../server/services';
import type { NodeControllerAccess } from './controller-access';
import type { NodeGroups } from './group-coordinators';
import { LiveSettings } from './live-settings';
import type { NodeData } from './node-data';
import { serverLimits, serverSettings } from './node-settings';
import type { ProducerIdBlocks } from './producer-ids';
import type { QuorumDoor } from './quorum-door';
import type { Settings } from './settings';
import { BROKER_SETTINGS } from './settings-table';

export interface NodeServerOptions {
  readonly platform: Platform;
  readonly settings: Settings;
  readonly data: NodeData;
  readonly door: QuorumDoor;
  readonly controller: NodeControllerAccess;
  readonly producerIds: ProducerIdBlocks;
  /** Known once the log folders are open, and no request needs it before. */
  readonly clusterId: () => string;
  /** Undefined where this node is no broker, and while it does not serve clients yet. */
  readonly groups: () => NodeGroups | undefined;
  readonly overwritesLentBytes: boolean;
}

/** Listens to nothing yet. */
export function nodeServer(options: NodeServerOptions): Server {
  const { platform, settings, overwritesLentBytes } = options;
  const { clock, network, log } = platform;
  const registry = new Registry(handlers);
  return new Server({
    clock,
    network,
    logger: log.with({ room: 'server' }),
    registry,
    services: servicesOf(options, registry),
    limits: serverLimits(settings),
    overwritesLentBytes,
  });
}

function servicesOf(options: NodeServerOptions, registry: Registry): Services {
  const { platform, settings, data, door, controller, producerIds, clusterId, groups } = options;
  const { clock, random, log, offload } = platform;
  return {
    clock,
    logger: log,
    offload,
    nodeId: settings.nodeId,
    get clusterId() {
      return clusterId();
    },
    settings: serverSettings(new LiveSettings(settings, () => door.picture)),
    picture: () => door.picture,
    controller,
    brokerConfigs: { definitions: BROKER_SETTINGS, given: settings.given },
    quorum: door,
    replicas: data.replicas,
    waiting: data.waiting,
    fetchSessions: new FetchSessions(fetchSessionLimits(settings), random),
    producerIds,
    get groups() {
      const opened = groups();
      invariant(opened !== undefined, 'clients are served once groups are');
      return opened;
    },
    advertised: {
      apis: (listener) => registry.advertised(listener),
      supportedFeatures: SUPPORTED,
    },
  };
}

const SUPPORTED = [...SUPPORTED_FEATURES].map(([name, { min, max }]) => ({
  name,
  minVersion: min,
  maxVersion: max,
}));

/**
 * Partitions remembered by all fetch sessions, and how long an unused one is safe (Kafka's own).
 */
const fetchSessionLimits = (settings: Settings): SessionLimits => {
  const maxSessions = settings.value('max.incremental.fetch.session.cache.slots');
  return { maxSessions, maxPartitions: maxSessions * 1000, evictionMs: 120_000 };
};

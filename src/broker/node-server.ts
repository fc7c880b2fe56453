/** The server of a node, and what its handlers may call. */
import { invariant } from '../base/invariant';
import { SUPPORTED_FEATURES } from '../metadata/features';
import type { Platform } from '../platform/platform';
import type { ApiListener, Versions } from '../protocol/api';
import { apiByKey } from '../protocol/apis';
import { FetchSessions, type SessionLimits } from '../replication/fetch-sessions';
import { LocalControllerRequests } from '../server/controller-requests';
import { handlers } from '../server/handlers';
import { Registry } from '../server/registry';
import { Server } from '../server/server';
import type { AdvertisedApi, ControllerRequests, Heartbeats, Services } from '../server/services';
import type { NodeControllerAccess } from './controller-access';
import type { NodeGroups } from './group-coordinators';
import { LiveSettings } from './live-settings';
import type { NodeData } from './node-data';
import { serverLimits, serverSettings } from './node-settings';
import type { NodeTransactionServices } from './node-transactions';
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
  readonly heartbeats: Heartbeats;
  readonly producerIds: ProducerIdBlocks;
  /** Known once the log folders are open, and no request needs it before. */
  readonly clusterId: () => string;
  /** Undefined where this node is no broker, and while it does not serve clients yet. */
  readonly groups: () => NodeGroups | undefined;
  /** Likewise. */
  readonly transactions: () => NodeTransactionServices | undefined;
  readonly overwritesLentBytes: boolean;
}

export interface NodeServer {
  /** Listens to nothing yet. */
  readonly server: Server;
  readonly requests: ControllerRequests;
}

export function nodeServer(options: NodeServerOptions): NodeServer {
  const { platform, settings, overwritesLentBytes } = options;
  const { clock, network, log } = platform;
  const registry = new Registry(handlers);
  const requests = new LocalControllerRequests(registry, () => services);
  const services = servicesOf(options, registry, requests);
  const server = new Server({
    clock,
    network,
    logger: log.with({ room: 'server' }),
    registry,
    services,
    limits: serverLimits(settings),
    overwritesLentBytes,
  });
  return { server, requests };
}

function servicesOf(
  options: NodeServerOptions,
  registry: Registry,
  controllerRequests: ControllerRequests,
): Services {
  const { platform, settings, data, door, controller, heartbeats } = options;
  const { producerIds, clusterId, groups, transactions } = options;
  const { clock, random, log, offload, disk } = platform;
  return {
    clock,
    logger: log,
    offload,
    disk,
    nodeId: settings.nodeId,
    get clusterId() {
      return clusterId();
    },
    settings: serverSettings(new LiveSettings(settings, () => door.picture)),
    picture: () => door.picture,
    controller,
    controllerRequests,
    heartbeats,
    brokerConfigs: { definitions: BROKER_SETTINGS, given: settings.given },
    quorum: door,
    replicas: data.replicas,
    waiting: data.waiting,
    fetchSessions: new FetchSessions(fetchSessionLimits(settings), random, data.waiting),
    producerIds,
    get groups() {
      const opened = groups();
      invariant(opened !== undefined, 'clients are served once groups are');
      return opened;
    },
    get transactions() {
      const opened = transactions();
      invariant(opened !== undefined, 'clients are served once transactions are');
      return opened;
    },
    advertised: {
      apis: (listener) => advertisedApis(registry, listener, controller.served),
      supportedFeatures: SUPPORTED,
    },
  };
}

/** What a broker hands to the controller works as far as both know it. */
function advertisedApis(
  registry: Registry,
  listener: ApiListener,
  served: ReadonlyMap<number, Versions> | undefined,
): readonly AdvertisedApi[] {
  const apis = registry.advertised(listener);
  if (listener === 'controller' || served === undefined) return apis;
  return apis.flatMap((own) => {
    if (apiByKey(own.apiKey)?.isForwardable !== true) return [own];
    const [first, last] = served.get(own.apiKey) ?? [0, -1];
    const minVersion = Math.max(own.minVersion, first);
    const maxVersion = Math.min(own.maxVersion, last);
    return minVersion > maxVersion ? [] : [{ apiKey: own.apiKey, minVersion, maxVersion }];
  });
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

/** What a broker shares partitions with other brokers with, put together from its settings. */
import { channelBuffers } from '../client/channel';
import type { Image } from '../metadata/image';
import type { Clock, Platform } from '../platform/platform';
import { LARGEST_KEPT_ANSWER_BYTES } from '../replication/fetch-lane';
import { ReplicaFetchers } from '../replication/fetchers';
import type { Replicas } from '../replication/replicas';
import { ReplicationThrottle } from '../replication/throttle';
import { interBrokerListenerName } from './listeners';
import { LiveSettings } from './live-settings';
import { replicaSelector } from './node-settings';
import type { Settings } from './settings';

/** As Kafka's channels between brokers; the longest pause is `replica.fetch.backoff.ms`. */
const RECONNECT_BACKOFF_MS = 50;

export interface FetchersOfNode {
  readonly platform: Platform;
  readonly settings: Settings;
  readonly replicas: Replicas;
  /** The newest published picture. */
  readonly picture: () => Image;
  /** Of this node's registration; -1 = none yet. */
  readonly brokerEpoch: () => number;
  readonly failed: (error: unknown) => void;
}

/** Copies for this broker's followers what their leaders have. */
export function replicaFetchers(options: FetchersOfNode): ReplicaFetchers {
  const { platform, settings, replicas, picture, brokerEpoch, failed } = options;
  const { clock, network, random, log } = platform;
  const live = new LiveSettings(settings, picture);
  return new ReplicaFetchers({
    nodeId: settings.nodeId,
    brokerEpoch,
    replicas,
    clock,
    logger: log.with({ room: 'replication' }),
    world: {
      clock,
      network,
      random,
      buffers: channelBuffers({ largestKeptBytes: LARGEST_KEPT_ANSWER_BYTES }),
    },
    peers: {
      connectTimeoutMs: settings.number('socket.connection.setup.timeout.ms'),
      requestTimeoutMs: settings.value('replica.socket.timeout.ms'),
      reconnectBackoffMs: RECONNECT_BACKOFF_MS,
      reconnectBackoffMaxMs: settings.value('replica.fetch.backoff.ms'),
    },
    listenerName: interBrokerListenerName(settings),
    fetchersPerLeader: () => live.number('num.replica.fetchers'),
    settings: {
      waitMaxMs: settings.value('replica.fetch.wait.max.ms'),
      minBytes: settings.value('replica.fetch.min.bytes'),
      responseMaxBytes: settings.value('replica.fetch.response.max.bytes'),
      partitionMaxBytes: settings.value('replica.fetch.max.bytes'),
      backoffMs: settings.value('replica.fetch.backoff.ms'),
      socketTimeoutMs: settings.value('replica.socket.timeout.ms'),
    },
    picture,
    throttle: replicationThrottle('follower', clock, settings, picture),
    // Consumers that read from followers (KIP-392) see what is committed only as they learn of it.
    tellsHighWatermark: replicaSelector(settings) !== undefined,
    failed,
  });
}

/** KIP-73: the rate stands in the picture alone, for this broker or for all. */
export function replicationThrottle(
  side: 'leader' | 'follower',
  clock: Pick<Clock, 'monotonicMs'>,
  settings: Settings,
  picture: () => Image,
): ReplicationThrottle {
  const name = `${side}.replication.throttled.rate`;
  return new ReplicationThrottle({
    clock,
    windowCount: settings.value('replication.quota.window.num'),
    windowMs: settings.value('replication.quota.window.size.seconds') * 1000,
    bytesPerSecond: () => {
      const image = picture();
      const own = image.configOf({ type: 'broker', name: String(settings.nodeId) }).get(name);
      const text = own ?? image.configOf({ type: 'broker', name: '' }).get(name);
      const rate = text === undefined ? Number.NaN : Number(text);
      return Number.isNaN(rate) ? Number.POSITIVE_INFINITY : rate;
    },
  });
}

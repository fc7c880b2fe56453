/** All about transactions on one node, put together: coordinators, markers, checks, channels. */
import type { ProducerId } from '../base/ids';
import { channelBuffers } from '../client/channel';
import type { Slices } from '../machine/life';
import type { Image } from '../metadata/image';
import type { Platform } from '../platform/platform';
import { transactionPartitions } from '../server/transaction-partitions';
import type { TransactionServices } from '../server/transaction-services';
import { BrokerChannels } from './broker-channels';
import type { NodeGroups } from './group-coordinators';
import { interBrokerListenerName } from './listeners';
import { MarkerSender } from './marker-sender';
import type { NodeData } from './node-data';
import type { Settings } from './settings';
import { NodeTransactionChecks } from './transaction-checks';
import { NodeTransactions } from './transaction-coordinators';
import { NodeMarkers } from './transaction-markers';

/** As Kafka's clients between brokers wait before they connect anew. */
const RECONNECT_BACKOFF_MS = 50;
const RECONNECT_BACKOFF_MAX_MS = 1_000;

export interface NodeTransactionServicesOptions {
  readonly platform: Pick<Platform, 'clock' | 'random' | 'network' | 'log'>;
  readonly settings: Settings;
  readonly data: Pick<NodeData, 'replicas' | 'waiting'>;
  readonly groups: NodeGroups;
  readonly slices: Slices;
  /** The newest published picture. */
  readonly picture: () => Image;
  /** A producer id at hand; asking fetches more of them. */
  readonly takeProducerId: () => ProducerId | undefined;
  /** A bug: the node must end. */
  readonly failed: (error: unknown) => void;
}

/** Made before the first picture is published, after `Replicas` subscribed to it. */
export class NodeTransactionServices implements TransactionServices {
  readonly coordinators: NodeTransactions;
  readonly markers: NodeMarkers;
  readonly checks: NodeTransactionChecks;
  readonly #channels: readonly BrokerChannels[];

  constructor(options: NodeTransactionServicesOptions) {
    const { platform, settings, data, groups, picture } = options;
    const { clock, log } = platform;
    const { nodeId } = settings;
    const { replicas, waiting } = data;
    const timeoutMs = settings.value('request.timeout.ms');
    this.markers = new NodeMarkers({ clock, replicas, waiting, groups, timeoutMs });
    // Answers come in order: whoever waits for a check does not wait for markers.
    const markerChannels = brokerChannels(options, 'markers');
    const checkChannels = brokerChannels(options, 'checks');
    this.#channels = [markerChannels, checkChannels];
    const { markers } = this;
    const sender = new MarkerSender({ nodeId, clock, picture, markers, channels: markerChannels });
    const logger = log.with({ room: 'transaction' });
    const coordinators = new NodeTransactions({ ...options, clock, logger, replicas, sender });
    this.coordinators = coordinators;
    this.checks = new NodeTransactionChecks({
      nodeId,
      logger,
      picture,
      topic: coordinators.topic.name,
      partitionOf: (transactionalId) => coordinators.partitionOf(transactionalId),
      here: (how, request) => transactionPartitions(how, request, { picture, transactions: this }),
      channels: checkChannels,
    });
  }

  close(): void {
    this.coordinators.close();
    for (const channels of this.#channels) channels.close();
  }
}

function brokerChannels(
  { platform, settings, picture }: NodeTransactionServicesOptions,
  purpose: string,
): BrokerChannels {
  const { clock, network, random } = platform;
  return new BrokerChannels({
    world: { clock, network, random, buffers: channelBuffers() },
    clientId: `broker-${settings.nodeId}-transaction-${purpose}`,
    connectTimeoutMs: settings.number('socket.connection.setup.timeout.ms'),
    requestTimeoutMs: settings.value('request.timeout.ms'),
    reconnectBackoffMs: RECONNECT_BACKOFF_MS,
    reconnectBackoffMaxMs: RECONNECT_BACKOFF_MAX_MS,
    listenerName: interBrokerListenerName(settings),
    picture,
  });
}

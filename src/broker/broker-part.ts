/** What a node does as a broker: its place in the cluster, copies of partitions, coordinators. */
import type { BrokerEpoch, Uuid } from '../base/ids';
import type { Delta } from '../metadata/delta';
import { diff } from '../metadata/diff';
import { Image } from '../metadata/image';
import type { Publisher } from '../metadata/publisher';
import type { Platform } from '../platform/platform';
import { ApiError } from '../protocol/errors';
import type { ReplicaFetchers } from '../replication/fetchers';
import type { BoundListener } from './bind';
import type { NodeControllerAccess } from './controller-access';
import { randomUuid } from './directory-ids';
import { NodeGroups } from './group-coordinators';
import type { ListenerPlan } from './listeners';
import type { NodeData } from './node-data';
import { NodeTransactionServices } from './node-transactions';
import type { ProducerIdBlocks } from './producer-ids';
import { Registration } from './registration';
import { replicaFetchers } from './replication';
import type { Settings } from './settings';
import { SharedSlices } from './slices';

export interface BrokerPartOptions {
  readonly platform: Platform;
  readonly settings: Settings;
  readonly plans: readonly ListenerPlan[];
  readonly data: NodeData;
  readonly access: NodeControllerAccess;
  readonly producerIds: ProducerIdBlocks;
  readonly clusterId: string;
  readonly publisher: Publisher;
  /** A bug: the node must end. */
  readonly failed: (error: unknown) => void;
}

export class BrokerPart {
  readonly groups: NodeGroups;
  readonly transactions: NodeTransactionServices;
  readonly #options: BrokerPartOptions;
  readonly #fetchers: ReplicaFetchers;
  /** New at every start. */
  readonly #incarnationId: Uuid;
  #registration: Registration | undefined;
  #isTakingPart = false;

  /** Follows the picture from when its own registration is in it. */
  constructor(options: BrokerPartOptions) {
    const { platform, settings, data, publisher, producerIds, failed } = options;
    const { clock, random, log } = platform;
    const picture = () => publisher.image;
    this.#options = options;
    this.#incarnationId = randomUuid(random);
    const { replicas } = data;
    this.#fetchers = replicaFetchers({
      platform,
      settings,
      replicas,
      picture,
      brokerEpoch: () => this.brokerEpoch,
      failed,
    });
    const shared = { settings, slices: new SharedSlices(clock), picture, failed };
    const logger = log.with({ room: 'group' });
    this.groups = new NodeGroups({ ...shared, clock, random, logger, replicas });
    this.transactions = new NodeTransactionServices({
      ...shared,
      platform,
      data,
      groups: this.groups,
      takeProducerId: () => producerIds.take(),
    });
    publisher.subscribe((image, delta) => this.#follow(image, delta));
  }

  /** -1 until registered. */
  get brokerEpoch(): BrokerEpoch {
    return this.#registration?.brokerEpoch ?? -1;
  }

  /** Registers, takes its roles, and has at hand what clients ask for first. */
  async enter(bound: readonly BoundListener[]): Promise<void> {
    const registration = this.#register(bound);
    this.#registration = registration;
    await registration.register();
    this.#fetchers.start();
    await registration.unfence();
    await this.#prepareProducerIds();
  }

  /** Tells the controller now rather than in time: a folder failed, for one. */
  beat(): void {
    this.#registration?.beat();
  }

  /** Hands over what it leads; resolves when it may go, or `timeoutMs` are over. */
  async shutDown(timeoutMs: number): Promise<void> {
    await this.#registration?.shutDown(timeoutMs);
  }

  /** Nothing is copied or proposed any more when it resolves. */
  async stopCopying(): Promise<void> {
    this.#options.data.replicas.close();
    await this.#fetchers.stop();
  }

  /** Coordinates nothing any more. */
  stopCoordinating(): void {
    this.groups.close();
    this.transactions.close();
  }

  /** To be called when the controller is asked nothing any more. */
  async stop(): Promise<void> {
    await this.#registration?.stop();
    this.stopCoordinating();
  }

  /**
   * Until this life is registered the picture shows what the one before it led, and of that records
   * may be lost with the power: by registering it, the controller takes the leadership away
   * (KIP-966).
   */
  #follow(image: Image, delta: Delta): void {
    const { data, settings } = this.#options;
    const isFirst = !this.#isTakingPart;
    if (isFirst && image.broker(settings.nodeId)?.incarnationId !== this.#incarnationId) return;
    this.#isTakingPart = true;
    const change = isFirst ? diff(Image.empty, image) : delta;
    data.replicas.apply(image, change);
    this.#fetchers.apply(image, change);
    this.groups.apply(image, change);
    this.transactions.coordinators.apply(image);
  }

  /** Without them the first producer that wants one waits. */
  async #prepareProducerIds(): Promise<void> {
    const { producerIds, platform } = this.#options;
    try {
      await producerIds.prepare();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      platform.log.warn('no producer ids are at hand yet', { error });
    }
  }

  #register(bound: readonly BoundListener[]): Registration {
    const { platform, settings, plans, data, access, clusterId, publisher, failed } = this.#options;
    const { clock, log } = platform;
    return new Registration({
      clock,
      logger: log,
      controller: access,
      publisher,
      nodeId: settings.nodeId,
      clusterId,
      incarnationId: this.#incarnationId,
      rack: settings.value('broker.rack'),
      listeners: plans
        .filter(({ isForControllers, isAdvertised }) => !isForControllers && isAdvertised)
        .map(({ advertised, protocol, name }) => {
          const listener = bound.find((each) => each.name === name);
          return { ...advertised, port: listener?.port ?? advertised.port, protocol };
        }),
      directories: () => data.directories(),
      previousBrokerEpoch: data.logs.previousBrokerEpoch,
      heartbeatIntervalMs: settings.value('broker.heartbeat.interval.ms'),
      timeoutMs: settings.value('initial.broker.registration.timeout.ms'),
      failed,
    });
  }
}

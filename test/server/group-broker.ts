/** A `DataBroker` that also coordinates groups and transactions, with a controller that draws topics at once. */
import { NodeGroups } from '../../src/broker/group-coordinators';
import { NodeTransactionServices } from '../../src/broker/node-transactions';
import { ProducerIdBlocks } from '../../src/broker/producer-ids';
import { Settings } from '../../src/broker/settings';
import { SharedSlices } from '../../src/broker/slices';
import type { Slices } from '../../src/machine/life';
import { metadataRecord } from '../../src/metadata/metadata-record';
import { memoryDisk } from '../../src/platform/memory-disk';
import type { Disk } from '../../src/platform/platform';
import type { AnyApi, RequestDraft, RequestOf } from '../../src/protocol/api';
import type { CreateTopics } from '../../src/protocol/apis/create-topics';
import { JoinGroup } from '../../src/protocol/apis/join-group';
import { SyncGroup } from '../../src/protocol/apis/sync-group';
import { ApiError, Errors } from '../../src/protocol/errors';
import { subscription } from '../support/group-story';
import { DataBroker, NODE_ID, type TopicPlan } from './data-broker';
import type { RawClient } from './raw-client';

const PROPERTIES = {
  'node.id': String(NODE_ID),
  'process.roles': 'broker,controller',
  listeners: 'PLAINTEXT://:9092,CONTROLLER://:9093',
  'controller.listener.names': 'CONTROLLER',
  'log.dirs': '/data',
  'offsets.topic.num.partitions': '4',
  'offsets.topic.replication.factor': '1',
  'transaction.state.log.num.partitions': '4',
  'transaction.state.log.replication.factor': '1',
  'transaction.state.log.min.isr': '1',
  'group.initial.rebalance.delay.ms': '0',
};

export const OFFSETS_TOPIC = '__consumer_offsets';

export class GroupBroker {
  readonly failures: unknown[] = [];
  readonly groups: NodeGroups;
  readonly transactions: NodeTransactionServices;
  /** From 1000 on; one block after another is at hand. */
  readonly producerIds: ProducerIdBlocks;
  readonly client: RawClient;
  givesProducerIds = true;
  created = 0;
  #blocks = 0;

  private constructor(
    readonly broker: DataBroker,
    client: RawClient,
    slices?: Slices,
  ) {
    this.client = client;
    const { clock, random, log: logger } = broker.machine;
    this.producerIds = new ProducerIdBlocks(async () => {
      if (!this.givesProducerIds) {
        throw new ApiError(Errors.COORDINATOR_NOT_AVAILABLE, 'no controller is active');
      }
      return { first: 1_000 * ++this.#blocks, length: 1_000 };
    });
    this.groups = new NodeGroups({
      settings: new Settings(new Map(Object.entries(PROPERTIES))),
      clock,
      random,
      logger,
      replicas: broker.replicas,
      slices: slices ?? new SharedSlices(clock),
      picture: () => broker.publisher.image,
      failed: (error) => this.failures.push(error),
    });
    broker.publisher.subscribe((image, delta) => this.groups.apply(image, delta));
    this.transactions = new NodeTransactionServices({
      platform: broker.machine,
      settings: new Settings(new Map(Object.entries(PROPERTIES))),
      data: broker.services,
      groups: this.groups,
      slices: slices ?? new SharedSlices(clock),
      picture: () => broker.publisher.image,
      takeProducerId: () => this.producerIds.take(),
      failed: (error) => this.failures.push(error),
    });
    const { groups, transactions, producerIds } = this;
    const controller = { ask: (_: unknown, request: unknown) => this.#create(request as never) };
    Object.assign(broker.services, { groups, transactions, producerIds, controller });
    Object.assign(broker.services.settings, {
      requestTimeoutMs: 30_000,
      transactionPartitionVerificationEnable: true,
      addPartitionsToTxnRetryBackoffMs: 20,
      addPartitionsToTxnRetryBackoffMaxMs: 100,
    });
  }

  static async start(
    topics: readonly TopicPlan[] = [],
    disk: Disk = memoryDisk(),
    slices?: Slices,
  ) {
    const broker = await DataBroker.start(topics, disk);
    const groups = new GroupBroker(broker, await broker.connect(), slices);
    await broker.world.settle();
    return groups;
  }

  /** The answer that comes within `ms` over the one connection. */
  ask<A extends AnyApi>(api: A, version: number, request: RequestDraft<A>, ms = 100) {
    return this.broker.ask(this.client, api, version, request, ms);
  }

  /** A group of one member with an assignment. */
  async member(groupId: string): Promise<{ memberId: string; generationId: number }> {
    const join: RequestDraft<typeof JoinGroup> = {
      groupId,
      sessionTimeoutMs: 10_000,
      rebalanceTimeoutMs: 10_000,
      memberId: '',
      protocolType: 'consumer',
      protocols: [{ name: 'range', metadata: subscription(['read']) }],
    };
    const first = await this.ask(JoinGroup, 9, join);
    if (first.errorCode !== Errors.MEMBER_ID_REQUIRED) throw new Error(`${first.errorCode}`);
    const { memberId } = first;
    const { generationId } = await this.ask(JoinGroup, 9, { ...join, memberId });
    await this.ask(SyncGroup, 5, {
      groupId,
      generationId,
      memberId,
      protocolType: 'consumer',
      protocolName: 'range',
      assignments: [{ memberId, assignment: Buffer.from('mine') }],
    });
    return { memberId, generationId };
  }

  /** Moves every partition of `__consumer_offsets` to another leader, or back. */
  async lead(leader: number): Promise<void> {
    const topicId = this.broker.idOf(OFFSETS_TOPIC);
    const records = [0, 1, 2, 3].map((partitionId) =>
      metadataRecord('PartitionChangeRecord', 0, { topicId, partitionId, leader }),
    );
    await this.broker.draw(records);
  }

  async #create({ topics }: RequestOf<typeof CreateTopics>) {
    this.created += 1;
    const { broker } = this;
    const made = topics.map(({ name, numPartitions, configs }) => ({
      name,
      partitions: numPartitions,
      settings: Object.fromEntries(configs.map((one) => [one.name, one.value ?? ''])),
    }));
    const isThere = topics.some(({ name }) => broker.publisher.image.topicByName(name));
    if (!isThere) {
      const offset = broker.publish(broker.recordsOf(made));
      await new Promise<void>((resolve) => broker.publisher.whenApplied(offset, resolve));
    }
    const errorCode = isThere ? Errors.TOPIC_ALREADY_EXISTS : Errors.NONE;
    return { topics: topics.map(({ name }) => ({ name, errorCode, errorMessage: null })) };
  }
}

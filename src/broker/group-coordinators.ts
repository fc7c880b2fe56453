/** The groups whose coordinator this node is, as handlers see them. */
import type { Uuid } from '../base/ids';
import { invariant } from '../base/invariant';
import { type GroupMachine, groupMachine } from '../group/groups';
import { GROUP_RECORDS } from '../group/records';
import type { GroupSettings } from '../group/settings';
import type { GroupChange } from '../group/state';
import type { Slices } from '../machine/life';
import type { Answered, Marker } from '../machine/machine';
import type { Delta } from '../metadata/delta';
import type { Image } from '../metadata/image';
import type { Clock, Logger, Random } from '../platform/platform';
import type { Replicas } from '../replication/replicas';
import { OFFSETS_TOPIC } from '../server/internal-topics';
import type { AskGroups, GroupCoordinators } from '../server/services';
import { Coordinators } from './coordinators';
import { KeyPartitions } from './key-partitions';
import type { Settings } from './settings';

/** How long it waits before it tries again to forget offsets of deleted topics. */
const RETRY_MS = 1_000;
/** About 24 days; nothing that is due later is waited for in one go. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

type GroupTable = typeof GROUP_RECORDS;

export interface NodeGroupsOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly replicas: Replicas;
  readonly slices: Slices;
  /** The newest published picture. */
  readonly picture: () => Image;
  /** A bug: the node must end. */
  readonly failed: (error: unknown) => void;
}

/** Made before the first picture is published, after `Replicas` subscribed to it. */
export class NodeGroups implements GroupCoordinators {
  readonly topic: GroupCoordinators['topic'];
  readonly #options: NodeGroupsOptions;
  readonly #partitions: KeyPartitions;
  readonly #coordinators: Coordinators<GroupTable, GroupChange, GroupMachine>;
  #isClosed = false;

  constructor(options: NodeGroupsOptions) {
    const { settings } = options;
    this.#options = options;
    this.topic = offsetsTopic(settings);
    this.#partitions = new KeyPartitions(OFFSETS_TOPIC, options.picture);
    const groupSettings = groupSettingsOf(settings);
    this.#coordinators = new Coordinators({
      ...options,
      topic: OFFSETS_TOPIC,
      table: GROUP_RECORDS,
      machine: () => groupMachine(() => groupSettings),
      moment: (now) => now,
      commitTimeoutMs: settings.value('offsets.commit.timeout.ms'),
      sender: { send: () => invariant(false, 'groups ask no other node') },
    });
  }

  partitionOf(groupId: string): number | undefined {
    return this.#partitions.of(groupId);
  }

  ask<Response>(groupId: string, decide: AskGroups): Promise<Answered<Response>> {
    return this.#askPartition(this.partitionOf(groupId) ?? -1, decide);
  }

  askAll<Response>(decide: AskGroups): Promise<readonly Answered<Response>[]> {
    const indexes = this.#coordinators.indexes();
    return Promise.all(indexes.map((index) => this.#askPartition<Response>(index, decide)));
  }

  endTransaction(partition: number, marker: Marker): Promise<Answered<undefined>> {
    return this.#coordinators.endTransaction(partition, marker);
  }

  /** A version 4 UUID, as Kafka's member ids end with. */
  uniqueSuffix(): string {
    const bytes = this.#options.random.bytes(16);
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    const hex = bytes.toString('hex');
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }

  /** A listener of the publisher: offsets of topics that are gone go too. */
  apply(image: Image, { deletedTopics }: Delta): void {
    this.#partitions.follow(image);
    const topics = [...deletedTopics.values()].filter(({ name }) => name !== OFFSETS_TOPIC);
    if (topics.length === 0) return;
    for (const index of this.#coordinators.indexes()) {
      this.#forget(index, topics).catch(this.#options.failed);
    }
  }

  /** Whether every group that this node coordinates is known. */
  get isLoaded(): boolean {
    return this.#coordinators.isLoaded;
  }

  close(): void {
    this.#isClosed = true;
    this.#coordinators.close();
  }

  #askPartition<Response>(index: number, decide: AskGroups): Promise<Answered<Response>> {
    return this.#coordinators.ask(index, ({ decider }, ticket, now) =>
      decide(decider, ticket, now),
    );
  }

  /**
   * A little at a time, again and again until nothing is left or the partition is led elsewhere.
   */
  async #forget(
    index: number,
    topics: readonly { readonly name: string; readonly id: Uuid }[],
  ): Promise<void> {
    while (!this.#isClosed) {
      const answered = await this.#askPartition<boolean>(index, (groups, ticket, now) =>
        groups.topicsDeleted(topics, ticket, now),
      );
      if (answered.kind === 'answered') {
        if (!answered.response) return;
      } else {
        if (answered.refusal === 'not-leader') return;
        await this.#options.clock.sleep(RETRY_MS);
      }
    }
  }
}

function offsetsTopic(settings: Settings): GroupCoordinators['topic'] {
  return {
    name: OFFSETS_TOPIC,
    numPartitions: settings.value('offsets.topic.num.partitions'),
    replicationFactor: settings.value('offsets.topic.replication.factor'),
    configs: [
      { name: 'cleanup.policy', value: 'compact' },
      { name: 'compression.type', value: 'producer' },
      { name: 'segment.bytes', value: String(settings.value('offsets.topic.segment.bytes')) },
    ],
  };
}

function groupSettingsOf(settings: Settings): GroupSettings {
  return {
    minSessionTimeoutMs: settings.value('group.min.session.timeout.ms'),
    maxSessionTimeoutMs: settings.value('group.max.session.timeout.ms'),
    maxSize: settings.value('group.max.size'),
    initialRebalanceDelayMs: settings.value('group.initial.rebalance.delay.ms'),
    offsetMetadataMaxBytes: settings.value('offset.metadata.max.bytes'),
    offsetsRetentionMs: settings.value('offsets.retention.minutes') * 60_000,
    offsetsRetentionCheckIntervalMs: Math.min(
      settings.number('offsets.retention.check.interval.ms'),
      LONGEST_TIMER_MS,
    ),
  };
}

/** The topics of a picture while records change them. */
import type { Uuid } from '../base/ids';
import { invariant } from '../base/invariant';
import { ChunkedList, type ChunkedListBuilder } from './chunked-list';
import type { TopicDelta } from './delta';
import { changedPartition, partitionOf } from './from-records';
import type { Image } from './image';
import type { RecordValue } from './metadata-record';
import type { ShardedMap } from './sharded-map';
import type { Partition, Topic } from './topics';

/** A topic while it changes. */
interface OpenTopic {
  readonly base: Topic;
  readonly isNew: boolean;
  readonly partitions: ChunkedListBuilder<Partition>;
  readonly changed: Set<number>;
}

export interface BuiltTopics {
  readonly topicsById: ShardedMap<Topic>;
  readonly topicIdsByName: ShardedMap<Uuid>;
  readonly changed: ReadonlyMap<Uuid, TopicDelta>;
  readonly deleted: ReadonlyMap<Uuid, Topic>;
}

/** Copies only what changes: one bucket a topic, one chunk a partition. */
export class TopicsChange {
  private readonly open = new Map<Uuid, OpenTopic>();
  private readonly deleted = new Map<Uuid, Topic>();
  private readonly idsByName;
  private readonly byId;

  constructor(private readonly before: Image) {
    this.idsByName = before.topicIdsByName.change();
    this.byId = before.topicsById.change();
  }

  add(value: RecordValue<'TopicRecord'>): void {
    const { name, topicId: id, unknownTags } = value;
    invariant(!this.idsByName.has(name), `topic ${name} exists already`);
    invariant(!this.byId.has(id) && !this.open.has(id), `topic id ${id} exists already`);
    this.idsByName.set(name, id);
    const partitions = ChunkedList.empty<Partition>();
    const kept = unknownTags === undefined ? {} : { unknownTags };
    const base: Topic = { name, id, partitions, ...kept };
    this.open.set(id, { base, isNew: true, partitions: partitions.change(), changed: new Set() });
  }

  /** Returns the name of the topic that is gone. */
  remove(id: Uuid): string {
    const topic = this.open.get(id)?.base ?? this.byId.get(id);
    invariant(topic !== undefined, `topic id ${id} is to be removed but does not exist`);
    this.open.delete(id);
    this.byId.delete(id);
    this.idsByName.delete(topic.name);
    const before = this.before.topicById(id);
    if (before !== undefined) this.deleted.set(id, before);
    return topic.name;
  }

  setPartition(value: RecordValue<'PartitionRecord'>): void {
    this.put(value.topicId, value.partitionId, partitionOf(value));
  }

  changePartition(value: RecordValue<'PartitionChangeRecord'>): void {
    const { topicId, partitionId } = value;
    const partition = this.topic(topicId).partitions.get(partitionId);
    invariant(partition !== undefined, `partition ${topicId}:${partitionId} does not exist`);
    this.put(topicId, partitionId, changedPartition(partition, value));
  }

  /** Clears eligible leader replicas of the topic, or of all topics for an empty name. */
  clearElr(name: string): void {
    if (name === '') {
      for (const [, id] of this.idsByName) this.clearElrOf(id);
      return;
    }
    const id = this.idsByName.get(name);
    invariant(id !== undefined, `topic ${name} does not exist, nor any ELR of it`);
    this.clearElrOf(id);
  }

  build(): BuiltTopics {
    const changed = new Map<Uuid, TopicDelta>();
    for (const { base, isNew, partitions, changed: numbers } of this.open.values()) {
      if (!isNew && numbers.size === 0) continue;
      const topic: Topic = { ...base, partitions: partitions.build() };
      this.byId.set(topic.id, topic);
      changed.set(topic.id, { topic, isNew, partitions: numbers });
    }
    return {
      topicsById: this.byId.build(),
      topicIdsByName: this.idsByName.build(),
      changed,
      deleted: this.deleted,
    };
  }

  private clearElrOf(id: Uuid): void {
    const partitions = this.open.get(id)?.partitions ?? this.byId.get(id)?.partitions;
    invariant(partitions !== undefined, `topic id ${id} does not exist`);
    for (let index = 0; index < partitions.length; index += 1) {
      const partition = partitions.get(index);
      if (partition === undefined) continue;
      if (partition.elr.length === 0 && partition.lastKnownElr.length === 0) continue;
      const partitionEpoch = partition.partitionEpoch + 1;
      this.put(id, index, { ...partition, elr: [], lastKnownElr: [], partitionEpoch });
    }
  }

  private put(id: Uuid, index: number, partition: Partition): void {
    const topic = this.topic(id);
    topic.partitions.set(index, partition);
    topic.changed.add(index);
  }

  private topic(id: Uuid): OpenTopic {
    const open = this.open.get(id);
    if (open !== undefined) return open;
    const base = this.byId.get(id);
    invariant(base !== undefined, `topic id ${id} does not exist`);
    const partitions = base.partitions.change();
    const opened: OpenTopic = { base, isNew: false, partitions, changed: new Set() };
    this.open.set(id, opened);
    return opened;
  }
}

/** Partitions of the head by what the controller looks for: members, leaders, reassignments. */
import type { NodeId, Uuid } from '../base/ids';
import type { Delta } from '../metadata/delta';
import type { Image } from '../metadata/image';
import { isReassigning, NO_LEADER, type Partition } from '../metadata/topics';

export interface PartitionRef {
  readonly topicId: Uuid;
  readonly index: number;
}

/** Partitions in the order in which they came, grouped by topic. */
export class PartitionSet implements Iterable<PartitionRef> {
  private readonly byTopic = new Map<Uuid, Set<number>>();

  add(topicId: Uuid, index: number): void {
    const indexes = this.byTopic.get(topicId);
    if (indexes === undefined) this.byTopic.set(topicId, new Set([index]));
    else indexes.add(index);
  }

  delete(topicId: Uuid, index: number): void {
    const indexes = this.byTopic.get(topicId);
    if (indexes?.delete(index) && indexes.size === 0) this.byTopic.delete(topicId);
  }

  has(topicId: Uuid, index: number): boolean {
    return this.byTopic.get(topicId)?.has(index) ?? false;
  }

  get isEmpty(): boolean {
    return this.byTopic.size === 0;
  }

  *[Symbol.iterator](): Iterator<PartitionRef> {
    for (const [topicId, indexes] of this.byTopic) {
      for (const index of indexes) yield { topicId, index };
    }
  }
}

const NONE = new PartitionSet();

/** Kept in step with the head by its deltas; made anew from a whole picture when taking over. */
export class Indexes {
  private readonly byIsrMember = new Map<NodeId, PartitionSet>();
  private readonly byElrMember = new Map<NodeId, PartitionSet>();
  private readonly byLeader = new Map<NodeId, PartitionSet>();
  private readonly byDirectory = new Map<Uuid, PartitionSet>();
  private readonly byUnifiedName = new Map<string, Set<string>>();
  /** Partitions with a reassignment under way. */
  readonly reassigning = new PartitionSet();
  /** Partitions not led by their preferred leader. */
  readonly imbalanced = new PartitionSet();

  constructor(image: Image) {
    for (const topic of image.topics()) {
      this.addName(topic.name);
      for (const [index, partition] of topic.partitions.entries()) {
        this.change(topic.id, index, undefined, partition);
      }
    }
  }

  inIsr(broker: NodeId): Iterable<PartitionRef> {
    return this.byIsrMember.get(broker) ?? NONE;
  }

  inElr(broker: NodeId): Iterable<PartitionRef> {
    return this.byElrMember.get(broker) ?? NONE;
  }

  get leaderless(): PartitionSet {
    return this.byLeader.get(NO_LEADER) ?? NONE;
  }

  leadsAny(broker: NodeId): boolean {
    return !(this.byLeader.get(broker)?.isEmpty ?? true);
  }

  inDirectory(directory: Uuid): Iterable<PartitionRef> {
    return this.byDirectory.get(directory) ?? NONE;
  }

  /** A topic whose name differs at most in '.' and '_' from this one: metrics mix them up. */
  collidingWith(name: string): string | undefined {
    const [first] = this.byUnifiedName.get(unified(name)) ?? [];
    return first;
  }

  apply(delta: Delta): void {
    for (const topic of delta.deletedTopics.values()) {
      this.deleteName(topic.name);
      for (const [index, partition] of topic.partitions.entries()) {
        this.change(topic.id, index, partition, undefined);
      }
    }
    for (const { topic, isNew, partitions } of delta.topics.values()) {
      if (isNew) this.addName(topic.name);
      const before = delta.before.topicById(topic.id);
      for (const index of partitions) {
        this.change(topic.id, index, before?.partitions.get(index), topic.partitions.get(index));
      }
    }
  }

  private change(
    topicId: Uuid,
    index: number,
    before: Partition | undefined,
    after: Partition | undefined,
  ): void {
    move(this.byIsrMember, topicId, index, before?.isr, after?.isr);
    move(this.byElrMember, topicId, index, before?.elr, after?.elr);
    move(this.byLeader, topicId, index, leaderOf(before), leaderOf(after));
    move(this.byDirectory, topicId, index, before?.directories, after?.directories);
    const isMoving = after !== undefined && isReassigning(after);
    if (isMoving) this.reassigning.add(topicId, index);
    else this.reassigning.delete(topicId, index);
    const isImbalanced = after !== undefined && after.leader !== after.replicas[0];
    if (isImbalanced) this.imbalanced.add(topicId, index);
    else this.imbalanced.delete(topicId, index);
  }

  private addName(name: string): void {
    if (!mayCollide(name)) return;
    const names = this.byUnifiedName.get(unified(name));
    if (names === undefined) this.byUnifiedName.set(unified(name), new Set([name]));
    else names.add(name);
  }

  private deleteName(name: string): void {
    const names = this.byUnifiedName.get(unified(name));
    if (names?.delete(name) && names.size === 0) this.byUnifiedName.delete(unified(name));
  }
}

const mayCollide = (name: string): boolean => /[._]/.test(name);

const unified = (name: string): string => name.replaceAll('.', '_');

const leaderOf = (partition: Partition | undefined): readonly NodeId[] | undefined =>
  partition === undefined ? undefined : [partition.leader];

function move<K>(
  index: Map<K, PartitionSet>,
  topicId: Uuid,
  partition: number,
  before: readonly K[] = [],
  after: readonly K[] = [],
): void {
  for (const key of before) {
    if (after.includes(key)) continue;
    const set = index.get(key);
    set?.delete(topicId, partition);
    if (set?.isEmpty) index.delete(key);
  }
  for (const key of after) {
    if (before.includes(key)) continue;
    let set = index.get(key);
    if (set === undefined) {
      set = new PartitionSet();
      index.set(key, set);
    }
    set.add(topicId, partition);
  }
}

/**
 * The offsets that groups have committed, and those that wait for the end of a transaction. Part
 * of the hard state: only replay changes it.
 */
import type { Offset, ProducerId, Uuid } from '../base/ids';
import type { Outcome } from '../machine/machine';

export interface CommittedOffset {
  /** As the client gave it; may be negative. */
  readonly offset: bigint;
  /** -1 = unknown. */
  readonly leaderEpoch: number;
  readonly metadata: string;
  /** Wall milliseconds. */
  readonly commitTimestampMs: number;
  /** Wall milliseconds; -1 = the settings say. */
  readonly expireTimestampMs: bigint;
  /** Of the topic at the time of the commit; all zeros = unknown. */
  readonly topicId: Uuid;
  /** Where the record stands; the greater one wins. */
  readonly recordOffset: Offset;
}

export type OffsetsByPartition = ReadonlyMap<number, CommittedOffset>;
export type OffsetsByTopic = ReadonlyMap<string, OffsetsByPartition>;

export class CommittedOffsets {
  readonly #committed = new OffsetTable();
  readonly #pending = new Map<ProducerId, OffsetTable>();
  /** How many open transactions touch each partition of a group. */
  readonly #openByGroup = new Map<string, Map<string, Map<number, Set<ProducerId>>>>();

  /** The committed offsets of a group by topic. */
  ofGroup(groupId: string): OffsetsByTopic {
    return this.#committed.ofGroup(groupId);
  }

  /** How many partitions a group has committed offsets for. */
  countOf(groupId: string): number {
    let count = 0;
    for (const partitions of this.ofGroup(groupId).values()) count += partitions.size;
    return count;
  }

  get(groupId: string, topic: string, partition: number): CommittedOffset | undefined {
    return this.ofGroup(groupId).get(topic)?.get(partition);
  }

  /** Whether an open transaction has written an offset for that partition. */
  isPending(groupId: string, topic: string, partition: number): boolean {
    return this.#openByGroup.get(groupId)?.get(topic)?.has(partition) ?? false;
  }

  hasPending(groupId: string): boolean {
    return this.#openByGroup.has(groupId);
  }

  /** What open transactions have written for a group; several may have for one partition. */
  *pending(
    groupId: string,
  ): Generator<readonly [topic: string, partition: number, offset: CommittedOffset]> {
    for (const [topic, partitions] of this.#openByGroup.get(groupId) ?? []) {
      for (const [partition, producers] of partitions) {
        for (const producerId of producers) {
          const offset = this.pendingOf(producerId, groupId, topic, partition);
          if (offset !== undefined) yield [topic, partition, offset];
        }
      }
    }
  }

  /** Committed offsets of a group, then pending ones. */
  *everythingOf(
    groupId: string,
  ): Generator<readonly [topic: string, partition: number, offset: CommittedOffset]> {
    for (const [topic, partitions] of this.ofGroup(groupId)) {
      for (const [partition, offset] of partitions) yield [topic, partition, offset];
    }
    yield* this.pending(groupId);
  }

  /** Groups that have offsets, committed or pending, of topics that `isMeant` says yes to. */
  *groupsReading(isMeant: (topic: string) => boolean): Generator<string> {
    for (const [groupId, topics] of this.#committed.groups()) {
      if (some(topics.keys(), isMeant) || some(this.#openTopics(groupId), isMeant)) yield groupId;
    }
    for (const [groupId, topics] of this.#openByGroup) {
      if (this.ofGroup(groupId).size === 0 && some(topics.keys(), isMeant)) yield groupId;
    }
  }

  /** A pending offset, as an open transaction wrote it. */
  pendingOf(
    producerId: ProducerId,
    groupId: string,
    topic: string,
    partition: number,
  ): CommittedOffset | undefined {
    return this.#pending.get(producerId)?.ofGroup(groupId).get(topic)?.get(partition);
  }

  put(groupId: string, topic: string, partition: number, offset: CommittedOffset): void {
    this.#committed.put(groupId, topic, partition, offset);
  }

  putPending(
    producerId: ProducerId,
    groupId: string,
    topic: string,
    partition: number,
    offset: CommittedOffset,
  ): void {
    const table = entry(this.#pending, producerId, () => new OffsetTable());
    table.put(groupId, topic, partition, offset);
    const topics = entry(this.#openByGroup, groupId, () => new Map());
    const partitions = entry(topics, topic, () => new Map<number, Set<ProducerId>>());
    entry(partitions, partition, () => new Set<ProducerId>()).add(producerId);
  }

  /** A tombstone: neither the committed offset nor pending ones remain. */
  remove(groupId: string, topic: string, partition: number): void {
    this.#committed.remove(groupId, topic, partition);
    const producers = this.#openByGroup.get(groupId)?.get(topic)?.get(partition) ?? [];
    for (const producerId of producers) {
      this.#pending.get(producerId)?.remove(groupId, topic, partition);
    }
    this.#forgetOpen(groupId, topic, partition);
  }

  /** Returns the groups whose committed offsets it changed. */
  endTransaction(producerId: ProducerId, outcome: Outcome): readonly string[] {
    const table = this.#pending.get(producerId);
    if (table === undefined) return [];
    this.#pending.delete(producerId);
    const groups: string[] = [];
    for (const [groupId, topics] of table.groups()) {
      groups.push(groupId);
      for (const [topic, partitions] of topics) {
        for (const [partition, offset] of partitions) {
          this.#close(producerId, groupId, topic, partition);
          if (outcome === 'commit') this.#putIfNewer(groupId, topic, partition, offset);
        }
      }
    }
    return groups;
  }

  #openTopics(groupId: string): Iterable<string> {
    return this.#openByGroup.get(groupId)?.keys() ?? [];
  }

  /** Compaction keeps the newest record, so the newest record must win here too. */
  #putIfNewer(groupId: string, topic: string, partition: number, offset: CommittedOffset): void {
    const known = this.get(groupId, topic, partition);
    if (known === undefined || known.recordOffset < offset.recordOffset) {
      this.put(groupId, topic, partition, offset);
    }
  }

  #close(producerId: ProducerId, groupId: string, topic: string, partition: number): void {
    const producers = this.#openByGroup.get(groupId)?.get(topic)?.get(partition);
    if (producers === undefined) return;
    producers.delete(producerId);
    if (producers.size === 0) this.#forgetOpen(groupId, topic, partition);
  }

  #forgetOpen(groupId: string, topic: string, partition: number): void {
    const topics = this.#openByGroup.get(groupId);
    const partitions = topics?.get(topic);
    if (topics === undefined || partitions === undefined) return;
    partitions.delete(partition);
    if (partitions.size === 0) topics.delete(topic);
    if (topics.size === 0) this.#openByGroup.delete(groupId);
  }
}

/** Group, topic, partition → offset; without empty maps inside. */
class OffsetTable {
  readonly #groups = new Map<string, Map<string, Map<number, CommittedOffset>>>();

  ofGroup(groupId: string): OffsetsByTopic {
    return this.#groups.get(groupId) ?? NONE;
  }

  groups(): Iterable<readonly [string, OffsetsByTopic]> {
    return this.#groups;
  }

  put(groupId: string, topic: string, partition: number, offset: CommittedOffset): void {
    const topics = entry(this.#groups, groupId, () => new Map());
    entry(topics, topic, () => new Map<number, CommittedOffset>()).set(partition, offset);
  }

  remove(groupId: string, topic: string, partition: number): void {
    const topics = this.#groups.get(groupId);
    const partitions = topics?.get(topic);
    if (topics === undefined || partitions === undefined) return;
    partitions.delete(partition);
    if (partitions.size === 0) topics.delete(topic);
    if (topics.size === 0) this.#groups.delete(groupId);
  }
}

const NONE: OffsetsByTopic = new Map();

function some(topics: Iterable<string>, isMeant: (topic: string) => boolean): boolean {
  for (const topic of topics) if (isMeant(topic)) return true;
  return false;
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

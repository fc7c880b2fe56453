/** The delta between any two pictures, found by comparing all that they do not share. */
import type { Uuid } from '../base/ids';
import type { Delta, TopicDelta } from './delta';
import type { Image } from './image';
import type { ShardedMap } from './sharded-map';
import type { Partition, Topic } from './topics';

/** Costs as much as both pictures are large: for snapshots only, which come rarely. */
export function diff(before: Image, after: Image): Delta {
  const deletedTopics = new Map<Uuid, Topic>();
  for (const topic of before.topics()) {
    if (after.topicById(topic.id) === undefined) deletedTopics.set(topic.id, topic);
  }
  return {
    before,
    topics: changedTopics(before, after),
    deletedTopics,
    brokers: changedKeys(before.brokers, after.brokers),
    controllers: changedKeys(before.controllers, after.controllers),
    features: changedKeys(before.features, after.features),
    configs: changedKeys(
      entriesOf(before.overridesByResource),
      entriesOf(after.overridesByResource),
    ),
    quotas: changedKeys(entriesOf(before.quotasByEntity), entriesOf(after.quotasByEntity)),
    acls: changedKeys(entriesOf(before.aclsById), entriesOf(after.aclsById)),
    scram: changedKeys(entriesOf(before.scramByKey), entriesOf(after.scramByKey)),
    tokens: changedKeys(entriesOf(before.tokensById), entriesOf(after.tokensById)),
    producerIds: before.nextProducerId !== after.nextProducerId,
  };
}

function changedTopics(before: Image, after: Image): ReadonlyMap<Uuid, TopicDelta> {
  const topics = new Map<Uuid, TopicDelta>();
  for (const topic of after.topics()) {
    const old = before.topicById(topic.id);
    const partitions = new Set<number>();
    for (const [index, partition] of topic.partitions.entries()) {
      if (!isSamePartition(old?.partitions.get(index), partition)) partitions.add(index);
    }
    if (old !== undefined && partitions.size === 0) continue;
    topics.set(topic.id, { topic, isNew: old === undefined, partitions });
  }
  return topics;
}

function isSamePartition(one: Partition | undefined, other: Partition): boolean {
  // Every change of a registration raises its partition epoch.
  return one !== undefined && one.partitionEpoch === other.partitionEpoch && isSame(one, other);
}

function changedKeys<K>(before: ReadonlyMap<K, unknown>, after: ReadonlyMap<K, unknown>): Set<K> {
  const keys = new Set<K>();
  for (const [key, value] of after) if (!isSame(before.get(key), value)) keys.add(key);
  for (const key of before.keys()) if (!after.has(key)) keys.add(key);
  return keys;
}

const entriesOf = <V>(map: ShardedMap<V>): ReadonlyMap<string, V> => new Map(map);

/** Equality of plain values, lists, maps, byte arrays and objects of these. */
function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
    return false;
  }
  if (one instanceof Uint8Array && other instanceof Uint8Array) {
    return Buffer.compare(one, other) === 0;
  }
  if (one instanceof Map && other instanceof Map) {
    return one.size === other.size && changedKeys(one, other).size === 0;
  }
  const fields = Object.entries(one);
  return (
    fields.length === Object.keys(other).length &&
    fields.every(([name, value]) => isSame(value, (other as Record<string, unknown>)[name]))
  );
}

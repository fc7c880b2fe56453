/** What the members of a consumer group read, as far as their metadata tells. */
import { CONSUMER_PROTOCOL_TYPE } from '../protocol/consumer-protocol';
import { type ClassicGroup, metadataOf } from './classic-group';

/**
 * The topics of all members; undefined when the group is no consumer group, has no protocol yet,
 * or a member's metadata is not what consumers write.
 */
export function consumerTopics(group: ClassicGroup): ReadonlySet<string> | undefined {
  if (group.protocolType !== CONSUMER_PROTOCOL_TYPE) return undefined;
  const topics = new Set<string>();
  if (group.members.size === 0) return topics;
  if (group.protocolName === null) return undefined;
  for (const member of group.members.values()) {
    const own = subscribedTopics(metadataOf(member, group.protocolName));
    if (own === undefined) return undefined;
    for (const topic of own) topics.add(topic);
  }
  return topics;
}

/**
 * Every version of the subscription begins as version 0 does: version, then topics. What comes
 * behind is nobody's business here, and, as in Kafka, may be anything.
 */
function subscribedTopics(metadata: Buffer): readonly string[] | undefined {
  if (metadata.length < 6 || metadata.readInt16BE(0) < 0) return undefined;
  const count = metadata.readInt32BE(2);
  if (count < 0) return undefined;
  const topics: string[] = [];
  let at = 6;
  for (let index = 0; index < count; index++) {
    if (at + 2 > metadata.length) return undefined;
    const length = metadata.readInt16BE(at);
    at += 2;
    if (length < 0 || at + length > metadata.length) return undefined;
    topics.push(metadata.toString('utf8', at, at + length));
    at += length;
  }
  return topics;
}

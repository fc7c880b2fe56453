/** Which partition of a coordinators' topic a key belongs to. */
import type { Uuid } from '../base/ids';
import { partitionOfKey } from '../machine/partition-of-key';
import type { Image } from '../metadata/image';

/**
 * The count of partitions is the one that this life of the node saw first: with another one, keys
 * would belong to partitions that know nothing of them. Partitions that are added count from the
 * next start on, as Kafka's do.
 */
export class KeyPartitions {
  readonly #topic: string;
  readonly #picture: () => Image;
  #known: { readonly topicId: Uuid; readonly count: number } | undefined;

  constructor(topic: string, picture: () => Image) {
    this.#topic = topic;
    this.#picture = picture;
  }

  /** To be called for every picture: all nodes that show the topic then go by the same count. */
  follow(picture: Image): void {
    const topic = picture.topicByName(this.#topic);
    if (topic === undefined) this.#known = undefined;
    else if (this.#known?.topicId !== topic.id) {
      this.#known = { topicId: topic.id, count: topic.partitions.length };
    }
  }

  /** Undefined while the topic does not exist. */
  of(key: string): number | undefined {
    this.follow(this.#picture());
    return this.#known && partitionOfKey(key, this.#known.count);
  }
}

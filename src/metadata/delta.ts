/** What one publication changed; listeners look only at this, never at the whole picture. */
import type { NodeId, Uuid } from '../base/ids';
import type { Image } from './image';
import type { Topic } from './topics';

/** A topic that is new or changed, and which of its partitions are. */
export interface TopicDelta {
  /** As it is in the new picture. */
  readonly topic: Topic;
  readonly isNew: boolean;
  /** Numbers of the partitions that are new or changed. */
  readonly partitions: ReadonlySet<number>;
}

/**
 * The differences between `before` and the picture that comes with it. A topic deleted and made
 * again under its name stands in both `deletedTopics` (old id) and `topics` (new id).
 */
export interface Delta {
  readonly before: Image;
  /** New or changed, by topic id. */
  readonly topics: ReadonlyMap<Uuid, TopicDelta>;
  /** Gone, by topic id, as they were in `before`. */
  readonly deletedTopics: ReadonlyMap<Uuid, Topic>;
  /** Registered, changed or gone. */
  readonly brokers: ReadonlySet<NodeId>;
  readonly controllers: ReadonlySet<NodeId>;
  /** Features whose finalized level changed. */
  readonly features: ReadonlySet<string>;
  /** Keys (`resourceKey`) of the resources whose overrides changed. */
  readonly configs: ReadonlySet<string>;
  /** Keys (`quotaKey`) of the entities whose limits changed. */
  readonly quotas: ReadonlySet<string>;
  /** Ids of ACLs added or removed. */
  readonly acls: ReadonlySet<Uuid>;
  /** Keys (`scramKey`) of the credentials that changed. */
  readonly scram: ReadonlySet<string>;
  /** Ids of delegation tokens that changed. */
  readonly tokens: ReadonlySet<string>;
  readonly producerIds: boolean;
}

/**
 * A simulated administrator: creates topics, deletes some, changes settings, and looks whether
 * what was answered is to be seen.
 */
import type { Uuid } from '../../../src/base/ids';
import { ZERO_UUID } from '../../../src/base/ids';
import type { Platform } from '../../../src/platform/platform';
import type { ResponseOf } from '../../../src/protocol/api';
import {
  CreateTopics,
  DeleteTopics,
  DescribeConfigs,
  IncrementalAlterConfigs,
  Metadata,
} from '../../../src/protocol/apis';
import { Errors } from '../../../src/protocol/errors';
import { Violation } from '../world/history';
import { FinishingClient } from './client';
import { type ClusterView, expectNone, TryAgain } from './cluster-view';

interface KnownTopic {
  readonly partitions: number;
  /** Unknown if the answer that told it was lost. */
  id: Uuid | undefined;
  retentionMs: string | undefined;
}

const TOPIC_RESOURCE = 2;
const SET = 0;
const SETTING = 'retention.ms';

export class SimulatedAdmin extends FinishingClient {
  readonly #platform: Platform;
  readonly #cluster: ClusterView;
  readonly #maxPauseMs: number;
  readonly #isAlone: boolean;
  readonly #topics = new Map<string, KnownTopic>();
  readonly #deleted = new Set<string>();
  #created = 0;

  /**
   * A sole node shows at once what it has answered. Of several, one that lags may need longer than
   * answers are held back for its sake: there, only what is to be seen in the end counts.
   */
  constructor(platform: Platform, cluster: ClusterView, maxPauseMs: number, isAlone: boolean) {
    super();
    this.#isAlone = isAlone;
    this.#platform = platform;
    this.#cluster = cluster;
    this.#maxPauseMs = maxPauseMs;
  }

  async run(): Promise<void> {
    const { random, clock } = this.#platform;
    while (!this.isFinishing) {
      const names = [...this.#topics.keys()];
      const name = names[random.below(names.length)];
      const chance = random.below(10);
      if (name === undefined || chance < 5) await this.#create();
      else if (chance < 7) await this.#delete(name);
      else await this.#alter(name);
      if (this.#isAlone) await this.#look();
      await clock.sleep(random.below(this.#maxPauseMs));
    }
    await this.#look();
    for (const name of this.#topics.keys()) await this.#lookAtSetting(name);
    this.rest();
  }

  async #create(): Promise<void> {
    this.#created += 1;
    const name = `made-${this.#created}`;
    const partitions = 1 + this.#platform.random.below(3);
    const topic = { name, numPartitions: partitions, replicationFactor: -1 };
    const id = await this.#cluster.persist(async () => {
      const answer = await (await this.#cluster.any()).request(CreateTopics, 7, {
        topics: [{ ...topic, assignments: [], configs: [] }],
        timeoutMs: 5000,
      });
      const { errorCode = Errors.UNKNOWN_SERVER_ERROR, topicId } = answer.topics[0] ?? {};
      // An earlier attempt may have succeeded without our hearing of it.
      if (errorCode === Errors.TOPIC_ALREADY_EXISTS) return undefined;
      // While its disk fails, the only broker is fenced and nowhere to place a replica.
      if (errorCode === Errors.INVALID_REPLICATION_FACTOR) throw new TryAgain('no broker is there');
      expectNone(errorCode, `CreateTopics ${name}`);
      return topicId;
    });
    this.#topics.set(name, { partitions, id, retentionMs: undefined });
  }

  async #delete(name: string): Promise<void> {
    this.#topics.delete(name);
    await this.#cluster.persist(async () => {
      const answer = await (await this.#cluster.any()).request(DeleteTopics, 6, {
        topics: [{ name, topicId: ZERO_UUID }],
        topicNames: [],
        timeoutMs: 5000,
      });
      const { errorCode = Errors.UNKNOWN_SERVER_ERROR } = answer.responses[0] ?? {};
      // Likewise: it may be gone already.
      if (errorCode !== Errors.UNKNOWN_TOPIC_OR_PARTITION) {
        expectNone(errorCode, `DeleteTopics ${name}`);
      }
    });
    this.#deleted.add(name);
  }

  async #alter(name: string): Promise<void> {
    const value = String(1_000_000_000 + this.#platform.random.below(1_000_000));
    await this.#cluster.persist(async () => {
      const answer = await (await this.#cluster.any()).request(IncrementalAlterConfigs, 1, {
        resources: [
          {
            resourceType: TOPIC_RESOURCE,
            resourceName: name,
            configs: [{ name: SETTING, configOperation: SET, value }],
          },
        ],
        validateOnly: false,
      });
      const { errorCode = Errors.UNKNOWN_SERVER_ERROR } = answer.responses[0] ?? {};
      expectNone(errorCode, `IncrementalAlterConfigs ${name}`);
    });
    (this.#topics.get(name) as KnownTopic).retentionMs = value;
    if (this.#isAlone) await this.#lookAtSetting(name);
  }

  /** What was answered is to be seen, on whichever node is asked. */
  #look(): Promise<unknown> {
    return this.#cluster.persist(async () => {
      const body = { topics: null, includeTopicAuthorizedOperations: false };
      const told = await (await this.#cluster.any()).request(Metadata, 12, body);
      for (const { errorCode, name } of told.topics) expectNone(errorCode, `Metadata ${name}`);
      this.#compare(told.topics);
    });
  }

  #compare(topics: ResponseOf<typeof Metadata>['topics']): void {
    const seen = new Map(topics.map((topic) => [topic.name, topic]));
    for (const [name, topic] of this.#topics) {
      const found = seen.get(name);
      if (found === undefined) {
        this.#contradicted(`${name} was created and is not to be seen`);
      }
      const { length } = found.partitions;
      if (length !== topic.partitions) {
        throw new Violation(`${name} has ${length} of its ${topic.partitions} partitions`);
      }
      topic.id ??= found.topicId;
      if (found.topicId !== topic.id) throw new Violation(`${name} has become another topic`);
    }
    for (const name of this.#deleted) {
      if (seen.has(name)) this.#contradicted(`${name} was deleted and is to be seen`);
    }
  }

  async #lookAtSetting(name: string): Promise<void> {
    const { retentionMs } = this.#topics.get(name) as KnownTopic;
    if (retentionMs === undefined) return;
    const resource = { resourceType: TOPIC_RESOURCE, resourceName: name };
    await this.#cluster.persist(async () => {
      const answer = await (await this.#cluster.any()).request(DescribeConfigs, 4, {
        resources: [{ ...resource, configurationKeys: [SETTING] }],
      });
      const [result] = answer.results;
      expectNone(result?.errorCode ?? Errors.UNKNOWN_SERVER_ERROR, `DescribeConfigs ${name}`);
      const value = result?.configs[0]?.value;
      if (value !== retentionMs) {
        this.#contradicted(`${SETTING} of ${name} was set to ${retentionMs} and is ${value}`);
      }
    });
  }

  /** Of several nodes the one that was asked may lag: it has to catch up within the bound. */
  #contradicted(sentence: string): never {
    throw this.#isAlone ? new Violation(sentence) : new TryAgain(sentence);
  }
}

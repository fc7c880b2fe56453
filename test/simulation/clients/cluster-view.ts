/** What a simulated client knows of the cluster, and its connections there. */
import {
  Channel,
  ChannelError,
  type ChannelWorld,
  channelBuffers,
} from '../../../src/client/channel';
import type { Platform } from '../../../src/platform/platform';
import { FindCoordinator, Metadata } from '../../../src/protocol/apis';
import { Errors, errorName, isRetriable } from '../../../src/protocol/errors';

export interface Place {
  readonly host: string;
  readonly port: number;
}

interface Leader extends Place {
  readonly leaderEpoch: number;
}

const METADATA_VERSION = 9;
const FIND_COORDINATOR_VERSION = 3;
const RETRY_MS = 100;

/** Something that passes: the client tries again. Everything else ends it. */
export class TryAgain extends Error {
  override readonly name = 'TryAgain';
}

/** Whether a client that fails with it tries again. */
export const isPassing = (error: unknown): boolean =>
  error instanceof TryAgain || error instanceof ChannelError;

/** Throws `TryAgain` for error codes that pass, an Error for those that must not be. */
export function expectNone(errorCode: number, what: string): void {
  if (errorCode === Errors.NONE) return;
  const sentence = `${what} got ${errorName(errorCode)}`;
  if (isRetriable(errorCode) || PASSING.has(errorCode)) throw new TryAgain(sentence);
  throw new Error(sentence);
}

/** Not retriable to Kafka's clients, but passing where disks may fail. */
const PASSING: ReadonlySet<number> = new Set([Errors.KAFKA_STORAGE_ERROR]);

export class ClusterView {
  readonly clientId: string;
  readonly #platform: Platform;
  readonly #bootstrap: readonly Place[];
  readonly #world: ChannelWorld;
  readonly #channels = new Map<string, Promise<Channel>>();
  readonly #leaders = new Map<string, Leader>();
  /** Who leads in an older epoch leads no more, whoever still believes it. */
  readonly #newestEpochs = new Map<string, number>();
  readonly #coordinators = new Map<string, Place>();
  #attempts = 0;

  constructor(platform: Platform, clientId: string, bootstrap: readonly Place[]) {
    this.#platform = platform;
    this.clientId = clientId;
    this.#bootstrap = bootstrap;
    const { clock, network } = platform;
    this.#world = { clock, network, buffers: channelBuffers() };
  }

  /**
   * Calls `attempt` until it succeeds or `isOver` says that nobody wants it any more (then
   * `undefined`). What does not pass by itself is thrown.
   */
  async persist<Value>(
    attempt: () => Promise<Value>,
    isOver: () => boolean = () => false,
  ): Promise<Value | undefined> {
    while (!isOver()) {
      try {
        return await attempt();
      } catch (error) {
        if (!isPassing(error)) throw error;
        this.forget();
        await this.#platform.clock.sleep(RETRY_MS + this.#platform.random.below(RETRY_MS));
      }
    }
    return undefined;
  }

  /** What the client believed may be wrong. */
  forget(): void {
    this.#leaders.clear();
    this.#coordinators.clear();
  }

  /** A connection to some node. */
  any(): Promise<Channel> {
    this.#attempts += 1;
    return this.channel(this.#bootstrap[this.#attempts % this.#bootstrap.length] as Place);
  }

  channel(place: Place): Promise<Channel> {
    const key = `${place.host}:${place.port}`;
    const open = this.#channels.get(key);
    if (open !== undefined) return open;
    const opening = Channel.connect(this.#world, {
      ...place,
      clientId: this.clientId,
      connectTimeoutMs: 3000,
      requestTimeoutMs: 10_000,
    });
    this.#channels.set(key, opening);
    const lost = (): void => void this.#channels.delete(key);
    opening.then((channel) => channel.onClosed(lost), lost);
    return opening;
  }

  /** A connection to the leader of a partition. */
  async leader(topic: string, partition: number): Promise<Channel> {
    const key = `${topic}-${partition}`;
    if (!this.#leaders.has(key)) await this.#refresh(topic);
    const place = this.#leaders.get(key);
    if (place === undefined) throw new TryAgain(`${key} has no leader`);
    return this.channel(place);
  }

  /** The epoch of the leader as `leader` found it. */
  leaderEpoch(topic: string, partition: number): number {
    return this.#leaders.get(`${topic}-${partition}`)?.leaderEpoch ?? -1;
  }

  /** A connection to the coordinator of a group, or of a transactional id. */
  async coordinator(key: string, kind: 'group' | 'transaction' = 'group'): Promise<Channel> {
    const name = `${kind} ${key}`;
    let place = this.#coordinators.get(name);
    if (place === undefined) {
      const channel = await this.any();
      const body = { key, keyType: kind === 'group' ? 0 : 1 };
      const answer = await channel.request(FindCoordinator, FIND_COORDINATOR_VERSION, body);
      expectNone(answer.errorCode, 'FindCoordinator');
      place = { host: answer.host, port: answer.port };
      this.#coordinators.set(name, place);
    }
    return this.channel(place);
  }

  async #refresh(topic: string): Promise<void> {
    const channel = await this.any();
    const body = {
      topics: [{ name: topic }],
      allowAutoTopicCreation: false,
      includeTopicAuthorizedOperations: false,
    };
    const answer = await channel.request(Metadata, METADATA_VERSION, body);
    const places = new Map(
      answer.brokers.map(({ nodeId, host, port }) => [nodeId, { host, port }]),
    );
    for (const { errorCode, partitions } of answer.topics) {
      expectNone(errorCode, 'Metadata');
      for (const { partitionIndex, leaderId, leaderEpoch } of partitions) {
        const place = places.get(leaderId);
        const key = `${topic}-${partitionIndex}`;
        if (place === undefined || leaderEpoch < (this.#newestEpochs.get(key) ?? -1)) continue;
        this.#newestEpochs.set(key, leaderEpoch);
        this.#leaders.set(key, { ...place, leaderEpoch });
      }
    }
  }
}

/**
 * One connection of a fetcher to its leader: at most one Fetch under way, with a session or not.
 */
import type { BrokerEpoch, NodeId, Uuid } from '../base/ids';
import type { Channel } from '../client/channel';
import type { RequestDraft, ResponseOf } from '../protocol/api';
import { Fetch } from '../protocol/apis/fetch';
import { Errors } from '../protocol/errors';
import type { FetchItem, FollowerSession, SessionStep } from './follower-session';
import { fetchVersion } from './peer-versions';
import { LAST_EPOCH, NO_SESSION } from './session-epochs';

/** The settings of followers. */
export interface FetcherSettings {
  /** `replica.fetch.wait.max.ms`. */
  readonly waitMaxMs: number;
  /** `replica.fetch.min.bytes`. */
  readonly minBytes: number;
  /** `replica.fetch.response.max.bytes`. */
  readonly responseMaxBytes: number;
  /** `replica.fetch.max.bytes`: of one partition. */
  readonly partitionMaxBytes: number;
  /** `replica.fetch.backoff.ms`: the longest pause after an error. */
  readonly backoffMs: number;
  /** `replica.socket.timeout.ms`: beyond the wait. */
  readonly socketTimeoutMs: number;
}

export interface FetchLaneOptions {
  readonly nodeId: NodeId;
  readonly brokerEpoch: () => BrokerEpoch;
  readonly metadataVersion: () => number;
  readonly settings: FetcherSettings;
  /** How long the leader may wait for records. */
  readonly waitMs: number;
  /** Undefined: each request stands for itself. */
  readonly session: FollowerSession | undefined;
}

type Response = ResponseOf<typeof Fetch>;
type PartitionResponse = Response['responses'][number]['partitions'][number];

/**
 * Memory for an answer is used again up to this: the usual `replica.fetch.response.max.bytes`, and
 * what goes with the records.
 */
export const LARGEST_KEPT_ANSWER_BYTES = 11 * 1024 * 1024;

export class FetchLane {
  /** Where answers are kept, one at a time. */
  #kept = Buffer.alloc(0);

  constructor(private readonly options: FetchLaneOptions) {}

  /**
   * Asks for all of the session, or for `items` without one. Undefined: the leader refuses the
   * request as a whole, since it has forgotten the session for one; the next opens a new one.
   * Rejects with a ChannelError. The records of an answer are good until the next is asked for.
   */
  async fetch(channel: Channel, items: readonly FetchItem[] = []): Promise<Response | undefined> {
    const { session, waitMs, settings, metadataVersion } = this.options;
    const outside = { sessionId: NO_SESSION, sessionEpoch: LAST_EPOCH };
    const request = this.#request(session?.next() ?? { ...outside, changed: items, forgotten: [] });
    const timeoutMs = waitMs + settings.socketTimeoutMs;
    const keep = (buffer: Buffer, start: number, end: number) => this.#keep(buffer, start, end);
    try {
      const version = fetchVersion(metadataVersion());
      const response = await channel.request(Fetch, version, request, { timeoutMs, keep });
      const { errorCode, sessionId } = response;
      const isGood = session?.answered(errorCode, sessionId) ?? errorCode === Errors.NONE;
      return isGood ? response : undefined;
    } catch (error) {
      session?.failed();
      throw error;
    }
  }

  /**
   * New memory for each answer of megabytes cost a fourth of a busy follower's time, in collecting
   * it. What was once needed is kept up to a limit.
   */
  #keep(buffer: Buffer, start: number, end: number): Buffer {
    const length = end - start;
    if (this.#kept.length < length || this.#kept.length > LARGEST_KEPT_ANSWER_BYTES) {
      const room = Math.min(2 * length, LARGEST_KEPT_ANSWER_BYTES);
      this.#kept = Buffer.allocUnsafeSlow(Math.max(length, room));
    }
    buffer.copy(this.#kept, 0, start, end);
    return this.#kept.subarray(0, length);
  }

  #request({
    sessionId,
    sessionEpoch,
    changed,
    forgotten,
  }: SessionStep): RequestDraft<typeof Fetch> {
    const { nodeId, brokerEpoch, settings, waitMs, metadataVersion } = this.options;
    const isOld = fetchVersion(metadataVersion()) < 15;
    return {
      ...(isOld
        ? { replicaId: nodeId }
        : { replicaState: { replicaId: nodeId, replicaEpoch: brokerEpoch() } }),
      maxWaitMs: waitMs,
      minBytes: settings.minBytes,
      maxBytes: settings.responseMaxBytes,
      sessionId,
      sessionEpoch,
      topics: byTopic(changed, (item) => ({
        partition: item.partition,
        currentLeaderEpoch: item.position.leaderEpoch,
        fetchOffset: BigInt(item.position.fetchOffset),
        lastFetchedEpoch: item.position.lastFetchedEpoch,
        logStartOffset: item.position.startOffset,
        partitionMaxBytes: settings.partitionMaxBytes,
        ...(item.highWatermark === undefined ? {} : { highWatermark: BigInt(item.highWatermark) }),
      })),
      forgottenTopicsData: byTopic(forgotten, ({ partition }) => partition),
    };
  }
}

/** Every partition of an answer, with the key under which it was asked for. */
export function* answersOf(response: Response): IterableIterator<[string, PartitionResponse]> {
  for (const { topicId, partitions } of response.responses) {
    for (const partition of partitions) yield [keyOf(topicId, partition.partitionIndex), partition];
  }
}

/** A partition of whatever topic has that name now. */
export const keyOf = (topicId: Uuid, partition: number): string => `${topicId}:${partition}`;

function byTopic<T>(
  items: readonly FetchItem[],
  show: (item: FetchItem) => T,
): { readonly topicId: Uuid; readonly partitions: T[] }[] {
  const topics: { readonly topicId: Uuid; readonly partitions: T[] }[] = [];
  for (const item of items) {
    const last = topics[topics.length - 1];
    if (last?.topicId === item.topicId) last.partitions.push(show(item));
    else topics.push({ topicId: item.topicId, partitions: [show(item)] });
  }
  return topics;
}

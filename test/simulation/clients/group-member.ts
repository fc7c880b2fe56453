/**
 * A simulated member of a classic consumer group: joins, reads what it is assigned, commits, and
 * leaves now and then; for good once all that it is assigned is read and committed.
 */
import type { Platform } from '../../../src/platform/platform';
import { OffsetCommit, OffsetFetch } from '../../../src/protocol/apis';
import type { History } from '../world/history';
import { FinishingClient } from './client';
import type { ClusterView } from './cluster-view';
import { expectMember, Membership, type MembershipPlan, Rejoin } from './membership';
import { endOffset, readFrom } from './reader';

export interface MemberPlan extends MembershipPlan {
  /** How likely it is to leave after a round of reading. */
  readonly leaveProbability: number;
}

const HEARTBEAT_MS = 1000;
const READ = { maxWaitMs: 200, maxBytes: 100_000 };

export class SimulatedMember extends FinishingClient {
  readonly #platform: Platform;
  readonly #cluster: ClusterView;
  readonly #history: History;
  readonly #plan: MemberPlan;
  readonly #membership: Membership;

  constructor(platform: Platform, cluster: ClusterView, history: History, plan: MemberPlan) {
    super();
    this.#platform = platform;
    this.#cluster = cluster;
    this.#history = history;
    this.#plan = plan;
    this.#membership = new Membership(cluster, history, plan);
  }

  async run(): Promise<void> {
    while (!this.isIdle) {
      try {
        await this.#cluster.persist(() => this.#live());
      } catch (error) {
        if (!(error instanceof Rejoin)) throw error;
        if (error.isUnknown) this.#membership.forget();
      }
    }
  }

  /** From joining to leaving. */
  async #live(): Promise<void> {
    const { clock, random } = this.#platform;
    const positions = await this.#start(await this.#membership.join());
    for (;;) {
      const isFinishing = this.isFinishing;
      await this.#membership.heartbeat();
      for (const [partition, position] of positions) {
        positions.set(partition, await this.#read(partition, position));
      }
      if (isFinishing) {
        if (!(await this.#hasReadAll(positions))) continue;
        await this.#membership.leave();
        this.rest();
        return;
      }
      if (random.below(1000) < this.#plan.leaveProbability * 1000) {
        await this.#membership.leave();
        return;
      }
      await clock.sleep(random.below(HEARTBEAT_MS));
    }
  }

  /** Where each partition was left off. */
  async #start(assigned: readonly number[]): Promise<Map<number, number>> {
    if (assigned.length === 0) return new Map();
    const { group, topic } = this.#plan;
    const channel = await this.#cluster.coordinator(group);
    const answer = await channel.request(OffsetFetch, 5, {
      groupId: group,
      topics: [{ name: topic, partitionIndexes: [...assigned] }],
    });
    expectMember(answer.errorCode, 'OffsetFetch');
    const positions = new Map<number, number>();
    for (const { partitionIndex, committedOffset, errorCode } of answer.topics[0]?.partitions ??
      []) {
      expectMember(errorCode, 'OffsetFetch');
      const offset = Number(committedOffset);
      this.#history.committedOffsetFetched(group, `${topic}-${partitionIndex}`, offset);
      positions.set(partitionIndex, Math.max(offset, 0));
    }
    return positions;
  }

  async #read(partition: number, position: number): Promise<number> {
    const { topic } = this.#plan;
    const records = await readFrom(this.#cluster, topic, partition, position, READ);
    for (const record of records) this.#history.read(`${topic}-${partition}`, record);
    const last = records.at(-1);
    if (last === undefined) return position;
    await this.#commit(partition, last.offset + 1);
    return last.offset + 1;
  }

  async #commit(partition: number, offset: number): Promise<void> {
    const { group, topic } = this.#plan;
    const channel = await this.#cluster.coordinator(group);
    const partitions = [
      {
        partitionIndex: partition,
        committedOffset: BigInt(offset),
        committedMetadata: `at ${offset}`,
      },
    ];
    const { generationId, memberId } = this.#membership.identity;
    const answer = await channel.request(OffsetCommit, 7, {
      groupId: group,
      generationIdOrMemberEpoch: generationId,
      memberId,
      topics: [{ name: topic, partitions }],
    });
    const result = answer.topics[0]?.partitions[0];
    if (result === undefined) throw new Error('OffsetCommit was answered without the partition');
    expectMember(result.errorCode, 'OffsetCommit');
    this.#history.committed(group, `${topic}-${partition}`, offset);
  }

  async #hasReadAll(positions: ReadonlyMap<number, number>): Promise<boolean> {
    const { topic } = this.#plan;
    for (const [partition, position] of positions) {
      const channel = await this.#cluster.leader(topic, partition);
      if ((await endOffset(channel, topic, partition)) > position) return false;
    }
    return true;
  }
}

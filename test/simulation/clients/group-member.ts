/**
 * A simulated member of a classic consumer group: joins, reads what it is assigned, commits, and
 * leaves now and then.
 */
import type { Platform } from '../../../src/platform/platform';
import {
  Heartbeat,
  JoinGroup,
  LeaveGroup,
  OffsetCommit,
  OffsetFetch,
  SyncGroup,
} from '../../../src/protocol/apis';
import {
  decodeAssignment,
  encodeAssignment,
  encodeSubscription,
} from '../../../src/protocol/consumer-protocol';
import { Errors } from '../../../src/protocol/errors';
import type { History } from '../world/history';
import { type ClusterView, expectNone, TryAgain } from './cluster-view';
import { endOffset, readFrom } from './reader';

export interface MemberPlan {
  readonly group: string;
  readonly topic: string;
  readonly partitions: number;
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
  /** How likely it is to leave after a round of reading. */
  readonly leaveProbability: number;
}

const HEARTBEAT_MS = 1000;
const READ = { maxWaitMs: 200, maxBytes: 100_000 };
/** Errors after which a member joins anew. */
const REJOIN: ReadonlySet<number> = new Set([
  Errors.REBALANCE_IN_PROGRESS,
  Errors.ILLEGAL_GENERATION,
  Errors.UNKNOWN_MEMBER_ID,
]);

/** The member has to join anew; with `isUnknown` under a new id. */
class Rejoin extends Error {
  constructor(readonly isUnknown: boolean) {
    super('the member has to join anew');
  }
}

interface Membership {
  readonly generationId: number;
  readonly memberId: string;
}

export class SimulatedMember {
  readonly #platform: Platform;
  readonly #cluster: ClusterView;
  readonly #history: History;
  readonly #plan: MemberPlan;
  #memberId = '';
  /** All members, while this one leads. */
  #led: readonly string[] = [];
  #isFinishing = false;
  #isIdle = false;

  constructor(platform: Platform, cluster: ClusterView, history: History, plan: MemberPlan) {
    this.#platform = platform;
    this.#cluster = cluster;
    this.#history = history;
    this.#plan = plan;
  }

  get isIdle(): boolean {
    return this.#isIdle;
  }

  /** Lets it leave once all that it is assigned is read and committed. */
  finish(): void {
    this.#isFinishing = true;
  }

  async run(): Promise<void> {
    while (!this.#isIdle) {
      try {
        await this.#cluster.persist(() => this.#live());
      } catch (error) {
        if (!(error instanceof Rejoin)) throw error;
        if (error.isUnknown) this.#memberId = '';
      }
    }
  }

  /** One membership, from joining to leaving. */
  async #live(): Promise<void> {
    const { clock, random } = this.#platform;
    const membership = await this.#join();
    const positions = await this.#start(await this.#sync(membership));
    for (;;) {
      const isFinishing = this.#isFinishing;
      await this.#heartbeat(membership);
      for (const [partition, position] of positions) {
        positions.set(partition, await this.#read(membership, partition, position));
      }
      if (isFinishing) {
        if (!(await this.#hasReadAll(positions))) continue;
        await this.#leave(membership);
        this.#isIdle = true;
        return;
      }
      if (random.below(1000) < this.#plan.leaveProbability * 1000) {
        await this.#leave(membership);
        return;
      }
      await clock.sleep(random.below(HEARTBEAT_MS));
    }
  }

  async #join(): Promise<Membership> {
    const { group, topic, sessionTimeoutMs, rebalanceTimeoutMs } = this.#plan;
    const channel = await this.#cluster.coordinator(group);
    const body = {
      groupId: group,
      sessionTimeoutMs,
      rebalanceTimeoutMs,
      memberId: this.#memberId,
      protocolType: 'consumer',
      protocols: [{ name: 'even', metadata: encodeSubscription({ topics: [topic] }) }],
    };
    const timeoutMs = rebalanceTimeoutMs + 10_000;
    const answer = await channel.request(JoinGroup, 6, body, { timeoutMs });
    if (answer.errorCode === Errors.MEMBER_ID_REQUIRED) {
      this.#memberId = answer.memberId;
      throw new TryAgain('the member was given its id');
    }
    this.#expect(answer.errorCode, 'JoinGroup');
    this.#memberId = answer.memberId;
    this.#history.rebalanced();
    const { leader, memberId, generationId, members } = answer;
    this.#led = leader === memberId ? members.map((one) => one.memberId) : [];
    return { generationId, memberId };
  }

  /** Gives the partitions assigned to this member. */
  async #sync(membership: Membership): Promise<readonly number[]> {
    const { group, topic, partitions } = this.#plan;
    const members = [...this.#led].sort();
    const assignments = members.map((memberId, index) => {
      const own = range(partitions).filter((partition) => partition % members.length === index);
      const assignedPartitions = [{ topic, partitions: own }];
      return { memberId, assignment: encodeAssignment({ assignedPartitions }) };
    });
    const channel = await this.#cluster.coordinator(group);
    const answer = await channel.request(SyncGroup, 3, {
      groupId: group,
      ...membership,
      assignments,
    });
    this.#expect(answer.errorCode, 'SyncGroup');
    const { assignedPartitions } = decodeAssignment(answer.assignment);
    const assigned = assignedPartitions.flatMap((one) => [...one.partitions]);
    for (const partition of assigned) {
      const { generationId, memberId } = membership;
      this.#history.assigned(group, generationId, memberId, `${topic}-${partition}`);
    }
    return assigned;
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
    this.#expect(answer.errorCode, 'OffsetFetch');
    const positions = new Map<number, number>();
    for (const { partitionIndex, committedOffset, errorCode } of answer.topics[0]?.partitions ??
      []) {
      this.#expect(errorCode, 'OffsetFetch');
      const offset = Number(committedOffset);
      this.#history.committedOffsetFetched(group, `${topic}-${partitionIndex}`, offset);
      positions.set(partitionIndex, Math.max(offset, 0));
    }
    return positions;
  }

  async #read(membership: Membership, partition: number, position: number): Promise<number> {
    const { topic } = this.#plan;
    const channel = await this.#cluster.leader(topic, partition);
    const records = await readFrom(channel, topic, partition, position, READ);
    for (const record of records) this.#history.read(`${topic}-${partition}`, record);
    const last = records.at(-1);
    if (last === undefined) return position;
    await this.#commit(membership, partition, last.offset + 1);
    return last.offset + 1;
  }

  async #commit(membership: Membership, partition: number, offset: number): Promise<void> {
    const { group, topic } = this.#plan;
    const channel = await this.#cluster.coordinator(group);
    const partitions = [
      {
        partitionIndex: partition,
        committedOffset: BigInt(offset),
        committedMetadata: `at ${offset}`,
      },
    ];
    const answer = await channel.request(OffsetCommit, 7, {
      groupId: group,
      generationIdOrMemberEpoch: membership.generationId,
      memberId: membership.memberId,
      topics: [{ name: topic, partitions }],
    });
    const result = answer.topics[0]?.partitions[0];
    if (result === undefined) throw new Error('OffsetCommit was answered without the partition');
    this.#expect(result.errorCode, 'OffsetCommit');
    this.#history.committed(group, `${topic}-${partition}`, offset);
  }

  async #heartbeat(membership: Membership): Promise<void> {
    const channel = await this.#cluster.coordinator(this.#plan.group);
    const body = { groupId: this.#plan.group, ...membership };
    const answer = await channel.request(Heartbeat, 3, body);
    this.#expect(answer.errorCode, 'Heartbeat');
  }

  async #leave(membership: Membership): Promise<void> {
    const channel = await this.#cluster.coordinator(this.#plan.group);
    this.#memberId = '';
    const members = [{ memberId: membership.memberId }];
    const answer = await channel.request(LeaveGroup, 3, { groupId: this.#plan.group, members });
    this.#expect(answer.errorCode, 'LeaveGroup');
  }

  async #hasReadAll(positions: ReadonlyMap<number, number>): Promise<boolean> {
    const { topic } = this.#plan;
    for (const [partition, position] of positions) {
      const channel = await this.#cluster.leader(topic, partition);
      if ((await endOffset(channel, topic, partition)) > position) return false;
    }
    return true;
  }

  #expect(errorCode: number, what: string): void {
    if (REJOIN.has(errorCode)) throw new Rejoin(errorCode === Errors.UNKNOWN_MEMBER_ID);
    expectNone(errorCode, what);
  }
}

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
